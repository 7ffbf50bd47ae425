"""The panel beside the labeling surface: what it says must follow from the labels by formulas written again here."""

import math

import numpy as np
import pytest

from testimate.core.design import Stratified
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.estimators import estimator_of
from testimate.estimators.intervals import wilson
from testimate.metrics import SeverityCounts, live_metrics
from testimate.reports.live import POINTS, StratumFilled, live
from testimate.session.session import Counts
from testimate.tasks.regression import Regression


def label(session, say, answers, count=1000, **fields) -> None:
    """Labels the next inputs, one after the other."""
    for _ in range(count):
        if not (upcoming := session.upcoming(1)):
            return
        session.record([say(upcoming[0].row, answers[upcoming[0].row].item(), **fields)])


def columns(trail) -> list[list[float]]:
    names = ("labels", "accuracy", "low", "high", "always_low", "always_high")
    return [getattr(trail, name).tolist() for name in names]


def test_before_the_first_label_it_says_what_is_missing_and_shows_no_number(open_session):
    report = live(open_session("rrs", budget=60))
    assert report.estimate is None
    assert report.words == f"{report.no_number} From 0 labels: 0 wrong."
    assert (report.may_stop, report.failures, report.labeled, report.planned) == (False, 0, 0, 60)
    assert report.may_stop_words == "Keep going. You can stop when the stop-safe interval is within ±2.0 points."
    assert (report.per_minute, report.minutes_left, report.running, report.exact) == (None, None, None, None)
    assert columns(report.trail) == [[]] * 6


def test_the_trail_holds_the_estimate_after_each_label(open_session, say, inputs):
    session = open_session("rrs", budget=60)
    for steps in (1, 14, 20, 25):  # looked at now and then
        label(session, say, inputs.truth, steps)
        live(session)
    verdicts, design = session.verdicts(), session.selector.design
    expected = []
    for count in range(1, 61):
        try:
            found = estimator_of(design).estimate(design, verdicts[:count])
        except NotEnoughLabels:
            continue
        ends = (found.low, found.high, found.always_low, found.always_high)
        expected.append([count, found.accuracy, *ends])
    trail = live(session).trail
    assert np.array(columns(trail)).T.tolist() == expected
    assert 10 <= trail.labels[0] < 20  # no number before every stratum has a label


def test_a_changed_vote_changes_the_trail_from_its_draw_on(open_session, say, inputs):
    session = open_session(budget=50)
    label(session, say, inputs.truth)
    before = live(session).trail
    row = session.draws[30].row
    session.record([say(row, (int(inputs.truth[row]) + 1) % 4)])
    after = live(session).trail
    assert (before.accuracy[:30] == after.accuracy[:30]).all()
    assert (before.accuracy[30:] != after.accuracy[30:]).all()
    assert columns(after) == columns(live(open_session(budget=50)).trail)


def test_one_more_label_costs_one_estimate_and_none_more_costs_none(open_session, say, inputs, monkeypatch):
    session = open_session(budget=300)
    label(session, say, inputs.truth, 200)
    live(session)
    lengths: list[int] = []
    real = session.estimate_of
    monkeypatch.setattr(session, "estimate_of", lambda verdicts: lengths.append(len(verdicts)) or real(verdicts))
    live(session)
    assert lengths == []
    for _ in range(3):
        label(session, say, inputs.truth, 1)
        live(session)
    assert lengths == [201, 202, 203]


@pytest.mark.parametrize("count", [POINTS, POINTS + 1, 300])
def test_a_long_trail_is_thinned_evenly_and_ends_at_the_newest_label(open_session, say, inputs, count):
    session = open_session(budget=300)
    drawn = session.upcoming(count)
    session.record([say(draw.row, int(inputs.truth[draw.row])) for draw in drawn])
    labels = live(session).trail.labels
    assert POINTS / 2 <= len(labels) <= POINTS + 1
    assert labels[-1] == count
    assert len(set(np.diff(labels[:-1]))) == 1


def test_the_sentence_says_the_interval_the_counts_and_the_severe_ones(open_session, say, inputs):
    session = open_session("rrs", budget=60)
    label(session, say, inputs.truth, 58)
    session.record([say(session.upcoming(1)[0].row)])
    report, estimate = live(session), session.estimate()
    labeled = [verdict.draw.row for verdict in session.verdicts()[:58]]
    wrong = [row for row in labeled if inputs.truth[row] != inputs.predictions[row]]
    severe = sum(inputs.confidence[row] >= 0.8 for row in wrong)
    low_end, high_end = math.floor(1000 * estimate.always_low) / 10, math.ceil(1000 * estimate.always_high) / 10
    assert report.words == (
        f"About {100 * estimate.accuracy:.1f}% of the 300 inputs are classified right "
        f"(95% interval {low_end:.1f} to {high_end:.1f}%, stop-safe). "
        f"From 58 labels: {len(wrong)} wrong, {severe or 'none'} severe (with at least 80% confidence). "
        "No answer: 1 can't tell."
    )
    assert report.failures == len(wrong) > 3
    low, moderate = (sum(inputs.confidence[row] < edge for row in wrong) for edge in (0.5, 0.8))
    assert report.severity == SeverityCounts(low, moderate - low, severe)
    assert report.truth == pytest.approx((inputs.truth == inputs.predictions).mean())
    assert report.counts == Counts(answered=58, cannot_tell=1, skipped=0, not_settled=0, to_do=1)


