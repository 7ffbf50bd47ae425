"""The Clusters page: what it says about every clustering, where notes go, and what exploring does to the estimate."""

import json
import re
import threading
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from streamlit.testing.v1 import AppTest

from testimate.core.errors import BadInput
from testimate.core.rounding import percent, percent_ends, spaced
from testimate.core.selector import Request
from testimate.core.vote import Event
from testimate.project.cluster_notes import notes_on, write_note
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.clusters import CRITICISMS
from testimate.project.labeled_parts import selection_estimate
from testimate.project.project import Project
from testimate.project.selected_inputs import keep_selection, label_some
from testimate.structure.blocked_tree import COMPARING
from testimate.structure.rbf_kernel import l2_normalised
from testimate.structure.settings_table import settings_table
from testimate.ui.explanation import job_of

ALL_NOISE = ClusterSettings("LHL", 700, 4, "none")


def said(test: AppTest) -> str:
    parts = [*test.markdown, *test.caption, *test.info, *test.warning, *test.error, *test.header, *test.subheader]
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", "\n".join(str(part.value) for part in parts))


def written(settings: ClusterSettings) -> str:
    return ",".join(str(value) for value in vars(settings).values())


@pytest.fixture
def ready_page(opened, project) -> Callable[..., AppTest]:
    """The page once its clusters are found, however slow the machine."""

    def show(settings: ClusterSettings | None = None, **params: str) -> AppTest:
        if settings is not None:
            params["clusters"] = written(settings)
        test = opened("clusters", **{"subject": "digits", **params})
        deadline = time.monotonic() + 60
        while any(button.label == "Cancel" for button in test.button):
            assert time.monotonic() < deadline
            time.sleep(0.05)  # between two looks
            test.run()
        assert not test.exception
        return test

    return show


def test_every_input_is_counted_once(ready_page, project):
    found = re.search(r"(\d+) clusters hold (\d[\d\s]*) of the (\d[\d\s]*) inputs; (\d[\d\s]*)", said(ready_page()))
    clusters, inside, size, outside = (int("".join(number.split())) for number in found.groups())
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


def test_the_criticisms_of_a_cluster_of_digits_lie_about_as_far_apart_as_any_of_its_inputs(project):
    view = project.clusters("digits")
    vectors = l2_normalised(view.clustering.space)
    for card in view.cards:
        assert len(card.criticisms) == CRITICISMS
        assert pdist(vectors[card.criticisms]).min() > 0.8 * np.median(pdist(vectors[card.rows]))


def test_a_clustering_that_is_all_noise_says_so_shows_groups_and_offers_settings_that_can_be_applied(ready_page):
    test = ready_page(ALL_NOISE)
    assert "HDBSCAN found no cluster" in said(test)
    assert "groups found by k-means" in said(test)
    assert "K-means group" in said(test)
    tries = [button for button in test.button if (button.key or "").startswith("try ")]
    assert {"min_samples 1", "min_cluster_size 350"} <= {button.label for button in tries}
    next(button for button in tries if button.label == "PACE's own settings").click().run()
    assert "clusters hold" in said(ready_page())


