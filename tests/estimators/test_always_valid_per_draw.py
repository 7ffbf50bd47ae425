"""The always-valid interval of unequal chances, and those of bounded squared errors: enumeration and seeded campaigns."""

from itertools import product

import numpy as np
import pytest

from testimate.core.design import PerDraw, SimpleRandom, Stratified, design_from_json, design_to_json
from testimate.core.errors import BadInput, WrongDesign
from testimate.estimators.always_valid import (
    always_valid_per_draw,
    always_valid_rounds,
    always_valid_simple,
    always_valid_trail,
    per_draw_game,
    simple_game,
)
from testimate.estimators.betting import capitals
from testimate.estimators.stratified import SampleMean
from testimate.estimators.unequal_chances import HansenHurwitz
from testimate.selectors.unequal_probability import UnequalProbabilitySampling
from tests.each import each

CHANCES = np.array([0.5, 0.3, 0.15, 0.05])


@each("losses", [(1, 0, 1, 0), (0, 0, 0, 1), (0.2, 0.9, 0.0, 0.6)])
def test_over_all_draws_the_capitals_are_martingales(losses):
    truth = np.array(losses, dtype=float)
    grown, weights = [], []
    for rows in product(range(4), repeat=5):
        game = per_draw_game(truth[list(rows)], CHANCES[list(rows)], 4, 0.05)
        grown.append(capitals(game, np.array([truth.mean()]), 0.05)[:, :, 0])
        weights.append(np.prod(CHANCES[list(rows)]))
    grown = np.array(grown)
    assert np.tensordot(weights, grown, 1) == pytest.approx(np.ones((2, 5)), abs=1e-12)
    assert grown.min() > 0
    assert np.abs(grown - 1).max() > 0.1  # there was something at stake


def test_a_capital_against_a_wrong_mean_does_grow():
    truth, rng = np.array([1.0, 0, 1, 0]), np.random.default_rng(1)
    rows = rng.choice(4, (200, 60), p=CHANCES)
    grown = [
        capitals(per_draw_game(truth[row], CHANCES[row], 4, 0.05), np.array([0.2, 0.8]), 0.05)[:, -1] for row in rows
    ]
    (up_below, _), (_, down_above) = np.median(grown, axis=0)
    assert up_below > 2
    assert down_above > 2


def test_equal_chances_are_simple_random_sampling_with_replacement():
    losses = (np.random.default_rng(2).random(150) < 0.2).astype(float)
    game, simple = per_draw_game(losses, np.full(150, 1 / 90), 90, 1 / 90), simple_game(losses, 90, replacement=True)
    assert game.variance == pytest.approx(simple.variance)
    same = always_valid_per_draw(losses, np.full(150, 1 / 90), 90, 1 / 90)
    assert same == pytest.approx(always_valid_simple(losses, 90, replacement=True), abs=1e-9)


@pytest.mark.parametrize("kind", ["pass or fail", "squared errors"])
def test_at_most_one_campaign_in_twenty_ever_misses_though_failures_hide_where_chances_are_small(kind, verdicts_of):
    rng = np.random.default_rng(3)
    score = rng.beta(0.3, 2, 600)
    failed = (rng.random(600) < np.where(score < 0.05, 0.15, 0.5 * score)).astype(float)
    losses, bound = (failed, 1.0) if kind == "pass or fail" else (failed * rng.random(600) * 4, 4.0)
    chances = 0.8 * score / score.sum() + 0.2 / 600
    truth, missed = losses.mean(), 0
    for rows in rng.choice(600, (200, 200), p=chances):
        ends = always_valid_per_draw(losses[rows], chances[rows], 600, chances.min(), loss_bound=bound)
        missed += (ends[:, 0] > truth).any() or (ends[:, 1] < truth).any()
    assert missed / 200 <= 0.05
    assert ends[-1, 1] - ends[-1, 0] < bound / 2  # and they say something


