"""Notes on clusters and selections of inputs on the Clusters page: kept, found again, taken back, labeled."""

import json

import numpy as np

from testimate.core.words import percent, percent_range
from testimate.project.cluster_review import notes_on, write_note
from testimate.project.project import Project
from testimate.project.selections import label_some, selection_estimate
from tests.pages.clusters_page_steps import ALL_NOISE, press, said


def table_of_clusters(test):
    return next(frame.value for frame in test.dataframe if "name" in frame.value)


def test_a_cluster_without_a_note_names_itself_by_its_predictions_in_the_card_the_table_and_on_the_map(
    ready_page, project
):
    view, inputs = project.clusters("digits"), project.inputs("digits")
    test = ready_page()
    names = table_of_clusters(test).set_index("number")["name"]
    assert len(set(names)) == len(view.cards)
    for card in view.cards:
        share = np.bincount(inputs.predictions[card.rows], minlength=10) / len(card.rows)
        mostly = f"Mostly {share.argmax()}"
        assert names[card.number + 1].startswith(mostly) == (share.max() >= 0.8)
    written = [one["text"] for one in json.loads(test.get("plotly_chart")[0].proto.spec)["layout"]["annotations"]]
    assert f"<i>{names[1]}</i>" in written
    card = min(view.cards, key=lambda card: card.mean_confidence)
    assert f"*{names[card.number + 1]}*" in [one.value for one in test.subheader]


def test_a_note_is_kept_found_by_another_process_and_stands_only_on_its_own_clustering(ready_page, project):
    test = ready_page()
    [field] = [area for area in test.text_area if area.label == "What is this cluster?"]
    field.set_value("threes and nines <b>nobody</b> can tell apart")
    next(button for button in test.button if button.label == "Save note").click().run()
    assert not test.exception
    elsewhere = Project(project.folder)  # as after a restart
    view = elsewhere.clusters("digits")
    notes = notes_on(view, elsewhere.cluster_notes.of("digits"))
    least_sure = min(view.cards, key=lambda card: card.mean_confidence).number
    assert {number: note.text for number, note in notes.items()} == {
        least_sure: "threes and nines <b>nobody</b> can tell apart"
    }
    again = ready_page()
    assert table_of_clusters(again)["name"].tolist()[0] == "threes and nines <b>nobody</b> can tell apart"
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
    assert "Expected 1 to 80 characters" in said(test)
    assert project.columns.tags("digits") == {}


def test_twenty_of_a_selection_are_labeled_in_a_session_of_their_own(ready_page, project, monkeypatch):
    opened_pages = []
    monkeypatch.setattr(
        "testimate.ui.clusters.selection.go", lambda page, **where: opened_pages.append((page.title, where))
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
    assert r"Open \*tops\*" in [one.value for one in test.subheader]
    assert "Open *tops*" in table_of_clusters(test)["name"].tolist()
    lists = [field for field in test.selectbox if (field.key or "").endswith(f"of two, {view.fingerprint}")]
    assert len(lists) == 2
    assert all(any("Open *tops*" in option for option in field.options) for field in lists)
    outside = next(field for field in test.multiselect if field.label == "Cluster")
    assert f"cluster {card.number + 1}: Open *tops*" in outside.options


def test_a_cluster_of_which_some_were_labeled_by_chance_has_an_estimate_with_its_interval(ready_page, project, say):
    view = project.clusters("digits")
    card = min(view.cards, key=lambda card: card.mean_confidence)
    session = label_some(project, "digits", card.rows.tolist(), 20, called="the cluster", seed=1)
    truth = session.inputs.truth
    session.record([say(draw.row, int(truth[draw.row])) for draw in session.upcoming(20)])
    found = selection_estimate(session)
    test = ready_page(session=session.session_record.id)
    table = next(frame.value for frame in test.dataframe if "estimate" in frame.value)
    ends = percent_range(found.low, found.high)
    assert table["estimate"].tolist()[0] == f"{percent(found.accuracy)} ({ends})"
    assert table["estimate"].isna().tolist()[1:] == [True] * (len(view.cards) - 1)
    right = round(20 * found.accuracy)
    assert table["labels"].tolist()[0] == f"{right} of 20"
    assert f"20 labeled, {right} right. Accuracy {percent(found.accuracy)} (95% interval" in said(test)
