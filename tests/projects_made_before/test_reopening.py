"""What earlier versions wrote opens, replays and says the same numbers as it said then."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from testimate.core.errors import NotEnoughLabels, ReplayMismatch
from testimate.project.bundle import import_bundle
from testimate.project.project import Project
from testimate.reports.live import live
from testimate.session.session import Session
from tests.each import each

BEFORE = Path(__file__).parent / "first_house"
NUMBERS: dict[str, Any] = json.loads((BEFORE / "numbers.json").read_text())
SESSIONS: dict[str, dict[str, Any]] = NUMBERS["sessions"]
SUBJECTS = sorted({said["subject"] for said in SESSIONS.values()})


def numbers_of(session: Session) -> dict[str, Any]:
    """What is held against the numbers of then; the first draws' chances stand for all."""
    record = session.session_record
    try:
        point = session.estimate().accuracy
        if session.inputs.task.numeric:  # then its accuracy was 1 - mean squared error
            point = live(session).errors.squared.accuracy
    except NotEnoughLabels:
        point = None
    return {
        "subject": record.subject,
        "fingerprint": record.fingerprint,
        "technique": record.request.technique,
        "events": len(session.history()),
        "labeled": session.labeled,
        "skipped": session.skipped,
        "rows": [draw.row for draw in session.draws],
        "probabilities": [draw.probability for draw in session.draws[:10]],
        "upcoming": [draw.row for draw in session.upcoming(3)] if record.votes_per_input is None else [],
        "answers": {str(row): answer for row, answer in session.answers().items()},
        "accuracy": point,
    }


def assert_same(now: dict[str, Any], then: dict[str, Any]) -> None:
    """Draws, counts and answers to the letter; chances and the point as exactly as another machine's sums are.

    Chances that follow from a network's activations, which are of single precision, differ by up to 1e-6 of their size
    between processors.
    """
    for name in ("probabilities", "accuracy"):
        pairs = zip(np.atleast_1d(now.pop(name)), np.atleast_1d(then[name]), strict=True)
        assert all(one == (other and pytest.approx(other, rel=1e-5)) for one, other in pairs), then["technique"]
    assert now == {name: value for name, value in then.items() if name not in ("probabilities", "accuracy")}


def activations_as_then(project: Project, sessions: dict[str, Any]) -> bool:
    """Whether this processor gives the digits network's activations to the last bit as the one of the records did.

    DeepEST's chances follow from them directly. PACE's independent components and clusters do not depend on them
    smoothly: a difference of 1e-7 moves a border, so that its draws are those of the processor they were made on.
    """
    ids = [id for id, then in sessions.items() if then["technique"] == "deepest"]
    return all(numbers_of(project.session(id))["probabilities"] == sessions[id]["probabilities"] for id in ids)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    folder = tmp_path_factory.mktemp("before") / "project"
    shutil.copytree(BEFORE / "project", folder)
    return Project(folder)


def test_every_session_and_subject_is_listed(project):
    assert {record.id: record.subject for record in project.sessions()} == {
        id: said["subject"] for id, said in SESSIONS.items()
    }
    assert set(SUBJECTS) <= {entry.key for entry in project.entries()}


@each("subject", SUBJECTS)
def test_its_inputs_have_the_same_fingerprint(project, subject):
    expected = {said["fingerprint"] for said in SESSIONS.values() if said["subject"] == subject}
    assert {project.inputs(subject).fingerprint} == expected


@each("subject", SUBJECTS)
def test_each_session_replays_to_the_same_draws_answers_and_point(project, subject):
    of_subject = {id: then for id, then in SESSIONS.items() if then["subject"] == subject}
    for id, then in of_subject.items():
        if then["technique"] == "pace" and not activations_as_then(project, of_subject):
            continue  # the test below
        assert_same(numbers_of(project.session(id)), then)


def test_a_pace_session_replays_or_says_that_the_activations_are_of_another_processor(project):
    of_digits = {id: then for id, then in SESSIONS.items() if then["subject"] == "digits"}
    same: list[str] = []
    refusals: list[str] = []
    for id, then in of_digits.items():
        if then["technique"] == "pace":
            try:
                assert_same(numbers_of(project.session(id)), then)
                same.append(id)
            except ReplayMismatch as refusal:
                refusals.append(str(refusal))
    assert len(same) + len(refusals) == 2
    assert all("Open the session with the data and the version it was made with." in one for one in refusals)
    assert not refusals or not activations_as_then(project, of_digits)


def test_an_exported_session_opens_in_another_project(tmp_path):
    project = Project(tmp_path)
    table = BEFORE / "project" / "subjects" / SESSIONS[NUMBERS["bundle"]]["subject"] / "table"
    project.add_table("steering.csv", table.read_bytes(), tolerance=4.0)
    numbers = numbers_of(import_bundle(project, (BEFORE / "steering.testimate").read_bytes()))
    assert_same(numbers, SESSIONS[NUMBERS["bundle"]])


def test_a_note_is_still_on_its_cluster(project):
    view = project.clusters("digits")
    assert view.fingerprint == NUMBERS["clusters"]["fingerprint"]
    assert [len(card.rows) for card in view.cards] == NUMBERS["clusters"]["sizes"]
    [note] = project.cluster_notes.of("digits")
    assert (note.clustering, note.members) == (view.fingerprint, view.cards[note.cluster].members)


@pytest.mark.parametrize("technique", ["rra", "rrs"])
def test_a_plan_of_the_terminal_and_its_votes_give_the_same_point(technique, command):
    plan = BEFORE / "terminal" / f"{technique}.json"
    said = command.ok("estimate", plan, plan.with_name(f"{technique}-votes.csv"), "--json", "-")
    assert json.loads(said)["accuracy"] == pytest.approx(NUMBERS["terminal"][technique])


def test_a_plan_of_the_terminal_goes_on_with_the_same_draws(tmp_path, command):
    shutil.copytree(BEFORE / "terminal", tmp_path / "terminal")
    folder = tmp_path / "terminal"
    command.ok("continue", folder / "rra.json", folder / "rra-votes.csv", "--out", folder / "on.json")
    now, then = (json.loads((folder / name).read_text())["draws"] for name in ("on.json", "rra-continued.json"))
    assert [draw["row"] for draw in now] == [draw["row"] for draw in then]
