"""Grades as shares of full marks: the interval holds, is no wider than it has to be, and is that of a slice of everything."""

import numpy as np
import pytest

from testimate.core.design import SimpleRandom, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.judgement import Judgement
from testimate.estimators import estimator_of
from testimate.estimators.slices import slice_estimates
from testimate.planning.interval_method import INTERVAL_METHOD, computed_anew, interval_method

POPULATIONS = {"nearly perfect": (0.95, 0.03, 0.02), "middling": (0.45, 0.3, 0.25), "mostly right": (0.75, 0.1, 0.15)}


def graded(shares, seed, size=3000):
    return np.random.default_rng(seed).choice([0.0, 0.5, 1.0], size, p=shares)


@pytest.mark.parametrize("campaigns", [100, pytest.param(3000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_interval_of_a_simple_random_sample_of_grades_holds(name, campaigns):
    losses, random = graded(POPULATIONS[name], 1), np.random.default_rng(2)
    design, inside = SimpleRandom((3000,), 100), 0
    for _ in range(campaigns):
        rows = random.choice(3000, 100, replace=False).tolist()
        found = estimator_of(design).estimate(design, [Verdict(Draw(row), float(losses[row])) for row in rows])
        inside += found.low <= 1 - losses.mean() <= found.high
    assert abs(inside / campaigns - 0.95) <= 0.02 + 2.5 * np.sqrt(0.95 * 0.05 / campaigns)


@pytest.mark.parametrize("strata", [(400,), (100, 100, 200)])
def test_it_is_the_interval_of_a_slice_that_holds_everything(strata):
    losses = graded(POPULATIONS["mostly right"], 3, 400)
    stratum = np.repeat(np.arange(len(strata)), strata)
    rows = np.random.default_rng(4).choice(400, 90, replace=False).tolist()
    design = SimpleRandom(strata, 90) if len(strata) == 1 else Stratified(strata, 90, in_rounds=True)
    verdicts = [Verdict(Draw(row, stratum=int(stratum[row])), float(losses[row])) for row in rows]
    found = estimator_of(design).estimate(design, verdicts)
    (whole,) = slice_estimates(design, verdicts, np.zeros(400, dtype=np.intp), 1)
    assert (found.accuracy, found.low, found.high) == pytest.approx((whole.value, whole.low, whole.high))
    assert found.method.endswith("score interval of grades")


def test_one_half_among_many_right_ones_changes_the_interval_little():
    design = SimpleRandom((3000,), 100)
    right = [Verdict(Draw(row), 0.0) for row in range(99)]
    before = estimator_of(design).estimate(design, [*right, Verdict(Draw(99), 0.0)])
    after = estimator_of(design).estimate(design, [*right, Verdict(Draw(99), 0.5)])
    assert after.high - after.low < 1.4 * (before.high - before.low)
    assert after.low < after.accuracy < after.high


def test_a_session_made_before_says_that_its_interval_is_another_one():
    task, design = Judgement(), SimpleRandom((3000,), 100)
    some = [Verdict(Draw(row), (0.0, 0.5, 1.0)[row % 3]) for row in range(60)]
    found = estimator_of(design).estimate(design, some)
    assert "made when grades had Student's interval" in computed_anew(INTERVAL_METHOD, task, found, "session")
    assert computed_anew(interval_method(task), task, found, "session") == ""
    plain = estimator_of(design).estimate(design, [Verdict(Draw(row), float(row % 2)) for row in range(60)])
    assert computed_anew(INTERVAL_METHOD, task, plain, "session") == ""
