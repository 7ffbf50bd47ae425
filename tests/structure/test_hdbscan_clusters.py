import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from testimate.core.errors import BadInput
from testimate.structure.density_clusters import find_clusters
from testimate.structure.spanning_tree import spanning_tree
from tests.each import each


def blobs(sizes, width, seed=0, spread=1.0, apart=12.0):
    rng = np.random.default_rng(seed)
    centers = apart * rng.normal(size=(len(sizes), width))
    return np.repeat(centers, sizes, axis=0) + spread * rng.normal(size=(sum(sizes), width))


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("labels", "glosh", "membership", "space", "condensed_tree")
    )


@each("width", [2, 20, 21, 60])
def test_the_spanning_tree_is_as_short_as_scipys_on_the_whole_distance_matrix(width):
    points = np.random.default_rng(width).normal(size=(300, width))
    distances = cdist(points, points)
    core = np.sort(distances, axis=1)[:, 4]  # the 4th neighbor, the point itself not counted
    reachability = np.maximum(distances, np.maximum.outer(core, core))
    expected = np.sort(minimum_spanning_tree(np.triu(reachability, 1)).data)
    np.testing.assert_allclose(spanning_tree(points, 4).edges[:, 2], expected, rtol=1e-10)


@pytest.mark.parametrize("width", [2, 21])
def test_the_edges_of_the_tree_come_shortest_first_and_ties_by_their_rows(width):
    lattice = np.zeros((400, width))
    lattice[:, :2] = np.random.default_rng(0).integers(0, 15, size=(400, 2))  # most edges tie, some points are equal
    edges = [tuple(edge) for edge in spanning_tree(lattice, 2).edges[:, [2, 0, 1]].tolist()]
    assert edges == sorted(edges)
    assert len({length for length, *_ in edges}) < 20
    assert all(length > 0 and low < high for length, low, high in edges)


@pytest.mark.parametrize(("width", "engine"), [(4, "hdbscan, exact Boruvka"), (40, "exact, in blocks by NumPy")])
def test_the_clusters_are_scikit_learns(width, engine):
    features = np.vstack(
        [blobs([200, 150, 120, 100, 90], width), 25 * np.random.default_rng(1).normal(size=(60, width))]
    )
    clusters = find_clusters(features, seed=0, reduction="none")
    # scikit-learn counts the point itself among the min_samples
    other = HDBSCAN(min_cluster_size=80, min_samples=5, algorithm="brute", copy=True).fit(clusters.space)
    assert clusters.engine == engine
    assert clusters.count == other.labels_.max() + 1 >= 5
    assert 0 < clusters.noise_share < 0.2
    assert (
        adjusted_rand_score(clusters.labels, other.labels_) > 0.99
    )  # edges around a hub tie, so trees differ a little
    assert np.isclose(clusters.membership, other.probabilities_, atol=1e-9).mean() > 0.98


def test_the_order_of_the_rows_hardly_matters():
    features = blobs([150, 120, 100, 90], 3, spread=3.0)
    order = np.random.default_rng(3).permutation(len(features))
    plain, shuffled = (find_clusters(array, seed=0, reduction="none") for array in (features, features[order]))
    assert adjusted_rand_score(plain.labels[order], shuffled.labels) > 0.98
    assert np.isclose(plain.glosh[order], shuffled.glosh, atol=1e-9).mean() > 0.98


@each("reduction", ["auto", "none", "fastica"])
def test_two_runs_agree_bit_for_bit(reduction):
    features = load_digits().data.astype(np.float32)
    runs = [find_clusters(features, seed=7, min_cluster_size=40, reduction=reduction) for _ in range(2)]
    assert same(*runs)
    assert runs[0].warning == runs[1].warning


def test_the_input_far_from_everything_has_the_highest_outlier_score():
    features = np.vstack([blobs([150, 150, 150, 150], 2), [[200.0, -300.0]]])
    clusters = find_clusters(features, seed=0, reduction="none")
    assert clusters.glosh.argmax() == 600
    assert clusters.labels[600] == -1
    assert clusters.membership[600] == 0
    assert clusters.glosh.min() >= 0
    assert clusters.glosh.max() <= 1