@pytest.mark.parametrize("bound", [9.0, 25.0])
def test_squared_errors_with_a_bound_ever_miss_in_at_most_one_campaign_in_twenty(bound):
    rng = np.random.default_rng(4)
    sizes = np.array([200, 150, 50])
    errors = [np.minimum(rng.gamma(1, scale, size), 9.0) for scale, size in zip((0.3, 1, 4), sizes, strict=True)]
    everything = np.concatenate(errors)
    truth, missed = everything.mean(), np.zeros(2)
    for _ in range(150):
        drawn = np.column_stack([rng.permutation(some)[:40] for some in errors]).ravel()
        rounds = always_valid_rounds(drawn, np.tile(range(3), 40), sizes, loss_bound=bound)
        simple = always_valid_simple(rng.permutation(everything)[:120], 400, loss_bound=bound)
        missed += [(ends[:, 0] > truth).any() or (ends[:, 1] < truth).any() for ends in (rounds, simple)]
    assert (missed / 150 <= 0.05).all()
    assert rounds[-1, 1] - rounds[-1, 0] < bound / 3


def test_an_estimate_of_bounded_errors_has_the_interval_and_one_of_unbounded_errors_has_none(verdicts_of):
    rng = np.random.default_rng(5)
    labels = verdicts_of(rng.random(60) * 3, probabilities=[0.001] * 60)
    for design, estimator in (
        (SimpleRandom((1000,), 60), SampleMean()),
        (PerDraw((1000,), 60, 0.001), HansenHurwitz()),
    ):
        bounded = estimator.estimate(design, labels, loss_bound=4.0)
        trail = always_valid_trail(design, labels, loss_bound=4.0)
        assert (bounded.always_low, bounded.always_high) == tuple(trail[-1])
        assert bounded.always_low < bounded.accuracy < bounded.always_high
        unbounded = estimator.estimate(design, labels, loss_bound=None)
        assert (unbounded.always_low, unbounded.always_high) == (None, None)
        with pytest.raises(BadInput, match="largest loss is inf"):
            estimator.estimate(design, labels, loss_bound=np.inf)


def test_as_many_draws_as_inputs_are_not_a_census(verdicts_of):
    design = PerDraw((4,), 4, 0.25)
    found = HansenHurwitz().estimate(design, verdicts_of([0, 0, 0, 0], rows=[1, 1, 1, 1], probabilities=[0.25] * 4))
    assert found.always_low < 0.5 < found.always_high == 1


def test_skipped_draws_count_as_failed_below_and_as_right_above(verdicts_of):
    design, answers, chances = PerDraw((100,), 80, 0.005), [0, None, 1, 0] * 20, [0.01, 0.005] * 40
    trail = always_valid_trail(design, verdicts_of(answers, probabilities=chances))
    failed = [1 if answer is None else answer for answer in answers]
    assert (trail[:, 0] == always_valid_trail(design, verdicts_of(failed, probabilities=chances))[:, 0]).all()
    right = [answer or 0 for answer in answers]
    assert (trail[:, 1] == always_valid_trail(design, verdicts_of(right, probabilities=chances))[:, 1]).all()


def test_sups_knows_its_smallest_chance_and_without_a_uniform_share_and_with_zeros_there_is_none(verdicts_of):
    scores = np.array([0.0, 3.0, 1.0, 4.0])
    design = UnequalProbabilitySampling(scores, budget=3, seed=1).design
    assert design.smallest_probability == pytest.approx(0.05 / 4)
    assert design.always_valid
    assert design_from_json(design_to_json(design)) == design
    published = UnequalProbabilitySampling(scores, budget=3, seed=1, variant="as published").design
    assert published.smallest_probability is None
    with pytest.raises(WrongDesign, match="smallest chance"):
        always_valid_trail(published, verdicts_of([0, 1], probabilities=[0.5, 0.5]))


def test_a_plan_written_before_the_smallest_chance_was_kept_is_read_without_it():
    design = design_from_json({"kind": "per draw", "stratum_sizes": [9], "planned": 2})
    assert design == PerDraw((9,), 2)
    assert not design.always_valid


@each("smallest", [0.0, -0.1, 0.3, float("nan")])
def test_a_smallest_chance_above_the_mean_or_not_above_0_is_refused(smallest):
    with pytest.raises(BadInput, match="smallest probability of a draw"):
        PerDraw((4,), 2, smallest)


def test_a_draw_below_the_smallest_chance_is_refused(verdicts_of):
    with pytest.raises(BadInput, match=r"probability 0\.001; the design's smallest is 0\.01"):
        HansenHurwitz().estimate(PerDraw((40,), 2, 0.01), verdicts_of([0, 1], probabilities=[0.02, 0.001]))
    assert not Stratified((4, 4), 2).always_valid
