"""PACE: how many from where, which ones, and what happens where there are no clusters."""

import subprocess
import sys

import numpy as np
import pytest

from testimate.core.errors import BadInput
from testimate.selectors.pace import Pace, last_apart, published_shares, shares
from testimate.structure.density_clusters import find_clusters
from tests.each import each


def clouds(sizes, stray, seed=0):
    """Clouds of these sizes far apart, in that order, and strays between them, (N, 6)."""
    rng = np.random.default_rng(seed)
    centers = 20.0 * np.eye(6)[: len(sizes)]
    near = [rng.normal(center, 1.0, (size, 6)) for center, size in zip(centers, sizes, strict=True)]
    return np.concatenate([*near, rng.uniform(-10, 30, (stray, 6))]).astype(np.float32)


FEATURES = clouds([120, 80, 60, 50, 40], 30)
FINE = {"min_cluster_size": 25, "reduction": "none"}


def test_clusters_give_in_proportion_and_the_rest_comes_from_the_minority_space():
    selector = Pace(FEATURES, budget=50, seed=1, **FINE)
    draws, sizes = selector.ask(50), np.array(selector.design.stratum_sizes)
    taken = np.bincount([draw.stratum for draw in draws])
    assert len(sizes) == 6  # five clusters, the minority space last
    assert taken[-1] == 10  # (1 - 0.8) * 50
    assert np.abs(taken[:-1] - 40 * sizes[:-1] / sizes[:-1].sum()).max() < 1
    assert selector.warning == ""


def test_prototypes_are_the_greedy_ones_of_mmd_critic():
    selector = Pace(FEATURES, budget=50, seed=1, **FINE)
    draws = selector.ask(50)
    clustering = find_clusters(FEATURES, seed=1, **FINE)
    members = np.flatnonzero(clustering.labels == 2)
    vectors = clustering.space[members].astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kernel = np.exp(-0.026 * ((vectors[:, None] - vectors) ** 2).sum(axis=2))
    chosen = []
    for _ in range(sum(draw.stratum == 2 for draw in draws)):  # brute force: the input that lowers MMD^2 most
        costs = [
            np.inf
            if place in chosen
            else kernel[np.ix_(trial := [*chosen, place], trial)].mean() - 2 * kernel[trial].mean()
            for place in range(len(members))
        ]
        chosen.append(int(np.argmin(costs)))
    assert [draw.row for draw in draws if draw.stratum == 2] == members[chosen].tolist()
    assert [draw.reason for draw in draws if draw.stratum == 2][:2] == [
        "prototype 1 of cluster 3",
        "prototype 2 of cluster 3",
    ]


def test_the_minority_space_gives_the_outlier_first_and_then_the_farthest():
    draws = [draw for draw in Pace(FEATURES, budget=50, seed=1, **FINE).ask(50) if draw.stratum == 5]
    clustering = find_clusters(FEATURES, seed=1, **FINE)
    members = np.flatnonzero(clustering.labels == -1)
    points = clustering.space[members].astype(float)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    chosen = [int(np.argmax(clustering.glosh[members]))]
    while len(chosen) < len(draws):
        chosen.append(int(np.argmax(distances[:, chosen].min(axis=1))))
    assert [draw.row for draw in draws] == members[chosen].tolist()
    assert draws[0].reason == "minority space, highest GLOSH score"
    assert draws[1].reason == "minority space, farthest from those chosen"


def test_every_prefix_is_near_the_proportions():
    strata = np.array([draw.stratum for draw in Pace(FEATURES, budget=50, seed=1, **FINE).ask(50)])
    drawn = np.cumsum(strata[:, None] == np.arange(6), axis=0)
    assert np.abs(drawn - np.arange(1, 51)[:, None] * drawn[-1] / 50).max() < 1


def test_another_process_and_another_seed_select_the_same():
    here = [draw.row for draw in Pace(FEATURES, budget=30, seed=1, **FINE).ask(30)]
    code = (
        "import numpy as np, sys; from testimate.selectors.pace import Pace;"
        "features = np.frombuffer(sys.stdin.buffer.read(), dtype=np.float32).reshape(-1, 6);"
        "print([d.row for d in Pace(features, budget=30, seed=7, min_cluster_size=25, reduction='none').ask(30)])"
    )
    there = subprocess.run([sys.executable, "-c", code], input=FEATURES.tobytes(), capture_output=True, check=True)
    assert there.stdout.decode().strip() == str(here)


@each("features", [clouds([70], 0), np.ones((70, 3), dtype=np.float32)])
@each("budget", [1, 7, 70])
def test_without_clusters_k_means_groups_stand_in_and_that_is_reported(features, budget):
    selector = Pace(features, budget=budget, seed=1)
    draws = selector.ask(budget)
    assert len({draw.row for draw in draws}) == budget
    assert "k-means" in selector.warning
    assert all("k-means group" in draw.reason for draw in draws)
    assert sum(selector.design.stratum_sizes) == 70


