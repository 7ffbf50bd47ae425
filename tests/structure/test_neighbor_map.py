"""The neighbor map: what it keeps, what it starts from, what it does with odd inputs; and the neighbors it is made of."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from testimate.core.errors import BadInput, Canceled
from testimate.structure import maps as module
from testimate.structure import maps as neighbors_module
from testimate.structure.maps import near_neighbors, nearest_of, neighbor_map, neighbors_kept, planar_map
from testimate.structure.reduction import min_max_scaled
from tests.each import each

RNG = np.random.default_rng(4)
GROUP = np.repeat(np.arange(6), 50)
BLOBS = (9 * np.eye(6, 12)[GROUP] + RNG.normal(size=(300, 12))).astype(np.float32)


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    """Enough for sets of this size."""
    monkeypatch.setattr(module, "EARLY", 30)
    monkeypatch.setattr(module, "LATER", 40)


def kept_by_scikit_learn(space, points, count=15):
    near, beside = (
        NearestNeighbors(n_neighbors=count).fit(one).kneighbors(return_distance=False) for one in (space, points)
    )
    return np.mean([len(set(one) & set(other)) / count for one, other in zip(near, beside, strict=True)])


def test_a_group_stays_together_and_more_neighbors_are_kept_than_by_a_linear_map():
    found, linear = neighbor_map(BLOBS, seed=0), planar_map(BLOBS, seed=0, measured=True)
    assert found.method == "neighbors"
    beside = NearestNeighbors(n_neighbors=1).fit(found.points).kneighbors(return_distance=False)[:, 0]
    assert (GROUP[beside] == GROUP).mean() > 0.99
    space = min_max_scaled(BLOBS)
    assert found.kept == pytest.approx(kept_by_scikit_learn(space, found.points))
    assert linear.kept == pytest.approx(kept_by_scikit_learn(space, linear.points))
    assert found.kept > linear.kept + 0.1


def test_the_same_seed_gives_the_same_map_whatever_the_threads_and_the_points_are_seen_moving():
    seen = []
    one = neighbor_map(BLOBS, seed=0, threads=1, moved=seen.append)
    other = neighbor_map(BLOBS, seed=0, threads=2)
    np.testing.assert_array_equal(one.points, other.points)
    assert len(seen) == 7
    assert all(points.shape == (300, 2) for points in seen)
    first = planar_map(BLOBS, seed=0).points
    assert seen[0].std(axis=0).max() == pytest.approx(
        first.std(axis=0).max(), rel=1e-6
    )  # no jump in size from PCA's map


def test_a_map_that_starts_from_another_ones_lies_as_that_one_does():
    first = neighbor_map(BLOBS, seed=0)
    turned = first.points @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    changed = BLOBS + RNG.normal(scale=0.2, size=BLOBS.shape).astype(np.float32)  # another version's features
    centers = [
        np.stack([points[group == GROUP].mean(axis=0) for group in range(6)])
        for points in (turned, neighbor_map(changed, seed=0, start=turned).points)
    ]
    for axis in (0, 1):
        assert np.corrcoef(centers[0][:, axis], centers[1][:, axis])[0, 1] > 0.9
    with pytest.raises(BadInput, match="Expected two finite numbers for each of 300 inputs"):
        neighbor_map(BLOBS, seed=0, start=turned[:9])


def test_of_more_inputs_a_sample_is_laid_out_and_the_others_lie_among_their_neighbors():
    found = neighbor_map(BLOBS, seed=0, laid_out=150)
    assert "A sample of 150 of the 300 distinct inputs was laid out" in found.warning
    beside = NearestNeighbors(n_neighbors=1).fit(found.points).kneighbors(return_distance=False)[:, 0]
    assert (GROUP[beside] == GROUP).mean() > 0.97


@each(
    "features, words",
    [
        (np.ones((40, 3)), "all inputs lie on one point"),
        (BLOBS[:12], "Of 12 inputs nearly all are neighbors of each other: the map says little."),
        (BLOBS[:60, :1], "The features vary in one direction only: across it, places on the map mean nothing."),
        (np.tile(BLOBS[:40], (1, 171))[:, :2048], ""),
        (np.repeat(BLOBS[:30], 2, axis=0), "30 of the 60 inputs have the same features as another one; equal inputs"),
        (BLOBS[:2], "all inputs lie on one line"),
    ],
)
def test_odd_inputs_are_laid_out_or_reported_to_have_no_plane(features, words):
    found = neighbor_map(features, seed=0)
    assert found.points.shape == (len(features), 2)
    assert np.isfinite(found.points).all()
    assert words in found.warning
    assert bool(words) == bool(found.warning)
    _, group = np.unique(features, axis=0, return_inverse=True)
    for one in np.unique(group):
        assert (found.points[group == one] == found.points[group == one][0]).all()  # equal inputs lie on one point


def test_nan_is_refused_and_whoever_watches_can_stop_it():
    with pytest.raises(BadInput, match="contain nan or infinity"):
        neighbor_map(np.array([[1.0, np.nan]] * 20), seed=0)

    def stop(done, total, what=""):
        if done >= 10:
            raise Canceled("as asked")

    with pytest.raises(Canceled):
        neighbor_map(BLOBS, seed=0, progress=stop)


def test_neighbors_are_scikit_learns_and_of_many_points_nearly_all_of_them(monkeypatch):
    space = np.random.default_rng(1).normal(size=(1500, 6)).astype(np.float32)
    apart, near = NearestNeighbors(n_neighbors=20, algorithm="brute").fit(space.astype(np.float64)).kneighbors()
    found, lengths = near_neighbors(space, 20)
    np.testing.assert_array_equal(found, near)
    np.testing.assert_allclose(lengths, apart, rtol=1e-6)
    rows, among = np.array([3, 900]), np.arange(0, 1500, 3)
    picked, _ = nearest_of(space, rows, 4, among=among)
    assert picked.tolist() == [nearest_by_hand(space, row, among, 4) for row in rows]
    monkeypatch.setattr(neighbors_module, "EXACT_UP_TO", 100)
    looked, _ = near_neighbors(space, 20)
    assert np.mean([len(set(one) & set(other)) / 20 for one, other in zip(looked, near, strict=True)]) > 0.9


def nearest_by_hand(space, row, among, count):
    others = [other for other in among.tolist() if other != row]
    return sorted(others, key=lambda other: np.linalg.norm(space[other] - space[row]))[:count]


def test_equally_near_inputs_count_as_kept_and_a_few_inputs_keep_all():
    assert neighbors_kept(np.repeat(np.eye(2), 30, axis=0), np.repeat([[0.0, 0], [9, 9]], 30, axis=0), seed=0) == 1
    assert neighbors_kept(BLOBS[:5], np.zeros((5, 2)), seed=0) == 1
    assert neighbors_kept(BLOBS[:1], np.zeros((1, 2)), seed=0) is None