def test_the_condensed_tree_holds_every_input_once_and_its_children_add_up():
    features = blobs([150, 120, 100], 4)
    tree = find_clusters(features, seed=0, reduction="none").condensed_tree
    assert tree.dtype.names == ("parent", "child", "lambda_val", "child_size")
    inputs = tree["child"][tree["child"] < len(features)]
    assert sorted(inputs) == list(range(len(features)))
    for parent in np.unique(tree["parent"])[1:]:
        held = tree["child_size"][tree["parent"] == parent].sum()
        assert held == tree["child_size"][tree["child"] == parent].item()


def test_the_space_runs_from_0_to_1_in_every_column_and_a_constant_column_is_0():
    features = np.column_stack([blobs([100, 100, 100, 100, 100], 3), np.full(500, 7.0)])
    space = find_clusters(features, seed=0, reduction="none").space
    np.testing.assert_array_equal(space.min(axis=0), 0)
    np.testing.assert_array_equal(space.max(axis=0), [1, 1, 1, 0])


def test_five_even_clusters_are_not_reduced():
    clusters = find_clusters(blobs([100] * 5, 10), seed=0)
    assert clusters.count == 5
    assert not clusters.reduced
    assert clusters.space.shape == (500, 10)


@pytest.mark.parametrize("sizes", [[100, 100, 100], [2400, 90, 90, 90, 90]], ids=["three clusters", "one holds 87%"])
def test_paces_rule_reduces_few_clusters_and_one_that_holds_more_than_four_fifths(sizes):
    features = blobs(sizes, 10)
    assert find_clusters(features, seed=0, reduction="none").count == len(sizes)
    clusters = find_clusters(features, seed=0)
    assert clusters.reduced
    assert clusters.space.shape == (sum(sizes), 2)
    np.testing.assert_allclose(np.cov(clusters.space.T, bias=True), np.eye(2), atol=1e-6)


def test_the_rules_numbers_can_be_changed():
    features = blobs([100] * 5, 10)
    clusters = find_clusters(features, seed=0, few_clusters=5, components=4)
    assert clusters.reduced
    assert clusters.space.shape == (500, 4)
    assert not find_clusters(blobs([2400, 90, 90, 90, 90], 10), seed=0, large_share=0.9).reduced


def test_plane_features_are_never_reduced():
    clusters = find_clusters(blobs([100, 100], 2, seed=1), seed=0)
    assert clusters.count == 2
    assert not clusters.reduced


def test_equal_inputs_are_never_cut_into_clusters():
    rng = np.random.default_rng(0)
    clouds = [np.repeat([[x, y]], 100, axis=0) for x, y in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (3.0, 3.0))]
    apart = find_clusters(np.vstack(clouds), seed=0)
    assert adjusted_rand_score(apart.labels, np.repeat(np.arange(5), 100)) == 1.0
    lone = find_clusters(np.vstack([np.zeros((500, 2)), [[1.0, 1.0]]]), seed=0)
    assert lone.count == 0
    assert lone.warning == "HDBSCAN found no cluster: all inputs are minority space."
    mixed = find_clusters(np.vstack([*clouds, rng.normal(size=(300, 2))]), seed=0)
    for cloud in range(5):
        assert len(np.unique(mixed.labels[100 * cloud : 100 * (cloud + 1)])) == 1
    for clusters in (apart, lone, mixed):
        assert np.isfinite(clusters.glosh).all()
        assert np.isfinite(clusters.membership).all()
        assert np.isfinite(clusters.condensed_tree["lambda_val"]).all()


@each(
    ("features", "said"),
    [
        (np.random.default_rng(0).normal(size=(79, 4)), "There are 79 inputs, fewer than the 80"),
        (np.full((200, 3), 2.5), "All inputs have the same features"),
        (np.zeros((1, 1)), "There are 1 inputs, fewer than the 80"),
    ],
)
def test_where_nothing_can_be_clustered_all_is_minority_space_and_it_says_why(features, said):
    clusters = find_clusters(features, seed=0)
    assert clusters.warning.startswith(said)
    assert clusters.count == 0
    assert clusters.noise_share == 1.0
    assert len(clusters.glosh) == len(clusters.membership) == len(features)
    assert clusters.condensed_tree.size == 0


