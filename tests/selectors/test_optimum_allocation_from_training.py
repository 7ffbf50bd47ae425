"""SSOA with training data: where training inputs fall, and what their losses do to the allocation."""

from itertools import combinations, product

import numpy as np
import pytest

from testimate.core.design import StratifiedAsPublished
from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.estimators import estimator_of
from testimate.selectors.optimum_allocation import (
    OptimumAllocationByClustersFromTraining,
    OptimumAllocationByRuleFromTraining,
)
from tests.each import each

SCORES = np.linspace(0, 0.999, 1000)  # by rule: 0.9 on, 0.8 to 0.9, below 0.8


def taken(selector):
    """Draws per stratum of the whole budget."""
    draws = selector.ask(10**6)
    return np.bincount([draw.stratum for draw in draws], minlength=len(selector.design.stratum_sizes)).tolist()


def trained(half_wrong):
    """Training scores a hair on either side of the cuts at 0.7995 and 0.8995, the ``half_wrong`` of them half wrong."""
    scores = np.repeat([0.8997, 0.8993, 0.7997, 0.7993], 1000)
    losses = np.zeros(4000)
    for place in half_wrong:
        losses[place * 1000 : (place + 1) * 1000 : 2] = 1.0
    return scores, losses


@each(
    ("half_wrong", "spreads"),
    [([0], (0.5, 0, 0)), ([1, 2], (0, 0.5, 0)), ([3], (0, 0, 0.5)), ([0, 3], (0.5, 0, 0.5))],
)
def test_training_inputs_fall_where_the_operational_strata_are_cut(half_wrong, spreads):
    scores, losses = trained(half_wrong)
    selector = OptimumAllocationByRuleFromTraining(SCORES, scores, losses, budget=50, seed=1, variant="as published")
    weights = np.array([100, 100, 800]) * spreads
    assert np.abs(np.array(taken(selector)) - 50 * weights / weights.sum()).max() < 1


def test_clusters_take_the_training_inputs_nearest_to_their_centers():
    scores = np.r_[np.full(60, 0.0), np.full(30, 0.4), np.full(10, 1.0)]
    training = np.repeat([0.19, 0.21, 0.69, 0.71], 100)  # cuts at 0.2 and 0.7
    losses = np.tile([0.0, 1.0], 200)
    losses[:100] = 0.0
    losses[300:] = 0.0
    selector = OptimumAllocationByClustersFromTraining(
        scores, training, losses, budget=20, seed=1, variant="as published"
    )
    assert taken(selector) == [0, 20, 0]


def test_each_stratum_gets_two_though_training_says_nothing_fails_there():
    scores, losses = trained([0])
    smooth = taken(OptimumAllocationByRuleFromTraining(SCORES, scores, losses, budget=50, seed=1))
    p = np.array([501 / 1002, 1 / 2002, 1 / 1002])
    weights = np.array([100, 100, 800]) * np.sqrt(p * (1 - p))
    assert np.abs(np.array(smooth) - np.maximum(50 * weights / weights.sum(), 2)).max() < 1.5
    assert min(smooth) >= 2


def test_as_published_a_stratum_whose_training_data_is_right_counts_as_right():
    scores, losses = trained([0])
    selector = OptimumAllocationByRuleFromTraining(SCORES, scores, losses, budget=50, seed=1, variant="as published")
    draws, design = selector.ask(50), selector.design
    assert {draw.stratum for draw in draws} == {0}
    assert isinstance(design, StratifiedAsPublished)
    estimate = estimator_of(design).estimate(design, [Verdict(draw, 1.0) for draw in draws])
    assert (estimate.accuracy, estimate.low) == (pytest.approx(0.9), None)


def test_squared_errors_of_the_training_data_allocate_by_their_standard_deviation():
    rng = np.random.default_rng(0)
    scores = rng.random(6000)
    losses = np.where(scores > 0.9, 4.0, 1.0) * rng.gamma(1.0, size=6000)
    counts = np.array(taken(OptimumAllocationByRuleFromTraining(SCORES, scores, losses, budget=120, seed=1)))
    strata = [scores > 0.8995, (scores <= 0.8995) & (scores > 0.7995), scores <= 0.7995]
    weights = np.array([100, 100, 800]) * [losses[stratum].std() for stratum in strata]
    assert np.abs(counts - 120 * weights / weights.sum()).max() < 1.5


def test_the_estimate_is_unbiased_over_all_samples_however_wrong_the_training_data():
    scores, losses = np.linspace(1, 0, 12), np.array([1, 1, 0, 1, *[0, 0, 1, 0] * 2], dtype=float)
    selector = OptimumAllocationByClustersFromTraining(scores, [0.0, 1.0], [0.3, 0.0], budget=7, seed=1, clusters=2)
    strata, design = [draw.stratum for draw in selector.ask(7)], selector.design
    rows_of = [range(6, 12), range(6)]
    for prefix in range(1 + max(strata.index(0), strata.index(1)), 8):
        counts = [strata[:prefix].count(stratum) for stratum in range(2)]
        means = []
        for parts in product(*(combinations(rows, count) for rows, count in zip(rows_of, counts, strict=True))):
            verdicts = [
                Verdict(Draw(row, stratum=stratum), losses[row]) for stratum, rows in enumerate(parts) for row in rows
            ]
            means.append(1 - estimator_of(design).estimate(design, verdicts, loss_bound=None).accuracy)
        assert np.mean(means) == pytest.approx(losses.mean(), abs=1e-12)


@each(("scores", "losses"), [([], []), ([0.1, 0.2], [0.0]), ([0.1], [-1.0]), ([np.nan], [0.0]), ([0.1], [np.inf])])
def test_training_data_that_cannot_be_used_is_refused(scores, losses):
    with pytest.raises(BadInput, match="training"):
        OptimumAllocationByRuleFromTraining(SCORES, scores, losses, budget=50, seed=1)


def test_a_memorized_training_set_says_what_to_use_instead():
    scores, losses = trained([0])
    learned = OptimumAllocationByRuleFromTraining(SCORES, scores, losses, budget=50, seed=1)
    known_by_heart = OptimumAllocationByClustersFromTraining(SCORES, scores, losses * 0, budget=50, seed=1)
    assert learned.warning == ""
    assert known_by_heart.warning == (
        "The training set shows 0 mistakes in 4,000 inputs. Expected at least 20 to learn from. "
        "Use ssoa-r-p, ssoa-c-p or rrs instead."
    )


def test_a_stratum_without_training_inputs_claims_no_training_losses():
    scores, losses = trained([0])
    selector = OptimumAllocationByRuleFromTraining(SCORES, scores[:1000], losses[:1000], budget=50, seed=1)
    reasons = {draw.stratum: draw.reason for draw in selector.ask(50)}
    assert reasons[0].endswith("where the losses of 1,000 training inputs give a spread of 0.5")
    assert reasons[2].endswith("where no training input falls and 0.5 stands for the spread")
