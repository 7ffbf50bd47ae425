"""Bets aimed at a number of labels, held against exhaustive enumeration, a plain loop and seeded campaigns."""

from dataclasses import replace
from itertools import permutations, product
from math import exp, log, sqrt

import numpy as np
import pytest

from testimate.core.design import SimpleRandom, Stratified, design_from_json, design_to_json
from testimate.core.errors import BadInput
from testimate.estimators.always_valid import (
    always_valid_rounds,
    always_valid_simple,
    always_valid_trail,
    per_draw_game,
    rounds_game,
    rounds_of,
    simple_game,
)
from testimate.estimators.betting import (
    BET_HORIZONS,
    PARTS,
    KeptGame,
    KeptGames,
    aimed_ends,
    mean_grid,
    reached,
    stretches,
)
from tests.each import each

HALF = np.array([0.5, 0.5, 0.5])
NO_END = 1e-9  # an alpha by which a small population rules out nothing, so that every capital can be looked at


def cell_of(theta):
    """The place of the cell of the grid that holds theta."""
    return int(np.searchsorted(mean_grid(), theta, side="right")) - 1


def capitals_at(game, theta, aimed_at, alpha=NO_END):
    """Up and down capital of the cell of theta after each stretch, (stretches, 2)."""
    place = cell_of(theta)
    return np.array([PARTS @ state.capital[:, :, place - state.first].T for state in reached(game, alpha, aimed_at)])


def expected_capitals(games, theta, aimed_at):
    found = np.array([capitals_at(game, theta, aimed_at) for game in games])
    assert np.abs(found - 1).max() > 0.1  # there was something at stake
    return found.mean(axis=0)


def in_rounds(orders):
    turns = sorted((turn, h, loss) for h, order in enumerate(orders) for turn, loss in enumerate(order))
    return np.array([loss for _, _, loss in turns], float), np.array([h for _, h, _ in turns])


def games_in_rounds(population, prior=HALF):
    sizes = np.array([len(part) for part in population])
    for orders in product(*(sorted(set(permutations(part))) for part in population)):
        yield rounds_game(rounds_of(*in_rounds(orders), sizes), sizes, prior)


@each("aimed_at", [3, 6, 40])
@each("population", [([1, 0, 0, 0], [0, 1], [1, 1, 0]), ([0.2, 0.0, 0.9], [0.1, 0.3], [0.5, 0.0])])
def test_over_all_orders_the_capitals_of_the_cell_of_the_truth_do_not_grow_in_rounds(population, aimed_at):
    theta = sum(map(sum, population)) / sum(map(len, population))
    expected = expected_capitals(games_in_rounds(population), theta, aimed_at)
    assert (expected <= 1 + 1e-12).all()
    assert (np.diff(expected, axis=0) <= 1e-12).all()


@each("aimed_at", [2, 6, 40])
@each("population", [(1, 0, 0, 1, 0, 0), (0.3, 0.0, 1.0, 0.8, 0.1)])
def test_over_all_orders_they_do_not_grow_in_simple_random_sampling(population, aimed_at):
    games = [simple_game(np.array(order, float), len(population)) for order in permutations(population)]
    expected = expected_capitals(games, np.mean(population), aimed_at)
    assert (expected <= 1 + 1e-12).all()
    assert expected[0].min() > 0.99  # and at first hardly shrink: by what the ends of a cell differ from the truth


def test_over_all_draws_with_replacement_and_unequal_chances_they_do_not_grow():
    losses, chances = np.array([1.0, 0.0, 0.2]), np.array([0.5, 0.2, 0.3])
    grown, weights = [], []
    for rows in product(range(3), repeat=5):
        game = per_draw_game(losses[list(rows)], chances[list(rows)], 3, 0.2)
        grown.append(capitals_at(game, 0.4, 5))
        weights.append(np.prod(chances[list(rows)]))
    expected = np.average(grown, axis=0, weights=weights)
    assert (expected <= 1 + 1e-12).all()


