"""What stands behind prototypes: by definition, by scikit-learn's classifier, and by exhaustive search."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from testimate.structure.prototypes import (
    choice_error,
    discrepancies_of,
    elbow,
    k_medoids,
    nearest_prototype_error,
    prototypes,
    prove_prototypes,
)

DIGITS = load_digits()
FEATURES, TRUE = DIGITS.data[:600] / 16, DIGITS.target[:600].astype(np.intp)


def test_the_discrepancies_are_the_squared_mmd_of_every_prefix():
    features = np.random.default_rng(0).normal(size=(60, 4))
    kernel = np.exp(-0.2 * cdist(features, features, "sqeuclidean"))
    chosen = prototypes(features, 12, gamma=0.2)
    expected = [
        kernel.mean() - 2 * kernel[chosen[:k]].mean() + kernel[np.ix_(chosen[:k], chosen[:k])].mean()
        for k in range(1, 13)
    ]
    np.testing.assert_allclose(discrepancies_of(features, chosen, gamma=0.2), expected, atol=1e-12)
    everything = discrepancies_of(features, np.arange(60), gamma=0.2)
    assert everything[-1] == pytest.approx(0, abs=1e-12)


def test_the_error_is_that_of_scikit_learns_nearest_neighbor_fitted_to_the_prototypes():
    chosen = prototypes(FEATURES, 20, gamma=0.1)
    others = np.setdiff1d(np.arange(600), chosen)
    model = KNeighborsClassifier(1).fit(FEATURES[chosen], TRUE[chosen])
    expected = 1 - model.score(FEATURES[others], TRUE[others])
    assert nearest_prototype_error(FEATURES, chosen, TRUE) == pytest.approx(expected)
    unknown = np.where(np.arange(600) % 2, TRUE, -1)
    known = others[others % 2 == 1]
    deciding = chosen[chosen % 2 == 1]
    model = KNeighborsClassifier(1).fit(FEATURES[deciding], TRUE[deciding])
    expected = 1 - model.score(FEATURES[known], TRUE[known])
    assert nearest_prototype_error(FEATURES, chosen, unknown) == pytest.approx(expected)
    assert nearest_prototype_error(FEATURES, chosen, np.full(600, -1)) == 0


def test_prototypes_tell_digits_apart_better_than_as_many_random_ones():
    error = choice_error(FEATURES, prototypes(FEATURES, 40, gamma=0.1), TRUE, seed=1)
    assert error.random_least <= error.random <= error.random_most
    assert error.prototypes < error.random
    assert error.medoids < error.random


def test_medoids_are_the_best_of_all_pairs_where_there_are_two_groups():
    points = np.concatenate([np.random.default_rng(2).normal(place, 1, size=(9, 2)) for place in (0, 9)])
    apart = cdist(points, points)
    best = min(combinations(range(18), 2), key=lambda pair: apart[:, pair].min(axis=1).sum())
    assert k_medoids(points, 2, seed=0).tolist() == list(best)
    assert k_medoids(np.ones((5, 2)), 5, seed=0).tolist() == [0, 1, 2, 3, 4]


def test_all_inputs_are_looked_at_together_and_what_the_kernel_changes_is_counted():
    proof = prove_prototypes(FEATURES, 12, gamma=0.1, seed=0, predicted=TRUE, most=400)
    assert len(proof.looked_at) == 400
    space = FEATURES[proof.looked_at]
    chosen = prototypes(space, 24, gamma=0.1)
    assert proof.chosen.tolist() == proof.looked_at[chosen].tolist()
    assert proof.used == 12
    assert proof.true is None
    for share, gamma in ((proof.stay_half, 0.4), (proof.stay_twice, 0.025)):
        assert share == len(set(chosen[:12]) & set(prototypes(space, 12, gamma=gamma))) / 12
    assert elbow([3.0, 3.0]) == 1
    assert elbow([0.1, 0.2, 0.3]) == 1
