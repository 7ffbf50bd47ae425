import numpy as np
import pytest
from scipy.spatial.distance import cdist

from testimate.core.errors import BadInput
from testimate.selectors.pace import farthest_first
from tests.each import each


@each("seed", range(5))
def test_each_pick_is_the_farthest_from_all_before_it(seed):
    points = np.random.default_rng(seed).normal(size=(60, 4))
    order = farthest_first(points, 60, start=7)
    distances = cdist(points, points)
    assert order[0] == 7
    assert sorted(order) == list(range(60))
    for count in range(1, 60):
        nearest = distances[order[:count]].min(axis=0)
        assert nearest[order[count]] == pytest.approx(nearest.max())


def test_on_a_line_the_ends_and_then_the_middles_come():
    assert farthest_first(np.arange(9.0)[:, None], 5, start=0).tolist() == [0, 8, 4, 2, 6]


def test_of_equally_far_rows_the_lowest_comes_first_even_where_rounding_differs():
    square = np.array([[0.1, 0.1], [0.1 + 0.2, 0.1], [0.1, 0.3], [0.3, 0.1]])  # 0.1 + 0.2 is above 0.3 by rounding
    assert farthest_first(square[[0, 3, 1]], 2, start=0).tolist() == [0, 1]
    assert farthest_first(np.zeros((5, 2)), 5, start=3).tolist() == [3, 0, 1, 2, 4]


def test_a_shorter_order_is_the_beginning_of_a_longer_one():
    points = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
    np.testing.assert_array_equal(farthest_first(points, 9, start=2), farthest_first(points, 50, start=2)[:9])


@each(("count", "start"), [(0, 0), (6, 0), (2, 5), (2, -1)])
def test_a_count_or_start_outside_the_rows_is_refused(count, start):
    with pytest.raises(BadInput):
        farthest_first(np.arange(5.0)[:, None], count, start=start)