def test_a_purposive_selection_is_told_to_have_no_guarantee_and_no_moment_to_stop(open_session, say, inputs):
    session = open_session("pace", budget=40)
    label(session, say, inputs.truth)
    report = live(session)
    assert report.words.startswith(
        f"Of the inputs chosen {100 * report.estimate.accuracy:.1f}% are classified right, without a guarantee for all 300."
    )
    assert "chosen, not drawn at random" in report.estimate.why
    assert not report.may_stop
    assert (
        report.may_stop_words
        == "This technique has no stop-safe interval. Label all 40 planned inputs before you rely on the result."
    )
    assert np.isnan(report.trail.low).all()


def test_one_may_stop_exactly_when_the_stop_safe_interval_is_as_narrow_as_was_asked(open_session, say, inputs):
    session = open_session(budget=210, half_width=0.1)
    seen = []
    for _ in range(20):  # not to the end, where the interval of the plan counts
        label(session, say, inputs.truth, 10)
        report = live(session)
        narrow = (report.estimate.always_high - report.estimate.always_low) / 2 <= 0.1
        assert report.may_stop == narrow
        assert report.may_stop_words.startswith("You can stop" if narrow else "Keep going")
        assert "±10.0 points" in report.may_stop_words
        seen.append(narrow)
    assert seen == sorted(seen)
    assert set(seen) == {False, True}


def test_with_every_input_labeled_the_running_metrics_are_the_exact_ones(open_session, say, inputs):
    session = open_session(budget=300)
    label(session, say, inputs.truth, 299)
    assert live(session).running.estimated
    label(session, say, inputs.truth, 1)
    report = live(session)
    assert not report.running.estimated
    failed = inputs.losses[[draw.row for draw in session.draws]]
    faults = int(failed.sum())
    before = np.concatenate([[0], np.cumsum(failed)])[:faults]
    left = 300 - np.arange(faults)
    wfdr = (failed[:faults] * (1 - (faults - before) / left)).sum() / (
        (300 - faults) / left
    ).sum()  # the paper's eq. 4-6
    assert report.exact.wfdr == pytest.approx(wfdr)
    assert report.running.wfdr == pytest.approx(wfdr)
    assert report.running.sfdr == pytest.approx(report.exact.sfdr)
    assert (report.exact.faults, report.running.faults) == (faults, faults)


def test_the_exact_metrics_follow_the_known_answers_whatever_the_tester_says(open_session, say, inputs):
    session = open_session("ssrs", budget=60)
    label(session, say, inputs.truth, 40)
    honest = live(session).exact
    row = session.draws[0].row
    session.record([say(row, (int(inputs.truth[row]) + 1) % 4)])
    assert live(session).exact == honest


@pytest.mark.parametrize("technique", ["rrs", "ssrs", "sups", "srs"])
def test_the_running_number_of_faults_is_the_estimated_one(open_session, say, inputs, technique):
    session = open_session(technique, budget=80)
    label(session, say, inputs.truth)
    report = live(session)
    expected = round(300 * (1 - report.estimate.accuracy))
    assert report.running.faults == max(expected, report.failures)
    assert report.running.found == report.failures
    assert 0 < report.running.sfdr <= 1


@pytest.mark.parametrize("technique", ["ssrs", "sups", "srs"])
def test_the_severity_of_unseen_faults_is_weighed_by_the_design(open_session, say, inputs, technique):
    session = open_session(technique, budget=120)
    label(session, say, inputs.truth)
    report, draws, design = live(session), session.draws, session.selector.design
    rows = list(dict.fromkeys(draw.row for draw in draws))
    weights = dict.fromkeys(rows, 300 / len(rows))
    if technique == "ssrs":
        drawn = np.bincount([draw.stratum for draw in draws])
        weights = {draw.row: design.stratum_sizes[draw.stratum] / drawn[draw.stratum] for draw in draws}
    if technique == "sups":
        weights = {row: sum(1 / (120 * draw.probability) for draw in draws if draw.row == row) for row in rows}
    failed = inputs.losses[rows] > 0
    rate = 1 - report.estimate.accuracy
    weighed = list(weights.values())
    expected = live_metrics(failed, inputs.confidence[rows], size=300, failure_rate=rate, weights=weighed)
    assert report.running.sfdr == pytest.approx(expected.sfdr)
    if technique != "srs":
        alike = live_metrics(failed, inputs.confidence[rows], size=300, failure_rate=rate)
        assert expected.sfdr != pytest.approx(alike.sfdr)  # or this test shows nothing