BLOBS = np.random.default_rng(0).normal(size=(120, 8)) + 9 * np.eye(8)[np.arange(120) % 4]


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (np.ones((60, 4)), ["All inputs have the same features", "No setting can tell them apart", "lie on one point"]),
        (BLOBS[:12], ["Try one:", "Of 12 inputs nearly all are neighbours of each other"]),
        (BLOBS[:, :1], ["The features vary in one direction only"]),
        (
            np.repeat(BLOBS, 2, axis=0),
            ["4 clusters hold 240", "120 of the 240 inputs have the same features as another"],
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


def test_a_note_is_kept_found_by_another_process_and_stands_only_on_its_own_clustering(ready_page, project):
    test = ready_page()
    [field] = [area for area in test.text_area if area.label == "What is this cluster?"]
    field.set_value("threes and nines <b>nobody</b> can tell apart")
    next(button for button in test.button if button.label == "Keep the note").click().run()
    assert not test.exception
    elsewhere = Project(project.folder)  # as after a restart
    view = elsewhere.clusters("digits")
    notes = notes_on(view, elsewhere.cluster_notes.of("digits"))
    least_sure = min(view.cards, key=lambda card: card.mean_confidence).number
    assert {number: note.text for number, note in notes.items()} == {
        least_sure: "threes and nines <b>nobody</b> can tell apart"
    }
    again = ready_page()
    table = next(frame.value for frame in again.dataframe if "note" in frame.value)
    assert table["note"].tolist()[0] == "threes and nines <b>nobody</b> can tell apart"
    other = ready_page(ALL_NOISE)
    assert [area.value for area in other.text_area] == [""]
    assert "threes and nines <b>nobody</b>" in said(other)  # under those of other settings


def test_a_note_on_a_cluster_that_holds_other_inputs_now_says_so(ready_page, project):
    view = project.clusters("digits")
    least_sure = min(view.cards, key=lambda card: card.mean_confidence)
    write_note(project.cluster_notes, view, least_sure, "as it was", subject="digits", tester="Ann")
    with project.store.transaction(writes=True) as connection:
        connection.exec_driver_sql("update cluster_notes set members = 'other', size = 7")
    assert "held other inputs (7 then" in said(ready_page())


@pytest.mark.parametrize(("reduction", "components"), [("pca", 2), ("nmf", 4), ("fa", 8), ("fastica", 16)])
def test_each_reduction_can_be_chosen_and_is_named(ready_page, reduction, components):
    test = ready_page(ClusterSettings("LHL+CON", 40, 4, reduction, components, "as published"))
    assert not test.error
    words = {"pca": "PCA", "nmf": "NMF", "fa": "factor analysis", "fastica": "FastICA"}[reduction]
    density = "at least 40 inputs a cluster (min_cluster_size) · density by 4 neighbours (min_samples)"
    named = f"{density} · reduction: {words} to {components} · as published"
    assert named in said(test)


def test_a_label_given_while_exploring_is_kept_and_leaves_the_estimate_as_it_is(ready_page, project):
    session = project.start_session("digits", Request("srs", budget=60, seed=1))
    for number, draw in enumerate(session.upcoming(30)):
        truth = int(session.inputs.truth[draw.row])
        session.record([Event(f"event-{number:04}", "answer", draw.row, "tester", "2026-11-20T10:00:00+00:00", truth)])
    before = session.estimate()
    labeled = set(session.answers())
    row = next(row for row in project.clusters("digits").minority.tolist() if row not in labeled)
    from testimate.ui.closer_look import record

    assert record(session, row, 3) == ""
    assert record(session, row, 99) != ""  # no such class
    assert session.explored() == {row: 3}
    assert [event.stream for event in session.history() if event.row == row] == ["exploration"]
    assert session.estimate() == before
    reopened = Project(project.folder).session(session.session_record.id)
    assert reopened.explored() == {row: 3}
    assert reopened.estimate() == before


def test_an_input_looked_at_says_why_it_is_shown_and_takes_a_label(ready_page, project):
    session = project.start_session("digits", Request("pace", budget=20, seed=1))
    row = session.upcoming(1)[0].row
    test = ready_page(session=session.session_record.id)
    test.session_state["closer look"] = row
    test.session_state["picked on the map"] = [row]
    test.run()
    assert f"Input {spaced(row)}" in said(test)
    assert "icked by the plan, PACE: prototypes of clusters and diverse outliers (pace): prototype" in said(test)
    test.button(key=f"explore {row} 7").click().run()
    assert not test.exception
    session.refresh()
    assert session.explored() == {row: 7}
    assert not session.answers()


def test_long_work_is_shown_can_be_left_and_cancelled_and_begun_again(opened, project, ready_page, monkeypatch):
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
    assert any(button.label == "Cancel" for button in test.button)
    [early] = test.get("plotly_chart")
    drawn = [trace["name"] for trace in json.loads(early.proto.spec)["data"]]
    assert set(drawn) == set("0123456789")  # PCA's map to look at, coloured by what is predicted
    assert not opened("strata", subject="digits").exception  # another page meanwhile
    test = opened("clusters", subject="digits")
    next(button for button in test.button if button.label == "Cancel").click().run()
    monkeypatch.undo()
    monkeypatch.setenv("TESTIMATE_PROJECT", str(project.folder))
    deadline = time.monotonic() + 30
    while not any(button.label == "Start again" for button in test.button):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # between two looks
        test.run()
    assert "you stopped the search" in said(test)
    next(button for button in test.button if button.label == "Start again").click().run()
    assert "clusters hold" in said(ready_page())


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
    assert "20\u202f000 takes a fraction of it" in said(test)
    offer.click().run()
    assert begun == ["exact", "sampled"]
    assert ["The sample was asked for" in error.value for error in test.error] == [True]


def test_work_that_fails_is_told_in_a_sentence_and_may_be_tried_again(opened, monkeypatch):
    def fails(*args, **named):
        raise BadInput("The features hold nan; expected finite numbers. Correct them.")

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


def press(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


def test_a_selection_by_filter_is_summed_up_named_found_again_and_taken_back(ready_page, project):
    test = ready_page()
    inputs = project.inputs("digits")
    next(field for field in test.multiselect if field.label == "Predicted").set_value([8])
    next(field for field in test.slider if field.label == "Confidence (%)").set_value((0.0, 60.0))
    press(test, "Select")
    rows = np.flatnonzero((inputs.predictions == 8) & (inputs.confidence <= 0.6))
    assert f"{len(rows)} selected" in said(test)
    assert f"Predicted: 8 ({len(rows)})." in said(test)
    test.text_input(key="selection name").set_value("<b>unsure</b> eights")
    test.text_input(key="selection column").set_value("look")
    press(test, "Keep")
    assert np.flatnonzero(project.columns.tags("digits")["look"] == "<b>unsure</b> eights").tolist() == rows.tolist()
    again = ready_page()  # another tab
    again.button(key="select kept 0").click().run()
    assert f"{len(rows)} selected" in said(again)
    again.button(key="take back 0").click().run()
    assert not again.exception
    assert project.columns.tags("digits") == {}


def test_a_name_that_cannot_be_kept_is_refused_on_the_page(ready_page, project):
    test = ready_page()
    test.session_state["picked on the map"] = np.arange(30)
    test.run()
    press(test, "Keep")
    assert "expected 1 to 80 characters" in said(test)
    assert project.columns.tags("digits") == {}


def test_twenty_of_a_selection_are_labeled_in_a_session_of_their_own(ready_page, project, monkeypatch):
    opened_pages = []
    monkeypatch.setattr(
        "testimate.ui.clusters.selection_panel.go", lambda page, **where: opened_pages.append((page.title, where))
    )
    test = ready_page()
    test.session_state["picked on the map"] = np.arange(100, 160)
    test.run()
    press(test, "Label them")
    [record] = project.sessions()
    assert opened_pages == [("Label", {"subject": "digits", "session": record.id})]
    drawn = [draw.row for draw in project.session(record.id).upcoming(60)]
    assert len(set(drawn)) == 20
    assert set(drawn) <= set(range(100, 160))


def test_a_note_names_its_cluster_in_the_card_the_table_the_lists_and_under_the_pointer(ready_page, project):
    view = project.clusters("digits")
    card = min(view.cards, key=lambda card: card.mean_confidence)
    write_note(project.cluster_notes, view, card, "Open *tops*\nand more", subject="digits", tester="Ann")
    test = ready_page()
    assert f"Cluster {card.number + 1}: Open *tops*" in said(test)
    lists = [field for field in test.selectbox if (field.key or "").endswith(f"of two, {view.fingerprint}")]
    assert len(lists) == 2
    assert all(any("Open *tops*" in option for option in field.options) for field in lists)
    outside = next(field for field in test.multiselect if field.label == "Cluster")
    assert f"cluster {card.number + 1}: Open *tops*" in outside.options


def test_the_map_can_be_coloured_by_a_tag(ready_page, project):
    keep_selection(project, "digits", range(30), "early", tester="Ann", column="part")
    test = ready_page()
    field = next(field for field in test.selectbox if field.label == "Colour by")
    assert "tag: part" in field.options
    field.set_value("tag: part").run()
    assert not test.exception
    assert not test.error


def test_the_map_can_be_coloured_by_every_column_of_a_table_and_by_the_true_class_once_it_is_revealed(
    ready_page, project, tmp_path
):
    def colours(test: AppTest, choice: str) -> set[str]:
        field = next(field for field in test.selectbox if field.label == "Colour by")
        field.set_value(choice).run()
        assert not test.exception
        figure = json.loads(test.get("plotly_chart")[0].proto.spec)
        return {trace["name"] for trace in figure["data"]}

    rng = np.random.default_rng(4)
    features = rng.normal(size=(90, 4)) + 9 * np.repeat(np.eye(3, 4), 30, axis=0)
    np.save(tmp_path / "features.npy", features.astype(np.float32))
    lines = [f"{'ab'[row % 2]},{'' if row < 5 else ('dry', 'wet')[row % 2]},{row / 7},row {row}" for row in range(90)]
    table = "\n".join(["prediction,road,age,remark", *lines]).encode()
    subject = project.add_table("roads.csv", table, features=tmp_path / "features.npy")
    test = ready_page(subject=subject.key)
    assert colours(test, "column: road") >= {"dry", "wet", "no value"}
    assert "inputs" in colours(test, "column: age")  # a scale
    assert "30 other values" in colours(test, "column: remark")
    field = next(field for field in test.selectbox if field.label == "Colour by")
    assert "true class" not in field.options
    hidden = next(field for field in ready_page().selectbox if field.label == "Colour by")
    assert "true class" not in hidden.options
    told = ready_page(truth="on")
    assert {"3", "8"} <= colours(told, "true class")


def test_a_cluster_of_which_some_were_labeled_by_chance_has_an_estimate_with_its_interval(ready_page, project, say):
    view = project.clusters("digits")
    card = min(view.cards, key=lambda card: card.mean_confidence)
    session = label_some(project, "digits", card.rows.tolist(), 20, called="the cluster", seed=1)
    truth = session.inputs.truth
    session.record([say(draw.row, int(truth[draw.row])) for draw in session.upcoming(20)])
    found = selection_estimate(session)
    test = ready_page(session=session.session_record.id)
    table = next(frame.value for frame in test.dataframe if "estimate" in frame.value)
    ends = percent_ends(found.low, found.high)
    assert table["estimate"].tolist()[0] == f"{percent(found.accuracy, space=' ')} ({' to '.join(ends)})"
    assert table["estimate"].isna().tolist()[1:] == [True] * (len(view.cards) - 1)
    right = round(20 * found.accuracy)
    assert table["labels"].tolist()[0] == f"{right} of 20"
    assert f"20 labeled, {right} of these right. Accuracy {percent(found.accuracy, space=' ')}, between" in said(test)


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


def test_an_input_looked_at_is_explained_by_where_the_network_looked_and_by_what_is_like_it(ready_page, project):
    test = ready_page()
    test.session_state["closer look"] = 5
    test.run()
    test.session_state["closer look"] = 5  # a browser runs the dialog alone again, AppTest the page
    test.button(key="explain 5").click().run()
    assert not test.exception
    found = project_of_the_app(project).explanations.of(project.inputs("digits").fingerprint, 5)
    left, top, right, bottom = found.enough
    assert f"A square of {right - left} x {bottom - top} pixels" in said(test)
    assert f"the network says {found.then}" in said(test)
    assert "Nearest to it, by the last hidden layer (LHL)" in said(test)
    assert "the predicted class" in said(test)


def test_a_worker_that_dies_while_it_explains_is_a_sentence_on_the_page_which_can_ask_again(ready_page, monkeypatch):
    from testimate.subjects.models.worker_process import ModelCrashed

    def dies(*args, **named):
        raise ModelCrashed("The model's process ended in the middle of its work; expected a smaller batch. Try again.")

    monkeypatch.setattr("testimate.ui.explanation.explain", dies)
    test = ready_page()
    test.session_state["closer look"] = 5
    test.run()
    test.session_state["closer look"] = 5  # a browser runs the dialog alone again, AppTest the page
    test.button(key="explain 5").click().run()
    assert not test.exception
    assert "ended in the middle of its work" in said(test)
    monkeypatch.undo()


def test_an_explanation_that_takes_long_says_how_far_it_is_and_can_be_stopped(ready_page, project, monkeypatch):
    begun, goes_on = threading.Event(), threading.Event()

    def slow(subject, row, *, progress):
        progress(53, 331, "covering parts of the input")
        begun.set()
        goes_on.wait(60)
        progress(106, 331, "covering parts of the input")
        raise AssertionError("it went on after it was stopped")

    monkeypatch.setattr("testimate.ui.explanation.explain", slow)
    monkeypatch.setattr("testimate.ui.explanation.AT_ONCE", 0.0)
    test = ready_page()

    def looked_at(press: str) -> None:
        test.session_state["closer look"] = 5  # a browser runs the dialog alone again, AppTest the page
        (test.button(key=press).click() if press else test).run()
        assert not test.exception

    looked_at("")
    looked_at("explain 5")
    begun.wait(60)
    looked_at("")
    assert [bar for bar in test.get("progress") if "53 of 331" in bar.proto.text]
    looked_at("stop explaining 5")
    goes_on.set()
    jobs, inputs = project_of_the_app(project).jobs, project.inputs("digits")
    assert jobs.wait(job_of(5, inputs), 60).state == "cancelled"
    looked_at("")
    assert "Stopped before it was whole" in said(test)
    assert project_of_the_app(project).explanations.of(inputs.fingerprint, 5) is None
    monkeypatch.undo()
    looked_at("explain 5")
    assert "A square of" in said(test)


def test_once_an_explanation_is_there_its_dialog_is_drawn_again_without_the_part_that_looked(ready_page, monkeypatch):
    test = ready_page()
    for press in ("", "explain 5"):
        test.session_state["closer look"] = 5
        (test.button(key=press).click() if press else test).run()
    asked = []
    # it ends between two looks of the part that says how far it is
    monkeypatch.setattr("testimate.ui.explanation.running", lambda job: asked.append(job) or len(asked) == 1)
    test.session_state["closer look"] = 5
    test.run()
    assert not test.exception
    assert len(asked) == 2
    assert "A square of" in said(test)


def project_of_the_app(project: Project) -> Project:
    """The project that the pages hold open, on the same folder."""
    from testimate.ui.current_project import project as current

    return current()


def settled(test: AppTest, words: str) -> AppTest:
    """The page once it says these words, however slow the machine."""
    deadline = time.monotonic() + 60
    while words not in said(test):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # between two looks
        test.run()
        assert not test.exception
    return test


def test_the_map_settles_while_the_page_is_open_and_says_what_it_is_worth_as_the_linear_ones_do(ready_page):
    test = settled(ready_page(), "distances between groups mean little")
    assert re.search(r"alike to the network: [\d.]+\s?% of the 15 nearest neighbours kept", said(test))
    method = next(field for field in test.selectbox if field.label == "Map")
    assert method.value == "neighbours"
    method.set_value("pca").run()
    assert re.search(r"A linear map, .*: [\d.]+\s?% of the 15 nearest neighbours kept", said(test))


def test_a_map_that_is_stopped_stays_pcas_and_can_be_settled_later(ready_page, monkeypatch):
    begun = threading.Event()

    def endless(*args, progress, **named):
        begun.set()
        while True:
            progress(1, 2, "the map settles")  # raises once it was stopped

    with monkeypatch.context() as replaced:
        replaced.setattr("testimate.structure.neighbour_map.neighbour_map", endless)
        test = ready_page().run()  # it begins at the second look
        assert begun.wait(60)
        press(test, "Stop")
        settled(test, "stopped before it had settled: PCA's map is shown")
    press(test, "Settle it")
    settled(test, "distances between groups mean little")


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
        r"Chosen at once they come from [1-7] of 7 clusters; \d+ of the 42 lie in the minority space", said(test)
    )
    assert "**Of all inputs at once**: in the order they were chosen, 24 of 42" in said(test)
