"""Campaigns at once: the same in law as the selectors' own, and as formulas and enumeration say."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from research.methods.exact import exact_error
from research.methods.many import (
    TIES,
    judged,
    many_gradient,
    many_simple,
    many_stratified,
    many_two_stage,
    many_unequal,
)
from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.estimators import estimator_of
from testimate.estimators.always_valid import prior_failure_of
from testimate.selectors.unequal_probability import draw_chances
from testimate.structure.strata import by_clusters
from testimate.studies.campaign import campaign, label
from tests.each import each

MANY = 20_000


def of_selectors(inputs, technique, budget, count, **changes):
    """Accuracy and failures of campaigns one by one, each (count,)."""
    found = [campaign(inputs, Request(technique, budget, 500 + seed, **changes)) for seed in range(count)]
    return np.array([one.accuracy for one in found]), np.array([one.failures for one in found])


def alike(one, other):
    """Whether two samples of numbers may come from one law (two-sample Kolmogorov-Smirnov, 1 in 1,000)."""
    return stats.ks_2samp(np.round(one, 9), np.round(other, 9)).pvalue > 1e-3


@pytest.mark.parametrize(
    ("technique", "budget"),
    [
        *(("rrs", 40), ("ssrs", 95), ("css", 40)),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in (("rrs", 95), ("ssrs", 40), ("css", 95))),
    ],
)
def test_stratified_campaigns_at_once_have_the_exact_error_and_no_bias(inputs, technique, budget):
    many = many_stratified(inputs, Request(technique, budget, 3), campaigns=MANY)
    errors = many.accuracy - many.truth
    exact = exact_error(inputs, Request(technique, budget, 3))
    assert errors.std() == pytest.approx(exact, rel=0.025)  # 1 / sqrt(2 x 20,000) is 0.5%
    assert abs(errors.mean()) < 4 * exact / np.sqrt(MANY)


@each("technique", ["rrs", "ssrs", "css"])
def test_stratified_campaigns_at_once_are_in_law_those_of_the_selectors(inputs, technique):
    many = many_stratified(inputs, Request(technique, 60, 3), campaigns=4000)
    accuracy, failures = of_selectors(inputs, technique, 60, 150)
    assert alike(many.accuracy, accuracy)
    assert alike(many.failures, failures)


@each(("interval", "kind"), [("score", "ordinary"), ("korn_graubard", "conservative")])
@each(("technique", "budget"), [("rrs", 23), ("rrs", 140), ("css", 60)])
def test_their_intervals_are_those_of_the_estimator_from_the_same_counts(inputs, interval, kind, technique, budget):
    for seed in range(5):
        labeled = label(inputs, Request(technique, budget, seed), inputs.losses)
        estimate = estimator_of(labeled.design, kind).estimate(labeled.design, labeled.verdicts)
        sizes = np.array(labeled.design.stratum_sizes)
        strata = np.array([verdict.draw.stratum for verdict in labeled.verdicts])
        failures = np.bincount(strata, [verdict.loss for verdict in labeled.verdicts], len(sizes))
        counts = np.bincount(strata, minlength=len(sizes))
        found = judged(
            failures[None],
            counts[None],
            sizes,
            prior_failure_of(labeled.design),
            0.95,
            version=labeled.design.interval_version,
        )
        assert found[interval][0] == pytest.approx([estimate.low, estimate.high], abs=1e-12)
        assert found["accuracy"][0] == pytest.approx(estimate.accuracy, abs=1e-12)


def test_the_coverage_at_once_is_that_of_campaigns_one_by_one(inputs):
    truth = 1 - inputs.losses.mean()
    found = [campaign(inputs, Request("rrs", 60, seed)) for seed in range(200)]
    held = np.mean([one.low <= truth <= one.high for one in found])
    many = many_stratified(inputs, Request("rrs", 60, 4), campaigns=MANY)
    assert held == pytest.approx(many.coverage(), abs=4 * np.sqrt(0.05 * 0.95 / 200))


def test_failures_of_simple_random_sampling_are_hypergeometric(inputs):
    found = many_simple(inputs.losses, [50, 200], campaigns=MANY, seed=1)
    for budget, many in found.items():
        law = stats.hypergeom(1000, int(inputs.losses.sum()), budget)
        assert many.failures.mean() == pytest.approx(law.mean(), abs=4 * law.std() / np.sqrt(MANY))
        assert many.rate.std() == pytest.approx(law.std() / budget, rel=0.03)


@pytest.mark.parametrize("published", [False, True])
def test_unequal_draws_at_once_are_in_law_those_of_sups(inputs, published):
    share = 0.0 if published else 0.05
    chances = draw_chances(inputs.scores["confidence"], uniform_share=share, negative="min-max")
    many = many_unequal(inputs.losses, chances, [30, 80], campaigns=4000, seed=1)
    accuracy, failures = of_selectors(inputs, "sups", 80, 150, variant="as published" if published else None)
    assert alike(1 - many[80].rate, accuracy)
    assert alike(many[80].failures, failures)
    assert not published or many[30].rate.mean() == pytest.approx(inputs.losses.mean(), abs=0.02)


@pytest.mark.parametrize("published", [False, True])
def test_two_stage_draws_at_once_are_in_law_those_of_2_ups(inputs, published):
    share = 0.0 if published else 0.05
    score = inputs.scores["confidence"]
    strata = by_clusters(score, 10)
    chances = np.bincount(strata, draw_chances(score, uniform_share=share, negative="min-max"))
    many = many_two_stage(inputs.losses, strata, chances, [80], campaigns=4000, seed=1, as_published=published)[80]
    accuracy, failures = of_selectors(inputs, "2-ups", 80, 150, variant="as published" if published else None)
    assert alike(1 - many.rate, accuracy)
    assert alike(many.failures, failures)


def test_a_stratum_begun_anew_or_passed_over_keeps_to_its_inputs():
    losses, strata = np.array([1.0, 0.0, 1.0, 1.0, 0.0]), np.array([0, 0, 1, 1, 1])
    chances = np.array([0.9, 0.1])
    again = many_two_stage(losses, strata, chances, [5], campaigns=MANY, seed=1)[5]
    assert again.rate.mean() == pytest.approx(0.6, abs=0.01)  # unbiased
    over = many_two_stage(losses, strata, chances, [5], campaigns=200, seed=1, as_published=True)[5]
    assert (over.failures == 3).all()  # all five inputs were drawn


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("budget", [40, 120])
def test_gradient_based_campaigns_at_once_are_in_law_those_of_gbs(inputs, published, budget):
    strata = by_clusters(inputs.scores["confidence"], 10)
    many = many_gradient(inputs.losses, strata, [40, 120], campaigns=4000, seed=1, as_published=published)[budget]
    accuracy, failures = of_selectors(inputs, "gbs", budget, 150, variant="as published" if published else None)
    assert alike(1 - many.rate, accuracy)
    assert alike(many.failures, failures)


def test_a_gradient_based_campaign_of_three_labels_counted_out():
    """Two clusters, failure rates 1/2 and 0, one label each, then the third where the variance falls most."""
    losses, strata = np.array([1.0, 0, 0, 0]), np.array([0, 0, 1, 1])
    many = many_gradient(losses, strata, [3], campaigns=MANY, seed=1)[3]
    # after the first two labels both clusters have variance 2/9 (p = 2/3 or 1/3): a tie, broken at random
    expected: dict[float, float] = {}
    for first, second, extra in product((0, 1), (0, 1), (0, 1)):
        if second == 0:
            rate = (first + extra) / 2 / 2
            expected[rate] = expected.get(rate, 0) + 0.5 * 0.25
    expected[0.0] = expected.get(0.0, 0) + 0.5 * 0.5  # the tie went to the cluster without failures
    expected[0.5] = expected.get(0.5, 0) + 0.5 * 0.5
    for rate, chance in expected.items():
        assert np.isclose(many.rate, rate).mean() == pytest.approx(chance, abs=4 * np.sqrt(0.25 / MANY))


def test_what_has_no_law_of_counts_is_refused(inputs):
    halves = inputs.losses / 2
    with pytest.raises(BadInput, match="losses of 0 and 1"):
        many_simple(halves, [50], campaigns=10, seed=1)
    with pytest.raises(BadInput, match="Expected one of"):
        many_stratified(inputs, Request("gbs", 50, 1), campaigns=100)
    with pytest.raises(BadInput, match="campaigns was asked for"):
        many_stratified(inputs, Request("rrs", 50, 1), campaigns=TIES - 1)
    with pytest.raises(BadInput, match="a draw for each"):
        many_gradient(inputs.losses, by_clusters(inputs.scores["confidence"], 10), [5], campaigns=9, seed=1)
