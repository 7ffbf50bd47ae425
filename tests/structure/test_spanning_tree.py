from itertools import combinations, pairwise

import numpy as np
import pytest
from hdbscan import HDBSCAN
from hdbscan._hdbscan_linkage import label
from hdbscan.hdbscan_ import _hdbscan_prims_kdtree
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from testimate.core.errors import Canceled
from testimate.structure import near_pairs
from testimate.structure import spanning_tree as blocked_tree
from testimate.structure.density_clusters import density_clusters
from testimate.structure.near_pairs import (
    NumpyProduct,
    TorchProduct,
    Tree,
    best_product,
    core_distances,
    joined_pairs,
    measured_pairs,
    shortest_tree,
)
from testimate.structure.shadows import OnLines, cast_shadow, right
from testimate.structure.spanning_tree import (
    COMPARING,
    GROUPING,
    LOOKING,
    _among,
    dendrogram_order,
    equal_rows,
    single_linkage,
    spanning_tree,
)
from tests.each import each

N = 700  # above the few of which all pairs are measured at once


def behind_a_relu(size, width, seed=0, classes=5, latent=12):
    rng = np.random.default_rng(seed)
    inner = 2 * rng.normal(size=(classes, latent))[rng.integers(classes, size=size)] + rng.normal(size=(size, latent))
    outer = inner @ rng.normal(size=(latent, width)) / np.sqrt(latent)
    return np.maximum(outer + 0.1 * rng.normal(size=outer.shape), 0).astype(np.float32)


