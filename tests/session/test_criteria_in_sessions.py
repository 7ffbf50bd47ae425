"""Several criteria in a session: stored, replayed, corrected, disputed by one of them, exported and estimated each."""

import json

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.planning.criteria import with_criteria
from testimate.planning.estimate import estimate_plan
from testimate.planning.plan import plan_of_json
from testimate.planning.plan_votes import read_plan_votes
from testimate.project.bundle import import_bundle, write_bundle
from testimate.project.project import Project
from testimate.reports.criteria import criteria_lines, session_criteria
from testimate.reports.exports import labels_csv, labels_table, plan_json
from testimate.reports.people import votes_csv
from testimate.reports.report import report_html
from testimate.reports.votes_import import votes_from_csv
from testimate.tasks.verdict import criterion_of

TIME = "2026-11-29T06:00:00+00:00"
ASKED = tuple(map(criterion_of, ("faithful:1-5=judge_faithful | <b>5</b>: every claim", "polite")))
RANDOM = np.random.default_rng(8)
QUALITY = RANDOM.normal(size=80)
FAITHFUL = np.clip(np.round(QUALITY + 2.5), 0, 4).astype(int).tolist()
POLITE = (RANDOM.random(80) < 0.2).astype(int).tolist()
JUDGE = np.clip(np.round(QUALITY + RANDOM.normal(0, 0.6, 80) + 4), 1, 5).astype(int).tolist()
TABLE = "output,judge_faithful\n" + "".join(f"text {row},{grade}\n" for row, grade in enumerate(JUDGE))
REQUEST = Request("rrs", 60, 1, "criteria together")


def said(row, answer, tester="tester", kind="answer", turn=0):
    return Event(f"event-{row}-{tester}-{turn}", kind, row, tester, TIME, answer=answer)


def answer_to(row):
    return [FAITHFUL[row], POLITE[row]]


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture
def session(project):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    made = project.start_session(key, REQUEST, criteria=ASKED)
    made.record([said(draw.row, answer_to(draw.row)) for draw in made.draws])
    return made


def test_answers_and_criteria_stand_again_after_the_project_is_opened_anew(session, tmp_path):
    again = Project(tmp_path).session(session.session_record.id)
    assert again.inputs.task.criteria == ASKED
    assert again.answers() == {draw.row: answer_to(draw.row) for draw in session.draws}
    assert again.estimate() == session.estimate()


def test_an_output_is_right_where_no_criterion_finds_a_fault(session):
    rows = [draw.row for draw in session.draws]
    right = [FAITHFUL[row] >= 3 and not POLITE[row] for row in rows]
    assert [verdict.loss for verdict in session.verdicts()] == [float(not one) for one in right]


def test_each_criterion_has_the_estimate_of_its_plan_in_the_terminal(session, project, tmp_path):
    (tmp_path / "outputs.csv").write_text(TABLE)
    (tmp_path / "labels.csv").write_text(labels_csv(session))
    plan = plan_of_json(json.loads(json.dumps(plan_json(session))), "plan.json")
    votes = read_plan_votes(tmp_path / "labels.csv", plan, None, tell=print)
    inputs = with_criteria(project.inputs(session.session_record.subject), plan.criteria)
    there, here = estimate_plan(plan, votes, inputs, tell=print), session_criteria(session)
    assert [one.found.estimate for one in there.criteria] == [one.found.estimate for one in here.criteria]
    assert there.estimate == here.estimate
    assert here.headline == "fixed"


def test_a_criterion_left_out_is_open_and_the_others_count(session):
    row = session.draws[0].row
    session.record([said(row, [FAITHFUL[row], -1], turn=1)])
    assert session.state_of(row) == "answered"
    assert session.verdicts()[0].loss is None
    found = session_criteria(session)
    assert [one.found.estimate.skipped for one in found.criteria] == [0, 1]


@pytest.mark.parametrize("answer", [[-1, -1], [5, 0], [0, 0, 0], 1, "right"])
def test_an_answer_that_grades_nothing_or_beyond_a_scale_is_refused(session, answer):
    row = session.draws[0].row
    refused = session.record([said(row, answer, turn=1)]).refused
    assert "cannot be used" in refused[f"event-{row}-tester-1"]
    assert session.answers()[row] == answer_to(row)


def test_undo_and_a_correction_concern_the_whole_output(session):
    row = session.draws[0].row
    session.record([said(row, [0, 0], turn=1)])
    assert session.answers()[row] == [0, 0]
    session.record([said(row, None, kind="undo", turn=2)])
    assert session.answers()[row] == answer_to(row)


def test_testers_dispute_an_output_by_one_criterion_and_a_lead_settles_it(project):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    made = project.start_session(key, REQUEST, criteria=ASKED, votes_per_input=2)
    row = made.upcoming(1, "Ann")[0].row
    made.record([said(row, [4, 0], "Ann"), said(row, [4, 1], "Ben")])
    assert made.disputed() == (row,)
    made.record([said(row, [4, 1], "Lea", kind="adjudication")], lead=True)
    assert made.answers() == {row: [4, 1]}
    for draw in made.draws[1:]:
        made.record([said(draw.row, answer_to(draw.row), who) for who in ("Ann", "Ben")])
    lines = criteria_lines(made, session_criteria(made))
    assert [one.agreement for one in lines] == ["100.0%", "98.3%", ""]


def test_exports_have_a_column_for_each_criterion_and_votes_come_back(session, project):
    row = session.draws[0].row
    record = next(one for one in labels_table(session) if one["row"] == row)
    assert (record["faithful"], record["polite"]) == (str(FAITHFUL[row] + 1), ["right", "wrong"][POLITE[row]])
    events = votes_from_csv(votes_csv(session).encode(), session.inputs.task)
    assert {event.row: event.answer for event in events} == session.answers()


def test_a_bundle_carries_the_criteria(session, tmp_path):
    there = Project(tmp_path / "there")
    there.add_table("outputs.csv", TABLE.encode(), task="verdict")
    again = import_bundle(there, write_bundle(session))
    assert again.answers() == session.answers()


def test_the_report_names_each_criterion_and_all_together(session):
    report = report_html(session)
    assert "<h2>Criteria</h2>" in report
    assert "<td>all criteria right</td>" in report
    assert "<b>5</b>" not in report


def test_a_technique_that_learns_or_a_reason_is_refused_with_criteria(project):
    key = project.add_table("outputs.csv", TABLE.encode(), task="verdict").key
    with pytest.raises(BadInput, match="rra learns from one answer"):
        project.start_session(key, Request("rra", 20, 1), criteria=ASKED)
    with pytest.raises(BadInput, match="a reason or a known answer is of one question"):
        project.start_session(key, REQUEST, criteria=ASKED, reasons="always")
