"""A live session of adaptive rounds: no key waits, and what is exported gives the same digits at the terminal."""

import json

import numpy as np
import pytest

from testimate.core.errors import NotEnoughLabels
from testimate.estimators import estimator_of
from testimate.metrics import live_metrics
from testimate.planning.plan import continue_plan, read_plan
from testimate.planning.votes import read_votes, verdicts_of_votes
from testimate.reports.exports import labels_csv, labels_table, plan_json
from testimate.reports.live import live
from testimate.reports.report import report_html

BALANCE = {"zones": 12, "exploit": 8, "eps_start": 0.3, "eps_end": 0.05}


def label(session, say, inputs, count, unsure=()) -> None:
    """Labels the next inputs one by one; the ``unsure`` ones nobody can tell."""
    for number in range(count):
        row = session.upcoming(1)[0].row
        session.record([say(row) if number in unsure else say(row, int(inputs.truth[row]))])


def re_estimated(session, tmp_path):
    """What the terminal makes of the exported plan and votes."""
    (tmp_path / "plan.json").write_text(json.dumps(plan_json(session)))
    (tmp_path / "votes.csv").write_text(labels_csv(session))
    plan = read_plan(tmp_path / "plan.json")
    verdicts = verdicts_of_votes(plan.draws, *read_votes(tmp_path / "votes.csv"), None)
    return estimator_of(plan.design).estimate(plan.design, verdicts, loss_bound=plan.loss_bound), plan, verdicts


def test_there_is_always_a_next_input_before_the_last_label(open_session, say, inputs):
    session = open_session("rra", budget=95)
    for left in range(95, 0, -1):
        assert len(session.upcoming(2)) == min(left, 2)
        label(session, say, inputs, 1)
    assert session.finished


@pytest.mark.parametrize("count", [10, 37, 100, 131])
@pytest.mark.parametrize("options", [{}, BALANCE], ids=["tight", "balance"])
def test_an_export_re_estimated_at_the_terminal_gives_the_same_digits(
    options, count, open_session, say, inputs, tmp_path
):
    session = open_session("rra", budget=200, options=options)
    label(session, say, inputs, max(count, 20 if options else 10), unsure=(33, 95))
    row = session.draws[6].row
    session.record([say(row, (int(inputs.truth[row]) + 1) % 4)])  # a mind changed after later rounds were drawn
    found, plan, _ = re_estimated(session, tmp_path)
    assert found == session.estimate()
    assert plan.draws == session.draws


def test_an_exported_plan_continues_where_the_session_stood(open_session, say, inputs, tmp_path):
    session = open_session("rra", budget=120, options=BALANCE)
    label(session, say, inputs, 60)
    _, plan, verdicts = re_estimated(session, tmp_path)
    assert continue_plan(inputs, plan, verdicts).draws == session.draws


def test_exploit_picks_are_marked_in_the_votes(open_session, say, inputs):
    session = open_session("rra", budget=120, options=BALANCE)
    label(session, say, inputs, 40)
    assert sum(record["why"].startswith("exploit: ") for record in labels_table(session)) == 16


def test_an_input_put_off_holds_the_estimate_and_the_panel_says_so(open_session, say, inputs):
    session = open_session("rra", budget=120)
    label(session, say, inputs, 9)
    with pytest.raises(NotEnoughLabels, match="9 labels, 10 needed"):
        session.estimate()
    label(session, say, inputs, 5)
    stood = session.estimate()
    put_off = session.upcoming(1)[0].row
    session.record([say(put_off, kind="skip")])
    label(session, say, inputs, 3)
    held = session.estimate()
    first_ten = session.estimate_of(session.verdicts()[:10])
    assert (held.accuracy, held.low, held.high) == (first_ten.accuracy, first_ten.low, first_ten.high)
    assert stood.accuracy != held.accuracy
    why = f"Row {put_off} of round 2 has no verdict yet, so the estimate stays as it was when round 1 ended."
    assert live(session).estimate.why == why
    assert why in report_html(session)
    session.record([say(put_off, int(inputs.truth[put_off]))])
    assert session.estimate().why == ""
    assert "has no verdict" not in report_html(session)


def test_a_session_goes_on_when_nobody_can_tell(open_session, say, inputs):
    session = open_session("rra", budget=120)
    label(session, say, inputs, 50, unsure=(3,))
    found = session.estimate()
    assert (found.labeled, found.skipped, found.why) == (49, 1, "")
    assert found.skipped_low < found.accuracy < found.skipped_high
    assert found.skipped_high - found.skipped_low < 0.2


def test_picks_stand_for_themselves_alone_in_the_running_metrics(open_session, say, inputs):
    session = open_session("rra", budget=120, options=BALANCE)
    label(session, say, inputs, 100)
    verdicts, design = session.verdicts(), session.selector.design
    before = np.arange(5) * 20  # inputs drawn before each round of 12 + 8
    w = np.sqrt((before + 12) / (before + 22)) / ((300 - before) * (288 - before) + 1)
    w /= 12 * w.sum()  # 12 random draws a round
    stood_for = [
        1 if draw.exploit else w[draw.round] * design.rounds[draw.round].zones / draw.probability
        for draw in (verdict.draw for verdict in verdicts)
    ]
    rows = [verdict.draw.row for verdict in verdicts]
    expected = live_metrics(
        inputs.losses[rows],
        inputs.confidence[rows],
        size=300,
        failure_rate=1 - session.estimate().accuracy,
        weights=stood_for,
    )
    assert live(session).running.sfdr == pytest.approx(expected.sfdr)
    unweighted = live_metrics(
        inputs.losses[rows], inputs.confidence[rows], size=300, failure_rate=1 - session.estimate().accuracy
    )
    assert unweighted.sfdr != pytest.approx(expected.sfdr, abs=1e-4)
