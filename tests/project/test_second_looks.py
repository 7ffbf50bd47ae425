"""A second look is a session of its own: drawn and stored with the first, opened again as it was, and what corrects it."""

import html
from collections.abc import Callable

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from testimate.project.second_looks import (
    corrected_by,
    corrections,
    first_session_of,
    is_second_look,
    second_looks_at,
    start_second_look,
)
from testimate.reports.report import report_html
from testimate.session.session import Session
from tests.session.conftest import say
from tests.session.labeling import label_all

__all__ = ["say"]

ROWS, CLASSES = 300, ("a", "b", "c")


@pytest.fixture
def project(tmp_path) -> Project:
    """A project with a table of 300 inputs, of which every sixth is wrong; the truth is left out of it."""
    lines = ["prediction,confidence"]
    lines += [f"{CLASSES[row % 3]},{0.99 - 0.4 * (row % 6 == 5) - row / 2000:.4f}" for row in range(ROWS)]
    made = Project(tmp_path / "project")
    made.add_table("own.csv", ("\n".join(lines) + "\n").encode())
    return made


def truth(row: int) -> int:
    return (row % 3 + (row % 6 == 5)) % 3


@pytest.fixture
def label(say) -> Callable[..., None]:
    """A call that answers every input of a session's plan; those ``wrong`` with another class than the right one."""

    def labeled(session: Session, wrong: frozenset[int] = frozenset()) -> None:
        label_all(session, say, {row: (truth(row) + (row in wrong)) % 3 for row in range(ROWS)})

    return labeled


@pytest.fixture
def first(project, label) -> Session:
    """A finished session of 60 labels by rrs in which three answers are wrong."""
    key = next(entry.key for entry in project.entries() if entry.name.startswith("own"))
    session = project.start_session(key, Request("rrs", 60, seed=2))
    label(session, frozenset([draw.row for draw in session.draws if draw.row % 6 != 5][:3]))
    return session


def right_accuracy(project, first, label) -> float:
    other = project.start_session(first.session_record.subject, first.session_record.request)
    label(other)
    return other.estimate().accuracy


def test_with_every_answer_looked_at_again_the_corrected_estimate_is_that_of_right_answers(project, first, label):
    second = start_second_look(project, first, 60)
    assert {draw.row for draw in second.draws} == {draw.row for draw in first.draws}
    label(second)
    found = corrected_by(first, second)
    assert found.estimate.accuracy == pytest.approx(right_accuracy(project, first, label))
    assert found.estimate.accuracy == pytest.approx(first.estimate().accuracy + 3 / 60, abs=0.03)
    assert (found.looked_at, found.changed) == (60, 3)


def test_what_the_second_look_cannot_tell_keeps_its_first_answer(project, first):
    second = start_second_look(project, first, 60)
    rows = [draw.row for draw in second.draws]
    events = [Event(f"x{row}", "cannot tell", row, "tester", "2026-11-23T08:00:00+00:00") for row in rows]
    assert len(second.record(events).acknowledged) == 60
    found = corrected_by(first, second)
    assert (found.estimate.accuracy, found.changed) == (first.estimate().accuracy, 0)


def test_a_second_look_opens_again_with_the_inputs_it_was_begun_with(project, first, tmp_path):
    second = start_second_look(project, first, 12)
    id, rows = second.session_record.id, [draw.row for draw in second.draws]
    assert is_second_look(second.session_record)
    assert not is_second_look(first.session_record)
    assert first_session_of(second.session_record) == first.session_record.id
    again = Project(tmp_path / "project")
    assert [record.id for record in second_looks_at(again, first.session_record.id)] == [id]
    assert [draw.row for draw in again.session(id).draws] == rows
    assert len(set(rows)) == 12


def test_another_second_look_draws_other_answers(project, first):
    one, other = (frozenset(draw.row for draw in start_second_look(project, first, 12).draws) for _ in range(2))
    assert one != other


def test_the_report_says_what_a_finished_second_look_corrects(project, first, label):
    assert corrections(project, first) == []
    second = start_second_look(project, first, 60)
    assert corrections(project, first) == []
    label(second)
    [said] = corrections(project, first)
    right = right_accuracy(project, first, label)
    assert said.startswith(f"Corrected for testers' errors: {first.inputs.task.measure.value(right)} (95% interval ")
    assert "60 answers were looked at again and 3 of them were wrong" in said
    assert html.escape(said) in report_html(first, [said]).replace("&#39;", "&#x27;")


def test_a_second_look_that_is_not_finished_corrects_nothing(project, first):
    second = start_second_look(project, first, 12)
    with pytest.raises(BadInput, match="12 of 12 answers are still to be looked at again"):
        corrected_by(first, second)


def test_answers_that_came_after_the_second_look_was_drawn_are_not_passed_over(project, first, label):
    second = start_second_look(project, first, 12)
    label(second)
    first.extend(10, "tester")
    label(first)
    with pytest.raises(BadInput, match="drawn from 60 answers and 70 count in the estimate now"):
        corrected_by(first, second)


def test_no_more_answers_are_looked_at_again_than_count(project, first):
    with pytest.raises(BadInput, match="Expected 1 to 60"):
        start_second_look(project, first, 61)
    assert second_looks_at(project, first.session_record.id) == []


def label_as_a_team(session: Session, say, names) -> None:
    """Every input answered by the testers in turn, as long as any of them is asked one."""
    while turns := [(name, draws[0].row) for name in names if (draws := session.upcoming(1, name))]:
        for name, row in turns:
            session.record([say(row, truth(row), tester=name)])


def test_in_a_team_somebody_else_looks_again(project, say):
    key = next(entry.key for entry in project.entries() if entry.name.startswith("own"))
    first = project.start_session(key, Request("rrs", 60, seed=2), votes_per_input=1)
    label_as_a_team(first, say, ["Ann", "Bob"])
    second = start_second_look(project, first, 20)
    label_as_a_team(second, say, ["Ann", "Bob"])
    assert second.finished
    before, after = first.votes(), second.votes()
    assert len(after) == 20
    assert not any(set(after[row]) & set(before[row]) for row in after)
    assert {name for given in after.values() for name in given} == {"Ann", "Bob"}


def test_what_the_whole_team_answered_anybody_may_look_at_again(project, say):
    key = next(entry.key for entry in project.entries() if entry.name.startswith("own"))
    first = project.start_session(key, Request("rrs", 60, seed=2), votes_per_input=2)
    label_as_a_team(first, say, ["Ann", "Bob"])
    second = start_second_look(project, first, 20)
    label_as_a_team(second, say, ["Ann"])
    assert second.finished
