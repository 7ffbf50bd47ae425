"""Sessions from the terminal: listed, written to files that come back elsewhere, and votes of other programs taken in."""

import csv
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from testimate.session.session import Session

KINDS = ("=cat", "dog", "owl")  # a spreadsheet would run the first; the export sets an apostrophe before it
TABLE = "label,prediction,confidence\n" + "".join(
    f"{KINDS[row % 3]},{KINDS[(row + (row % 5 == 4)) % 3]},{0.99 - row / 100:.2f}\n" for row in range(60)
)


def project_in(folder: Path) -> tuple[Project, str]:
    project = Project(folder)
    return project, project.add_table("table.csv", TABLE.encode()).key


def planned(project: Project, key: str, technique: str = "rra", **settings) -> Session:
    return project.start_session(key, Request(technique, budget=24, seed=2), **settings)


def voted(session: Session, count: int, *, testers=("Ann", "Bob")) -> Session:
    """Two testers answer by the truth; Bob errs on the second input, cannot tell the third, and Lea settles the dispute."""
    for number in range(count):
        row = session.upcoming(1, testers[0])[0].row if len(testers) > 1 else session.upcoming(1)[0].row
        for name in testers:
            right = int(session.inputs.truth[row])
            answer = (right + 1) % 3 if name == "Bob" and number == 1 else right
            kind = "cannot tell" if name == "Bob" and number == 2 else "answer"
            said = None if kind == "cannot tell" else answer
            session.record([Event(f"{name}-{row:06}", kind, row, name, "2024-05-01T10:00:00Z", said, 1.5)])
        if session.disputed() and number == 1:
            word = Event("word-01", "adjudication", row, "Lea", "2024-05-01T11:00:00Z", int(session.inputs.truth[row]))
            session.record([word], lead=True)
    return session


@pytest.fixture
def here(tmp_path):
    project, key = project_in(tmp_path / "here")
    return tmp_path / "here", voted(planned(project, key, "srs", votes_per_input=2), 20)


def test_the_list_names_every_session_newest_first(command, tmp_path):
    project, key = project_in(tmp_path)
    assert "No sessions yet" in command("sessions", "list", "--project", tmp_path)[1]
    ids = [planned(project, key, technique).session_record.id for technique in ("srs", "rrs")]
    listed = json.loads(command("sessions", "list", "--project", tmp_path, "--json", "-")[1])
    assert [(one["id"], one["technique"], one["budget"]) for one in listed] == [
        (ids[1], "rrs", 24),
        (ids[0], "srs", 24),
    ]
    words = command("sessions", "list", "--project", tmp_path)[1]
    assert [line.split()[0] for line in words.splitlines()] == ids[::-1]


def test_each_ending_gives_its_own_kind_of_file(command, here, tmp_path):
    folder, session = here
    settled = len(session.answers())
    for ending in ("testimate", "csv", "parquet", "html", "json"):
        file = tmp_path / f"out.{ending}"
        status, said, _ = command("sessions", "export", session.session_record.id, "--out", file, "--project", folder)
        assert (status, str(file) in said) == (0, True)
    with zipfile.ZipFile(tmp_path / "out.testimate") as bundle:
        assert len(bundle.read("events.jsonl").splitlines()) == len(session.history())
    lines = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert sum(line["loss"] != "" for line in lines) == settled
    assert pq.read_table(tmp_path / "out.parquet").num_rows == len(lines)
    assert (tmp_path / "out.html").read_text().startswith("<!doctype html>")
    assert len(json.loads((tmp_path / "out.json").read_text())) == len(lines)


def test_a_session_written_here_reopens_elsewhere_with_the_same_estimate(command, here, tmp_path):
    folder, session = here
    there, _ = project_in(tmp_path / "there")
    bundle, id = tmp_path / "s.testimate", session.session_record.id
    command("sessions", "export", id, "--out", bundle, "--project", folder)
    assert f"{len(session.history())} events" in command("sessions", "import", bundle, "--project", there.folder)[1]
    replays = [
        json.loads(command("sessions", "replay", id, "--project", place, "--json", "-")[1])
        for place in (folder, there.folder)
    ]
    assert replays[0] == replays[1]
    assert replays[0]["estimate"]["accuracy"] == session.estimate().accuracy
    assert replays[0]["events"] == len(session.history())
    assert "every draw as it was: accuracy" in command("sessions", "replay", id, "--project", folder)[1]


