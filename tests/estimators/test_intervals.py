"""Intervals, held against scipy's and against closed forms."""

import numpy as np
import pytest
from scipy import optimize, special, stats

from testimate.core.errors import BadInput
from testimate.estimators.intervals import (
    Interval,
    clopper_pearson,
    korn_graubard,
    logit_interval,
    paired_score_interval,
    possible,
    skewed_t_interval,
    t_interval,
    wilson,
)
from tests.each import each

CASES = [(0, 1), (1, 1), (0, 50), (1, 50), (7, 50), (49, 50), (50, 50), (300, 1000)]


@each("level", [0.8, 0.95, 0.99])
@each(("failures", "n"), CASES)
def test_wilson_agrees_with_scipy(failures, n, level):
    expected = stats.binomtest(failures, n).proportion_ci(level, method="wilson")
    assert wilson(failures / n, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


@each("level", [0.8, 0.95, 0.99])
@each(("failures", "n"), CASES)
def test_clopper_pearson_agrees_with_scipy(failures, n, level):
    expected = stats.binomtest(failures, n).proportion_ci(level, method="exact")
    assert clopper_pearson(failures, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_korn_graubard_is_the_beta_interval_at_a_fractional_effective_n():
    low, high = korn_graubard(0.1, 43.7, 0.9)
    assert low == pytest.approx(stats.beta.ppf(0.05, 4.37, 40.33), abs=1e-12)
    assert high == pytest.approx(stats.beta.ppf(0.95, 5.37, 39.33), abs=1e-12)


def test_a_sample_that_tells_everything_leaves_a_point():
    assert wilson(0.3, np.inf) == Interval(0.3, 0.3)
    assert korn_graubard(0.3, np.inf) == Interval(0.3, 0.3)


def test_the_t_interval_agrees_with_scipy_and_becomes_the_normal_one():
    assert t_interval(2.0, 0.5, 7, 0.9) == pytest.approx(stats.t.interval(0.9, 7, loc=2.0, scale=0.5), abs=1e-12)
    assert t_interval(2.0, 0.5, np.inf) == pytest.approx(stats.norm.interval(0.95, loc=2.0, scale=0.5), abs=1e-12)


def test_the_logit_interval_is_symmetric_in_failures_and_successes():
    low, high = logit_interval(0.2, 0.05, 0.95, 30)
    mirrored = logit_interval(0.8, 0.05, 0.95, 30)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)
    half = stats.t.ppf(0.975, 30) * 0.05 / 0.16
    assert np.log(low / (1 - low)) == pytest.approx(np.log(0.25) - half, abs=1e-12)


@each("p", [0.0, 1.0, 1.2])
def test_there_is_no_logit_at_the_borders(p):
    with pytest.raises(BadInput, match="strictly between 0 and 1"):
        logit_interval(p, 0.1)


@each("level", [0.0, 1.0, 95, float("nan")])
def test_an_interval_refuses_a_level_that_is_no_share(level):
    with pytest.raises(BadInput, match="above 0 and below 1"):
        wilson(0.5, 10, level)


def test_what_is_possible_follows_from_counting():
    assert possible(np.array([1.0, 0.0, 1.0]), 10, 1.0) == (0.2, 0.9)
    assert possible(np.array([1.0, 0.0]), 2, None) == (0.5, 0.5)
    assert possible(np.array([4.0]), 2, None) == (2.0, np.inf)
    assert possible(np.array([1.0, 0.0]), None, 5.0) == (0.0, 5.0)


@each("skewness", [-0.4, 0.05, 0.4, 1.2])
def test_the_skewed_interval_solves_halls_cubic_and_never_lies_inside_students(skewness):
    mean, error, degrees = 3.0, 0.25, 40
    low, high = skewed_t_interval(mean, error, degrees, skewness)
    plain, t = t_interval(mean, error, degrees), stats.t.ppf(0.975, degrees)
    assert low <= plain.low
    assert high >= plain.high
    g = 1.5 * skewness

    def transformed(end):
        studentised = (mean - end) / error
        return studentised + g * studentised**2 / 3 + g**2 * studentised**3 / 27 + g / 6

    moved, to = (high, -t) if skewness > 0 else (low, t)
    assert transformed(moved) == pytest.approx(to, abs=1e-9)
    mirrored = skewed_t_interval(-mean, error, degrees, -skewness)
    assert (-mirrored.high, -mirrored.low) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("tail", ["lognormal", "Pareto"])
def test_on_heavy_tails_the_skewed_interval_covers_as_often_as_it_claims_and_students_does_not(tail):
    rng = np.random.default_rng(29)
    losses = rng.lognormal(0, 1.5, (3000, 100)) if tail == "lognormal" else rng.pareto(2.5, (3000, 100))
    truth = np.exp(1.5**2 / 2) if tail == "lognormal" else 1 / 1.5
    held = np.zeros(2)
    found = losses.mean(axis=1), stats.sem(losses, axis=1), stats.skew(losses, axis=1, bias=False) / 10
    for mean, error, skewness in zip(*found, strict=True):
        for place, (low, high) in enumerate(
            (t_interval(mean, error, 99), skewed_t_interval(mean, error, 99, skewness))
        ):
            held[place] += low <= truth <= high
    assert held[0] / 3000 < 0.90
    assert held[1] / 3000 > 0.94


@each(("gained", "lost", "n"), [(1, 7, 15), (0, 1, 44), (9, 2, 44), (20, 20, 41), (3.5, 0.5, 12.25)])
def test_the_ends_of_a_paired_difference_are_where_the_likeliest_shares_are_z_errors_off(gained, lost, n):
    for end, z in zip(paired_score_interval(gained, lost, n), (1.959964, -1.959964), strict=True):

        def unlikely(q, end=end):
            shares = np.array([q + end, q, 1 - 2 * q - end])
            return -special.xlogy([gained, lost, n - gained - lost], shares).sum()

        least, most = max(0, -end), (1 - end) / 2
        q = optimize.minimize_scalar(unlikely, bounds=(least, most), method="bounded", options={"xatol": 1e-12}).x
        assert (gained - lost - n * end) / np.sqrt(n * (2 * q + end - end**2)) == pytest.approx(z, abs=1e-4)


@each(("gained", "lost", "excluded"), [(12, 3, True), (11, 3, True), (10, 3, False), (8, 3, False)])
def test_a_paired_difference_excludes_no_gain_exactly_where_the_test_of_mcnemar_rejects_it(gained, lost, excluded):
    assert ((gained - lost) / np.sqrt(gained + lost) > 1.959964) == excluded
    assert (paired_score_interval(gained, lost, 60).low > 0) == excluded
