"""No text with half a character, NUL or an override of the direction comes in anywhere, and none of those stored breaks."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.labels.notes import ClusterNote, ClusterNotes, Selection, Selections
from testimate.project.bundle import import_bundle, write_bundle
from testimate.project.deleted import name_session
from testimate.project.project import Project
from testimate.project.subject_records import VersionFacts
from testimate.reports.votes_import import add_votes
from testimate.tasks.question import checked_question, checked_rubric
from tests.each import each

TABLE = "label,prediction\n" + "".join(f"{row % 3},{row % 2}\n" for row in range(60))
UNSEEN = ["x\ud800y", "x\x00y", "x\u202ey", "x\x1b[2Jy"]
AT = "2026-11-25T10:00:00+00:00"


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project")


@pytest.fixture
def session(project):
    return project.start_session(project.add_table("sixty.csv", TABLE.encode()).key, Request("srs", 30, 1))


def flag(session, **detail) -> Event:
    return Event("event-0001", "flag", session.draws[0].row, "Ann", AT, detail=detail)


DETAILS = {
    "a note": lambda text: {"note": text},
    "a reason": lambda text: {"reason": text},
    "a key": lambda text: {text: 1},
    "a nested key": lambda text: {"facts": [{"more": {text: None}}]},
    "a nested value": lambda text: {"facts": [{"more": ["good", text]}]},
}


@each("text", UNSEEN)
@each("detail", DETAILS.values())
def test_no_event_comes_in_with_a_text_that_nobody_can_see(session, text, detail):
    recorded = session.record([flag(session, **detail(text))])
    assert recorded.acknowledged == ()
    assert "invisible character U+" in recorded.refused["event-0001"]
    with pytest.raises(BadInput, match="invisible character"):
        add_votes(session, [flag(session, **detail(text))])
    assert session.history() == ()


def test_a_detail_nested_beyond_every_session_is_refused_in_a_sentence(session):
    deep: list = []
    for _ in range(400):
        deep = [deep]
    recorded = session.record([flag(session, facts=deep)])
    assert "nested too deep" in recorded.refused["event-0001"]


@each("text", UNSEEN)
def test_no_name_and_no_note_is_kept_that_nobody_can_see(project, session, text):
    subject = session.session_record.subject
    note = ClusterNote(subject, "c", 0, text, "Ann", AT, "m", 3)
    borders = (
        lambda: ClusterNotes(project.store).write(note),
        lambda: Selections(project.store).keep(Selection(subject, text, "night", (1,), "Ann", AT), size=60),
        lambda: Selections(project.store).keep(Selection(subject, "tag", text, (1,), "Ann", AT), size=60),
        lambda: project.team.tell_all(text, "Lea"),
        lambda: project.testers.add(text, "long enough"),
        lambda: name_session(project, session.session_record.id, text, "Ann"),
        lambda: project.version_facts.keep(subject, VersionFacts(text, 0, False)),
        lambda: checked_question(text),
        lambda: checked_rubric(text),
    )
    for come_in in borders:
        with pytest.raises(BadInput, match="invisible character U"):
            come_in()


def store_as_before(project, session, **detail) -> None:
    """Writes the row of a flag into the database as it was written before such texts were refused."""
    with project.store.transaction(writes=True) as connection:
        connection.exec_driver_sql(
            "insert into events (session, id, kind, row, tester, at, answer, seconds, stream, detail) "
            "values (?, 'old-event', 'flag', ?, 'Ann', ?, null, null, 'selection', ?)",
            (session.session_record.id, session.draws[0].row, AT, json.dumps({"position": 0, **detail})),
        )


def test_a_bundle_written_before_reads_as_the_session_it_came_from(project, session, tmp_path):
    store_as_before(project, session, **{"note": "x\ud800y", "more \udc00": [{"deep": "\x00"}]})
    session.refresh()
    mended = {"position": 0, "note": "x\ufffdy", "more \ufffd": [{"deep": "\ufffd"}]}
    assert [event.detail for event in session.history()] == [mended]
    old = with_events(
        write_bundle(session), [replace(session.history()[0], detail={"position": 0, "note": "x\ud800y"})]
    )
    there = Project(tmp_path / "there")
    there.add_table("sixty.csv", TABLE.encode())
    assert [event.detail["note"] for event in import_bundle(there, old).history()] == ["x\ufffdy"]
    assert import_bundle(project, old).history() == session.history()


def with_events(bundle: bytes, events: list[Event]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bundle)) as read, zipfile.ZipFile(made, "w") as write:
        for name in read.namelist():
            lines = [{name: getattr(one, name) for name in Event.__dataclass_fields__} for one in events]
            told = "".join(json.dumps(line) + "\n" for line in lines).encode()
            write.writestr(name, told if name == "events.jsonl" else read.read(name))
    return made.getvalue()