def test_a_replay_without_labels_says_why_there_is_no_number(command, tmp_path):
    id = planned(*project_in(tmp_path)).session_record.id
    assert "0 events replayed" in command("sessions", "replay", id, "--project", tmp_path)[1]
    assert json.loads(command("sessions", "replay", id, "--project", tmp_path, "--json", "-")[1])["estimate"] is None


@pytest.mark.parametrize("technique", ["rrs", "rra"])
def test_label_studios_votes_come_back_into_a_session_with_the_disputes_settled(command, tmp_path, technique):
    project, key = project_in(tmp_path)
    session = voted(planned(project, key, technique, votes_per_input=2), 20)
    again = planned(project, key, technique, votes_per_input=2)
    file, id = tmp_path / "out.json", again.session_record.id
    command("sessions", "export", session.session_record.id, "--out", file, "--project", tmp_path)
    status, said, _ = command("sessions", "import", file, "--into", id, "--project", tmp_path)
    assert (status, said.split(" ", 1)[0]) == (0, "41")
    again.refresh()
    assert again.votes() == session.votes()
    assert again.answers() == session.answers()
    assert again.adjudicated() == session.adjudicated()
    assert again.verdicts() == session.verdicts()
    assert command("sessions", "import", file, "--into", id, "--project", tmp_path)[1].startswith("0 of 41")


def test_what_one_said_in_label_studio_as_ground_truth_is_a_plain_answer_where_one_labels_alone(command, tmp_path):
    project, key = project_in(tmp_path)
    session = planned(project, key, "srs")
    row = session.draws[0].row
    annotation = {"id": 5, "completed_by": 1, "ground_truth": True, "result": [{"value": {"choices": ["owl"]}}]}
    (tmp_path / "out.json").write_text(json.dumps([{"id": 1, "data": {"row": row}, "annotations": [annotation]}]))
    command("sessions", "import", tmp_path / "out.json", "--into", session.session_record.id, "--project", tmp_path)
    session.refresh()
    assert session.answers() == {row: 2}


@pytest.mark.parametrize("technique", ["rrs", "rra"])
def test_a_votes_file_comes_back_with_the_same_answers(command, tmp_path, technique):
    project, key = project_in(tmp_path)
    session = voted(planned(project, key, technique), 18, testers=("Ann",))
    again = planned(project, key, technique)
    file, id = tmp_path / "votes.csv", again.session_record.id
    command("sessions", "export", session.session_record.id, "--out", file, "--project", tmp_path)
    assert "'=cat" in file.read_text()
    assert command("sessions", "import", file, "--into", id, "--project", tmp_path)[1].startswith("18 of 18")
    again.refresh()
    assert again.answers() == session.answers()
    assert again.estimate() == session.estimate()
    assert {event.tester for event in again.history()} == {"Ann"}
    assert command("sessions", "import", file, "--into", id, "--project", tmp_path)[1].startswith("0 of 18")


@pytest.fixture
def keyed(tmp_path):
    """A session of a table whose rows have a number, a file and a text of their own, and the truth of each."""
    numbers = np.random.default_rng(3).permutation(60)
    rows = [f"{100 + one},p{one}.png,text of {one},{'cat' if one % 3 else 'dog'}" for one in numbers]
    project = Project(tmp_path)
    key = project.add_table("t.csv", "\n".join(["id,image,said,prediction", *rows]).encode()).key
    return project.start_session(key, Request("srs", 60, 4)), numbers


@pytest.mark.parametrize(("column", "cell"), [("id", "{}"), ("image", "p{}.png"), ("said", "text of {}"), ("nr", "{}")])
def test_votes_come_into_a_session_by_whatever_key_they_have(command, keyed, tmp_path, column, cell):
    session, numbers = keyed
    votes = [f"{cell.format(one + 100 * (cell == '{}'))},{'cat' if one % 2 else 'dog'}" for one in range(60)]
    (tmp_path / "votes.csv").write_text("\n".join([f"{column},answer", *votes]))
    id = session.session_record.id
    status, said, aside = command("sessions", "import", tmp_path / "votes.csv", "--into", id, "--project", tmp_path)
    assert (status, said.split(" ", 1)[0]) == (0, "60")
    assert f"by {'id' if column == 'nr' else column!r}.".replace("by id", "by 'id'") in aside
    session.refresh()
    assert session.answers() == dict(enumerate((1 - numbers % 2).tolist()))


