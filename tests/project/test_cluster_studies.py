"""Studies behind clusters: settings tried in the background, prototypes put to the test, clusters that are classes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from testimate.core.inputs import Inputs
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.clusters import inputs_below, kind_of, view_clusters
from testimate.project.found_clusters import ClusterStudies, proven
from testimate.project.jobs import Jobs
from testimate.structure.rbf_kernel import KERNEL_GAMMA, l2_normalized
from testimate.structure.settings_table import settings_table
from testimate.tasks.classification import Classification

RNG = np.random.default_rng(2)
GROUP = np.repeat(np.arange(4), 50)
FEATURES = (9 * np.eye(4, 5)[GROUP] + RNG.normal(size=(200, 5))).astype(np.float32)
TRUTH = np.where(np.arange(200) % 10 == 0, (GROUP + 1) % 4, GROUP)
SETTINGS = ClusterSettings(min_cluster_size=15, reduction="none")


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    """Four groups; the first is a class, the second and third make one, the fourth is of two classes."""
    predictions = np.select([GROUP == 0, GROUP < 3], [0, 1], np.where(np.arange(200) % 2, 2, 3))
    return Inputs(
        fingerprint="c" * 32,
        task=Classification(("a", "b", "c", "d")),
        predictions=predictions,
        features={"LHL": FEATURES},
        truth=TRUTH,
        losses=(predictions != TRUTH).astype(np.float64),
    )


@pytest.fixture(scope="module")
def view(inputs):
    return view_clusters(inputs, SETTINGS)


def test_clusters_that_match_a_class_are_told_from_parts_of_one_and_from_mixtures(inputs, view):
    kinds = {int(GROUP[card.rows[0]]): kind_of(card, inputs) for card in view.cards}
    assert kinds == {0: "a class", 1: "a part of a class", 2: "a part of a class", 3: "mixed"}
    unknown = replace(view.cards[0], purity=None, commonest=None)
    assert kind_of(unknown, inputs) is None


def test_the_inputs_of_a_branch_are_all_that_fall_out_below_it(view):
    tree = view.clustering.condensed_tree
    assert inputs_below(200, tree, 200).tolist() == list(range(200))  # the root
    for card, node in zip(view.cards, view.nodes, strict=True):
        assert inputs_below(node, tree, 200).tolist() == card.rows.tolist()


def test_the_witness_of_the_map_is_that_of_each_cards_criticisms_and_unknown_outside(view):
    for card in view.cards:
        np.testing.assert_array_equal(view.witness[card.criticisms], card.witness)
    assert np.isnan(view.witness[view.minority]).all()


def test_prototypes_of_each_cluster_stand_beside_as_many_of_all_inputs(inputs, view):
    found = proven(inputs, view)
    prototypes = np.concatenate([card.prototypes for card in view.cards])
    assert found.apart == found.together.used == len(prototypes)
    space = l2_normalized(view.clustering.space)
    kernel = np.exp(-KERNEL_GAMMA * cdist(space, space, "sqeuclidean"))
    left = kernel.mean() - 2 * kernel[prototypes].mean() + kernel[np.ix_(prototypes, prototypes)].mean()
    assert found.apart_left == pytest.approx(left, abs=1e-12)
    others = np.setdiff1d(np.arange(200), prototypes)
    near = prototypes[cdist(space[others], space[prototypes]).argmin(axis=1)]
    assert found.apart_error == pytest.approx((inputs.predictions[near] != inputs.predictions[others]).mean())
    assert found.apart_true == pytest.approx((TRUTH[near] != TRUTH[others]).mean())


def test_settings_are_tried_in_the_background_once_and_are_those_of_the_table(inputs, view):
    jobs = Jobs()
    studies = ClusterStudies(lambda *_: inputs, lambda *_: view, jobs)
    assert studies.tried_settings("key", SETTINGS) is None
    studies.try_settings("key", SETTINGS)
    assert jobs.wait(studies.settings_job("key", SETTINGS), 60).state == "done"
    failed = inputs.losses > 0
    expected = settings_table({"LHL": FEATURES}, (4, 8, 15, 30, 60), seed=0, reduction="none", failed=failed)
    assert studies.tried_settings("key", SETTINGS) == expected
    studies.prove_prototypes("key", SETTINGS)
    jobs.wait(studies.prototypes_job("key", SETTINGS), 60)
    assert studies.proven_prototypes("key", SETTINGS).apart == 24