def test_a_cloud_without_clusters_says_so():
    features = np.random.default_rng(0).uniform(size=(300, 2))
    clusters = find_clusters(features, seed=0)
    assert clusters.noise_share == 1.0
    assert "no cluster" in clusters.warning


def test_mostly_noise_is_reported():
    rng = np.random.default_rng(0)
    tight = np.repeat([[0.2] * 8, [0.8] * 8], 100, axis=0) + 0.002 * rng.normal(size=(200, 8))
    clusters = find_clusters(np.vstack([tight, rng.uniform(size=(1500, 8))]), seed=0, reduction="none")
    assert clusters.count >= 2
    assert 0.8 < clusters.noise_share < 1
    assert clusters.warning == f"HDBSCAN calls {clusters.noise_share:.0%} of the inputs minority space."


def test_a_reduction_that_did_not_converge_is_reported():
    features = np.random.default_rng(4).normal(size=(90, 6))
    warnings = [find_clusters(features, seed=seed, reduction="fastica", components=5).warning for seed in range(8)]
    assert any(warning.startswith("FastICA did not converge") for warning in warnings)


def test_progress_reports_each_step_and_may_stop_the_work():
    reports = []
    find_clusters(
        blobs([100, 100], 10), seed=0, progress=lambda done, total, what="": reports.append((done, total, what))
    )
    assert reports == [(0, 2, "clusters"), (1, 2, "clusters after FastICA")]


@each("reduction", ["fastica", "pca", "nmf", "fa"])
def test_every_way_to_reduce_finds_clusters_that_lie_in_few_dimensions(reduction):
    truth = np.repeat(np.arange(4), 100)
    corners = 12 * np.eye(4)[truth]
    features = (corners + np.random.default_rng(0).normal(size=corners.shape)) @ np.random.default_rng(1).random(
        (4, 30)
    )
    clusters = find_clusters(features, seed=0, reduction=reduction, components=4)
    assert clusters.reduction == reduction
    assert clusters.reduced
    assert clusters.space.shape == (400, 4)
    assert adjusted_rand_score(clusters.labels, truth) > 0.9


def test_notes_hold_every_sentence_of_the_warning():
    features = np.random.default_rng(4).normal(size=(90, 6))
    found = [find_clusters(features, seed=seed, reduction="fastica", components=5) for seed in range(8)]
    assert all(" ".join(clusters.notes) == clusters.warning for clusters in found)
    assert any("FastICA did not converge" in note for clusters in found for note in clusters.notes)
    assert find_clusters(blobs([100] * 5, 10), seed=0).notes == ()


@pytest.mark.parametrize("width", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_beyond_the_limit_a_sample_is_clustered_and_the_others_join_as_the_exact_clusters_would(width):
    features = np.vstack([blobs([900, 700, 600, 500], width), 25 * np.random.default_rng(1).normal(size=(100, width))])
    exact = find_clusters(features, seed=0, reduction="none")
    approximate = find_clusters(features, seed=0, reduction="none", exact_up_to=1000)
    assert exact.notes == ()
    assert approximate.engine.startswith("approximate, from 1,000 of 2,800; ")
    assert "A sample of 1,000 of the 2,800 inputs was clustered" in approximate.notes[-1]
    assert approximate.count == exact.count == 4
    assert adjusted_rand_score(exact.labels, approximate.labels) > 0.9
    assert np.corrcoef(exact.glosh, approximate.glosh)[0, 1] > 0.8
    again = find_clusters(features, seed=0, reduction="none", exact_up_to=1000)
    assert same(approximate, again)
    other = find_clusters(features, seed=1, reduction="none", exact_up_to=1000)
    assert not np.array_equal(other.glosh, again.glosh)


def test_the_condensed_tree_of_a_sample_holds_every_input_once_and_its_children_add_up():
    features = blobs([900, 700, 600], 4)
    clusters = find_clusters(features, seed=0, reduction="none", exact_up_to=1000)
    tree, size = clusters.condensed_tree, len(features)
    assert tree["parent"].min() == size
    assert sorted(tree["child"][tree["child"] < size]) == list(range(size))
    for parent in np.unique(tree["parent"])[1:]:
        held = tree["child_size"][tree["parent"] == parent].sum()
        assert held == tree["child_size"][tree["child"] == parent].item()
    assert tree["child_size"][tree["parent"] == size].sum() == size
    assert np.isfinite(clusters.glosh).all()
    assert ((clusters.glosh >= 0) & (clusters.glosh <= 1)).all()
    assert ((clusters.membership > 0) == (clusters.labels >= 0)).all()


def test_a_sample_can_be_requested_of_a_set_that_is_not_too_large(monkeypatch):
    features = blobs([900, 700, 600, 500], 4)
    assert same(
        find_clusters(features, seed=0, exactness="sampled"), find_clusters(features, seed=0)
    )  # few inputs: all
    monkeypatch.setattr("testimate.structure.density_clusters.SMALLER_SAMPLE", 1000)
    sampled = find_clusters(features, seed=0, exactness="sampled")
    assert sampled.engine.startswith("approximate, from 1,000 of 2,700; ")
    assert sampled.count == 4


def test_equal_inputs_beyond_the_limit_join_their_equals():
    features = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0]], 400, axis=0)
    labels = find_clusters(features, seed=0, reduction="none", exact_up_to=1000).labels
    assert adjusted_rand_score(labels, np.repeat(np.arange(4), 400)) == 1.0


