import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from testimate.core.errors import BadInput
from testimate.structure.prototypes import criticisms, prototypes, witness
from testimate.structure.rbf_kernel import KERNEL_GAMMA, l2_normalized, mean_kernel, median_heuristic
from tests.each import each

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "mmd_critic.json").read_text())
DIGITS = load_digits().data
GOLDEN_DATA = {
    "load_digits().data[:500], rows L2-normalised": lambda: l2_normalized(DIGITS[:500]),
    "load_digits().data[:500] / 16": lambda: DIGITS[:500] / 16,
    "load_digits().data[500:1500] / 16": lambda: DIGITS[500:1500] / 16,
}


def squared_mmd(kernel, chosen):
    return kernel.mean() - 2 * kernel[chosen].mean() + kernel[np.ix_(chosen, chosen)].mean()


def greedy(score, candidates, count, start=()):
    chosen = list(start)
    for _ in range(count):
        left = [row for row in candidates if row not in chosen]
        chosen.append(max(left, key=lambda row: (round(score([*chosen, row]), 11), -row)))
    return chosen[len(start) :]


@each("case", GOLDEN)
def test_the_picks_are_those_of_the_authors_code_in_order(case):
    features = GOLDEN_DATA[case["data"]]()
    chosen = prototypes(features, len(case["prototypes"]), gamma=case["gamma"])
    assert chosen.tolist() == case["prototypes"]
    assert criticisms(features, chosen, len(case["criticisms"]), gamma=case["gamma"]).tolist() == case["criticisms"]


@each("seed", range(4))
def test_each_prototype_lowers_the_discrepancy_most_by_its_definition(seed):
    features = np.random.default_rng(seed).normal(size=(40, 3))
    kernel = np.exp(-0.3 * cdist(features, features, "sqeuclidean"))
    expected = greedy(lambda chosen: -squared_mmd(kernel, chosen), range(40), 8)
    assert prototypes(features, 8, gamma=0.3).tolist() == expected


@each("seed", range(4))
def test_each_criticism_raises_witness_and_log_determinant_most_by_their_definition(seed):
    features = np.random.default_rng(seed).normal(size=(40, 3))
    kernel = np.exp(-0.3 * cdist(features, features, "sqeuclidean"))
    chosen = [3, 17, 29]
    gap = np.abs(kernel.mean(axis=0) - kernel[chosen].mean(axis=0))

    def score(rows):
        return gap[rows].sum() + np.linalg.slogdet(kernel[np.ix_(rows, rows)])[1]

    expected = greedy(score, [row for row in range(40) if row not in chosen], 7)
    assert criticisms(features, chosen, 7, gamma=0.3).tolist() == expected


def test_greedy_prototypes_are_nearly_the_best_of_all_sets():
    features = np.random.default_rng(5).normal(size=(12, 2))
    kernel = rbf_kernel(features, gamma=0.5)
    best = min(squared_mmd(kernel, list(rows)) for rows in combinations(range(12), 4))
    empty = kernel.mean()
    gained = empty - squared_mmd(kernel, prototypes(features, 4, gamma=0.5))
    assert gained >= (1 - 1 / np.e) * (empty - best)  # the bound of Nemhauser et al. for greedy picks


def test_the_kernels_means_are_scikit_learns_across_tiles():
    features = np.random.default_rng(0).normal(size=(2300, 3)) + 1e4  # more than two tiles, far from the origin
    expected = rbf_kernel(features - 1e4, gamma=0.7).mean(axis=0)
    np.testing.assert_allclose(mean_kernel(features, gamma=0.7), expected, rtol=1e-9)


def test_the_witness_is_the_difference_of_two_mean_kernels():
    features = DIGITS[:300] / 16
    kernel = rbf_kernel(features, gamma=0.1)
    expected = kernel.mean(axis=0) - kernel[[4, 8, 15]].mean(axis=0)
    np.testing.assert_allclose(witness(features, [4, 8, 15], gamma=0.1), expected, atol=1e-12)
    np.testing.assert_allclose(witness(features, np.arange(300), gamma=0.1), 0, atol=1e-12)


def test_the_first_of_many_prototypes_are_those_of_a_smaller_count_and_given_means_change_nothing():
    features = DIGITS[:200] / 16
    means = mean_kernel(features, gamma=0.1)
    many = prototypes(features, 30, gamma=0.1, means=means)
    np.testing.assert_array_equal(many[:10], prototypes(features, 10, gamma=0.1))
    np.testing.assert_array_equal(
        criticisms(features, many, 5, gamma=0.1), criticisms(features, many, 5, gamma=0.1, means=means)
    )


def test_of_equal_inputs_the_lowest_row_is_picked_first():
    base = np.random.default_rng(2).normal(size=(30, 7))
    twice = np.vstack([base, base])
    chosen = prototypes(twice, 60, gamma=0.05)
    assert sorted(chosen) == list(range(60))
    place = np.argsort(chosen)  # when each row was picked
    assert (place[:30] < place[30:]).all()
    critics = criticisms(twice, [0], 29, gamma=0.05)
    assert len(set(critics % 30)) == 29  # a copy tells nothing new while others are left
    assert (critics[critics != 30] < 30).all()  # 30 is a copy of the prototype


def test_criticisms_go_on_when_only_copies_are_left():
    features = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    critics = criticisms(features, [0], 11, gamma=1.0)
    assert sorted(critics) == list(range(1, 12))
    assert criticisms(features, [0], 0, gamma=1.0).size == 0


def test_rows_of_length_one_and_zeros_stay_as_they_are():
    rows = l2_normalized([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [0, -1]])
    assert KERNEL_GAMMA == 0.026


def test_the_median_heuristic_is_its_formula_and_near_it_from_a_sample():
    features = np.random.default_rng(0).normal(size=(400, 5))
    exact = 1 / (2 * np.median(pdist(features)) ** 2)
    assert median_heuristic(features, seed=1) == pytest.approx(exact)
    sampled = median_heuristic(features, seed=1, sample=150)
    assert sampled == median_heuristic(features, seed=1, sample=150)
    assert sampled == pytest.approx(exact, rel=0.1)
    assert sampled != exact


def test_the_median_heuristic_is_a_number_even_where_most_inputs_are_equal():
    assert median_heuristic(np.zeros((10, 2)), seed=0) == 1.0
    assert median_heuristic(np.vstack([np.zeros((10, 1)), [[2.0]]]), seed=0) == pytest.approx(1 / 8)


@each(
    "call",
    [
        lambda x: prototypes(x, 0, gamma=1.0),
        lambda x: prototypes(x, 6, gamma=1.0),
        lambda x: prototypes(x, 2, gamma=0.0),
        lambda x: prototypes(x, 2, gamma=float("nan")),
        lambda x: criticisms(x, [], 1, gamma=1.0),
        lambda x: criticisms(x, [0, 0], 1, gamma=1.0),
        lambda x: criticisms(x, [5], 1, gamma=1.0),
        lambda x: criticisms(x, [0], 5, gamma=1.0),
        lambda x: witness(x, [-1], gamma=1.0),
    ],
)
def test_counts_rows_and_gammas_outside_their_range_are_refused(call):
    with pytest.raises(BadInput):
        call(np.arange(5.0)[:, None])
