"""The always-valid intervals, held against exhaustive enumeration, a plain loop and seeded campaigns."""

from itertools import permutations, product

import numpy as np
import pytest

from testimate.core.design import PerDraw, SimpleRandom, Stratified
from testimate.core.errors import WrongDesign
from testimate.estimators.always_valid import (
    always_valid_rounds,
    always_valid_simple,
    always_valid_trail,
    rounds_game,
    rounds_of,
    simple_game,
)
from testimate.estimators.betting import BET_HORIZONS, capitals, mean_grid, moving_ends, nested, running_product
from testimate.estimators.intervals import wilson
from testimate.estimators.stratified import SampleMean, StratifiedMean
from tests.each import each

HALF = np.array([0.5, 0.5, 0.5])


def in_rounds(orders):
    """Losses and strata of a campaign in rounds, from the losses of each stratum in drawing order."""
    turns = [(turn, h, loss) for h, order in enumerate(orders) for turn, loss in enumerate(order)]
    turns.sort()
    return np.array([loss for _, _, loss in turns]), np.array([h for _, h, _ in turns])


@each("prior", [HALF, np.array([0.01, 0.2, 0.4])])
@each(
    "population",
    [
        ([1, 0, 0, 0], [0, 1], [1, 1, 0]),
        ([0, 0, 0, 0], [0, 0], [1, 0, 0]),
        ([1, 1, 1, 1], [0, 0], [0, 0, 0]),
        ([0.2, 0.0, 0.9, 1.0], [0.1, 0.3], [0.5, 0.0, 0.7]),
    ],
)
def test_over_all_orders_the_capitals_are_supermartingales_though_the_guesses_adapt(population, prior):
    sizes = np.array([4, 2, 3])
    theta = sum(map(sum, population)) / 9
    grown = []
    for orders in product(*(permutations(losses) for losses in population)):
        losses, strata = in_rounds(orders)
        game = rounds_game(rounds_of(losses, strata, sizes), sizes, prior)
        grown.append(capitals(game, np.array([theta]), 0.05)[:, :, 0])
    expected = np.mean(grown, axis=0)  # (2, rounds)
    assert expected.shape == (2, 4)
    assert (expected <= 1 + 1e-12).all()
    assert (np.diff(expected, axis=1) <= 1e-12).all()
    assert np.abs(np.array(grown) - 1).max() > 0.1  # there was something at stake


def test_a_capital_against_a_wrong_mean_does_grow():
    population, sizes = ([1, 0, 0, 0], [0, 1], [1, 1, 0]), np.array([4, 2, 3])
    grown = []
    for orders in product(*(permutations(losses) for losses in population)):
        game = rounds_game(rounds_of(*in_rounds(orders), sizes), sizes, HALF)
        grown.append(capitals(game, np.array([4 / 9 - 0.1, 4 / 9 + 0.1]), 0.05)[:, 1])
    (up_below, _), (_, down_above) = np.mean(grown, axis=0)
    assert up_below > 1
    assert down_above > 1


@pytest.mark.parametrize("population", [(1, 0, 0, 1, 0, 0), (0.3, 0.0, 1.0, 0.8, 0.1, 0.1)])
def test_over_all_orders_the_simple_capitals_are_martingales(population):
    theta = np.array([np.mean(population)])
    grown = [capitals(simple_game(np.array(order), 6), theta, 0.05)[:, :, 0] for order in permutations(population)]
    assert np.mean(grown, axis=0) == pytest.approx(np.ones((2, 6)), abs=1e-12)


def test_over_all_draws_with_replacement_the_simple_capitals_are_martingales():
    population = (1.0, 0.0, 0.2)
    theta = np.array([0.4])
    grown = [
        capitals(simple_game(np.array(draws), 3, replacement=True), theta, 0.05)[:, :, 0]
        for draws in product(population, repeat=5)
    ]
    assert np.mean(grown, axis=0) == pytest.approx(np.ones((2, 5)), abs=1e-12)


def test_the_simple_capital_is_waudby_smith_and_ramdas_product():
    losses, size, alpha, mean = np.random.default_rng(3).permutation([1.0] * 12 + [0.0] * 28), 90, 0.05, 0.2
    capital, expected = np.ones(3), []
    for t, loss in enumerate(losses):
        past = losses[:t]
        conditional = (size * mean - past.sum()) / (size - t)  # their m_t without replacement
        guess = (past.sum() + 1) / (t + 2)
        bet = np.sqrt(2 * np.log(2 / alpha) / (guess * (1 - guess) * BET_HORIZONS))
        capital = capital * (1 + np.minimum(bet, 0.9 / conditional) * (loss - conditional))
        expected.append(capital.mean())
    assert capitals(simple_game(losses, size), np.array([mean]), alpha)[0, :, 0] == pytest.approx(expected)


def test_one_stratum_in_rounds_is_simple_random_sampling():
    losses = np.random.default_rng(5).permutation([1.0] * 30 + [0.0] * 170)[:120]
    single = always_valid_rounds(losses, np.zeros(120, int), np.array([200]))
    assert single == pytest.approx(always_valid_simple(losses, 200), abs=1e-12)


