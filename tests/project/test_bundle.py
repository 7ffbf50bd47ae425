"""A session that was exported reopens elsewhere with the same digits; what is damaged or foreign changes nothing."""

import io
import json
import zipfile
from dataclasses import fields, replace

import pytest

from testimate.core.errors import BadInput, ReplayMismatch, SubjectChanged
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.project.bundle import import_bundle, read_bundle, write_bundle
from testimate.project.project import Project
from tests.each import each

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
    opened = import_bundle(there, write_bundle(session))
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
    import_bundle(there, first)
    import_bundle(there, first)
    assert len(there.session(session.session_record.id).history()) == 25
    assert len(import_bundle(there, write_bundle(session)).history()) == 26


def test_one_cut_short_anywhere_is_refused_and_nothing_is_kept(bundle, there):
    for length in range(0, len(bundle), max(1, len(bundle) // 40)):
        with pytest.raises(BadInput):
            import_bundle(there, bundle[:length])
    assert there.sessions() == []


@pytest.fixture(scope="module")
def bundle(tmp_path_factory, say):
    """What another project sent: a session of adaptive rounds with 25 labels."""
    project = Project(tmp_path_factory.mktemp("sent"))
    return write_bundle(labeled(project, project.add_table("table.csv", TABLE.encode()), say))


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
        ("testimate.json", lambda text: "nonsense", BadInput, "not a complete bundle"),
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
        ("session.json", lambda text: json.dumps({**json.loads(text), "subject": "../x"}), BadInput, "no test set"),
        ("session.json", lambda text: "[" * 200_000, BadInput, "not a complete bundle"),
        (
            "events.jsonl",  # nested so that it can be read here, and not from deep within a program
            lambda text: text.replace('"detail": {', '"detail": {"deep": ' + "[" * 500 + "]" * 500 + ", ", 1),
            BadInput,
            "nested deeper than 20",
        ),
        (
            "events.jsonl",
            lambda text: text.replace('"id": "', '"id": 7, "tester": "', 1),
            BadInput,
            "id of an event is 7",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence_and_nothing_is_kept(bundle, there, part, change, error, sentence):
    data = changed(bundle, part, change)
    with pytest.raises(error, match=sentence):
        import_bundle(there, data)
    assert there.sessions() == []


def test_another_plan_under_the_same_id_is_refused(here, there, say):
    session = labeled(*here, say)
    import_bundle(there, write_bundle(session))
    other = replace(session.session_record, half_width=0.4)
    data = changed(
        write_bundle(session),
        "session.json",
        lambda text: json.dumps({**json.loads(text), "half_width": other.half_width}),
    )
    with pytest.raises(BadInput, match="another plan"):
        import_bundle(there, data)


def test_a_bundle_holds_what_the_session_says(here, say):
    session = labeled(*here, say, votes_per_input=1)
    read = read_bundle(write_bundle(session))
    assert read.record == session.session_record
    assert read.events == session.history()


NO_RECORDS = {
    "id": [["x"], 7, "", "x" * 5000, "../../x/<b>", "a\n", None],
    "subject": [5, None, "x" * 5000],
    "subject_name": [5, None, "x" * 5000, "\ud800", "a\0b"],
    "fingerprint": [5, None, ["f"]],
    "interval_method": [5, None, "x" * 5000],
    "prepared": [5, None, "x" * 5000],
    "question": [5, None, "x" * 5000],
    "known_answers": [5, None, "x", [[1]], [[-1, 0]], [["a", 0]], [[1, 0], [1, 1]]],
    "known_labels": [5, None, "x", [[1]], [[-1, 0]], [["a", 0]], [[1, 0], [1, 1]]],
    "criteria": [5, None, "x", [1]],
    "rubric": [5, None, "x" * 5000, "a\0b"],
    "reasons": [5, None, "sometimes", ["always"]],
    "colors": [5, None, {"3": "blue"}, {"3": 7}, ["#0072b2"]],
    "resolved": [None, 5, "zones", ["zones"]],
    "created": [5, "soon", "", None, "2024-13-01T10:00:00+00:00", "2024-05-01T10:00:00+00:00" + "0" * 5000],
    "show_prediction": ["yes", 1, None],
    "level": [5, "x", 0, 1, True, float("nan"), 10**400, None],
    "half_width": ["x", 0, -0.1, float("inf"), float("nan"), 10**400, None],
    "votes_per_input": [0, -1, "2", 1.5, True],
}
NO_REQUESTS = {
    "technique": [["srs"], 5, None],
    "budget": ["20", 0, 1.5, True, None],
    "seed": ["x", -1, 1.5, None],
    "auxiliary": [5, None, ["confidence"]],
    "features": [5, None],
    "variant": [5, ["as published"]],
    "options": [[1], "x", 5, None],
}


def test_every_field_of_a_record_is_checked():
    assert set(NO_RECORDS) == {field.name for field in fields(SessionRecord)} - {"request"}
    assert set(NO_REQUESTS) == {field.name for field in fields(Request)}


@each(("field", "value"), [(field, value) for field in NO_RECORDS for value in NO_RECORDS[field]])
def test_a_record_nobody_could_work_with_is_refused_by_its_field_and_nothing_is_kept(bundle, there, field, value):
    data = changed(bundle, "session.json", lambda text: json.dumps({**json.loads(text), field: value}))
    with pytest.raises(BadInput, match=rf"record has {field} = .*. Expected"):
        import_bundle(there, data)
    assert there.sessions() == []


@each(("field", "value"), [(field, value) for field in NO_REQUESTS for value in NO_REQUESTS[field]])
def test_a_request_of_a_wrong_kind_is_refused_by_its_field_and_nothing_is_kept(bundle, there, field, value):
    def change(text):
        record = json.loads(text)
        return json.dumps({**record, "request": {**record["request"], field: value}})

    data = changed(bundle, "session.json", change)
    with pytest.raises(BadInput, match=rf"record has {field} = .*. Expected"):
        import_bundle(there, data)
    assert there.sessions() == []


def test_one_byte_changed_anywhere_is_refused_or_changes_nothing(bundle):
    whole, refused = read_bundle(bundle), 0
    for place in range(len(bundle)):
        damaged = bytearray(bundle)
        damaged[place] ^= 0x55
        try:
            assert read_bundle(bytes(damaged)) == whole  # a byte that says when or by which program it was packed
        except BadInput:
            refused += 1
    assert refused > len(bundle) / 2


def test_an_encrypted_bundle_is_refused_in_a_sentence(bundle):
    data = bytearray(bundle)
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(header)
        while place >= 0:
            data[place + flags] |= 1  # the bit that says so
            place = data.find(header, place + 1)
    with pytest.raises(BadInput, match="encrypted"):
        read_bundle(bytes(data))


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bundle_packed_in_another_way_is_refused_in_a_sentence(bundle, packing):
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(bundle)) as old,
        zipfile.ZipFile(buffer, "w", packing) as new,
    ):
        for part in old.namelist():
            new.writestr(part, old.read(part))
    with pytest.raises(BadInput, match="compressed in an unusual way"):
        read_bundle(buffer.getvalue())


@pytest.mark.parametrize("name", ["events.jsonl", "more.json", "../session.json"])
def test_a_bundle_with_a_part_twice_or_more_than_its_three_is_refused(bundle, name):
    """Which of two is read is chance: another program may show the one and this one read the other."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as packed:
        parts = [(part, packed.read(part)) for part in packed.namelist()]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for part, content in [*parts, (name, b"")]:
            packed.NameToInfo.pop(part, None)  # zipfile warns of a name that is there
            packed.writestr(part, content)
    with pytest.raises(BadInput, match=f"This bundle contains '{name}'"):
        read_bundle(buffer.getvalue())


@pytest.mark.parametrize("part", ["testimate.json", "session.json", "events.jsonl"])
@pytest.mark.parametrize("bomb", ["[],", "{},", '"ab",'])
def test_a_bundle_whose_json_would_fill_the_memory_is_refused_before_it_is_parsed(bundle, monkeypatch, part, bomb):
    data = changed(bundle, part, lambda text: "[" + bomb * 2_000_001 + "0]" + "\n" * 25)
    parse = json.loads
    monkeypatch.setattr(
        json, "loads", lambda text, **hooks: parse(text, **hooks) if len(text) < 5_000_000 else pytest.fail("parsed")
    )
    with pytest.raises(BadInput, match="more than 2000000 values"):
        read_bundle(data)


def test_events_that_are_small_each_and_many_values_in_all_are_refused(bundle, monkeypatch):
    monkeypatch.setattr("testimate.project.bundle.MOST_IN_EVENTS", 20_000)
    data = changed(
        bundle, "events.jsonl", lambda text: text.replace('"detail": {', '"detail": {"a": [' + "[]," * 900 + "0], ")
    )
    with pytest.raises(BadInput, match="more than 20000 values"):
        read_bundle(data)


def test_a_bundle_of_a_hundred_million_empty_lines_is_refused_before_they_are_split(bundle):
    data = changed(bundle, "events.jsonl", lambda text: "\n" * 100_000_000)
    with pytest.raises(BadInput, match="contains 100000000 events; it should be 25"):
        read_bundle(data)
