"""Points inside a lasso: against areas that are known, and the rule of Plotly's own selection for lines that cross."""

import math

import numpy as np
import pytest

from testimate.charts.cluster_map import inside


def test_a_lasso_around_a_circle_holds_the_points_nearer_than_its_radius():
    points = np.random.default_rng(3).uniform(-2, 2, size=(4_000, 2))
    corners = [(math.cos(math.tau * k / 2_000), math.sin(math.tau * k / 2_000)) for k in range(2_000)]
    radius = np.linalg.norm(points, axis=1)
    clear = np.abs(radius - 1) > 1e-5  # the polygon is inside the circle by less
    np.testing.assert_array_equal(inside(points, corners)[clear], (radius < 1)[clear])


@pytest.mark.parametrize("corners", [[(0, 0), (3, 0), (3, 2), (0, 2)], [(0, 2), (3, 2), (3, 0), (0, 0)]])
def test_a_box_holds_what_lies_between_its_sides_whichever_way_it_is_drawn(corners):
    x, y = np.meshgrid(np.linspace(-0.95, 3.95, 50), np.linspace(-0.95, 2.95, 40))
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    expected = (points[:, 0] > 0) & (points[:, 0] < 3) & (points[:, 1] > 0) & (points[:, 1] < 2)
    np.testing.assert_array_equal(inside(points, corners), expected)


def test_what_a_lasso_goes_around_twice_is_outside():
    star = [(math.sin(math.tau * 2 * k / 5), math.cos(math.tau * 2 * k / 5)) for k in range(5)]
    assert inside([[0.0, 0.0], [0.0, 0.7], [2.0, 0.0]], star).tolist() == [False, True, False]
