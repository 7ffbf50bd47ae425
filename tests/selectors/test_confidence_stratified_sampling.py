"""Confidence-stratified sampling: its batches, and that its estimate is unbiased after every draw."""

from itertools import combinations, product

import numpy as np
import pytest

from testimate.core.draw import Draw, Verdict
from testimate.estimators import estimator_of
from testimate.selectors.random_sampling import ConfidenceStratifiedSampling
from tests.each import each

SCORES = np.linspace(0, 1, 1000)


def test_every_batch_of_five_takes_two_two_and_one():
    strata = np.array([draw.stratum for draw in ConfidenceStratifiedSampling(SCORES, budget=200, seed=1).ask(200)])
    batches = strata.reshape(40, 5)
    assert [(batches == stratum).sum(axis=1).tolist() for stratum in range(3)] == [[2] * 40, [2] * 40, [1] * 40]


def test_the_strata_are_the_least_confident_tenth_the_next_tenth_and_the_rest():
    selector = ConfidenceStratifiedSampling(SCORES, budget=1000, seed=1)
    assert selector.design.stratum_sizes == (100, 100, 800)
    draws = selector.ask(1000)
    bounds = [(min(rows), max(rows)) for rows in ([d.row for d in draws if d.stratum == h] for h in range(3))]
    assert bounds == [(900, 999), (800, 899), (0, 799)]


def test_an_exhausted_stratum_is_passed_over():
    draws = ConfidenceStratifiedSampling(SCORES[:50], budget=50, seed=1).ask(50)
    strata = [draw.stratum for draw in draws]
    assert strata[:13].count(0) == 5  # all of its inputs after less than three batches
    assert sorted(draw.row for draw in draws) == list(range(50))
    assert strata[20:] == [2] * 30


@each("size", [2, 3, 4, 7])
def test_sets_too_small_for_three_strata_are_drawn_whole(size):
    draws = ConfidenceStratifiedSampling(SCORES[:size], budget=size, seed=1).ask(size)
    assert sorted(draw.row for draw in draws) == list(range(size))


def test_the_estimate_is_unbiased_after_every_draw_over_all_samples():
    scores = np.linspace(1, 0, 20)  # rows 0-1, 2-3 and 4-19
    losses = np.array([1, 0, 0, 1, *[1, 0, 0, 0] * 4], dtype=float)
    selector = ConfidenceStratifiedSampling(scores, budget=8, seed=1)
    strata, design = [draw.stratum for draw in selector.ask(8)], selector.design
    rows_of = [range(2), range(2, 4), range(4, 20)]
    for prefix in range(3, 9):
        counts = [strata[:prefix].count(stratum) for stratum in range(3)]
        means = []
        for parts in product(*(combinations(rows, count) for rows, count in zip(rows_of, counts, strict=True))):
            verdicts = [
                Verdict(Draw(row, stratum=stratum), losses[row]) for stratum, rows in enumerate(parts) for row in rows
            ]
            means.append(1 - estimator_of(design).estimate(design, verdicts, loss_bound=None).accuracy)
        assert np.mean(means) == pytest.approx(losses.mean(), abs=1e-12)


def test_every_input_of_a_stratum_comes_as_often_as_the_others():
    counts = np.zeros(100)
    for seed in range(2000):
        for draw in ConfidenceStratifiedSampling(np.linspace(1, 0, 100), budget=10, seed=seed).ask(10):
            counts[draw.row] += 1
    for rows, times in ((slice(0, 10), 4), (slice(10, 20), 4), (slice(20, 100), 2)):
        expected = 2000 * times / counts[rows].size
        statistic = ((counts[rows] - expected) ** 2 / expected).sum()
        assert statistic < {10: 27.9, 80: 123.6}[counts[rows].size]  # chi-square, 9 and 79 degrees of freedom, 0.1%
