"""Orders and running sums of many inputs, a part at a time, are those of the whole."""

import numpy as np
import pytest

from testimate.structure import orders
from testimate.structure.orders import RunningSums, order_of_levels, picked


@pytest.mark.parametrize("at_a_time", [1, 64, 999, 1_000])
def test_levels_are_ordered_as_a_stable_sort_does_whatever_the_size_of_the_parts(monkeypatch, at_a_time):
    monkeypatch.setattr(orders, "ORDERED_AT_A_TIME", at_a_time)
    levels = np.random.default_rng(1).choice([0, 3, 4, 900, 65_535], 1_000).astype(np.uint16)
    order = order_of_levels(levels)
    np.testing.assert_array_equal(order, np.argsort(levels, kind="stable"))
    np.testing.assert_array_equal(picked(levels, order), np.sort(levels))


@pytest.mark.parametrize("at_a_time", [1, 64, 1_000])
def test_running_sums_are_those_of_numpy_to_the_last_bit(monkeypatch, at_a_time):
    monkeypatch.setattr(orders, "SUMMED_AT_A_TIME", at_a_time)
    rng = np.random.default_rng(2)
    weights = rng.gamma(0.3, size=1_000) + 1e-3
    expected, sums = np.cumsum(weights), RunningSums(weights)
    assert [sums.at(place) for place in range(1_000)] == expected.tolist()
    assert sums.total == expected[-1]
    for aim in [-1.0, 0.0, *rng.uniform(0, expected[-1], 50), expected[499], expected[-1], expected[-1] + 1]:
        assert sums.first_above(aim) == np.searchsorted(expected, aim, side="right")
        assert sums.first_middle(aim) == np.searchsorted(expected - weights / 2, aim, side="left")
