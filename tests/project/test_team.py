"""The lead's desk: who pauses, whose inputs go back, who labels what; told to every process, and never to a stranger."""

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.labels.testers import LONGEST_TEXT
from testimate.project.project import Project

ROWS = "\n".join(["label,prediction,confidence", *(f"{row % 3},{row % 3},0.{60 + row}" for row in range(30))])


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path / "project")
    for name, role in (("Ann", "tester"), ("Bob", "tester"), ("Lea", "lead")):
        made.testers.add(name, None, role)
    return made


def test_a_database_of_either_kind_keeps_the_words_and_the_turns(tmp_path, database):
    project = Project(tmp_path / "project", database)
    project.testers.add("Ann", None)
    session = project.start_session(
        project.add_table("rows.csv", ROWS.encode()).key, Request("srs", 12, 1), votes_per_input=1
    )
    id, rows = session.session_record.id, rows_of(session, "Ann")
    assert project.store.turns_held(id, now=0.0) == {"Ann": tuple(sorted(rows))}
    project.team.assign(id, ["Ann"], "Lea")
    project.team.tell_all("Noon 🥪", "Lea")
    assert project.team.take_back("Ann", "Lea") == len(rows)
    elsewhere = Project(tmp_path / "project", database)
    desk = elsewhere.team.desk()
    assert (desk.assigned, desk.message.text, desk.held_up["Ann"].kind) == ({id: ("Ann",)}, "Noon 🥪", "taken back")
    for one in (project, elsewhere):
        one.store.close()


@pytest.fixture
def session(project):
    subject = project.add_table("rows.csv", ROWS.encode())
    return project.start_session(subject.key, Request("srs", 12, 1), votes_per_input=1)


def rows_of(session, name):
    return [draw.row for draw in session.upcoming(8, name)]


@pytest.mark.parametrize("word", ["pause", "take_back"])
def test_inputs_taken_back_by_another_process_are_given_to_others_here(project, session, word):
    before = rows_of(session, "Ann")
    elsewhere = Project(project.folder).team
    getattr(elsewhere, word)("Ann", "Lea")
    desk = project.team.desk()
    assert desk.held_up["Ann"].tester == "Lea"
    assert rows_of(session, "Bob")[:4] == before[:4]
    late = Event("late-1", "answer", before[0], "Ann", "2026-01-01T00:00:00Z", answer=1)
    assert session.record([late]).acknowledged == ("late-1",), "what comes late is kept under its name"
    project.team.go_on("Ann", "Lea")
    assert elsewhere.desk().held_up == {}


def test_who_was_paused_cannot_let_themselves_go_on_and_who_lost_their_inputs_can(project):
    project.team.pause("Ann", "Lea")
    project.team.take_back("Ann", "Lea")  # a pause stays one
    with pytest.raises(BadInput, match="Lea has paused you; only a lead can end that"):
        project.team.go_on("Ann", "Ann")
    project.team.take_back("Bob", "Lea")
    project.team.go_on("Bob", "Bob")
    assert set(project.team.desk().held_up) == {"Ann"}


def test_a_session_is_everybodys_until_it_is_assigned_and_again_when_nobody_is_named(project, session):
    id = session.session_record.id
    assert project.team.desk().may_label("Bob", id)
    project.team.assign(id, ["Ann", "Ann"], "Lea")
    desk = project.team.desk()
    assert (desk.assigned, desk.may_label("Ann", id), desk.may_label("Bob", id)) == ({id: ("Ann",)}, True, False)
    project.team.assign(id, [], "Lea")
    assert project.team.desk().may_label("Bob", id)


def test_the_latest_instructions_and_message_count_and_empty_ones_take_them_away(project, session):
    id = session.session_record.id
    project.team.instruct(id, "Cracked is broken.", "Lea")
    project.team.instruct(id, "Cracked is whole.", "Lea")
    project.team.tell_all("We stop at noon. 🥪", "Lea")
    desk = Project(project.folder).team.desk()
    assert (desk.instructions[id].text, desk.message.text) == ("Cracked is whole.", "We stop at noon. 🥪")
    project.team.instruct(id, " ", "Lea")
    project.team.tell_all("", "Lea")
    desk = project.team.desk()
    assert (desk.instructions, desk.message) == ({}, None)


@pytest.mark.parametrize(
    ("say", "sentence"),
    [
        (lambda team, id: team.pause("Nobody", "Lea"), "no tester 'Nobody'"),
        (lambda team, id: team.assign(id, ["Ann", "Nobody"], "Lea"), "no tester 'Nobody'"),
        (lambda team, id: team.instruct(id, "x" * (LONGEST_TEXT + 1), "Lea"), "Shorten it"),
        (lambda team, id: team.instruct("gone", "x", "Lea"), "no session 'gone'"),
    ],
)
def test_what_cannot_be_said_is_refused_in_a_sentence_and_nothing_is_kept(project, session, say, sentence):
    before = project.team.desk()
    with pytest.raises(BadInput, match=sentence):
        say(project.team, session.session_record.id)
    assert project.team.desk() == before


def test_another_person_under_a_removed_ones_name_is_not_paused(project, session):
    rows_of(session, "Ann")
    project.team.pause("Ann", "Lea")
    project.testers.remove("Ann")
    project.testers.add("Ann", None)
    assert project.team.desk().held_up == {}
    assert project.store.turns_held(session.session_record.id, now=0.0) == {}


def test_a_session_removed_for_good_takes_its_instructions_with_it(project, session):
    id = session.session_record.id
    project.team.instruct(id, "x", "Lea")
    project.team.tell_all("stays", "Lea")
    project.store.remove([id])
    desk = project.team.desk()
    assert (desk.instructions, desk.message.text) == ({}, "stays")
