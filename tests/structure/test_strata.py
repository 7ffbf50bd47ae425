from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from testimate.core.errors import BadInput
from testimate.structure.strata import _clusters, by_clusters, by_equal_size, by_rule, stratum_sizes
from tests.each import each

FINITE = st.floats(-1e3, 1e3).map(lambda value: round(value, 2))


def best_cut(values, count):
    """Least sum of squares within ``count`` runs of the sorted values, by trying every cut."""
    values = np.sort(values)
    return min(
        sum(((run - run.mean()) ** 2).sum() for run in np.split(values, cut))
        for cut in combinations(range(1, len(values)), count - 1)
    )


def test_the_rule_takes_the_least_confident_tenth_the_next_and_the_rest():
    scores = np.random.default_rng(0).permutation(1000) / 1000
    strata = by_rule(scores, seed=0)
    assert stratum_sizes(strata).tolist() == [100, 100, 800]
    assert scores[strata == 0].min() > scores[strata == 1].max()
    assert scores[strata == 1].min() > scores[strata == 2].max()


@each(("size", "expected"), [(1, [1]), (4, [1, 3]), (5, [1, 4]), (10, [1, 1, 8]), (15, [2, 1, 12]), (26, [3, 2, 21])])
def test_borders_are_rounded_and_empty_strata_left_out(size, expected):
    assert stratum_sizes(by_rule(np.arange(size), seed=0)).tolist() == expected


def test_equal_scores_are_separated_by_the_seed_and_not_by_their_order():
    scores = np.zeros(2000)
    strata = by_rule(scores, seed=1)
    np.testing.assert_array_equal(strata, by_rule(scores, seed=1))
    assert (strata != by_rule(scores, seed=2)).any()
    assert abs(np.flatnonzero(strata == 0).mean() - 1000) < 150  # sd of the mean of 200 rows: 39


@each("shares", [(), (0.5, 0.6), (1.2, -0.2), (0.0, 1.0)])
def test_shares_that_do_not_make_a_whole_are_refused(shares):
    with pytest.raises(BadInput, match="summing to 1"):
        by_rule(np.arange(10), seed=0, shares=shares)


@each("seed", range(6))
@each("count", [2, 3, 4])
def test_clusters_are_the_best_of_all_cuts(seed, count):
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(5 * center, 0.5, 4) for center in range(count)])
    strata = by_clusters(scores, count)
    inside = sum(((scores[strata == place] - scores[strata == place].mean()) ** 2).sum() for place in range(count))
    assert inside == pytest.approx(best_cut(scores, count))


@given(st.lists(FINITE, min_size=1, max_size=40), st.integers(1, 6))
def test_clusters_rise_with_the_score_have_no_gaps_and_keep_equal_scores_together(scores, count):
    strata = by_clusters(scores, count)
    order = np.argsort(scores, kind="stable")
    steps = np.diff(strata[order])
    assert strata.min() == 0
    assert set(steps.tolist()) <= {0, 1}
    assert strata.max() < min(count, len(set(scores)))
    assert not steps[np.diff(np.asarray(scores)[order]) == 0].any()
    if len(set(scores)) <= count:
        assert strata.max() == len(set(scores)) - 1


@each("scale", [1e-200, 1.0, 1e300])
def test_the_scale_of_a_score_changes_no_cluster(scale):
    scores = np.random.default_rng(0).gamma(0.3, size=500)
    np.testing.assert_array_equal(by_clusters(scores * scale, 5), by_clusters(scores, 5))


def test_clusters_are_computed_once_and_cannot_be_changed_by_a_caller():
    scores = np.random.default_rng(9).uniform(size=300)
    before = _clusters.cache_info()
    first = by_clusters(scores, 7)
    expected = first.copy()
    first[:] = 0
    np.testing.assert_array_equal(by_clusters(scores.copy(), 7), expected)
    after = _clusters.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 1)


@each("count", [0, -1, 2.0, True])
def test_a_number_of_clusters_that_is_not_a_count_is_refused(count):
    with pytest.raises(BadInput):
        by_clusters([0.1, 0.2], count)


def test_strata_of_equal_size_are_off_by_at_most_the_half_inputs_at_their_ends():
    rng = np.random.default_rng(0)
    sizes, keys = rng.uniform(0.5, 2, size=3000), rng.normal(size=3000)
    strata = by_equal_size(sizes, keys, 10, seed=0)
    totals = np.bincount(strata, weights=sizes)
    assert np.abs(totals - sizes.sum() / 10).max() <= sizes.max()
    for place in range(9):
        assert keys[strata == place].max() < keys[strata == place + 1].min()


def test_equal_sizes_make_equal_strata():
    assert stratum_sizes(by_equal_size(np.ones(1000), np.arange(1000), 10, seed=0)).tolist() == [100] * 10
    assert stratum_sizes(by_equal_size(np.full(7, 0.1), np.arange(7), 3, seed=0)).tolist() == [2, 3, 2]


def test_ties_are_broken_by_the_seed_and_not_by_their_order():
    strata = by_equal_size(np.ones(2000), np.zeros(2000), 10, seed=3)
    np.testing.assert_array_equal(strata, by_equal_size(np.ones(2000), np.zeros(2000), 10, seed=3))
    assert abs(np.flatnonzero(strata == 0).mean() - 1000) < 160


@each(
    ("sizes", "count", "expected"),
    [
        ([1, 1, 1, 1, 10, 10, 1, 1], 3, [4, 4]),  # cut into 4, 1 and 3: the single one joins the stratum above
        ([10, 3, 3, 2, 2], 4, [3, 2]),  # 1, 2 and 2
        ([1, 1, 1, 1, 100], 5, [5]),  # 4 and 1: the last one joins the stratum below
        ([5, 5], 5, [2]),
        ([3], 5, [1]),
    ],
)
def test_a_stratum_of_one_input_joins_its_neighbor(sizes, count, expected):
    strata = by_equal_size(sizes, np.arange(len(sizes)), count, seed=0)
    assert stratum_sizes(strata).tolist() == expected


@given(
    st.lists(st.tuples(st.floats(0.01, 100), st.integers(0, 5)), min_size=1, max_size=60),
    st.integers(1, 12),
    st.integers(0, 99),
)
def test_every_input_has_a_stratum_and_none_is_alone(inputs, count, seed):
    sizes, keys = np.array(inputs).T
    strata = by_equal_size(sizes, keys, count, seed=seed)
    held = stratum_sizes(strata)
    assert held.sum() == len(inputs)
    assert len(held) <= count
    assert held.min() >= min(2, len(inputs))
    assert (np.diff(strata[np.lexsort((strata, keys))]) >= 0).all()


@each(("sizes", "keys", "count"), [([1, 0], [1, 2], 2), ([1, 1], [1], 2), ([], [], 2), ([1], [1], 0)])
def test_sizes_that_cannot_be_cut_are_refused(sizes, keys, count):
    with pytest.raises(BadInput):
        by_equal_size(sizes, keys, count, seed=0)


@each("strata", [[], [0, 2], [-1, 0], [[0]]])
def test_strata_with_gaps_are_refused(strata):
    with pytest.raises(BadInput):
        stratum_sizes(np.array(strata, dtype=int))
