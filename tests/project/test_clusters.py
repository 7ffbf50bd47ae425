"""A reviewer's view of the clusters: whose cards, which fall-back, which settings to try, and what a note is kept under."""

from dataclasses import replace

import numpy as np
import pytest

from testimate.core.errors import BadInput, Canceled
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.build import build
from testimate.project import clusters
from testimate.project.cluster_settings import ClusterSettings, settings_of, suited_settings
from testimate.project.clusters import settings_to_try, view_clusters
from testimate.reports.clusters import Clustered
from testimate.reports.explained_words import criticism_words, place_words, prototype_words, role_words
from testimate.structure.maps import planar_map
from testimate.tasks.classification import Classification
from tests.each import each


def inputs_of(features: np.ndarray, **named: np.ndarray) -> Inputs:
    """Inputs of two classes, predicted by the sign of the first feature."""
    predictions = (features[:, 0] > features[:, 0].mean()).astype(np.intp)
    return Inputs(
        fingerprint="a" * 32,
        task=Classification(("no", "yes")),
        predictions=predictions,
        confidence=np.linspace(0.5, 1.0, len(features)),
        features={"LHL": features.astype(np.float32), **named},
    )


@pytest.fixture(scope="module")
def blobs() -> Inputs:
    """Four blobs of 60 inputs and 20 inputs far outside, in four dimensions."""
    rng = np.random.default_rng(8)
    centers = 12 * np.eye(4)
    inside = np.concatenate([rng.normal(center, 0.5, size=(60, 4)) for center in centers])
    return inputs_of(np.concatenate([inside, rng.uniform(-40, 40, size=(20, 4))]))


SETTINGS = ClusterSettings(min_cluster_size=20, reduction="none")


@each(
    ("name", "value", "least"),
    [("min_cluster_size", 1, 2), ("min_samples", 0, 1), ("components", -2, 1), ("seed", -1, 0)],
)
def test_settings_that_no_clustering_can_have_are_refused_with_what_is_needed(name, value, least):
    with pytest.raises(BadInput, match=rf"{name} is {value}. Expected a whole number at least {least}"):
        settings_of({name: str(value)})


@each(("name", "value"), [("reduction", "umap"), ("exactness", "roughly"), ("components", "2.5"), ("color", "red")])
def test_settings_read_from_an_address_are_those_that_a_clustering_takes(name, value):
    with pytest.raises(BadInput, match=f"{name}.*{value}|no option '{name}'"):
        settings_of({name: value})


def test_each_card_holds_a_blob_its_prototypes_lie_in_it_and_its_numbers_are_its_own(blobs):
    view = view_clusters(blobs, SETTINGS)
    assert view.trouble == ""
    assert len(view.cards) == 4
    for card in view.cards:
        np.testing.assert_array_equal(card.rows, np.flatnonzero(view.clustering.labels == card.number))
        assert set(card.prototypes) | set(card.criticisms) <= set(card.rows)
        assert not set(card.prototypes) & set(card.criticisms)
        assert card.mean_confidence == pytest.approx(blobs.confidence[card.rows].mean())
        assert card.purity == pytest.approx(np.bincount(blobs.predictions[card.rows]).max() / len(card.rows))
        assert np.bincount(card.rows // 60).max() >= max(
            50, 0.96 * len(card.rows)
        )  # nearly a whole blob, and hardly else
    assert np.all(np.diff(view.clustering.glosh[view.minority]) <= 0)


def test_the_prototypes_shown_are_those_that_the_technique_of_pace_would_label_first(blobs):
    view = view_clusters(blobs, SETTINGS)
    options = {"min_cluster_size": 20, "reduction": "none", "alpha": 1.0}
    draws = build(blobs, Request("pace", 16, 0, options=options)).ask(16)
    for card in view.cards:
        picked = [draw.row for draw in draws if draw.reason.endswith(f"of cluster {card.number + 1}")]
        assert len(picked) >= 3
        assert picked == card.prototypes[: len(picked)].tolist()


def test_a_large_cluster_has_prototypes_by_a_sample_and_its_card_and_the_report_say_so(blobs, monkeypatch):
    whole = view_clusters(blobs, SETTINGS).cards
    assert [card.sampled for card in whole] == [None] * 4
    monkeypatch.setattr(clusters, "WHOLE_UP_TO", 50)
    monkeypatch.setattr(clusters, "DRAWN", 30)
    view = view_clusters(blobs, SETTINGS)
    for card, before in zip(view.cards, whole, strict=True):
        assert card.mmd2 == card.sampled.found
        assert card.mmd2 >= before.mmd2 * 0.9  # greedy by all of them is hardly ever worse
        assert f"over 30 of {len(card.rows)} inputs" in card.sampled.words()
    report = Clustered(blobs, view, planar_map(blobs.feature("LHL"), seed=1))
    assert f"Cluster 1: {view.cards[0].sampled.words()}" in report.sentences()
    assert report.to_html().count("drawn by the seed, by which they look") >= 4


