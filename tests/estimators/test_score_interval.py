"""The score interval, held against Wilson's, against a search over every rate, and against enumeration."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from testimate.estimators.intervals import (
    counts_not_refuted,
    counts_of_draws,
    counts_of_simple_sample,
    score_lower_end,
    score_upper_end,
    stratified_variance_at,
    wilson,
)
from testimate.estimators.stratified import stratified_ends
from tests.each import each


@each(("failures", "n"), [(0, 1), (0, 50), (1, 50), (7, 50), (300, 1000), (50, 50)])
@each("level", [0.8, 0.95])
def test_with_one_stratum_it_is_wilsons_interval(failures, n, level):
    rate = max(failures / n, 1e-15)
    moving = stratified_variance_at([rate], [n], [10**6], even=1.0, replacement=True)
    low, high = wilson(failures / n, n, level)
    assert score_upper_end(failures / n, moving, level) == pytest.approx(high, abs=1e-12)
    assert score_lower_end(failures / n, moving, level) == pytest.approx(low, abs=1e-12)


@each("even", [0.0, 0.5, 0.75, 1.0])
def test_the_ends_are_the_largest_and_the_smallest_rate_under_which_the_labels_fit(even):
    rng, mu = np.random.default_rng(3), np.linspace(0, 1, 1_000_001)
    for _ in range(5):
        sizes, counts = rng.integers(50, 5000, 4), rng.integers(2, 40, 4)
        rates = rng.beta(0.5, 3, 4)
        weights, mean = sizes / sizes.sum(), float(rng.beta(1, 8))
        start = weights @ rates
        moved = rates[:, None] + (mu - start) * (even + (1 - even) * rates / start)[:, None]
        variance = (weights**2 * (1 - counts / sizes) / counts) @ (moved * (1 - moved))
        fits = (mu - mean) ** 2 <= stats.norm.ppf(0.975) ** 2 * variance
        moving = stratified_variance_at(rates, counts, sizes, even=even)
        assert score_upper_end(mean, moving) == pytest.approx(mu[fits & (mu >= mean)].max(initial=mean), abs=2e-6)
        if even == 0:  # no rate is below 0 then
            assert score_lower_end(mean, moving) == pytest.approx(mu[fits & (mu <= mean)].min(initial=mean), abs=2e-6)


@each("labels", [20, 50])
def test_at_few_labels_the_spread_has_students_quantile(labels):
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, labels - 1)) - 1  # at which a normal quantile is as large
    settings = {"sizes": np.array([900, 100]), "prior": np.array([0.02, 0.3]), "replacement": True}
    counts, seen = np.array([labels // 2, labels // 2]), np.array([1, 4])
    few = stratified_ends(seen, counts, version=2, **settings)
    as_then = stratified_ends(seen, counts, version=1, level=level, **settings)
    assert np.hstack(few) == pytest.approx(np.hstack(as_then), abs=1e-12)
    assert few.high > stratified_ends(seen, counts, version=1, **settings).high


@pytest.mark.parametrize(("conservative", "least"), [(False, 0.90), (True, 0.93)])
def test_in_small_sets_it_covers_whatever_fails(conservative, least):
    sizes, counts, prior = np.array([30, 12, 8]), np.array([10, 6, 8]), np.array([0.02, 0.2, 0.4])
    seen = np.array(list(product(*(range(n + 1) for n in counts))))
    low, high = stratified_ends(seen, np.broadcast_to(counts, seen.shape), sizes, prior, conservative=conservative)
    for failing in product((0, 1, 2, 5, 12), (0, 1, 4, 9), (0, 3, 8)):
        chances = np.prod([stats.hypergeom.pmf(seen[:, h], sizes[h], failing[h], counts[h]) for h in range(3)], axis=0)
        truth = sum(failing) / sizes.sum()
        assert chances[(low <= truth + 1e-12) & (truth - 1e-12 <= high)].sum() >= least, failing


@each(("size", "n"), [(30, 24), (1000, 200), (1000, 800)])
def test_no_likely_count_is_excluded(size, n):
    for seen in (0, 1, 3):
        chances = stats.hypergeom.pmf(seen, size, np.arange(size + 1), n)
        likely = np.flatnonzero(chances > 0.025)
        found = counts_not_refuted([seen], [n], [size], [1.0])
        assert (found.least, found.greatest) == (likely.min(), likely.max())


@each(("size", "n"), [(1, 1), (30, 24), (1000, 200), (50_000, 2000)])
def test_one_sample_on_plain_numbers_has_the_counts_that_arrays_and_the_hypergeometric_law_have(size, n):
    for seen in sorted({0, min(1, n), min(3, n), n // 7, n}):
        plain, array = counts_of_simple_sample(seen, n, size), counts_not_refuted([seen], [n], [size], [1.0])
        assert plain == pytest.approx(tuple(map(float, array)), nan_ok=True)
        law = stats.hypergeom.logpmf(seen, size, np.arange(size + 1), n)  # pmf takes a second for 50,000 counts
        likely = np.flatnonzero(law > np.log(0.025))
        assert plain == (
            pytest.approx((likely.min(), likely.max())) if likely.size else pytest.approx((np.nan,) * 2, nan_ok=True)
        )


@pytest.mark.parametrize(
    ("apart", "apart_failing", "plain", "failing", "size"), [(0, 0, 40, 2, 100), (10, 5, 390, 1, 1000)]
)
def test_few_failures_of_adaptive_rounds_may_hide_as_many_as_a_simple_sample_does_not_refute(
    apart, apart_failing, plain, failing, size
):
    """Inputs drawn on purpose are all labeled; the others are a simple random sample of what is left."""
    left = size - apart
    stood_for = np.concatenate([np.ones(apart), np.full(plain, left / plain)])
    failed = np.concatenate([np.arange(apart) < apart_failing, np.arange(plain) < failing])
    counts = np.arange(failing, left + 1)
    possible = counts[stats.hypergeom.pmf(failing, left, counts, plain) > 0.025].max()
    assert counts_of_draws(failed, stood_for, size).greatest == apart_failing + possible