def kinds():
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(N, 30))
    return {
        "behind a ReLU": behind_a_relu(N, 84),
        "wider than a shadow": behind_a_relu(600, 300),
        "sparse": np.maximum(rng.normal(size=(N, 120)) - 2, 0).astype(np.float32),
        "no structure": rng.normal(size=(600, 280)).astype(np.float32),
        "ties on a grid": rng.integers(0, 3, size=(N, 30)).astype(float),
        "two values": rng.integers(0, 2, size=(N, 21)).astype(np.float32),
        "two values, many equal": np.hstack([rng.integers(0, 2, size=(N, 10)), np.zeros((N, 20))]),
        "all as far apart": np.eye(500),
        "one-hot": np.eye(450)[rng.integers(0, 450, size=N)],
        "a line": np.outer(np.arange(N), np.ones(30)),
        "three of each": np.repeat(rng.normal(size=(450, 30)), 3, axis=0),
        "many of three": np.vstack([np.repeat(normal[:3], 100, axis=0), normal[3:]]),
        "disconnected": np.vstack([c + 0.01 * rng.normal(size=(N // 20, 30)) for c in 100 * rng.normal(size=(20, 30))]),
        "many small groups": np.repeat(normal[: N // 12], 12, axis=0) + 0.01 * rng.normal(size=(N // 12 * 12, 30)),
        "one far away": np.vstack([normal[1:], np.full((1, 30), 1e4)]),
        "constant columns": np.hstack([normal, np.full((N, 40), 7.0)]),
        "few columns": behind_a_relu(N, 5),
        "ties in few columns": rng.integers(0, 4, size=(N, 6)).astype(float),
        "tiny": 1e-12 * normal,
        "huge": 1e12 * normal,
        "far from zero": 1e6 + normal,
        "nearly equal": np.repeat(normal[:20], N // 20, axis=0) + 1e-9 * rng.normal(size=(N // 20 * 20, 30)),
        "beyond the squares of float32": 1e25 * behind_a_relu(N, 84),
        "below the squares of float32": 1e-25 * behind_a_relu(N, 84),
        "one beyond the squares of float32": np.vstack(
            [behind_a_relu(N, 84), np.full((1, 84), 1e25, dtype=np.float32)]
        ),
        "nearly equal in float32": np.repeat(behind_a_relu(20, 84), N // 20, axis=0)
        + rng.normal(scale=1e-5, size=(N, 84)).astype(np.float32),
        "all scales": normal * 10.0 ** rng.integers(-4, 3, size=(N, 1)),
    }


KINDS = kinds()


def packages_lengths(points, min_samples):
    """Prim's algorithm of the hdbscan package; lengths lifted as ours are."""
    points = points.astype(np.float64)
    edges = _hdbscan_prims_kdtree(points, min_samples=min_samples, metric="euclidean", gen_min_span_tree=True)[1]
    lengths = np.sort(edges[:, 2])
    return np.maximum(lengths, 1e-9 * lengths[-1])


@each("kind", KINDS)
def test_the_blocks_give_the_packages_exact_weights_on_every_kind_of_data(kind):
    for min_samples, product in ((4, NumpyProduct()), (15, TorchProduct("cpu"))):
        tree = spanning_tree(KINDS[kind], min_samples, product=product, threads=2)
        np.testing.assert_allclose(tree.edges[:, 2], packages_lengths(KINDS[kind], min_samples), rtol=1e-10)


@each("kind", ["behind a ReLU", "two values", "many of three", "disconnected"])
def test_edges_are_the_same_for_every_engine_and_number_of_threads(kind):
    trees = [spanning_tree(KINDS[kind], 4, threads=threads).edges for threads in (1, 2)]
    trees.append(spanning_tree(KINDS[kind], 4, product=TorchProduct("cpu")).edges)
    for other in trees[1:]:
        np.testing.assert_array_equal(trees[0], other)


@each("kind", ["behind a ReLU", "disconnected", "one far away", "all scales"])
def test_rows_and_columns_left_out_of_a_block_change_no_edge(kind):
    trees = []
    for narrows in (True, False):
        product = NumpyProduct()
        product.narrows, product.rows, product.columns = narrows, 64, 128
        trees.append(spanning_tree(KINDS[kind], 4, threads=1, product=product).edges)
    np.testing.assert_array_equal(*trees)


def test_of_groups_that_lie_apart_most_pairs_are_left_out(monkeypatch):
    rng = np.random.default_rng(3)
    points = 9 * rng.normal(size=(8, 24))[rng.integers(8, size=4000)] + rng.normal(size=(4000, 24))
    multiplied, product = [], NumpyProduct()
    product.rows, product.columns = 64, 128
    above = NumpyProduct.above
    monkeypatch.setattr(
        NumpyProduct, "above", lambda self, *a: multiplied.append(len(a[0]) * len(a[1])) or above(self, *a)
    )
    spanning_tree(points, 4, threads=1, product=product)
    assert sum(multiplied) < 0.4 * 4000**2 / 2


@each("kind", ["behind a ReLU", "disconnected", "no structure", "one far away", "all scales"])
def test_no_pair_within_its_limit_is_left_out(kind):
    points, shadow = KINDS[kind], cast_shadow(KINDS[kind], 4)
    rows, columns = np.arange(100), np.arange(100, 300)
    true = cdist(points[rows].astype(np.float64), points[columns].astype(np.float64))
    one, other = shadow.left(rows), right(shadow.left(columns))
    middle = one.mean(axis=0, dtype=np.float64)[None]
    for share in (0.001, 0.01, 0.1, 0.5):
        limits = [np.quantile(true, share, axis=axis) for axis in (1, 0)]  # as large as that share of the pairs
        limits[1][::2] = 0
        kept = np.zeros(true.shape, dtype=bool)
        lines = OnLines.of(middle, other, limits[1] / shadow.scale)
        for some, ours in lines.perhaps_near(0, one, limits[0] / shadow.scale):
            kept[np.ix_(rows[some], ours)] = True
        assert kept[(true <= limits[0][:, None]) | (true <= limits[1])].all()


@pytest.mark.parametrize("kind", ["behind a ReLU", "disconnected", "three of each"])
def test_labels_agree_with_the_packages_as_well_as_its_own_do_on_permuted_rows(kind):
    """Equal distances leave several hierarchies, of which the package takes another one for every order of the rows."""
    points = KINDS[kind].astype(np.float64)
    options = {"min_cluster_size": 30, "min_samples": 4, "core_dist_n_jobs": 1, "approx_min_span_tree": False}
    package = []
    for seed in range(8):  # five orders do not show the package's whole spread
        order = np.random.default_rng(seed).permutation(len(points))
        package.append(HDBSCAN(**options).fit(points[order]).labels_[np.argsort(order)])
    ours = density_clusters(points, 30, 4).labels
    assert ours.max() >= 1
    least = min(adjusted_rand_score(one, other) for one, other in combinations(package, 2))
    assert least > 0.98
    assert min(adjusted_rand_score(ours, one) for one in package) >= least - 1e-12


def test_pairs_that_are_too_many_to_keep_are_dropped_on_the_way_without_changing_the_tree(monkeypatch):
    expected = spanning_tree(KINDS["behind a ReLU"], 4).edges
    monkeypatch.setattr(blocked_tree, "_KEPT", 1)
    product = NumpyProduct()
    product.columns = 128
    np.testing.assert_array_equal(spanning_tree(KINDS["behind a ReLU"], 4, threads=1, product=product).edges, expected)


@pytest.mark.parametrize("kind", ["nearly equal", "nearly equal in float32"])
def test_blocks_that_float32_cannot_tell_apart_are_looked_at_in_float64(kind, monkeypatch):
    seen = []
    nearer = near_pairs.ClosePairs._nearer
    monkeypatch.setattr(near_pairs.ClosePairs, "_nearer", lambda self, *a: seen.append(len(a[1])) or nearer(self, *a))
    spanning_tree(KINDS[kind], 4, threads=1)
    assert max(seen) > near_pairs._PIECE  # not only triangles


@each("kind", ["behind a ReLU", "wider than a shadow", "no structure", "one far away", "tiny"])
def test_no_two_inputs_lie_farther_apart_in_the_shadow_than_they_are(kind):
    points = KINDS[kind]
    shadow = cast_shadow(points, 4)
    rows = np.arange(300)
    true = cdist(points[:300].astype(np.float64), points[:300].astype(np.float64))
    left = shadow.left(rows)
    assert (left @ right(left).T >= shadow.limit(true)).all()
    if kind == "wider than a shadow":  # and the shadow is worth casting: it is narrow, and not all pairs seem near
        assert shadow.width < points.shape[1]
        near = np.sort(true, axis=1)[:, 4:5]
        assert (left @ right(left).T >= shadow.limit(near)).mean() < 0.2


def test_the_largest_gap_between_two_points_is_the_largest_edge_on_the_trees_path():
    points = np.random.default_rng(0).normal(size=(60, 3))
    tree = minimum_spanning_tree(cdist(points, points)).tocoo()
    by_length = np.argsort(tree.data)
    low, high, weights = tree.row[by_length], tree.col[by_length], tree.data[by_length]
    largest = np.zeros((60, 60))  # by joining components, the shortest edge first
    parts = [{row} for row in range(60)]
    for one, other, weight in zip(low, high, weights, strict=True):
        a, b = (next(part for part in parts if end in part) for end in (one, other))
        largest[np.ix_(list(a), list(b))] = weight
        largest[np.ix_(list(b), list(a))] = weight
        parts = [part for part in parts if part is not a and part is not b] + [a | b]
    order, gaps = dendrogram_order(Tree(low, high, weights, by_length))
    for a in range(60):
        for b in range(a + 1, 60):
            assert gaps[a:b].max() == largest[order[a], order[b]]
    remaining = np.random.default_rng(1).random(60) < 0.4
    kept, between = _among(remaining, order, gaps)
    assert [largest[a, b] for a, b in pairwise(kept)] == between.tolist()


def test_merges_are_the_packages_own():
    edges = spanning_tree(KINDS["behind a ReLU"], 4).edges
    np.testing.assert_array_equal(single_linkage(*edges.T), label(edges))


@settings(max_examples=60)
@given(
    arrays(np.float64, st.tuples(st.integers(2, 30), st.integers(1, 3)), elements=st.sampled_from([0.0, -0.0, 1, 2]))
)
def test_equal_rows_are_those_numpy_finds(space):
    found = equal_rows(space)
    _, first, counts = np.unique(space + 0.0, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    np.testing.assert_array_equal(found.first, first[order])
    np.testing.assert_array_equal(found.counts, counts[order])
    np.testing.assert_array_equal(space[found.first][found.point], space)


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(0, 10_000))
def test_core_distances_are_those_of_all_inputs_counted_one_by_one(neighbor, seed):
    rng = np.random.default_rng(seed)
    points, counts = rng.normal(size=(12, 2)), rng.integers(1, 4, size=12)
    every = np.repeat(points, counts, axis=0)
    expected = np.sort(cdist(points, every), axis=1)[:, neighbor]
    pairs = measured_pairs(points, *np.triu_indices(12, 1))
    np.testing.assert_allclose(core_distances(pairs, counts, neighbor), expected, rtol=1e-12)


def test_a_pair_found_twice_counts_once_and_an_unknown_pair_leaves_the_core_distance_open():
    points = np.array([[0.0], [1.0], [3.0], [7.0]])
    once = measured_pairs(points, np.array([1, 0, 2]), np.array([0, 1, 1]))
    pairs = joined_pairs(once, once, size=4)
    assert list(zip(pairs.low, pairs.high, pairs.lengths, strict=True)) == [(0, 1, 1.0), (1, 2, 2.0)]
    np.testing.assert_array_equal(core_distances(pairs, np.ones(4, dtype=int), 1), [1, 1, 2, np.inf])
    assert len(shortest_tree(pairs, np.zeros(4)).weights) == 2


def test_the_blocks_report_progress_and_stop_when_asked():
    reports = []
    spanning_tree(
        KINDS["behind a ReLU"], 4, threads=1, progress=lambda done, total, what="": reports.append((done, total))
    )
    assert reports[-1] == (N, N)

    def stop(done, total, what=""):
        raise Canceled("Stopped.")

    with pytest.raises(Canceled):
        spanning_tree(KINDS["behind a ReLU"], 4, progress=stop)


def test_the_search_for_neighbors_begins_once_the_groups_are_known():
    """A forecast takes a part's pace from its beginning: with the grouping in it, it was wrong by up to 39 times."""
    reports: list[tuple[str, int]] = []
    spanning_tree(
        KINDS["behind a ReLU"], 4, threads=1, progress=lambda done, total, what="": reports.append((what, done))
    )
    grouping = [done for what, done in reports if what == GROUPING]
    looking = [done for what, done in reports if what == LOOKING]
    assert reports[: len(grouping) + len(looking)] == [(GROUPING, done) for done in grouping] + [
        (LOOKING, done) for done in looking
    ]
    assert grouping[0] == looking[0] == 0
    assert grouping[-1] == looking[-1] == N


def test_the_engine_is_chosen_by_width_and_by_what_the_machine_has(monkeypatch):
    assert spanning_tree(KINDS["behind a ReLU"][:, :4], 4).engine == "hdbscan, exact Boruvka"
    assert spanning_tree(KINDS["behind a ReLU"][:, :5], 4).engine == "exact, in blocks by NumPy"
    assert spanning_tree(KINDS["behind a ReLU"][:, :5], 4, blocks_from=21).engine == "hdbscan, exact Boruvka"
    assert best_product(1000).name == "NumPy"
    monkeypatch.setattr("testimate.structure.near_pairs._cuda", lambda: True)
    assert best_product(1000).name == "NumPy"  # not worth starting CUDA
    assert best_product(50_000).name == "PyTorch on cuda"


@pytest.mark.parametrize("width", [5, 84])
def test_as_published_is_the_package_at_its_defaults(width):
    points = behind_a_relu(N, width).astype(np.float64)
    model = HDBSCAN(min_cluster_size=40, min_samples=4, core_dist_n_jobs=1).fit(points)
    ours = density_clusters(points, 40, 4, exactness="as published")
    assert ours.engine.startswith("hdbscan's default")
    np.testing.assert_array_equal(ours.labels, model.labels_)
    np.testing.assert_allclose(ours.membership, model.probabilities_)
    np.testing.assert_allclose(ours.glosh, model.outlier_scores_)


@pytest.mark.parametrize(("groups", "narrows"), [(1, False), (8, True)])
def test_progress_is_reported_in_inputs_of_equal_work(groups, narrows, monkeypatch):
    """Nearly all work is to multiply pairs; of groups that lie apart few of different ones are."""
    rng = np.random.default_rng(3)
    space = 9 * rng.normal(size=(groups, 24))[rng.integers(groups, size=4_000)] + rng.normal(size=(4_000, 24))
    reports, multiplied, blocks, product = [], [0], [], NumpyProduct()
    product.rows, product.columns, product.narrows = 64, 128, narrows
    above, block_of = NumpyProduct.above, near_pairs.ClosePairs._column_block

    def counted(self, left, right, *limits):
        multiplied[0] += len(left) * len(right)
        return above(self, left, right, *limits)

    def column_block(self, first):
        before = multiplied[0]
        found = block_of(self, first)
        blocks.append((self.work(first), multiplied[0] - before, 2 * first + 128))
        return found

    monkeypatch.setattr(NumpyProduct, "above", counted)
    monkeypatch.setattr(near_pairs.ClosePairs, "_column_block", column_block)
    spanning_tree(space, 4, threads=1, product=product, progress=lambda *now: reports.append(now))
    reported = [done / total for done, total, what in reports if what == COMPARING]
    shares = np.cumsum(blocks, axis=0) / np.sum(blocks, axis=0)
    work, counts, pairs = shares.T
    np.testing.assert_allclose(reported, work, atol=0.05)  # by every fourth block
    assert np.abs(work - counts).max() < 0.1
    assert (np.abs(pairs - counts).max() > 0.2) == narrows
