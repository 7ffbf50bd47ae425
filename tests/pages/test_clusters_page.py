"""The Clusters page: what it says about every clustering, where notes go, and what exploring does to the estimate."""

import json
import re
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from testimate.core.errors import BadInput
from testimate.core.words import percent
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.clusters import CRITICISMS
from testimate.structure.prototypes import SampledObjective
from testimate.structure.rbf_kernel import l2_normalized
from testimate.structure.settings_table import settings_table
from testimate.structure.spanning_tree import COMPARING
from testimate.ui.clusters import cluster_cards
from tests.pages.clusters_page_steps import ALL_NOISE, press, said, settled, written


def test_every_input_is_counted_once(ready_page, project):
    found = re.search(r"(\d+) clusters cover ([\d,]+) of ([\d,]+) inputs. ([\d,]+)", said(ready_page()))
    clusters, inside, size, outside = (int(number.replace(",", "")) for number in found.groups())
    assert inside + outside == size == 1497
    assert clusters == len(project.clusters("digits").cards)


def test_settings_hold_once_they_are_sent_and_stand_in_the_address(ready_page):
    test = ready_page()
    before = said(test)
    [size] = [field for field in test.number_input if field.label == "min_cluster_size"]
    size.set_value(40)
    next(button for button in test.button if button.label == "Find clusters").click().run()
    test.run()
    assert "".join(test.query_params["clusters"]).split(",")[:2] == ["LHL", "40"]
    again = ready_page(ClusterSettings("LHL", 40))
    assert "at least 40 inputs a cluster (min_cluster_size)" in said(again)
    assert said(again) != before


@pytest.mark.parametrize("parameter", ["x", "LHL,eighty,4,auto,2,exact,0", "NOPE,80,4,auto,2,exact,0", ",,,,,,"])
def test_settings_in_the_address_that_cannot_be_read_are_those_that_suit(opened, parameter):
    test = opened("clusters", subject="digits", clusters=parameter)
    assert not test.exception
    assert not test.error


def test_the_cluster_the_network_is_least_sure_of_comes_first(ready_page, project):
    test = ready_page()
    cards = project.clusters("digits").cards
    means = [project.inputs("digits").confidence[card.rows].mean() for card in cards]
    assert f"Cluster {int(np.argmin(means)) + 1}" in said(test)
    table = next(frame.value for frame in test.dataframe if "confidence" in frame.value)
    assert table["number"].tolist() == (np.argsort(means, kind="stable") + 1).tolist()
    np.testing.assert_allclose(table["confidence"], 100 * np.sort(means))


def test_prototypes_by_a_sample_say_above_themselves_what_they_leave_unexplained(ready_page, monkeypatch):
    objective = SampledObjective(250_000, 10_000, 10, 1.2e-4, 2e-5, 3e-5, 2.5e-3)
    shown = cluster_cards.chosen_card
    monkeypatch.setattr(cluster_cards, "chosen_card", lambda view: replace(shown(view), sampled=objective))
    captions = [caption.value for caption in ready_page().caption]
    assert objective.words() in captions


def test_the_criticisms_of_a_cluster_of_digits_lie_about_as_far_apart_as_any_of_its_inputs(project):
    view = project.clusters("digits")
    vectors = l2_normalized(view.clustering.space)
    for card in view.cards:
        assert len(card.criticisms) == CRITICISMS
        assert pdist(vectors[card.criticisms]).min() > 0.8 * np.median(pdist(vectors[card.rows]))


def test_a_clustering_that_is_all_noise_says_so_shows_groups_and_offers_settings_that_can_be_applied(ready_page):
    test = ready_page(ALL_NOISE)
    assert "HDBSCAN found no cluster" in said(test)
    assert "k-means groups instead" in said(test)
    assert "K-means group" in said(test)
    tries = [button for button in test.button if (button.key or "").startswith("try ")]
    assert {"min_samples 1", "min_cluster_size 350"} <= {button.label for button in tries}
    next(button for button in tries if button.label == "PACE's own settings").click().run()
    assert "clusters cover" in said(ready_page())