@pytest.mark.parametrize(
    ("features", "met"),
    [
        (np.random.default_rng(1).normal(size=(60, 3)), "no cluster"),
        (np.zeros((200, 3)), "no cluster"),
    ],
    ids=["fewer than a cluster", "all equal"],
)
def test_where_no_cluster_is_found_the_cards_are_k_means_groups_of_every_input(features, met):
    view = view_clusters(inputs_of(features), ClusterSettings())
    assert met in view.trouble
    assert view.group == "k-means group"
    assert view.nodes == ()
    np.testing.assert_array_equal(np.sort(np.concatenate([card.rows for card in view.cards])), np.arange(len(features)))


def test_one_cluster_only_and_nearly_all_outside_are_told_apart(blobs, monkeypatch):
    found = view_clusters(blobs, SETTINGS).clustering
    one = replace(found, labels=np.where(found.labels >= 0, 0, -1))
    few = replace(found, labels=np.where(np.arange(260) < 20, np.arange(260) % 2, -1))
    for labels, words in ((one, "only one cluster"), (few, "92% of the inputs")):
        monkeypatch.setattr("testimate.project.clusters.find_clusters", lambda *_, found=labels, **__: found)
        view = view_clusters(blobs, SETTINGS)
        assert words in view.trouble
        assert sum(len(card.rows) for card in view.cards) == 260


def test_the_settings_to_try_are_others_and_none_twice(blobs):
    tries = settings_to_try(SETTINGS, blobs)
    assert SETTINGS not in tries.values()
    assert len(set(tries.values())) == len(tries)
    assert tries["min_cluster_size 10"].min_cluster_size == 10
    assert tries["FastICA to 2 dimensions first"].reduction == "fastica"
    assert all(view_clusters(blobs, other).cards for other in tries.values())


def test_the_name_of_a_clustering_changes_with_the_inputs_and_with_each_setting(blobs):
    others = [
        replace(SETTINGS, features="CON"),
        replace(SETTINGS, min_cluster_size=21),
        replace(SETTINGS, min_samples=5),
        replace(SETTINGS, reduction="auto"),
        replace(SETTINGS, components=4),
        replace(SETTINGS, exactness="as published"),
        replace(SETTINGS, seed=1),
    ]
    names = {settings.fingerprint(blobs) for settings in [SETTINGS, *others]}
    names.add(SETTINGS.fingerprint(replace(blobs, fingerprint="b" * 32)))
    assert len(names) == 9
    assert settings_of(vars(SETTINGS)) == SETTINGS
    assert SETTINGS.fingerprint(blobs) == replace(SETTINGS).fingerprint(blobs)


def test_small_sets_begin_with_a_small_cluster_size_and_with_the_layer_there_is(blobs):
    assert suited_settings(blobs) == ClusterSettings("LHL", 26)
    assert suited_settings(replace(blobs, features={"CON": blobs.features["LHL"]})).features == "CON"


def test_layers_set_side_by_side_are_clustered_as_one(blobs):
    both = inputs_of(blobs.features["LHL"][:, :2], CON=blobs.features["LHL"][:, 2:])
    view = view_clusters(both, replace(SETTINGS, features="LHL+CON"))
    np.testing.assert_array_equal(view.labels, view_clusters(blobs, SETTINGS).labels)


def test_why_an_input_is_shown(blobs):
    view = view_clusters(blobs, SETTINGS)
    card = view.cards[2]
    assert role_words(view, int(card.prototypes[1])) == prototype_words(card, 1) == "prototype 2 of cluster 3"
    assert role_words(view, int(card.criticisms[0])) == criticism_words(card, 0)
    look = "rarer" if card.witness[0] > 0 else "more common"
    angles = view.clustering.space / np.linalg.norm(view.clustering.space, axis=1, keepdims=True)
    alike = angles[card.prototypes] @ angles[card.criticisms[0]]  # the kernel looks at directions
    assert criticism_words(card, 0) == (
        f"criticism 1 of cluster 3: judged by the prototypes alone, inputs like this look {look} than they are "
        f"(the nearest is prototype {alike.argmax() + 1})"
    )
    outlier = int(view.minority[0])
    assert place_words(view, outlier) == f"minority space, outlier score (GLOSH) {view.clustering.glosh[outlier]:.2f}"
    assert role_words(view, outlier) == ""


def test_the_work_stops_where_it_is_told_to(blobs):
    seen = []

    def progress(done: int, total: int, what: str = "") -> None:
        seen.append(what)
        if what.startswith("choosing"):
            raise Canceled("as asked")

    with pytest.raises(Canceled):
        view_clusters(blobs, SETTINGS, progress=progress)
    assert len(set(seen)) >= 2


def test_near_duplicates_are_no_criticisms_beside_each_other_or_beside_a_prototype():
    rng = np.random.default_rng(3)
    different = np.concatenate([rng.normal(4 * np.eye(4)[place], 0.4, size=(9, 4)) for place in range(2)])
    copies = np.repeat(different, 8, axis=0)  # of each point eight that are nearly the same
    view = view_clusters(inputs_of(copies + rng.normal(scale=1e-5, size=copies.shape)), SETTINGS)
    assert sum(len(card.criticisms) for card in view.cards) >= 2
    for card in view.cards:
        assert len(card.witness) == len(card.nearest) == len(card.criticisms)
        points = card.criticisms // 8  # which of the different points each is
        assert len(set(points)) == len(points)
        assert not set(points) & set(card.prototypes // 8)
