"""Simple random sampling: with and without replacement."""

import itertools

import numpy as np

from testimate.selectors.random_sampling import SimpleRandomSampling


def test_every_ordered_pair_comes_equally_often():
    counts = dict.fromkeys(itertools.permutations(range(4), 2), 0)
    for seed in range(3000):
        counts[tuple(draw.row for draw in SimpleRandomSampling(4, budget=2, seed=seed).ask(2))] += 1
    statistic = sum((count - 250) ** 2 / 250 for count in counts.values())
    assert statistic < 31.3  # chi-square, 11 degrees of freedom, 0.1%


def test_with_replacement_inputs_repeat_as_often_as_birthdays_do():
    repeated = 0
    for seed in range(1000):
        rows = [draw.row for draw in SimpleRandomSampling(365, budget=23, seed=seed, replacement=True).ask(23)]
        repeated += len(set(rows)) < 23
    assert abs(repeated / 1000 - 0.5073) < 3.5 * np.sqrt(0.25 / 1000)  # the birthday problem


def test_the_design_says_whether_inputs_may_repeat():
    assert SimpleRandomSampling(9, budget=2, seed=1, replacement=True).design.replacement
    assert not SimpleRandomSampling(9, budget=2, seed=1).design.replacement
