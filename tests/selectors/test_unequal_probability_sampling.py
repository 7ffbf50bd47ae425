"""Unequal probability sampling: the chances, and that the draws follow them."""

import numpy as np
import pytest

from testimate.selectors.unequal_probability import UnequalProbabilitySampling, draw_chances

SCORES = np.array([0.0, 0.1, 0.4, 1.5, 2.0])


def test_chances_are_proportional_to_the_score_with_a_uniform_share():
    chances = draw_chances(SCORES, uniform_share=0.05, negative="min-max")
    assert chances == pytest.approx(0.95 * SCORES / 4.0 + 0.05 / 5)
    assert chances.sum() == pytest.approx(1)


def test_inputs_come_as_often_as_their_chances_say():
    draws = UnequalProbabilitySampling(SCORES[[2, 3, 4]], budget=3, seed=9).ask(3)
    assert len(draws) == 3
    counts = np.zeros(5)
    for seed in range(3000):
        for draw in UnequalProbabilitySampling(SCORES, budget=5, seed=seed).ask(5):
            counts[draw.row] += 1
            assert draw.probability == pytest.approx(0.95 * SCORES[draw.row] / 4.0 + 0.01)
    expected = 15000 * (0.95 * SCORES / 4.0 + 0.01)
    assert ((counts - expected) ** 2 / expected).sum() < 18.5  # chi-square, 4 degrees of freedom, 0.1%


def test_as_published_a_score_of_zero_is_never_drawn():
    draws = [
        draw
        for seed in range(400)
        for draw in UnequalProbabilitySampling(SCORES, budget=5, seed=seed, variant="as published").ask(5)
    ]
    assert {draw.row for draw in draws} == {1, 2, 3, 4}
    assert all(draw.probability == pytest.approx(SCORES[draw.row] / 4.0) for draw in draws)


@pytest.mark.parametrize("variant", [None, "as published"])
def test_scores_that_are_all_zero_are_drawn_uniformly(variant):
    draws = UnequalProbabilitySampling(np.zeros(8), budget=8, seed=1, variant=variant).ask(8)
    assert [draw.probability for draw in draws] == [0.125] * 8


def test_negative_scores_are_mapped_as_deepsample_does():
    lsa = np.array([-2.5, 0.0, 1.5])
    assert draw_chances(lsa, uniform_share=0.0, negative="min-max") == pytest.approx([0, 2.5 / 6.5, 4 / 6.5])
    assert draw_chances(lsa, uniform_share=0.0, negative="shift") == pytest.approx([0.5 / 8, 3 / 8, 4.5 / 8])


def test_scores_that_are_not_negative_are_left_as_they_are():
    scores = np.array([1.0, 3.0])
    assert draw_chances(scores, uniform_share=0.0, negative="min-max") == pytest.approx([0.25, 0.75])
