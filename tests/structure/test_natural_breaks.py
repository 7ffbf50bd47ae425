"""Cuts of least squared error against all cuts there are, and the order of ties against numpy's own sort by two keys."""

from itertools import combinations

import numpy as np
import pytest

from testimate.selectors.base import shuffled_rows
from testimate.structure import strata
from testimate.structure.orders import order_with_ties
from testimate.structure.strata import by_clusters, natural_breaks
from tests.each import each


def error(values: np.ndarray, groups: np.ndarray) -> float:
    return float(sum(((values[groups == one] - values[groups == one].mean()) ** 2).sum() for one in np.unique(groups)))


def least_error(values: np.ndarray, count: int) -> float:
    """The least error of all cuts of the sorted values."""
    ranked = np.sort(values)
    cuts = combinations(range(1, len(values)), count - 1)
    return min(error(ranked, np.searchsorted(cut, np.arange(len(values)), side="right")) for cut in cuts)


@each("seed", range(6))
def test_no_other_cuts_have_a_smaller_error(seed):
    rng = np.random.default_rng(seed)
    values = rng.beta(0.5, 3, 14) if seed % 2 else rng.normal(size=14) * 1e6
    groups = natural_breaks(values, 4)
    assert error(values, groups) == pytest.approx(least_error(values, 4), rel=1e-9)
    assert (np.diff(groups[np.argsort(values)]) >= 0).all()


def test_very_large_sets_are_cut_this_way_and_no_worse_than_by_ten_starts(monkeypatch):
    scores = np.concatenate([np.random.default_rng(1).beta(1, 8, 4_000), np.full(500, 0.25)])
    by_starts = by_clusters(scores, 10)
    monkeypatch.setattr(strata, "MOST_BY_STARTS", 1_000)
    exact = by_clusters(scores, 10)
    assert sorted(set(exact)) == list(range(10))
    assert len(set(exact[4_000:])) == 1
    assert error(scores, exact) <= error(scores, by_starts) * (1 + 1e-9)
    assert by_clusters(np.full(2_000, 3.0), 10).tolist() == [0] * 2_000
    assert by_clusters(np.repeat([-1e308, 0.0, 1e308], 500), 10).tolist() == np.repeat([0, 1, 2], 500).tolist()


@each("kinds", [3, 500, 100_000])
def test_equal_values_are_ordered_at_random_as_numpy_orders_two_keys(kinds):
    values = np.random.default_rng(2).integers(kinds, size=3_000) / 7
    tickets = np.random.default_rng(5).random(3_000)
    np.testing.assert_array_equal(order_with_ties(values, np.random.default_rng(5)), np.lexsort((tickets, values)))


def test_rows_are_shuffled_as_numpy_permutes_them():
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    np.testing.assert_array_equal(shuffled_rows(10_001, rng), other.permutation(10_001))
    assert rng.random() == other.random()
