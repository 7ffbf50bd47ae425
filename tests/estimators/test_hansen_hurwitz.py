"""Hansen-Hurwitz, held against exhaustive enumeration and seeded simulation."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from testimate.core.design import PerDraw
from testimate.core.errors import BadInput
from testimate.estimators.intervals import korn_graubard
from testimate.estimators.unequal_chances import HansenHurwitz


@pytest.mark.parametrize("losses", [[1, 0, 1, 0], [2.5, 0, 0.3, 4]])
def test_mean_and_variance_are_unbiased_over_all_draws(losses, verdicts_of):
    truth, chances = np.array(losses, dtype=float), np.array([0.4, 0.3, 0.2, 0.1])
    means, variances, weights = [], [], []
    for rows in product(range(4), repeat=3):
        taken = list(rows)
        # Without a bound nothing is clipped, and losses of 0 and 1 are as good as others.
        found = HansenHurwitz().estimate(
            PerDraw((4,), 3), verdicts_of(truth[taken], probabilities=chances[taken], rows=rows), loss_bound=None
        )
        means.append(1 - found.accuracy)
        variances.append((found.standard_error or 0) ** 2)
        weights.append(np.prod(chances[taken]))
    assert np.dot(weights, means) == pytest.approx(truth.mean(), abs=1e-12)
    spread = np.dot(weights, (np.array(means) - truth.mean()) ** 2)
    assert np.dot(weights, variances) == pytest.approx(spread, abs=1e-12)


def test_the_interval_covers_as_often_as_it_claims_where_chances_follow_failures(verdicts_of):
    rng = np.random.default_rng(20)
    size, n, repetitions = 5000, 100, 400
    score = rng.beta(1, 9, size)
    failed = (rng.random(size) < score).astype(float)
    chances = 0.8 * score / score.sum() + 0.2 / size
    hits = 0
    for rows in rng.choice(size, (repetitions, n), p=chances):
        found = HansenHurwitz().estimate(
            PerDraw((size,), n), verdicts_of(failed[rows], probabilities=chances[rows], rows=rows)
        )
        hits += found.low <= 1 - failed.mean() <= found.high
    assert 0.92 <= hits / repetitions <= 0.98


def test_the_intervals_have_one_degree_of_freedom_less_than_draws(verdicts_of):
    # The terms are 2, 0, 0.5, 0: mean 0.625, and on the logit scale the error is that over p (1 - p).
    labels = verdicts_of([1, 0, 1, 0], probabilities=[0.05, 0.1, 0.2, 0.1])
    error = np.std([2, 0, 0.5, 0], ddof=1) / 2
    logit = HansenHurwitz().estimate(PerDraw((10,), 4), labels, level=0.8)
    low, high = stats.t.interval(0.8, 3, np.log(0.625 / 0.375), error / (0.625 * 0.375))
    assert (1 - logit.high, 1 - logit.low) == pytest.approx((1 / (1 + np.exp(-low)), 1 / (1 + np.exp(-high))))
    plain = HansenHurwitz().estimate(PerDraw((10,), 4), labels, level=0.8, loss_bound=None)
    low, high = stats.t.interval(0.8, 3, 0.625, error)
    assert (1 - plain.high, 1 - plain.low) == pytest.approx((max(low, 0), high))


def test_the_conservative_interval_has_the_larger_of_two_variances_and_the_degrees_of_freedom(verdicts_of):
    chances = np.array([0.05, 0.1, 0.2, 0.1])
    careful = HansenHurwitz("korn-graubard").estimate(
        PerDraw((10,), 4), verdicts_of([1, 0, 1, 0], probabilities=chances)
    )
    terms, weights = np.array([2, 0, 0.5, 0]), 1 / (10 * chances)
    rate = (4 * 0.625 + 1) / 6
    smooth = (rate * (weights**2).sum() / weights.sum() - rate**2) / 4
    variance = max(smooth, terms.var(ddof=1) / 4)
    fewer = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 3)) ** 2
    low, high = korn_graubard(0.625, fewer * rate * (1 - rate) / variance)
    assert (1 - careful.high, 1 - careful.low) == pytest.approx((low, high), abs=1e-12)
    assert careful.standard_error == pytest.approx(terms.std(ddof=1) / 2)
    single = HansenHurwitz("korn-graubard").estimate(PerDraw((10,), 1), verdicts_of([1], probabilities=[0.1]))
    assert single.low == 0 < single.high


def test_an_input_drawn_twice_counts_twice(verdicts_of):
    found = HansenHurwitz().estimate(
        PerDraw((10,), 3), verdicts_of([1, 1, 0], probabilities=[0.5, 0.5, 0.1], rows=[4, 4, 2])
    )
    assert found.accuracy == pytest.approx(1 - 2 / (3 * 10 * 0.5))


def test_without_failures_the_interval_is_still_one(verdicts_of):
    equal = HansenHurwitz().estimate(PerDraw((100,), 50), verdicts_of([0] * 50, probabilities=[0.01] * 50))
    heavy = HansenHurwitz().estimate(PerDraw((100,), 50), verdicts_of([0] * 50, probabilities=[0.002] * 50))
    # Equal chances are simple random sampling: three in fifty is the rule of three's upper end.
    assert equal.low == pytest.approx(1 - 3 / 50, abs=0.02)
    assert heavy.low < equal.low < equal.accuracy == equal.high == 1
    assert heavy.standard_error > equal.standard_error > 0


def test_an_estimate_beyond_all_failing_is_clipped_where_it_is_shown(verdicts_of):
    found = HansenHurwitz().estimate(PerDraw((100,), 3), verdicts_of([1, 1, 0], probabilities=[0.002, 0.004, 0.01]))
    assert (found.accuracy, found.low) == (0, 0)
    assert 0 < found.high <= 1


@pytest.mark.parametrize("failed", [[1], [1, 1, 1]])
def test_one_kind_of_draws_only_has_an_interval_of_some_width(failed, verdicts_of):
    labels = verdicts_of(failed, probabilities=[0.03] * len(failed), rows=[5] * len(failed))
    found = HansenHurwitz().estimate(PerDraw((100,), 3), labels)
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.standard_error > 0.1
    assert found.low < found.accuracy < found.high


def test_losses_that_do_not_differ_give_no_interval(verdicts_of):
    labels = verdicts_of([2.0, 2.0], probabilities=[0.1, 0.1])
    found = HansenHurwitz().estimate(PerDraw((10,), 2), labels, loss_bound=None)
    assert (found.low, found.high, found.standard_error) == (None, None, None)
    assert "do not differ" in found.why


def test_cannot_tell_is_bounded_with_its_weight(verdicts_of):
    found = HansenHurwitz().estimate(PerDraw((10,), 2), verdicts_of([0, None], probabilities=[0.1, 0.2]))
    assert (found.accuracy, found.skipped_low, found.skipped_high) == (1, pytest.approx(0.75), 1)


def test_draws_need_their_chances(verdicts_of):
    with pytest.raises(BadInput, match="2 draws have no probability"):
        HansenHurwitz().estimate(PerDraw((10,), 2), verdicts_of([0, 1]))