def test_as_published_is_offered_and_named():
    features = blobs([150, 120, 100, 90], 5)
    assert find_clusters(features, seed=0).engine == "exact, in blocks by NumPy"
    assert find_clusters(features, seed=0, exactness="as published").engine == "hdbscan's default, approximate Boruvka"


FOUND = {"duplicates of one": 0, "one dead neuron": 0, "all constant but one": 2, "two points": 2}
"""Clusters in odd features: none in noise or in one point, and two where values are 0 or above it, or are two."""


@each("width", [24, 84])
@each("case", FOUND)
def test_odd_features_give_a_finite_score_and_where_no_cluster_is_found_a_sentence(case, width):
    rng = np.random.default_rng(0)
    features = np.maximum(rng.normal(size=(450, width)), 0)
    if case == "duplicates of one":
        features[:400] = features[0]
    elif case == "one dead neuron":
        features[:, 3] = 0
    elif case == "all constant but one":
        features[:, 1:] = 1
    else:
        features[:] = features[rng.integers(0, 2, size=450)]
    clusters = find_clusters(features, seed=0)
    assert clusters.labels.shape == (450,)
    assert np.isfinite(clusters.glosh).all()
    assert clusters.count == FOUND[case]
    assert bool(clusters.warning) is (clusters.count == 0)


@each(
    "wrong",
    [
        {"reduction": "umap"},
        {"exactness": "roughly"},
        {"min_cluster_size": 1},
        {"min_samples": 0},
        {"components": 0},
        {"exact_up_to": 10},
    ],
)
def test_a_setting_outside_its_range_is_refused(wrong):
    with pytest.raises(BadInput):
        find_clusters(np.random.default_rng(0).normal(size=(100, 3)), seed=0, **wrong)


def test_a_feature_that_is_not_a_number_is_refused_with_its_row():
    features = np.zeros((100, 3))
    features[41, 2] = np.nan
    with pytest.raises(BadInput, match="row 41"):
        find_clusters(features, seed=0)


@settings(max_examples=100)
@given(
    arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.integers(0, 2).map(float)),
    st.sampled_from(["auto", "none", "fastica"]),
)
def test_more_equal_inputs_than_min_samples_share_a_label_and_all_is_finite_whatever_ties_there_are(
    features, reduction
):
    clusters = find_clusters(features, seed=0, min_cluster_size=3, min_samples=2, reduction=reduction)
    assert clusters.labels.shape == (len(features),)
    assert np.isfinite(clusters.glosh).all()
    assert ((clusters.glosh >= 0) & (clusters.glosh <= 1)).all()
    assert ((clusters.membership >= 0) & (clusters.membership <= 1)).all()
    assert set(clusters.labels) - {-1} == set(range(clusters.count))
    point = np.unique(features, axis=0, return_inverse=True)[1].ravel()
    for place in range(point.max() + 1):
        if (point == place).sum() > 2:  # their edges have length 0 and come before all others
            assert len(set(clusters.labels[point == place])) == 1
