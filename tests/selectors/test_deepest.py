"""DeepEST: its thresholds, the chance each draw carries, and that draws come as often as these say."""

from itertools import permutations

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.selectors.deepest import DeepEST
from tests.each import each

SCORES = np.array([0.1, 0.9, 0.4, 0.2, 0.5])


def chances_of(rows, weights, by_weight):
    """Chance of each draw given those before it: DeepSample, eq. 7, as the authors' program reads it."""
    chances = [1 / len(weights)]
    for draw in range(1, len(rows)):
        left = [row for row in range(len(weights)) if row not in rows[:draw]]
        weight, uniform = weights[left].sum(), 1 / len(left)
        chances.append(by_weight * weights[rows[draw]] / weight + (1 - by_weight) * uniform if weight else uniform)
    return chances


@each(("settings", "by_weight"), [({}, 0.76), ({"variant": "as published"}, 0.8), ({"r": 0.0}, 0.0)])
def test_each_draw_has_its_chance(settings, by_weight):
    weights = np.where(SCORES > 0.3, SCORES, 0)
    for seed in range(40):
        draws = DeepEST(SCORES, True, budget=5, seed=seed, **settings).ask(5)
        rows = [draw.row for draw in draws]
        assert sorted(rows) == [0, 1, 2, 3, 4]
        assert [draw.probability for draw in draws] == pytest.approx(chances_of(rows, weights, by_weight))


def test_orders_come_as_often_as_the_chances_say():
    weights = np.where(SCORES > 0.3, SCORES, 0)
    orders = list(permutations(range(5), 3))
    expected = np.array([np.prod(chances_of(rows, weights, 0.8)) for rows in orders])
    counts = dict.fromkeys(orders, 0)
    for seed in range(6000):
        draws = DeepEST(SCORES, True, budget=3, seed=seed, variant="as published").ask(3)
        counts[tuple(draw.row for draw in draws)] += 1
    observed = np.array([counts[rows] for rows in orders])
    assert expected.sum() == pytest.approx(1)
    assert ((observed - 6000 * expected) ** 2 / (6000 * expected)).sum() < 98.3  # chi-square, 59 degrees, 0.1%


def test_the_threshold_of_other_scores_is_two_standard_deviations_above_their_mean():
    rng = np.random.default_rng(0)
    scores = rng.normal(-30, 2, 500)
    chances = [draw.probability for draw in DeepEST(scores, False, budget=100, seed=1).ask(100)]
    draws = DeepEST(scores, False, budget=100, seed=1).ask(100)
    beyond = scores > scores.mean() + 2 * scores.std()
    assert 5 < beyond.sum() < 20
    shifted = scores - scores.min()
    weights = np.where(beyond, shifted, 0)
    assert chances == pytest.approx(chances_of([draw.row for draw in draws], weights, 0.76))


def test_shifted_scores_are_weighted_by_their_shifted_size():
    scores = np.array([-2.5, 0.0, 1.5, 2.0])
    draws = DeepEST(scores, False, budget=4, seed=3, deviations=-10.0, negative="shift", variant="as published").ask(4)
    weights = scores + 3
    assert [draw.probability for draw in draws] == pytest.approx(chances_of([d.row for d in draws], weights, 0.8))


@pytest.mark.parametrize("scores", [np.zeros(40), np.full(40, 0.3)])
def test_where_nothing_exceeds_the_threshold_draws_are_uniform(scores):
    draws = DeepEST(scores, True, budget=40, seed=1).ask(40)
    assert [draw.probability for draw in draws] == pytest.approx(1 / np.arange(40, 0, -1))


def test_a_larger_budget_continues_the_list_of_a_smaller_one(population):
    long = DeepEST(population.scores, True, budget=300, seed=5).ask(37)
    short = DeepEST(population.scores, True, budget=37, seed=5).ask(37)
    assert [draw.row for draw in long] == [draw.row for draw in short]
    assert [draw.probability for draw in long] == pytest.approx([draw.probability for draw in short], rel=1e-12)


def test_four_of_five_draws_lie_beyond_the_threshold(population):
    draws = [
        draw for seed in range(30) for draw in DeepEST(population.scores, True, budget=30, seed=seed, r=1.0).ask(30)[1:]
    ]
    share = np.mean([population.scores[draw.row] > 0.3 for draw in draws])
    below = (population.scores <= 0.3).mean()
    assert abs(share - (0.95 + 0.05 * (1 - below))) < 0.02


def test_an_option_that_the_technique_does_not_have_is_refused_with_those_it_has():
    with pytest.raises(BadInput, match=r"no option 'threshold'. Expected one of r, chance, deviations"):
        DeepEST(SCORES, True, budget=2, seed=1, threshold=0.4)


def test_options_left_out_are_as_they_are_declared():
    declared = {option.name: option.default for option in DeepEST.options}
    left_out, given = (DeepEST(SCORES, True, budget=5, seed=3, **options).ask(5) for options in ({}, declared))
    assert left_out == given
