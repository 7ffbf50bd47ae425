"""Neighbors and prototypes against scikit-learn's nearest neighbors and a search by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from testimate.project.cluster_review import distances_to, nearest_prototype, neighbors

FEATURES = np.random.default_rng(6).normal(size=(9_000, 5)).astype(np.float32)


def test_neighbors_are_those_of_scikit_learn_without_the_input_itself():
    distances, rows = NearestNeighbors(n_neighbors=7, algorithm="brute").fit(FEATURES).kneighbors(FEATURES[[11, 8_999]])
    for place, row in enumerate((11, 8_999)):
        found = neighbors(row, distances_to(row, FEATURES))
        assert [one.row for one in found] == rows[place, 1:].tolist()
        np.testing.assert_allclose([one.distance for one in found], distances[place, 1:], rtol=1e-5)


def test_equal_inputs_come_in_the_order_of_their_rows_and_a_small_set_gives_what_it_has():
    found = neighbors(1, distances_to(1, np.zeros((4, 2), dtype=np.float32)))
    assert [(one.row, one.distance) for one in found] == [(0, 0.0), (2, 0.0), (3, 0.0)]


def test_the_nearest_prototype_of_a_class_is_found_among_those_predicted_so():
    cards = [SimpleNamespace(prototypes=np.array(rows)) for rows in ([3, 700], [12, 4_000, 5])]
    view = SimpleNamespace(cards=cards)
    inputs = SimpleNamespace(predictions=np.arange(9_000) % 2)
    distances = distances_to(5, FEATURES)
    best = min((3,), key=lambda row: distances[row])
    found = nearest_prototype(1, 5, view, inputs, distances)
    assert (found.row, found.distance) == (best, pytest.approx(np.linalg.norm(FEATURES[3] - FEATURES[5]), rel=1e-6))
    even = min((700, 12, 4_000), key=lambda row: distances[row])
    assert nearest_prototype(0, 5, view, inputs, distances).row == even
    assert nearest_prototype(7, 5, view, inputs, distances) is None
