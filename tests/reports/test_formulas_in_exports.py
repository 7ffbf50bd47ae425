"""A class or a note that a spreadsheet would run leaves no cell of any export of a session, and votes read back equal."""

import csv
import io
from dataclasses import replace

import pytest

from testimate.estimators.second_look import SecondLook
from testimate.planning.second_look import SecondLooks, check_file
from testimate.reports.exports import faults_csv, labels_csv
from testimate.reports.people import votes_csv
from testimate.reports.votes_import import votes_from_csv
from testimate.tasks.classification import Classification

CLASSES = ("x;=1+1|calc", "＝1+1", "@SUM(1)", "plain")


@pytest.fixture
def inputs(inputs):
    """Those of this room, whose classes a spreadsheet would run."""
    return replace(inputs, task=Classification(CLASSES))


@pytest.fixture
def session(open_session, say):
    """Eight answers, all of them wrong, and a note."""
    session = open_session()
    for draw in session.upcoming(8):
        session.record([say(draw.row, (int(session.inputs.predictions[draw.row]) + 1) % len(CLASSES))])
    session.record([say(session.draws[0].row, kind="flag", answer=None, detail={"note": "see;=1+1|calc"})])
    return session


def runs(text: str) -> list[str]:
    """The cells that begin a formula, wherever a spreadsheet splits the line."""
    cells = [
        cell
        for separator in ",;|\t"
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for cell in line
    ]
    return [cell for cell in cells if cell.startswith(("=", "@", "＝"))]


def test_no_export_of_a_session_has_a_cell_that_runs(session):
    for export in (labels_csv, faults_csv, votes_csv):
        assert runs(export(session)) == []
    assert "see;'=1+1|calc" in labels_csv(session)
    assert runs(check_file(SecondLooks((SecondLook(7, 0.25, 1.0),), 60), {7: "x;=1+1|calc"})) == []


def test_exported_votes_are_read_as_the_classes_they_were(session):
    votes = votes_from_csv(votes_csv(session).encode(), session.inputs.task)
    assert {vote.row: vote.answer for vote in votes} == session.answers()
