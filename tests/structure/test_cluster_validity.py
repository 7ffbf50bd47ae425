"""Validity and stability of clusters: the hdbscan package's and scikit-learn's own numbers, and settings side by side."""

import numpy as np
import pytest
from hdbscan import HDBSCAN
from sklearn.metrics import adjusted_rand_score

from testimate.structure.density_clusters import adjusted_rand, find_clusters, relative_validity
from testimate.structure.settings_table import SettingRow, advised, settings_table
from tests.each import each

RNG = np.random.default_rng(7)
SPREAD = np.repeat([0.5, 0.8, 1.2, 1.6], 500)
BLOBS = 7 * np.eye(4, 8)[np.repeat(np.arange(4), 500)] + SPREAD[:, None] * RNG.normal(size=(2000, 8))


def test_the_validity_is_the_hdbscan_packages_relative_validity_on_2000_points():
    for size, outcome in ((40, "several"), (900, "none or one")):
        model = HDBSCAN(min_cluster_size=size, min_samples=4, gen_min_span_tree=True, approx_min_span_tree=False)
        model.fit(BLOBS)
        edges = model.minimum_spanning_tree_.to_numpy()
        found = relative_validity(model.labels_, edges)
        if model.labels_.max() < 0:
            assert (found, outcome) == (None, "none or one")
        else:
            assert found == pytest.approx(model.relative_validity_, rel=1e-12)
    one = np.where(np.arange(2000) < 1500, 0, -1)  # a single cluster beside a minority space
    model.labels_, model._relative_validity = one, None
    assert relative_validity(one, edges) == pytest.approx(model.relative_validity_, rel=1e-12)


@each(
    "one, other",
    [
        (RNG.integers(-1, 4, 300), RNG.integers(-1, 5, 300)),
        (np.repeat([0, 1, -1], 20), np.repeat([2, 0, 1], 20)),
        (np.zeros(30, dtype=int), np.zeros(30, dtype=int)),
        (np.arange(30), np.zeros(30, dtype=int)),
    ],
)
def test_the_agreement_is_scikit_learns_adjusted_rand_index(one, other):
    assert adjusted_rand(one, other) == pytest.approx(adjusted_rand_score(one, other), abs=1e-12)


def test_settings_side_by_side_are_what_each_finds_alone_and_their_stability_is_that_of_samples():
    part = BLOBS[::4]
    failed = np.arange(len(part)) % 7 == 0
    noise = RNG.normal(size=part.shape)
    layers = {"LHL": part.astype(np.float32), "CON": noise.astype(np.float32)}
    rows = settings_table(layers, (10, 40), seed=3, reduction="none", failed=failed, resamples=3)
    assert [(row.features, row.min_cluster_size) for row in rows] == [
        ("LHL", 10), ("LHL", 40), ("CON", 10), ("CON", 40)
    ]  # fmt: skip
    for row in rows:
        alone = find_clusters(layers[row.features], seed=3, min_cluster_size=row.min_cluster_size, reduction="none")
        assert (row.clusters, row.outside) == (alone.count, alone.noise_share)
        assert row.faults_outside == (alone.labels[failed] < 0).mean()
        if row.clusters:
            assert row.lowest <= row.stability <= row.highest
    separated = rows[1]
    assert separated.clusters == 4
    assert separated.stability > 0.8
    assert advised(rows) == max(rows[:2], key=lambda row: row.validity * row.stability)


def test_no_setting_is_advised_where_none_tells_inputs_apart():
    alone = SettingRow("LHL", 10, 1, 0.1, 0.9, 1.0, 1.0, 1.0, None)
    outside = SettingRow("LHL", 10, 5, 0.95, 0.9, 1.0, 1.0, 1.0, None)
    assert advised([alone, outside]) is None
