"""PACE's four variants, its settings through a plan's request, and input that clusters badly."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.datasets.preprocessing import Preprocessing
from testimate.feature_cache import FeatureCache
from testimate.planning.build import build
from testimate.planning.known_inputs import known_inputs
from testimate.selectors import SELECTORS, pace
from testimate.selectors.pace import last_apart, published_shares
from testimate.structure.prototypes import prototypes
from testimate.structure.rbf_kernel import l2_normalized, sampled_mean_kernel
from testimate.structure.reduction import min_max_scaled
from testimate.tasks.classification import Classification
from tests.each import each
from tests.own_files import open_files

BAD = ("pace", "pace-rand-g", "pace-rand-m", "pace-mmd", "pace-art")
FINE = {"min_cluster_size": 25, "reduction": "none"}

ERRORS = (4.470, 3.803, 3.569, 2.748, 3.616, 2.470, 2.288, 2.823, 1.720, 1.899, 1.803, 1.095, 0.470, 0.580)
PUBLISHED = dict(zip(range(50, 181, 10), ERRORS, strict=True))  # PACE, Table 2, row 4 (LeNet-5-M1), percent


def clouds(sizes, stray, seed=0):
    """Clouds of these sizes far apart, in that order, and strays between them, (N, 6)."""
    rng = np.random.default_rng(seed)
    centers = 20.0 * np.eye(6)[: len(sizes)]
    near = [rng.normal(center, 1.0, (size, 6)) for center, size in zip(centers, sizes, strict=True)]
    return np.concatenate([*near, rng.uniform(-10, 30, (stray, 6))]).astype(np.float32)


FEATURES = clouds([120, 80, 60, 50, 40], 30)
SIZE = len(FEATURES)


def draws_of(name, budget=50, seed=1, features=FEATURES, **settings):
    return SELECTORS[name](features, budget=budget, seed=seed, **settings).ask(budget + 10)


def rows_of(draws, strata):
    return [draw.row for draw in draws if draw.stratum in strata]


def test_random_in_groups_keeps_shares_and_minority_space_and_draws_each_member_as_often():
    whole = draws_of("pace", **FINE)
    counts, first = np.zeros(SIZE), None
    for seed in range(300):
        draws = draws_of("pace-rand-g", seed=seed, **FINE)
        assert [draw.stratum for draw in draws] == [draw.stratum for draw in whole]
        assert rows_of(draws, {5}) == rows_of(whole, {5})
        chosen = rows_of(draws, {0})
        assert len(set(chosen)) == len(chosen)
        counts[chosen] += 1
        first = first or draws
    members = pace.pace_groups(FEATURES, seed=1, min_samples=4, components=2, **FINE).members[0]
    assert counts.sum() == counts[members].sum()
    assert (
        stats.chisquare(counts[members]).pvalue > 1e-3
    )  # inclusion in samples without replacement: smaller than chi-square
    assert first[0].reason.startswith("random input 1 of cluster ")


def test_random_in_the_minority_space_keeps_the_prototypes():
    whole, draws = draws_of("pace", **FINE), draws_of("pace-rand-m", **FINE)
    assert rows_of(draws, range(5)) == rows_of(whole, range(5))
    minority = pace.pace_groups(FEATURES, seed=1, min_samples=4, components=2, **FINE).minority
    picked = {row for seed in range(60) for row in rows_of(draws_of("pace-rand-m", seed=seed, **FINE), {5})}
    assert picked == set(minority.tolist())
    assert next(draw.reason for draw in draws if draw.stratum == 5) == "random input 1 of the minority space"


def test_as_published_a_random_minority_share_is_rounded_down():
    assert published_shares(np.full(12, 100), 300, 50, 0.8)[-1] == 10
    assert (
        published_shares(np.full(12, 100), 300, 50, 0.8, at_random=True)[-1] == 9
    )  # int(50 * (1 - 0.8)) of the program
    strata = [draw.stratum for draw in draws_of("pace-rand-m", variant="as published", **FINE)]
    assert strata.count(5) == 9


def test_without_clusters_come_the_greedy_prototypes_of_the_whole_set():
    vectors = l2_normalized(min_max_scaled(FEATURES))
    kernel = np.exp(-0.026 * cdist(vectors, vectors, "sqeuclidean"))
    chosen = []
    for _ in range(12):
        costs = [
            np.inf
            if row in chosen
            else kernel[np.ix_(trial := [*chosen, row], trial)].mean() - 2 * kernel[trial].mean()
            for row in range(SIZE)
        ]
        chosen.append(int(np.argmin(costs)))
    selector = SELECTORS["pace-mmd"](FEATURES, budget=12, seed=1)
    assert [draw.row for draw in selector.ask(12)] == chosen
    assert [draw.row for draw in draws_of("pace-mmd", 40)][:12] == chosen
    critics = selector.criticisms(6)
    assert len(set(critics) - set(chosen)) == 6
    assert len(selector.criticisms(10**6)) == SIZE - 12


def test_prototypes_by_a_sample_are_those_of_its_means_and_say_what_they_leave_unexplained():
    vectors = l2_normalized(min_max_scaled(FEATURES))
    means = sampled_mean_kernel(vectors, 40, gamma=0.026, seed=3)
    selector = SELECTORS["pace-mmd"](FEATURES, budget=12, seed=3, sample=40)
    chosen = prototypes(vectors, 12, gamma=0.026, means=means)
    np.testing.assert_array_equal(selector.rows, chosen)
    kernel = np.exp(-0.026 * cdist(vectors, vectors, "sqeuclidean"))
    left = kernel.mean() - 2 * kernel[chosen].mean() + kernel[np.ix_(chosen, chosen)].mean()
    assert selector.objective.found == pytest.approx(left, rel=1e-6)
    assert f"over 40 of {SIZE} inputs" in selector.warning
    assert f"(MMD²) of {left:.2g}" in selector.warning
    for whole in (0, SIZE):
        assert SELECTORS["pace-mmd"](FEATURES, budget=12, seed=3, sample=whole).warning == ""


def test_adaptive_random_goes_to_the_farthest_from_a_random_start():
    space = min_max_scaled(FEATURES).astype(float)
    distances = cdist(space, space)
    starts = set()
    for seed in range(30):
        rows = [draw.row for draw in draws_of("pace-art", 15, seed)]
        starts.add(rows[0])
        for position in range(1, 15):
            nearest = distances[rows[:position]].min(axis=0)
            assert nearest[rows[position]] == pytest.approx(nearest.max())
    assert len(starts) > 20
    published = [draw.row for draw in draws_of("pace-art", 15, 3, variant="as published")]
    assert published == last_apart(space, 15, start=published[0]).tolist()
    assert published[1:3] == [int(distances[published[0]].argmax()), SIZE - 1]


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(
    "features",
    [
        pytest.param(np.ones((90, 3), dtype=np.float32), id="constant"),
        pytest.param(clouds([90], 0), id="one cloud"),
        pytest.param(np.repeat(clouds([3], 0), 40, axis=0), id="duplicates"),
        pytest.param(np.random.default_rng(3).uniform(size=(200, 3)), id="noise"),
        pytest.param(np.c_[clouds([60, 60, 60, 60], 10), np.zeros((250, 2), np.float32)], id="dead neurons"),
        pytest.param(clouds([5], 0), id="fewer than a cluster"),
    ],
)
def test_whatever_the_features_every_budget_gives_that_many_inputs(name, features):
    for budget in (1, 2, 5, len(features)):
        draws = draws_of(name, budget, features=features)
        assert len({draw.row for draw in draws}) == len(draws) == budget
        assert all(draw.reason for draw in draws)


@each("name", BAD)
def test_features_that_are_not_numbers_are_refused_by_each(name):
    broken = FEATURES.copy()
    broken[7, 0] = np.inf
    with pytest.raises(BadInput, match="row 7"):
        draws_of(name, features=broken)


def test_a_request_reaches_every_setting_and_features_side_by_side():
    other = np.random.default_rng(5).normal(size=(SIZE, 2)).astype(np.float32)
    inputs = Inputs(
        fingerprint="",
        task=Classification(classes=("a", "b")),
        predictions=np.zeros(SIZE, dtype=np.intp),
        features={"LHL": FEATURES, "ORI": other},
    )
    as_text = {"alpha": "0.5", "min_cluster_size": "25", "min_samples": "3", "reduction": "fastica", "components": "4"}
    settings = {"alpha": 0.5, "min_cluster_size": 25, "min_samples": 3, "reduction": "fastica", "components": 4}
    side_by_side = np.concatenate([FEATURES, other], axis=1)
    for name in ("pace", "pace-rand-g", "pace-rand-m"):
        request = Request(name, 50, 1, features="LHL+ORI", options={**as_text, "gamma": "0"})
        assert build(inputs, request).ask(50) == draws_of(name, features=side_by_side, **settings, gamma=0.0)[:50]
    for name, options in (("pace-mmd", {"gamma": "0.5"}), ("pace-art", {})):
        selector = build(inputs, Request(name, 50, 1, features="ORI", options=options))
        assert len(selector.ask(50)) == 50


def test_another_budget_or_alpha_does_not_cluster_again_and_another_setting_does(monkeypatch):
    calls = []
    found = pace.find_clusters
    monkeypatch.setattr(pace, "find_clusters", lambda *a, **k: calls.append(k) or found(*a, **k))
    features = clouds([50, 50, 50, 50], 20, seed=9)
    for budget, alpha, seed in ((10, 0.8, 1), (20, 0.8, 1), (20, 0.5, 2)):
        draws_of("pace", budget, seed, features=features, alpha=alpha, **FINE)
    assert len(calls) == 1  # nothing was reduced, so the seed does not matter
    draws_of("pace", 10, features=features, min_cluster_size=30, reduction="none")
    for seed in (1, 2):
        draws_of("pace", 10, seed, features=features, min_cluster_size=30, reduction="fastica")
    assert len(calls) == 4


def test_a_named_reduction_is_forced_or_follows_the_papers_rule():
    few = clouds([90, 90], 10, seed=4)  # at most 3 clusters: the rule asks for a reduction (section 4.4)
    for kind in ("pca", "nmf", "fa"):
        forced, by_rule = (draws_of("pace", 30, features=few, reduction=one) for one in (kind, f"auto {kind}"))
        assert by_rule == forced
        fine = draws_of("pace", 30, reduction=f"auto {kind}", min_cluster_size=25)  # five clusters: no reduction
        assert fine == draws_of("pace", 30, reduction="none", min_cluster_size=25)
    assert draws_of("pace", 30, features=few, reduction="auto") == draws_of(
        "pace", 30, features=few, reduction="fastica"
    )


@each("components", [2, 16])
@each("kind", ["fastica", "pca", "nmf", "fa"])
def test_every_reduction_to_few_and_many_dimensions_gives_the_same_list_twice(kind, components):
    rng = np.random.default_rng(8)
    wide = np.maximum(FEATURES @ rng.normal(size=(6, 20)), 0).astype(np.float32)
    settings = {"reduction": kind, "components": components, "min_cluster_size": 25}
    first = SELECTORS["pace"](wide, budget=40, seed=1, **settings)
    assert first.groups.clustering.space.shape == (SIZE, components)
    rows = [draw.row for draw in first.ask(40)]
    draws_of("pace", 5, features=FEATURES)  # another clustering takes the place of the kept one
    assert [draw.row for draw in draws_of("pace", 40, features=wide, **settings)] == rows
    assert len(set(rows)) == 40


def test_groups_by_k_means_are_kept_for_their_seed_only():
    loose = np.random.default_rng(3).uniform(size=(200, 3))
    first = pace.pace_groups(loose, seed=1, reduction="none", min_samples=4, components=2, min_cluster_size=80)
    again, other = (
        pace.pace_groups(loose, seed=seed, reduction="none", min_samples=4, components=2, min_cluster_size=80)
        for seed in (1, 2)
    )
    assert first.name == "k-means group"
    assert again is first
    assert other is not first


def test_as_published_above_60_dimensions_an_input_counts_among_its_own_neighbors(monkeypatch):
    calls = []
    found = pace.find_clusters
    monkeypatch.setattr(pace, "find_clusters", lambda *a, **k: calls.append(k) or found(*a, **k))
    rng = np.random.default_rng(6)
    for width, neighbors in ((60, 4), (61, 3)):  # hdbscan 0.8.22: Boruvka up to 60 dimensions, Prim above
        features = np.repeat(FEATURES, 11, axis=1)[:, :width] + rng.normal(size=(SIZE, width))
        draws_of("pace", 20, features=features, variant="as published", **FINE)
        assert calls.pop()["min_samples"] == neighbors
        draws_of("pace", 20, features=features, **FINE)
        assert calls.pop()["min_samples"] == 4
        draws_of("pace", 20, features=features, variant="as published", reduction="pca", min_cluster_size=25)
        assert calls.pop()["min_samples"] == 4


@pytest.mark.slow
def test_as_published_gives_the_published_errors_on_the_authors_own_network(real_data, tmp_path):
    way = {"preprocessing": Preprocessing(scale=1 / 255), "decided": "as the authors prepared them"}
    own = open_files(real_data / "pace" / "mutant1.h5", real_data / "mnist" / "mnist.npz", **way)
    inputs = known_inputs(
        replace(own.subject, training=None, training_truth=None), FeatureCache(tmp_path), auxiliary=()
    )
    errors = []
    for budget in PUBLISHED:
        request = Request("pace", budget, 1, variant="as published", options={"reduction": "none"})
        rows = [draw.row for draw in build(inputs, request).ask(budget + 10)]
        errors.append(100 * abs(inputs.losses[rows].mean() - inputs.losses.mean()))
    agree = np.abs(np.array(errors) - list(PUBLISHED.values())) < 6e-4  # printed with three digits
    assert agree.sum() >= 12