def test_strata_fill_up_to_what_is_planned(open_session, say, inputs):
    session = open_session("ssrs", budget=60)
    label(session, say, inputs.truth, 31)
    filled = live(session).strata
    design = session.selector.design
    assert isinstance(design, Stratified)
    assert [stratum.size for stratum in filled] == list(design.stratum_sizes)
    assert sum(stratum.labeled for stratum in filled) == 31
    assert sum(stratum.planned for stratum in filled) == 60
    label(session, say, inputs.truth)
    assert all(stratum.labeled == stratum.planned for stratum in live(session).strata)


def test_what_the_strata_will_get_is_unknown_while_the_technique_waits(open_session, say, inputs):
    session = open_session("ssoa-r-p", budget=60)
    assert [stratum.planned for stratum in live(session).strata] == [None, None, None]
    label(session, say, inputs.truth)
    planned = np.bincount([draw.stratum for draw in session.draws])
    assert live(session).strata == tuple(
        StratumFilled(int(count), int(count), size)
        for count, size in zip(planned, session.selector.design.stratum_sizes, strict=True)
    )


def test_the_pace_is_the_median_of_the_last_votes_and_says_how_long_the_rest_takes(open_session, say, inputs):
    session = open_session(budget=100)
    label(session, say, inputs.truth, 30, seconds=60.0)  # older than the last 20: out of the count
    label(session, say, inputs.truth, 15, seconds=2.0)
    label(session, say, inputs.truth, 5, seconds=30.0)
    report = live(session)
    assert report.per_minute == pytest.approx(30)
    assert report.minutes_left == pytest.approx(50 * 2 / 60)


def test_a_regression_speaks_of_errors_and_not_of_right_and_wrong(open_session, say):
    rng = np.random.default_rng(1)
    truth = rng.normal(size=80)
    predictions = truth + rng.normal(0, 0.4, 80)
    task = Regression(tolerance=0.5, unit="degrees", loss_bound=9.0)
    angles = Inputs("c" * 32, task, predictions, truth=truth, losses=task.losses(predictions, truth))
    session = open_session(budget=40, of=angles)
    label(session, say, truth)
    report = live(session)
    rows = [draw.row for draw in session.draws]
    off = int((np.abs(predictions - truth)[rows] > 0.5).sum())
    share = wilson(off / 40, 40 * 79 / (80 - 40), 0.95)  # of the failures, n larger as the set is finite
    assert report.estimate.accuracy == pytest.approx(1 - off / 40)
    assert (report.estimate.low, report.estimate.high) == pytest.approx((1 - share.high, 1 - share.low), abs=0.02)
    assert report.estimate.always_low <= report.estimate.low  # bounded, so there is a stop-safe one
    assert report.trail.always_low[-1] == report.estimate.always_low
    assert report.trail.accuracy[-1] == report.estimate.accuracy
    assert report.truth == pytest.approx(np.mean(np.abs(predictions - truth) <= 0.5))
    assert report.may_stop_words.startswith("Plan complete at ±")
    assert "points" in report.may_stop_words
    errors = np.abs(predictions - truth)[rows]
    assert report.errors.absolute.value == pytest.approx(errors.mean())
    assert report.errors.root_squared.value == pytest.approx(np.sqrt((errors**2).mean()))
    assert report.errors.root_squared.low == pytest.approx(np.sqrt(max(0, 1 - report.errors.squared.high)))
    severe, moderate = int((errors >= 1.3).sum()), int((errors >= 1.0).sum())  # 2.6 and 2 times the tolerance
    assert report.headline == "fixed"
    low, high = math.floor(1e3 * report.estimate.low) / 10, math.ceil(1e3 * report.estimate.high) / 10
    assert report.words.startswith(
        f"About {100 * report.estimate.accuracy:.1f}% of the 80 inputs are within 0.5 degrees "
        f"(95% interval {low:.1f} to {high:.1f}%). "
        f"From 40 labels: {off} off by more than 0.5 degrees, {severe or 'none'} severe (off by at least 1.3 degrees)."
    )
    assert f"As published, 1 - MSE {report.errors.squared.accuracy:.4f}." in report.errors.words()
    assert report.severity == SeverityCounts(off - moderate, moderate - severe, severe)
    assert report.running.found == off
    assert report.running.faults == max(off, round(80 * off / 40))
    assert 0 < report.exact.wfdr < 1
    assert 0 < report.exact.sfdr <= 1
    assert report.failures == off > 0


def test_a_fault_drawn_twice_is_one_fault(open_session, say, inputs):
    session = open_session("sups", budget=200)
    label(session, say, inputs.truth)
    drawn = [draw.row for draw in session.draws if inputs.losses[draw.row]]
    assert len(drawn) > len(set(drawn))
    assert live(session).failures == len(set(drawn))
