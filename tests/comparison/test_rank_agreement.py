"""Agreement of rankings against the paper's formulas, written out."""

import itertools
import math

import numpy as np
import pytest

from testimate.comparison.ranking import places_of, rank_agreement
from testimate.core.errors import BadInput
from tests.each import each


def mean_ranks(scores):
    return [
        1 + sum(other > score for other in scores) + (sum(other == score for other in scores) - 1) / 2
        for score in scores
    ]


def spearman_of_equation_3(ours, true):
    n, r, s = len(ours), np.array(mean_ranks(true)), np.array(mean_ranks(ours))
    above = n * (r * s).sum() - r.sum() * s.sum()
    return above / math.sqrt((n * (r**2).sum() - r.sum() ** 2) * (n * (s**2).sum() - s.sum() ** 2))


def tau_b(ours, true):
    agree = against = only_true = only_ours = 0
    for i, j in itertools.combinations(range(len(ours)), 2):
        left, right = ours[i] - ours[j], true[i] - true[j]
        agree += left * right > 0
        against += left * right < 0
        only_true += left == 0 and right != 0
        only_ours += right == 0 and left != 0
    return (agree - against) / math.sqrt((agree + against + only_true) * (agree + against + only_ours))


@each("seed", range(6))
def test_spearman_and_kendall_are_the_papers_formulas_with_ties_too(seed):
    rng = np.random.default_rng(seed)
    ours, true = rng.integers(6, size=12) / 6, rng.integers(5, size=12) / 5
    found = rank_agreement(ours, true)
    assert found.spearman == pytest.approx(spearman_of_equation_3(ours, true))
    assert found.kendall == pytest.approx(tau_b(ours, true))


@each("seed", range(4))
def test_jaccard_is_that_of_the_sets_of_the_first_k(seed):
    rng = np.random.default_rng(seed)
    ours, true = rng.random(12), rng.random(12)
    found = rank_agreement(ours, true).jaccard
    for k in (1, 3, 5, 10):
        left, right = set(np.argsort(-ours)[:k]), set(np.argsort(-true)[:k])
        assert found[k] == len(left & right) / len(left | right)


def test_tied_models_are_first_together():
    assert places_of([0.9, 0.9, 0.5, 0.5, 0.1]).tolist() == [1, 1, 3, 3, 5]
    assert rank_agreement([0.9, 0.9, 0.5], [0.9, 0.1, 0.5]).jaccard[1] == 0.5


def test_where_all_are_tied_there_is_no_order_and_no_number():
    found = rank_agreement([0.5, 0.5, 0.5], [0.1, 0.2, 0.3])
    assert found.spearman is None
    assert found.kendall is None
    assert found.jaccard[1] == pytest.approx(1 / 3)


@each(("ours", "true"), [([0.1], [0.1]), ([0.1, 0.2], [0.1]), ([0.1, np.nan], [0.1, 0.2])])
def test_scores_that_cannot_be_compared_are_refused(ours, true):
    with pytest.raises(BadInput):
        rank_agreement(ours, true)