@each("aimed_at", [2, 6])
def test_they_do_not_grow_with_replacement_at_equal_chances_and_in_rounds(aimed_at):
    losses, sizes, strata = (1.0, 0.0, 0.2), np.array([2, 3]), np.tile([0, 1], 3)
    simple = [simple_game(np.array(drawn), 3, replacement=True) for drawn in product(losses, repeat=4)]
    assert (expected_capitals(simple, 0.4, aimed_at) <= 1 + 1e-12).all()
    turns = product(product((0.0, 1.0), losses), repeat=3)  # a draw of each stratum in a round
    rounds = [
        rounds_game(rounds_of(np.ravel(drawn), strata, sizes, replacement=True), sizes, HALF[:2], replacement=True)
        for drawn in turns
    ]
    assert (expected_capitals(rounds, (2 * 0.5 + 3 * 0.4) / 5, aimed_at) <= 1 + 1e-12).all()


def test_they_do_not_grow_where_the_spread_of_earlier_outcomes_counts_from_the_third_on(monkeypatch):
    monkeypatch.setattr("testimate.estimators.betting.SETTLED", 2)  # 20 draws are too many to enumerate
    games = [simple_game(np.array(order, float), 7) for order in permutations((1, 0, 0, 1, 0, 0, 0))]
    assert (expected_capitals(games, 2 / 7, 6) <= 1 + 1e-12).all()
    grown = expected_capitals(list(games_in_rounds(([1, 0, 0, 0], [0, 1], [1, 1, 0]))), 4 / 9, 6)
    assert (np.diff(grown, axis=0) <= 1e-12).all()


@each("level", [0.3, 0.5, 0.8])
@each("aimed_at", [4, 7])
@each("failing", range(8))
def test_over_all_orders_the_truth_is_ever_outside_no_more_often_than_claimed(failing, aimed_at, level):
    orders = set(permutations([1.0] * failing + [0.0] * (7 - failing)))
    outside = 0
    for order in orders:
        low, high = always_valid_simple(np.array(order), 7, level=level, aimed_at=aimed_at).T
        outside += (low > failing / 7 + 1e-9).any() or (high < failing / 7 - 1e-9).any()
    assert outside / len(orders) <= 1 - level


def test_the_capital_is_that_of_a_plain_loop_over_the_formulas_of_the_docstring():
    losses, size, alpha, aim = np.random.default_rng(3).permutation([1.0] * 6 + [0.0] * 24), 90, 0.05, 25
    game = simple_game(losses, size)
    place = cell_of(0.31)
    mean = mean_grid()[place + 1]  # up bets, at the upper end
    star, constant, doubled = 1.0, [1.0, 1.0, 1.0], aim
    expected = []
    for k, x in enumerate(game.outcomes):
        past = game.outcomes[:k]
        v = game.variance[k]
        if k >= 20:
            v = (30 * v + sum((one - past.mean()) ** 2 for one in past)) / (29 + k)
        while doubled - k < 0.5:
            doubled *= 2
        q = max(min(1, 0.85 * star * alpha / 2), exp(-40))
        room = mean - game.smallest[k]
        star *= 1 + min(sqrt(2 * log(1 / q) / (v * (doubled - k))), 0.99 / room) * (x - mean)
        for j, horizon in enumerate(BET_HORIZONS):
            constant[j] *= 1 + min(sqrt(2 * log(2 / alpha) / (v * horizon)), 0.9 / room) * (x - mean)
        expected.append(0.85 * star + 0.05 * sum(constant))
    found = [PARTS @ state.capital[0, :, place - state.first] for state in reached(game, alpha, aim)]
    assert found == pytest.approx(expected)


@each("aimed_at", [1, 10, 64, 500, 5000])
def test_stretches_hold_every_round_once_and_the_first_ones_do_not_depend_on_what_follows(aimed_at):
    ends = np.cumsum([10] * 60 + [3] * 20) - 1
    whole = list(stretches(ends, aimed_at))
    assert [one.rounds.start for one in whole[1:]] == [one.rounds.stop for one in whole[:-1]]
    assert (whole[0].rounds.start, whole[-1].rounds.stop) == (0, len(ends))
    assert all(one.draws.stop == ends[one.rounds.stop - 1] + 1 for one in whole)
    assert all(one.left >= 1.5 for one in whole)
    for rounds in (1, 7, 33):
        part = list(stretches(ends[:rounds], aimed_at))
        assert part[:-1] == whole[: len(part) - 1]
        assert part[-1].left == whole[len(part) - 1].left