BLOBS = np.random.default_rng(0).normal(size=(120, 8)) + 9 * np.eye(8)[np.arange(120) % 4]


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (
            np.ones((60, 4)),
            ["All inputs have the same features", "No setting separates these inputs", "lie on one point"],
        ),
        (BLOBS[:12], ["Try one:", "Of 12 inputs nearly all are neighbors of each other"]),
        (BLOBS[:, :1], ["The features vary in one direction only"]),
        (
            np.repeat(BLOBS, 2, axis=0),
            ["4 clusters cover 240", "120 of the 240 inputs have the same features as another"],
        ),
    ],
    ids=["all equal", "twelve", "one feature", "half of them copies"],
)
def test_odd_features_are_shown_and_what_is_odd_is_said(opened, project, tmp_path, features, words):
    np.save(tmp_path / "odd.npy", features)
    table = "prediction\n" + "one\ntwo\n" * (len(features) // 2)
    key = project.add_table("odd.csv", table.encode(), features=tmp_path / "odd.npy").key
    test = settled(opened("clusters", subject=key), words[-1])
    assert all(one in said(test) for one in words)
    tries = [button for button in test.button if (button.key or "").startswith("try ")]
    assert bool(tries) == ("Try one:" in words)


@pytest.mark.parametrize(("reduction", "components"), [("pca", 2), ("nmf", 4), ("fa", 8), ("fastica", 16)])
def test_each_reduction_can_be_chosen_and_is_named(ready_page, reduction, components):
    test = ready_page(ClusterSettings("LHL+CON", 40, 4, reduction, components, "as published"))
    assert not test.error
    words = {"pca": "PCA", "nmf": "NMF", "fa": "factor analysis", "fastica": "FastICA"}[reduction]
    density = "at least 40 inputs a cluster (min_cluster_size) · density by 4 neighbors (min_samples)"
    named = f"{density} · reduction: {words} to {components} · as published"
    assert named in said(test)


def test_long_work_is_shown_can_be_left_and_canceled_and_begun_again(opened, project, ready_page, monkeypatch):
    began = time.monotonic()

    def slow(*args, progress, **named):
        while time.monotonic() - began < 60:
            progress(1, 3, "measuring distances")
            time.sleep(0.02)  # a step of the slow work
        raise AssertionError("nobody stopped it")

    monkeypatch.setattr("testimate.project.clusters.find_clusters", slow)
    monkeypatch.setattr("testimate.ui.clusters.cluster_settings.SHORT_WAIT", 0.1)
    test = opened("clusters", subject="digits")
    assert not test.exception
    assert any(button.label == "Stop" for button in test.button)
    [early] = test.get("plotly_chart")
    drawn = [trace["name"] for trace in json.loads(early.proto.spec)["data"]]
    assert set(drawn) == set("0123456789")  # PCA's map to look at, colored by what is predicted
    assert not opened("strata", subject="digits").exception  # another page meanwhile
    test = opened("clusters", subject="digits")
    next(button for button in test.button if button.label == "Stop").click().run()
    monkeypatch.undo()
    monkeypatch.setenv("TESTIMATE_PROJECT", str(project.folder))
    deadline = time.monotonic() + 30
    while not any(button.label == "Start again" for button in test.button):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # between two looks
        test.run()
    assert "you stopped the search" in said(test)
    next(button for button in test.button if button.label == "Start again").click().run()
    assert "clusters cover" in said(ready_page())


def test_where_all_pairs_would_take_minutes_a_sample_is_offered_and_taken(opened, monkeypatch):
    begun = []

    def slow(*args, progress, exactness, **named):
        begun.append(exactness)
        if exactness == "sampled":
            raise BadInput("The sample was asked for.")
        progress(0, 10_000, COMPARING)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            progress(1, 10_000, COMPARING)  # an hour at this pace
            time.sleep(0.02)

    monkeypatch.setattr("testimate.project.clusters.find_clusters", slow)
    monkeypatch.setattr("testimate.ui.clusters.cluster_settings.SHORT_WAIT", 0.1)
    monkeypatch.setattr("testimate.ui.job_progress.LOOKED", 0.1)
    test = opened("clusters", subject="digits")
    assert not test.exception
    offer = next(button for button in test.button if button.label == "Cluster a sample")
    assert "20,000 takes a fraction of that" in said(test)
    offer.click().run()
    assert begun == ["exact", "sampled"]
    assert ["The sample was asked for" in error.value for error in test.error] == [True]


def test_work_that_fails_is_told_in_a_sentence_and_may_be_tried_again(opened, monkeypatch):
    def fails(*args, **named):
        raise BadInput("The features hold nan. Expected finite numbers. Correct them.")

    monkeypatch.setattr("testimate.project.clusters.find_clusters", fails)
    test = opened("clusters", subject="digits")
    assert not test.exception
    assert ["finite numbers" in error.value for error in test.error] == [True]
    assert any(button.label == "Try again" for button in test.button)


def test_that_fastica_did_not_settle_is_said_once_with_what_to_do(ready_page, monkeypatch):
    monkeypatch.setattr("testimate.structure.reduction._ROUNDS", 1)
    test = ready_page(ClusterSettings("LHL", 60, 4, "fastica", 2, "exact"))
    said = [one.value for one in test.warning if "did not converge" in one.value]
    assert len(said) == 1
    assert "choose PCA" in said[0]


def test_the_two_nearest_clusters_stand_side_by_side_and_the_same_one_twice_is_said(ready_page, project):
    test = ready_page()
    view = project.clusters("digits")
    means = [view.clustering.space[card.rows].mean(axis=0) for card in view.cards]
    apart = squareform(pdist(means)) + np.diag(np.full(len(means), np.inf))
    boxes = [one for one in test.selectbox if " of two, " in str(one.key)]
    assert {one.value for one in boxes} == set(np.argwhere(apart == apart.min())[0].tolist())
    counts = project.inputs("digits").predictions[view.cards[boxes[0].value].rows]
    [table] = [frame.value for frame in test.dataframe if any("Cluster" in name for name in frame.value)]
    assert table.iloc[0, 1] == percent((counts == int(table["predicted"][0])).mean())
    boxes[0].set_value(boxes[1].value).run()
    assert not test.exception
    assert "Both sides show the same cluster: choose another one" in said(test)


def test_other_settings_are_tried_with_an_advice_and_prototypes_are_put_to_the_test(ready_page, monkeypatch):
    monkeypatch.setattr("testimate.structure.settings_table.settings_table", partial(settings_table, resamples=1))
    test = ready_page()
    press(test, "Try other settings")
    settled(test, "Choose a row to cluster by it.")
    table = next(frame.value for frame in test.dataframe if "stability" in frame.value)
    assert (table["in use"] == "now").sum() == 1
    assert "faults" not in table  # the truth is hidden
    assert {"LHL", "CON"} <= set(table["features"])
    assert "min_cluster_size" in said(test) or "best of these" in said(test)
    press(test, "Put them to the test")
    settled(test, "Error of the nearest-prototype classifier")
    errors = next(frame.value for frame in test.dataframe if "choice" in frame.value)
    assert errors["choice"].tolist()[2:] == ["k-medoids", "random, 20 times"]
    assert "true class" not in errors
    assert "further ones explain little more" in said(test)
    assert re.search(
        r"Chosen all at once, they come from [1-7] of 7 clusters; \d+ of the 42 are in the minority space", said(test)
    )
    assert "**Of all inputs at once**: in the order they were chosen, 24 of 42" in said(test)


def test_a_second_visit_draws_tree_and_sizes_no_more_and_other_settings_draw_them_again(ready_page, monkeypatch):
    from testimate.charts import clusters as found_clusters

    drawn = []
    for name in ("condensed_tree", "cluster_sizes"):
        chart = getattr(found_clusters, name)
        monkeypatch.setattr(
            found_clusters, name, lambda *given, chart=chart, **more: drawn.append(1) or chart(*given, **more)
        )
    test = ready_page().run()
    assert len(drawn) == 2
    test.query_params["clusters"] = written(ALL_NOISE)
    test.run()
    assert len(drawn) == 4
