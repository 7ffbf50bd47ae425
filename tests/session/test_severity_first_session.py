"""A session of severity-first: it never stops before the last label, and its running metrics come from what it learned."""

import numpy as np
import pytest

from testimate.metrics import live_metrics, severity_level
from testimate.reports.live import labeled_rows, live


def label(session, say, inputs, count):
    for _ in range(count):
        row = session.upcoming(1)[0].row
        session.record([say(row, int(inputs.truth[row]))])


def test_there_is_always_a_next_input_before_the_last_label(open_session, say, inputs):
    session = open_session("severity-first", budget=60)
    for left in range(60, 0, -1):
        assert len(session.upcoming(2)) == min(left, 2)
        assert all("severity if it fails" in draw.reason for draw in session.upcoming(2))
        label(session, say, inputs, 1)
    assert session.finished


def test_running_metrics_expect_the_faults_the_technique_foretells(open_session, say, inputs):
    session = open_session("severity-first", budget=60)
    label(session, say, inputs, 40)
    report, (rows, losses) = live(session), labeled_rows(session)
    chances = session.selector.predicted()
    unlabeled = np.setdiff1d(np.arange(len(inputs)), rows)
    expected = np.zeros(11)
    for row in unlabeled:
        expected[severity_level([inputs.confidence[row]])[0]] += chances[row]
    rate = (losses.sum() + chances[unlabeled].sum()) / len(inputs)
    by_hand = live_metrics(losses, inputs.confidence[rows], size=len(inputs), failure_rate=rate, expected=expected)
    assert report.running.sfdr == pytest.approx(by_hand.sfdr)
    assert report.running.faults == by_hand.faults
    assert report.running.estimated
    assert report.estimate.low is None  # chosen, not drawn: no interval


def test_picks_of_rra_by_severity_are_marked_and_say_why(open_session, say, inputs):
    options = {"zones": 5, "exploit": 5, "exploit_order": "severity first"}
    session = open_session("rra", budget=60, options=options)
    label(session, say, inputs, 60)
    picks = [draw for draw in session.draws if draw.exploit]
    assert len(picks) == 30
    assert all("severity if it fails" in draw.reason for draw in picks)
    assert live(session).estimate.low is not None
