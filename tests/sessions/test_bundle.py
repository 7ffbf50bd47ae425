"""A session that was exported reopens elsewhere with the same digits; what is damaged or foreign changes nothing."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from testimate.core.errors import BadInput, ReplayMismatch, SubjectChanged
from testimate.core.selector import Request
from testimate.sessions.bundle import read_bundle, write_bundle
from testimate.sessions.project import Project

TABLE = "label,prediction,confidence\n" + "".join(
    f"{row % 3},{(row + (row % 5 == 4)) % 3},{0.99 - row / 100:.2f}\n" for row in range(60)
)


@pytest.fixture
def here(tmp_path):
    project = Project(tmp_path / "here")
    return project, project.add_table("table.csv", TABLE.encode())


@pytest.fixture
def there(tmp_path):
    project = Project(tmp_path / "there")
    project.add_table("the same.csv", TABLE.encode())
    return project


def labeled(project, subject, say, technique="rra", **settings):
    session = project.start_session(subject.key, Request(technique, budget=30, seed=2), **settings)
    for _ in range(25):
        [draw] = session.upcoming(1)
        session.record([say(draw.row, int(session.inputs.truth[draw.row]))])
    return session


@pytest.mark.parametrize("technique", ["rra", "rrs", "sups"])
def test_a_session_reopens_in_another_project_with_the_same_digits(here, there, say, technique):
    session = labeled(*here, say, technique)
    opened = there.add_bundle(write_bundle(session))
    assert opened.estimate() == session.estimate()
    assert opened.history() == session.history()
    assert [draw.row for draw in opened.upcoming(3)] == [draw.row for draw in session.upcoming(3)]


def test_the_same_session_gives_the_same_bytes(here, say):
    session = labeled(*here, say)
    assert write_bundle(session) == write_bundle(session)


def test_a_bundle_read_twice_adds_nothing_and_one_with_more_adds_the_rest(here, there, say):
    session = labeled(*here, say)
    first = write_bundle(session)
    [draw] = session.upcoming(1)
    session.record([say(draw.row, 0)])
    there.add_bundle(first)
    there.add_bundle(first)
    assert len(there.session(session.session_record.id).history()) == 25
    assert len(there.add_bundle(write_bundle(session)).history()) == 26


def test_one_cut_short_anywhere_is_refused_and_nothing_is_kept(here, there, say):
    data = write_bundle(labeled(*here, say))
    for length in range(0, len(data), max(1, len(data) // 40)):
        with pytest.raises(BadInput):
            there.add_bundle(data[:length])
    assert there.sessions() == []


def changed(data, name, change):
    """The bundle with one part changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        parts = {part: file.read(part) for part in file.namelist()}
    parts[name] = change(parts[name].decode()).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for part, content in parts.items():
            file.writestr(part, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("part", "change", "error", "sentence"),
    [
        ("testimate.json", lambda text: text.replace('"format": 1', '"format": 9'), BadInput, "format 9"),
        ("testimate.json", lambda text: "[]", BadInput, "format"),
        ("testimate.json", lambda text: "nonsense", BadInput, "no whole bundle"),
        ("events.jsonl", lambda text: text.splitlines()[0], BadInput, "1 events; it should be 25"),
        ("events.jsonl", lambda text: text.replace('"kind": "answer"', '"kind": "hack"'), BadInput, "kind"),
        ("events.jsonl", lambda text: text.replace('"row": ', '"row": 9'), BadInput, "row"),
        ("session.json", lambda text: text.replace('"seed": 2', '"seed": 3'), ReplayMismatch, "draw"),
        ("session.json", lambda text: text.replace('"budget": 30', '"budget": 0'), BadInput, "budget"),
        ("session.json", lambda text: json.dumps({**json.loads(text), "extra": 1}), BadInput, "extra"),
        (
            "session.json",
            lambda text: json.dumps({**json.loads(text), "fingerprint": "0" * 32}),
            SubjectChanged,
            "fingerprint",
        ),
        ("session.json", lambda text: json.dumps({**json.loads(text), "subject": "../x"}), BadInput, "no subject"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence_and_nothing_is_kept(
    here, there, say, part, change, error, sentence
):
    data = changed(write_bundle(labeled(*here, say)), part, change)
    with pytest.raises(error, match=sentence):
        there.add_bundle(data)
    assert there.sessions() == []


def test_another_plan_under_the_same_id_is_refused(here, there, say):
    session = labeled(*here, say)
    there.add_bundle(write_bundle(session))
    other = replace(session.session_record, half_width=0.4)
    data = changed(
        write_bundle(session),
        "session.json",
        lambda text: json.dumps({**json.loads(text), "half_width": other.half_width}),
    )
    with pytest.raises(BadInput, match="another plan"):
        there.add_bundle(data)


def test_a_bundle_holds_what_the_session_says(here, say):
    session = labeled(*here, say, votes_per_input=1)
    bundle = read_bundle(write_bundle(session))
    assert bundle.record == session.session_record
    assert bundle.events == session.history()