def test_votes_by_two_keys_that_differ_are_asked_about(command, keyed, tmp_path):
    session, _ = keyed
    (tmp_path / "votes.csv").write_text("id,image,answer\n101,p2.png,dog\n102,p1.png,cat\n")
    asked = ["sessions", "import", tmp_path / "votes.csv", "--into", session.session_record.id, "--project", tmp_path]
    status, _, said = command(*asked)
    assert status == 2
    assert [key in said for key in ("--key id", "--key image")] == [True, True]
    assert command(*asked, "--key", "image")[1].startswith("2 of 2")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("votes.csv", "row,answer\n{drawn},dog\n{other},dog\n", "none is imported"),
        ("votes.csv", "row,answer\n{drawn},dog\n{drawn},?\n", "class '?'"),
        ("votes.csv", "row,answer\n{drawn}\n", "Line 2"),
        ("votes.csv", "row,answer\nfirst,dog\n", "Line 2"),
        ("votes.csv", f"row,answer\n{'9' * 5000},dog\n", "Line 2"),
        ("votes.csv", f"row,answer\n{'9' * 18},dog\n", "none is imported"),
        ("votes.csv", "row,answer\n{drawn},dog,extra\n", "Line 2"),
        ("votes.csv", "row,answer,seconds\n{drawn},dog,soon\n", "Line 2"),
        ("votes.csv", "row,loss\n{drawn},1\n", "Expected row and answer"),
        ("votes.csv", "", "Expected row and answer"),
        ("votes.csv", b"\xff\xfe\x00", "UTF-8"),
        ("out.json", "nonsense", "not JSON"),
        ("out.json", '[{{"data": {{"row": {other}}}, "annotations": [{{"result": []}}]}}]', "none is imported"),
    ],
)
def test_votes_that_do_not_fit_are_refused_in_a_sentence_and_none_is_kept(command, tmp_path, name, content, sentence):
    project, key = project_in(tmp_path)
    session = planned(project, key, "srs")
    drawn = session.draws[0].row
    other = next(row for row in range(60) if row not in {draw.row for draw in session.draws})
    data = content if isinstance(content, bytes) else content.format(drawn=drawn, other=other).encode()
    (tmp_path / name).write_bytes(data)
    id = session.session_record.id
    status, _, said = command("sessions", "import", tmp_path / name, "--into", id, "--project", tmp_path)
    assert status == 2
    assert sentence in said
    session.refresh()
    assert session.history() == ()


def with_a_byte_changed(data: bytes) -> bytes:
    """The bundle with the first byte of its packed events turned round."""
    place = data.index(b"events.jsonl") + len(b"events.jsonl")
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def other_version(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for part in old.namelist():
            new.writestr(part, old.read(part).replace(b'"format": 1', b'"format": 2'))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (other_version, "has the format 2; this version reads 1"),
        (lambda data: data[: len(data) // 2], "not a complete bundle"),
        (lambda data: b"", "not a complete bundle"),
        (with_a_byte_changed, "not a complete bundle"),
    ],
)
def test_a_bundle_of_another_version_or_cut_short_is_refused_and_nothing_is_kept(
    command, here, tmp_path, damage, sentence
):
    folder, session = here
    there, _ = project_in(tmp_path / "there")
    bundle = tmp_path / "s.testimate"
    command("sessions", "export", session.session_record.id, "--out", bundle, "--project", folder)
    bundle.write_bytes(damage(bundle.read_bytes()))
    status, _, said = command("sessions", "import", bundle, "--project", there.folder)
    assert status == 2
    assert sentence in said
    assert there.sessions() == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("export", "nobody", "--out", "{folder}/x.csv"), "no session 'nobody'"),
        (("export", "{id}", "--out", "{folder}/x.docx"), "Expected one of .testimate"),
        (("export", "{id}", "--out", "{folder}/x"), "ends in nothing"),
        (("import", "{folder}/absent.testimate"), "absent.testimate"),
        (("import", "{folder}/absent.json"), "add --into SESSION"),
        (("import", "{folder}/absent.testimate", "--into", "{id}"), "names its session itself"),
        (("replay", "nobody"), "no session 'nobody'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(command, here, arguments, sentence):
    folder, session = here
    filled = [argument.format(folder=folder, id=session.session_record.id) for argument in arguments]
    status, _, said = command("sessions", *filled, "--project", folder)
    assert status == 2
    assert sentence in said


def test_a_folder_that_is_no_project_is_said_so_and_not_made(command, tmp_path):
    status, _, said = command("sessions", "list", "--project", tmp_path / "absent")
    assert status == 2
    assert "no project" in said
    assert not (tmp_path / "absent").exists()
