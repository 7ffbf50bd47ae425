"""A session that asks for reasons stores no answer without one, and loses nothing else."""

import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.project import Project
from testimate.reports.words import decided_words, judge_errors, reasons_given, session_verdicts

OUTPUTS = "input,output,confidence\n" + "".join(f"q{row},a{row},{0.9 if row % 3 else 0.2}\n" for row in range(40))
TIME = "2026-11-24T06:00:00+00:00"


def answer(row, place, reason=None, tester="Ann"):
    detail = {} if reason is None else {"reason": reason}
    return Event(f"event-{row}-{place}", "answer", row, tester, TIME, answer=place, detail=detail)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def begun(project, **settings):
    key = project.add_table("outputs.csv", OUTPUTS.encode()).key
    return project.start_session(key, Request("srs", 20, 1), **settings)


def test_an_answer_that_needs_a_reason_is_refused_without_and_stored_with_one(project, tmp_path):
    session = begun(project, rubric="right: true", reasons="faults")
    rows = [draw.row for draw in session.draws[:3]]
    said = session.record([answer(rows[0], 0), answer(rows[1], 2), answer(rows[2], 1, "lacks the unit")])
    assert said.acknowledged == (f"event-{rows[0]}-0", f"event-{rows[2]}-1")
    assert "came without a reason, and this session asks for one" in said.refused[f"event-{rows[1]}-2"]
    assert reasons_given(session) == {rows[2]: "lacks the unit"}
    again = Project(tmp_path).session(session.session_record.id)
    assert (again.session_record.rubric, again.answers()) == ("right: true", {rows[0]: 0, rows[2]: 1})


def test_reasons_belong_to_verdicts(project):
    key = project.add_table("classes.csv", b"prediction,confidence\ncat,0.5\ndog,0.6\n").key
    with pytest.raises(BadInput, match="Expected verdicts on outputs"):
        project.start_session(key, Request("srs", 2, 1), reasons="always")


def test_the_session_says_what_share_is_right_how_far_the_judge_agrees_and_where_it_errs(project):
    session = begun(project)
    session.record([answer(draw.row, 0 if draw.row % 4 else 2) for draw in session.draws])
    found = session_verdicts(session)
    answers = session.answers()
    assert found.right.estimate.accuracy == pytest.approx(sum(place == 0 for place in answers.values()) / 20)
    wrong = {row for row, place in answers.items() if (place == 0) != (session.inputs.confidence[row] >= 0.5)}
    assert {one.row for one in judge_errors(session)} == wrong
    assert found.judge.agreement == pytest.approx(1 - len(wrong) / 20)


def test_two_systems_are_told_apart_once_the_whole_interval_leaves_one_half(project):
    table = "output_a,output_b\n" + "".join(f"a{row},b{row}\n" for row in range(300))
    key = project.add_table("two.csv", table.encode()).key
    session = project.start_session(key, Request("srs", 200, 1))
    sides = session.inputs.predictions
    first, rest = session.draws[:10], session.draws[10:60]
    session.record([answer(draw.row, 0 if draw.row % 2 else 2) for draw in first])
    assert decided_words(session, session.estimate()).startswith("Not decided yet")
    session.record([answer(draw.row, int(sides[draw.row])) for draw in rest])
    words = decided_words(session, session.estimate())
    assert words.startswith("Decided: A is preferred. The whole interval lies above 50%")