@each("rate", [0.0, 0.02, 0.3, 1.0])
def test_the_moving_ends_are_those_of_every_mean_tried(rate):
    rng = np.random.default_rng(7)
    sizes = np.array([60, 30, 45])
    strata = np.concatenate([rng.permutation(3) for _ in range(30)])
    game = rounds_game(rounds_of((rng.random(90) < rate).astype(float), strata, sizes), sizes, HALF)
    grid = mean_grid()
    out = (capitals(game, grid, 0.05) >= 40).cumsum(axis=1) > 0  # (2, rounds, means)
    for t, (low, high) in enumerate(moving_ends(game, 0.05)):
        inside = (np.maximum.accumulate(game.smallest)[game.ends[t]] <= grid) & (
            grid <= np.minimum.accumulate(game.largest)[game.ends[t]]
        )
        kept = np.flatnonzero(~out[:, t].any(axis=0) & inside)
        assert (low, high) == (grid[max(kept[0] - 1, 0)], grid[min(kept[-1] + 1, len(grid) - 1)])


@each("means", [1, 3, 30, 400])
def test_the_running_product_of_few_and_of_many_means_is_that_of_one_factor_after_another(means):
    rng = np.random.default_rng(means)
    factors, capital = rng.uniform(0.1, 3.0, (50, 2, 3, means)), rng.uniform(0.5, 2.0, (2, 3, means))
    one_by_one = []
    for factor in factors:
        one_by_one.append((one_by_one[-1] if one_by_one else capital) * factor)
    assert np.array_equal(running_product(factors.copy(), capital), one_by_one)  # to the last bit: sessions replay


def stratified_campaigns(count, rounds, seed):
    """Campaigns in rounds over one population: its failure rate, stratum sizes, strata, and losses (count, n)."""
    rng = np.random.default_rng(seed)
    sizes, rates = np.array([400, 300, 200, 60, 40]), (0.01, 0.03, 0.1, 0.3, 0.6)
    failed = [rng.permutation(size) < round(rate * size) for size, rate in zip(sizes, rates, strict=True)]
    strata = np.tile(np.arange(5), rounds)
    campaigns = [
        np.column_stack([rng.permutation(losses)[:rounds] for losses in failed]).ravel().astype(float)
        for _ in range(count)
    ]
    return np.concatenate(failed).mean(), sizes, strata, np.array(campaigns)


def test_in_rounds_at_most_one_campaign_in_twenty_ever_misses():
    truth, sizes, strata, campaigns = stratified_campaigns(400, 40, seed=11)
    guess = np.array([0.01, 0.02, 0.05, 0.2, 0.4])
    missed = 0
    for losses in campaigns:
        low, high = always_valid_rounds(losses, strata, sizes, prior_failure=guess).T
        missed += (low > truth).any() or (high < truth).any()
    assert missed / len(campaigns) <= 0.05


@pytest.mark.parametrize("replacement", [False, True])
def test_simple_random_sampling_ever_misses_in_at_most_one_campaign_in_twenty(replacement):
    rng = np.random.default_rng(12)
    population = (np.arange(500) < 60).astype(float)
    missed = naive = 0
    for _ in range(400):
        losses = population[rng.choice(500, 200, replace=replacement)]
        low, high = always_valid_simple(losses, 500, replacement=replacement).T
        missed += (low > 0.12).any() or (high < 0.12).any()
        running = [wilson(losses[:n].mean(), n) for n in range(20, 200, 10)]
        naive += any(not interval.low <= 0.12 <= interval.high for interval in running)
    assert missed / 400 <= 0.05
    assert naive / 400 > 0.1  # why the ordinary interval must not be watched


def test_the_interval_is_narrow_enough_to_be_of_use():
    rng = np.random.default_rng(13)
    widths, ordinary = [], []
    for _ in range(20):
        losses = (rng.random(200) < 0.1).astype(float)
        low, high = always_valid_simple(losses, 50_000)[-1]
        widths.append(high - low)
        interval = wilson(losses.mean(), 200)
        ordinary.append(interval.high - interval.low)
    assert np.mean(widths) < 1.6 * np.mean(ordinary)


def test_inputs_nobody_can_settle_do_not_break_the_promise(verdicts_of):
    truth, sizes, strata, campaigns = stratified_campaigns(300, 25, seed=14)
    design = Stratified(tuple(sizes), 125, in_rounds=True)
    starts = np.cumsum(sizes) - sizes
    rows = starts[strata] + np.arange(125) // 5
    missed = 0
    for losses in campaigns:
        # Two in three failing inputs cannot be settled: as hard on the estimate as it gets.
        answers = [None if loss and place % 3 else loss for place, loss in enumerate(losses)]
        low, high = always_valid_trail(design, verdicts_of(answers, strata, rows=rows)).T
        missed += (low > 1 - truth).any() or (high < 1 - truth).any()
    assert missed / 300 <= 0.05


