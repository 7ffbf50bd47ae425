"""The icicle against HDBSCAN's own numbers: a cluster's area is its stability."""

import numpy as np
import pytest

from testimate.charts.clusters import condensed_tree
from testimate.charts.palette import hue

NODE = np.dtype([("parent", "i8"), ("child", "i8"), ("lambda_val", "f8"), ("child_size", "i8")])


def tree(*rows: tuple[int, int, float, int]) -> np.ndarray:
    return np.array(list(rows), dtype=NODE)


# Seven inputs: one falls out of the root (7) at 0.5; at 1 it splits into 8 (4 inputs) and 9 (2 inputs).
SMALL = tree(
    (7, 0, 0.5, 1),
    (7, 8, 1.0, 4),
    (7, 9, 1.0, 2),
    (8, 1, 2.0, 1),
    (8, 2, 2.0, 1),
    (8, 3, 3.0, 1),
    (8, 4, 4.0, 1),
    (9, 5, 1.5, 1),
    (9, 6, 1.5, 1),
)


def area(x: np.ndarray, y: np.ndarray) -> float:
    """Shoelace formula."""
    return float(abs(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1])) / 2)


def test_a_small_tree_by_hand():
    figure = condensed_tree(SMALL, [8, 9], dark=False)
    root, first, second, handles = figure.data
    assert [one.name for one in figure.data[:3]] == ["not chosen", "cluster 1", "cluster 2"]
    assert sorted(handles.customdata) == sorted(np.unique(SMALL["parent"]).tolist())  # a dot to click for each branch
    assert [one.fillcolor for one in (first, second)] == [hue(0, dark=False), hue(1, dark=False)]
    assert (min(root.x), max(root.x)) == (0, 7)
    assert (min(first.x), max(first.x)) == (0.5, 4.5)  # six inputs left at the split, centered on 3.5
    assert (min(second.x), max(second.x)) == (4.5, 6.5)
    assert (min(first.y), max(first.y)) == (1, 4)
    assert area(np.asarray(root.x), np.asarray(root.y)) == pytest.approx(7 * 0.5 + 6 * 0.5)
    assert area(np.asarray(first.x), np.asarray(first.y)) == pytest.approx(2 * 1 + 2 + 3)
    assert area(np.asarray(second.x), np.asarray(second.y)) == pytest.approx(2 * 0.5)


def test_denser_lies_lower_and_the_root_on_top():
    deep, shallow = condensed_tree(SMALL, [8], dark=False).layout.yaxis.range
    assert shallow == 0
    assert deep > 4


def test_inputs_that_lie_on_each_other_have_an_infinite_density_and_are_drawn_all_the_same():
    figure = condensed_tree(tree((3, 0, 1.0, 1), (3, 1, np.inf, 1), (3, 2, np.inf, 1)), [], dark=False)
    assert np.isfinite(np.asarray(figure.data[0].y)).all()


def test_each_shape_has_the_area_that_hdbscan_calls_the_clusters_stability():
    hdbscan = pytest.importorskip("hdbscan")
    from hdbscan._hdbscan_tree import compute_stability

    rng = np.random.default_rng(4)
    points = np.concatenate([rng.normal(center, 0.4, size=(18, 2)) for center in ((0, 0), (4, 0), (2, 5))])
    found = hdbscan.HDBSCAN(min_cluster_size=5, min_samples=3, approx_min_span_tree=False).fit(points).condensed_tree_
    nodes = sorted({int(found._raw_tree["parent"].min()), *_clusters(found._raw_tree)})
    figure = condensed_tree(found._raw_tree, nodes, dark=False)
    stability = compute_stability(found._raw_tree)
    assert len(nodes) >= 4
    for place, node in enumerate(nodes):
        shape = next(one for one in figure.data if one.name == f"cluster {place + 1}")
        assert area(np.asarray(shape.x), np.asarray(shape.y)) == pytest.approx(stability[node], rel=1e-9)


def test_clusters_that_live_at_the_same_density_never_overlap():
    figure = condensed_tree(SMALL, [8, 9], dark=False)
    first, second = (np.asarray(one.x) for one in figure.data[1:3])
    assert first.max() <= second.min()


def _clusters(raw: np.ndarray) -> list[int]:
    return [int(node) for node in raw["child"][raw["child_size"] > 1]]
