import warnings

import hdbscan
import numpy as np
from hdbscan._hdbscan_linkage import label
from hdbscan._hdbscan_tree import outlier_scores
from hdbscan.hdbscan_ import _hdbscan_boruvka_kdtree, _hdbscan_prims_kdtree, _tree_to_labels

RNG = np.random.default_rng(0)
POINTS = np.vstack([RNG.normal(size=(200, 2)), RNG.normal(size=(200, 2)) + 9, [[60.0, -60.0]]])


def fitted(**options):
    return hdbscan.HDBSCAN(min_cluster_size=80, min_samples=4, core_dist_n_jobs=1, **options).fit(POINTS)


def test_noise_is_minus_one_with_no_membership():
    model = fitted()
    assert model.labels_[-1] == -1
    assert model.probabilities_[-1] == 0
    assert set(model.labels_) == {-1, 0, 1}


def test_the_condensed_tree_has_the_fields_we_read_and_its_root_is_the_number_of_points():
    tree = fitted().condensed_tree_.to_numpy()
    assert tree.dtype.names == ("parent", "child", "lambda_val", "child_size")
    assert tree["parent"].min() == len(POINTS)
    assert sorted(tree["child"][tree["child"] < len(POINTS)]) == list(range(len(POINTS)))


def test_outlier_scores_are_finite_and_from_0_to_1():
    scores = fitted().outlier_scores_
    assert scores.shape == (len(POINTS),)
    assert np.isfinite(scores).all()
    assert scores.min() >= 0
    assert scores.max() <= 1
    assert scores.argmax() == len(POINTS) - 1


def test_the_private_parts_we_use_give_what_the_public_class_gives():
    points = np.ascontiguousarray(POINTS)
    options = {"min_samples": 4, "metric": "euclidean", "p": None, "gen_min_span_tree": True}
    _, boruvka = _hdbscan_boruvka_kdtree(points, approx_min_span_tree=False, core_dist_n_jobs=1, **options)
    _, prim = _hdbscan_prims_kdtree(points, **options)
    assert boruvka.shape == prim.shape == (len(points) - 1, 3)
    np.testing.assert_allclose(np.sort(boruvka[:, 2]), np.sort(prim[:, 2]), rtol=1e-12)
    for edges, algorithm in ((boruvka, "boruvka_kdtree"), (prim, "prims_kdtree")):
        model = fitted(algorithm=algorithm, approx_min_span_tree=False)
        labels, membership, _, condensed, _ = _tree_to_labels(points, label(edges), 80)
        np.testing.assert_array_equal(labels, model.labels_)
        np.testing.assert_array_equal(membership, model.probabilities_)
        np.testing.assert_array_equal(outlier_scores(condensed), model.outlier_scores_)


def test_min_samples_does_not_count_the_point_itself():
    line = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])
    _, edges = _hdbscan_prims_kdtree(line, min_samples=1, metric="euclidean", p=None, gen_min_span_tree=True)
    assert sorted(edges[:, 2]) == [1, 2, 4, 8]  # core distances are those to the nearest other point
    _, edges = _hdbscan_prims_kdtree(line, min_samples=2, metric="euclidean", p=None, gen_min_span_tree=True)
    assert sorted(edges[:, 2]) == [3, 3, 6, 12]


def test_equal_points_have_infinite_density_unless_distances_of_0_are_lifted():
    points = np.vstack([np.zeros((100, 2)), np.ones((100, 2))])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        tree = hdbscan.HDBSCAN(min_cluster_size=40, min_samples=4, core_dist_n_jobs=1).fit(points).condensed_tree_
    assert not np.isfinite(tree.to_numpy()["lambda_val"]).all()


def test_nodes_of_the_condensed_tree_are_numbered_from_the_root_down_and_come_after_their_parents():
    tree = fitted().condensed_tree_.to_numpy()
    inner = tree[tree["child"] >= len(POINTS)]
    assert len(inner)
    assert (inner["child"] > inner["parent"]).all()
    assert (np.diff(inner["child"]) > 0).all()


def test_the_package_changes_from_boruvka_to_prim_above_60_dimensions():
    wide = RNG.normal(size=(200, 61))
    options = {"min_samples": 4, "metric": "euclidean", "p": None, "gen_min_span_tree": True}
    for width, found in (
        (60, _hdbscan_boruvka_kdtree(wide[:, :60].copy(), approx_min_span_tree=True, core_dist_n_jobs=1, **options)[1]),
        (61, _hdbscan_prims_kdtree(wide, **options)[1]),
    ):
        model = hdbscan.HDBSCAN(min_cluster_size=20, min_samples=4, core_dist_n_jobs=1, gen_min_span_tree=True)
        tree = model.fit(wide[:, :width].copy()).minimum_spanning_tree_.to_numpy()
        np.testing.assert_array_equal(tree, found)