def test_skipped_draws_count_as_failed_below_and_as_right_above(verdicts_of):
    answers = [0, None, 1, 0, None, 0] * 20
    design = SimpleRandom((1000,), 120)
    trail = always_valid_trail(design, verdicts_of(answers))
    failed = always_valid_trail(design, verdicts_of([1 if answer is None else answer for answer in answers]))
    right = always_valid_trail(design, verdicts_of([answer or 0 for answer in answers]))
    assert (trail[:, 0] == failed[:, 0]).all()
    assert (trail[:, 1] == right[:, 1]).all()
    assert (trail[-1] != failed[-1]).any()


def test_the_ends_are_nested_and_move_only_where_a_round_is_complete(verdicts_of):
    _, sizes, strata, campaigns = stratified_campaigns(1, 40, seed=15)
    rng = np.random.default_rng(16)
    shuffled = np.concatenate([5 * t + rng.permutation(5) for t in range(40)])  # a fresh order in every round
    design = Stratified(tuple(sizes), 200, in_rounds=True)
    rows = (np.cumsum(sizes) - sizes)[strata] + np.arange(200) // 5
    plain = always_valid_trail(design, verdicts_of(campaigns[0], strata, rows=rows))
    trail = always_valid_trail(design, verdicts_of(campaigns[0][shuffled], strata[shuffled], rows=rows[shuffled]))
    assert trail == pytest.approx(plain, abs=0)
    moved = np.flatnonzero((np.diff(trail, axis=0) != 0).any(axis=1)) + 2  # labels after which an end had moved
    assert len(moved) > 10
    assert (moved % 5 == 0).all()
    assert (np.diff(trail[:, 0]) >= 0).all()
    assert (np.diff(trail[:, 1]) <= 0).all()
    assert (trail[:, 0] <= trail[:, 1]).all()


def test_an_estimate_carries_the_last_ends_of_the_trail(verdicts_of):
    _, sizes, strata, campaigns = stratified_campaigns(1, 40, seed=17)
    design = Stratified(tuple(sizes), 200, prior_failure=(0.01, 0.02, 0.1, 0.2, 0.4), in_rounds=True)
    labels = verdicts_of(campaigns[0], strata, rows=(np.cumsum(sizes) - sizes)[strata] + np.arange(200) // 5)
    found = StratifiedMean().estimate(design, labels, level=0.9)
    assert (found.always_low, found.always_high) == tuple(always_valid_trail(design, labels, level=0.9)[-1])
    simple = SimpleRandom((1000,), 200)
    found = SampleMean().estimate(simple, labels_without_strata := verdicts_of(campaigns[0]))
    assert (found.always_low, found.always_high) == tuple(always_valid_trail(simple, labels_without_strata)[-1])


def test_a_whole_small_population_ends_at_its_failure_rate():
    rng = np.random.default_rng(18)
    sizes = np.array([13, 5, 22])
    for _ in range(20):
        orders = [rng.permutation(np.arange(size) < 3).astype(float) for size in sizes]
        losses, strata = in_rounds(orders)
        ends = always_valid_rounds(losses, strata, sizes)
        assert ends[-1] == pytest.approx((9 / 40, 9 / 40), abs=1e-12)
        assert always_valid_simple(rng.permutation(losses), 40)[-1] == pytest.approx((9 / 40, 9 / 40), abs=1e-12)


def test_losses_on_another_scale_give_the_same_ends_on_that_scale():
    losses = np.random.default_rng(19).random(150)
    assert always_valid_simple(7 * losses, 900, loss_bound=7.0) == pytest.approx(7 * always_valid_simple(losses, 900))


def test_an_interval_that_would_be_empty_is_not_shown():
    ends = np.array([[0.1, 0.9], [0.3, 0.5], [0.5, 0.4], [0.6, 0.4]])
    assert nested(ends).tolist() == [[0.1, 0.9], [0.3, 0.5], [0.3, 0.5], [0.3, 0.5]]


@pytest.mark.parametrize("replacement", [False, True])
def test_before_the_first_round_everything_is_possible(replacement, verdicts_of):
    design = Stratified((5, 5, 5), 15, in_rounds=True, replacement=replacement)
    assert always_valid_trail(design, verdicts_of([1, 0], [2, 0])).tolist() == [[0, 1], [0, 1]]
    assert always_valid_trail(design, []).shape == (0, 2)


def test_rounds_with_replacement_ever_miss_in_at_most_one_campaign_in_twenty():
    rng = np.random.default_rng(21)
    sizes, rates = np.array([50, 30, 20]), np.array([0.02, 0.2, 0.5])
    truth = np.dot(sizes, rates) / 100
    missed = 0
    for _ in range(300):
        losses = (rng.random((60, 3)) < rates).astype(float).ravel()
        low, high = always_valid_rounds(losses, np.tile(range(3), 60), sizes, replacement=True).T
        missed += (low > truth).any() or (high < truth).any()
    assert missed / 300 <= 0.05


@pytest.mark.parametrize("design", [PerDraw((9,), 2), Stratified((9,), 2)], ids=lambda design: design.kind)
def test_other_designs_have_no_such_interval(design, verdicts_of):
    with pytest.raises(WrongDesign, match="rra, rrs or srs"):
        always_valid_trail(design, verdicts_of([1, 0], probabilities=[0.1, 0.1]))
