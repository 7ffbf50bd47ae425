"""RHC sampling: its groups, and that draws follow the chances inside them."""

import numpy as np
import pytest

from testimate.selectors.unequal_probability import RaoHartleyCochranSampling
from tests.each import each

SCORES = np.array([0.0, 0.1, 0.4, 1.5, 2.0])
PI = 0.95 * SCORES / 4.0 + 0.01


@each(("size", "budget", "sizes"), [(10, 5, [2] * 5), (11, 4, [3, 3, 3, 2]), (7, 7, [1] * 7)])
def test_groups_are_as_equal_as_whole_numbers_allow(size, budget, sizes):
    design = RaoHartleyCochranSampling(np.linspace(0, 1, size), budget=budget, seed=1).design
    assert list(design.stratum_sizes) == sizes
    assert sum(design.group_chances) == pytest.approx(1)


def test_a_draw_has_its_chance_inside_its_group():
    for seed in range(50):
        selector = RaoHartleyCochranSampling(SCORES, budget=3, seed=seed)
        for draw in selector.ask(3):
            assert draw.probability * selector.design.group_chances[draw.stratum] == pytest.approx(PI[draw.row])


def test_inputs_come_as_often_as_dealing_and_drawing_say():
    # The first of two groups holds 3 of the 5 inputs: P(row i first) = mean over the 6 groups with it of pi_i / sum.
    groups = [(a, b, c) for a in range(5) for b in range(a + 1, 5) for c in range(b + 1, 5)]
    expected = np.zeros(5)
    for group in groups:
        expected[list(group)] += PI[list(group)] / PI[list(group)].sum() / len(groups)
    counts = np.zeros(5)
    for seed in range(4000):
        counts[RaoHartleyCochranSampling(SCORES, budget=2, seed=seed).ask(1)[0].row] += 1
    assert expected.sum() == pytest.approx(1)
    assert ((counts - 4000 * expected) ** 2 / (4000 * expected)).sum() < 18.5  # chi-square, 4 degrees, 0.1%


def test_as_published_a_score_of_zero_is_drawn_only_where_a_group_has_nothing_else():
    rows, alone = set(), 0
    for seed in range(200):
        draws = RaoHartleyCochranSampling(SCORES, budget=2, seed=seed, variant="as published").ask(2)
        rows |= {draw.row for draw in draws}
        several = RaoHartleyCochranSampling(SCORES, budget=5, seed=seed, variant="as published").ask(5)
        alone += [draw.probability for draw in several if draw.row == 0] == [1.0]
    assert rows == {1, 2, 3, 4}
    assert alone == 200


def test_scores_that_are_all_zero_are_drawn_uniformly():
    draws = RaoHartleyCochranSampling(np.zeros(8), budget=2, seed=1, variant="as published").ask(2)
    assert [draw.probability for draw in draws] == [0.25, 0.25]