def test_the_interval_is_a_tenth_narrower_at_the_number_aimed_at_and_holds():
    rng = np.random.default_rng(12)
    population = (np.arange(2000) < 200).astype(float)
    widths, missed = [], 0
    for _ in range(150):
        losses = population[rng.choice(2000, 100, replace=False)]
        trails = [always_valid_simple(losses, 2000, aimed_at=aim) for aim in (None, 100)]
        widths.append([trail[-1, 1] - trail[-1, 0] for trail in trails])
        missed += (trails[1][:, 0] > 0.1).any() or (trails[1][:, 1] < 0.1).any()
    constant, aimed = np.mean(widths, axis=0)
    assert aimed < 0.9 * constant
    assert missed / 150 <= 0.05 + 3 * sqrt(0.05 * 0.95 / 150)


def test_in_rounds_with_and_without_replacement_it_holds_beyond_the_number_aimed_at():
    rng = np.random.default_rng(21)
    sizes, rates = np.array([50, 30, 20]), np.array([0.02, 0.2, 0.5])
    failed = [np.arange(size) < round(rate * size) for size, rate in zip(sizes, rates, strict=True)]
    truth, missed = np.concatenate(failed).mean(), 0
    for number in range(150):
        replacement = bool(number % 2)
        losses = np.column_stack([rng.choice(part, 20, replace=replacement) for part in failed]).ravel().astype(float)
        low, high = always_valid_rounds(losses, np.tile(range(3), 20), sizes, replacement=replacement, aimed_at=30).T
        missed += (low > truth).any() or (high < truth).any()
    assert missed / 150 <= 0.05 + 3 * sqrt(0.05 * 0.95 / 150)


def test_one_label_more_an_undo_and_a_changed_answer_give_what_a_game_from_its_start_gives(monkeypatch):
    losses = (np.random.default_rng(4).random(160) < 0.15).astype(float)
    changed = losses.copy()
    changed[20] = 1 - changed[20]
    steps = [losses[:100], losses[:101], losses[:140], losses[:139], changed[:139], losses]
    kept = [aimed_ends(simple_game(step, 900), 0.05, 120) for step in steps]
    for step, found in zip(steps, kept, strict=True):
        monkeypatch.setattr("testimate.estimators.betting._kept", KeptGames())
        assert (aimed_ends(simple_game(step, 900), 0.05, 120) == found).all()


def test_a_kept_game_shares_the_stretches_before_the_first_difference():
    losses = np.zeros(64)
    game, other = simple_game(losses, 900), simple_game(np.append(losses[:40], np.ones(24)), 900)
    ahead = list(stretches(game.ends, 64))  # of two labels each
    kept = KeptGame(game, ahead, reached(game, 0.05, 64))
    assert len(kept.shared(other, ahead)) == 20
    assert len(kept.shared(simple_game(losses[:41], 900), list(stretches(game.ends[:41], 64)))) == 20


def test_a_design_keeps_the_number_it_aims_at_and_one_without_it_aims_at_none(verdicts_of):
    design = Stratified((50, 50), 20, in_rounds=True, aimed_at=20)
    record = design_to_json(design)
    assert design_from_json(record) == design
    del record["aimed_at"]
    assert design_from_json(record).aimed_at is None
    labels = verdicts_of([0, 0, 1, 0] * 5)
    simple = SimpleRandom((400,), 20, aimed_at=20)
    aimed, constant = (always_valid_trail(one, labels) for one in (simple, replace(simple, aimed_at=None)))
    assert (aimed != constant).any()
    assert aimed == pytest.approx(1 - always_valid_simple(np.array([0, 0, 1, 0] * 5), 400, aimed_at=20)[:, ::-1])


@each("aim", [0, -3, 2.5, "20", True])
def test_an_aim_that_is_not_a_number_of_labels_is_refused(aim):
    with pytest.raises(BadInput, match="Expected a whole number of at least 1"):
        SimpleRandom((400,), 20, aimed_at=aim)