def test_noise_nearly_everywhere_falls_back_too():
    everywhere = np.random.default_rng(1).uniform(-300, 300, (340, 6)).astype(np.float32)
    noisy, fine = np.concatenate([clouds([30, 30], 0), everywhere]), {"min_cluster_size": 20, "reduction": "none"}
    clustering = find_clusters(noisy, seed=1, **fine)
    selector = Pace(noisy, budget=40, seed=1, **fine)
    assert clustering.count > 0
    assert clustering.noise_share > 0.8
    assert selector.warning.startswith("HDBSCAN calls 85% of the inputs minority space.")
    assert "k-means" in selector.warning


def test_a_budget_below_the_number_of_clusters_takes_the_largest():
    selector = Pace(FEATURES, budget=3, seed=1, **FINE)
    sizes = np.array(selector.design.stratum_sizes[:-1])
    assert {draw.stratum for draw in selector.ask(3)} == set(np.argsort(-sizes)[:3].tolist())


@each("minority", [0, 3, 40])
@each("alpha", [0.0, 0.5, 0.8, 1.0])
def test_shares_sum_to_every_budget_and_fit(minority, alpha):
    sizes = np.array([30, 20, 5, 1])
    for budget in range(1, 56 + minority + 1):
        counts = shares(sizes, minority, budget, alpha)
        assert counts.sum() == budget
        assert (counts <= np.append(sizes, minority)).all()
        assert (counts[:-1] >= (budget >= 4)).all()


def test_what_one_side_cannot_hold_the_other_gives():
    assert shares(np.array([60, 40]), 2, 50, 0.8)[-1] == 2  # not 10
    assert shares(np.array([6, 4]), 90, 50, 0.8).tolist() == [6, 4, 40]


def test_as_published_clusters_are_rounded_one_by_one():
    counts = published_shares(np.full(12, 100), 300, 180, 0.8)  # 144 / 12 = 12 each
    assert counts.tolist() == [12] * 12 + [36]
    counts = published_shares(np.array([1000, 900, 85, 85]), 300, 50, 0.8)  # 19.3, 17.4, 1.6 and 1.6
    assert counts.tolist() == [19, 17, 2, 2, 10]
    counts = published_shares(np.array([980, 885, 80, 80, 80]), 300, 50, 0.8)  # 18.6, 16.8 and three of 1.5
    assert counts.tolist() == [19, 17, 2, 2, 2, 10]
    assert counts.sum() == 52  # as the authors' figures for n = 180 come from up to 182 inputs


def test_as_published_the_list_may_be_longer_and_says_so():
    selector = Pace(FEATURES, budget=7, seed=1, variant="as published", **FINE)
    assert selector.remaining == selector.design.planned == len(selector.ask(100)) != 7
    assert "budget of 7" in selector.warning


def test_as_published_the_last_input_apart_is_taken_not_the_farthest():
    points = np.array([[0.0, 0.0], [9.0, 0.0], [4.0, 4.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert last_apart(points, 6, start=0).tolist() == [0, 1, 3, 2, 4, 5]
    draws = Pace(FEATURES, budget=50, seed=1, variant="as published", **FINE).ask(60)
    rows = [draw.row for draw in draws if draw.stratum == 5]
    minority = np.flatnonzero(find_clusters(FEATURES, seed=1, **FINE).labels == -1).tolist()
    assert rows[2:] == [row for row in reversed(minority) if row not in rows[:2]][: len(rows) - 2]


def test_criticisms_are_other_inputs_of_the_same_cluster():
    selector = Pace(FEATURES, budget=50, seed=1, **FINE)
    prototypes = {draw.row for draw in selector.ask(50) if draw.stratum == 1}
    found = selector.criticisms(1, 5)
    labels = find_clusters(FEATURES, seed=1, **FINE).labels
    assert len(set(found)) == 5
    assert not prototypes & set(found)
    assert (labels[list(found)] == 1).all()
    with pytest.raises(BadInput, match="no prototypes"):
        selector.criticisms(5, 1)


def test_the_median_heuristic_is_an_option():
    rows = [
        [draw.row for draw in Pace(FEATURES, budget=50, seed=1, gamma=gamma, **FINE).ask(50)] for gamma in (0.0, 0.026)
    ]
    assert rows[0] != rows[1]


def test_features_that_are_not_numbers_are_refused():
    broken = FEATURES.copy()
    broken[7, 0] = np.nan
    with pytest.raises(BadInput, match="row 7"):
        Pace(broken, budget=10, seed=1)
