"""Results and the report show the accuracy of every predicted class, with the labels that there are."""

from collections import Counter

import numpy as np
import pandas as pd

from testimate.charts.estimates import forest
from testimate.core.selector import Request
from testimate.reports.parts import report_slices
from testimate.reports.report import report_html
from testimate.ui.label import live_panel
from tests.pages.test_headline import label


def show_all(test):
    """The page with the groups that have too few labels, too."""
    for toggle in test.toggle:
        if toggle.label == "Show them" and not toggle.value:
            toggle.set_value(True).run()
    return test


def test_groups_with_enough_labels_come_lowest_first_and_the_others_in_one_line(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=6)
    counts = Counter(session.inputs.predictions[one.draw.row] for one in session.verdicts())
    few = sum(count < 10 for count in counts.values()) + 10 - len(counts)
    test = opened("results", subject="digits", session=session.session_record.id)
    assert any(f"{few} of 10 groups have too few labels" in one.value for one in test.markdown)
    [table] = [frame.value for frame in test.dataframe if "predicted class" in frame.value]
    assert len(table) == 10 - few
    assert table["Accuracy"].is_monotonic_increasing


def test_results_and_the_report_count_the_labels_of_each_predicted_class(project, opened):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 60, wrong=6)
    inputs = session.inputs
    counts = Counter(inputs.task.classes[inputs.predictions[one.draw.row]] for one in session.verdicts())
    test = show_all(opened("results", subject="digits", session=session.session_record.id))
    assert not test.exception
    [table] = [frame.value for frame in test.dataframe if "predicted class" in frame.value]
    assert dict(zip(table["predicted class"], table["Labels"], strict=True)) == {
        name: counts[name] for name in table["predicted class"]
    }
    assert table["Inputs"].sum() == len(inputs)
    few = table["Labels"] < 10
    assert few.any()
    assert table["Accuracy"].isna().equals(few)
    assert "by predicted class</h2>" in report_html(session)


def test_results_cross_columns_score_classes_and_start_labels_inside_a_slice(project, opened):
    session = project.start_session("digits", Request("srs", 200, 1), level=0.95)
    label(session, 200, wrong=60)
    key = session.session_record.id
    test = opened("results", subject="digits", session=key)
    test.selectbox(f"and by {key} predicted class").select("confidence").run()
    show_all(test)
    [table] = [frame.value for frame in test.dataframe if "predicted class, confidence" in frame.value]
    assert table["Inputs"].sum() == len(session.inputs)
    [start] = [button for button in test.button if button.label.endswith("20 here")]
    start.click().run()  # and on to Label, a page that is not there in this test
    inside = [one for one in project.sessions() if one.request.technique == "of-selection"]
    assert [one.request.budget for one in inside] == [20]
    assert set(inside[0].request.options["known"]) <= set(session.answers())
    test = opened("results", subject="digits", session=key)
    test.button_group(f"where it fails {key}").select("Precision and recall").run()
    assert not test.exception
    [scores] = [frame.value for frame in test.dataframe if "recall" in frame.value]
    assert list(scores["class"])[-1] == "all inputs alike (micro)"


def test_a_class_name_cannot_bring_markup_into_the_forest_plot():
    figure = forest(["<b>x</b>"], [0.8], [0.7], [0.9], whole=0.9, column="<i>", measure="Accuracy", dark=False)
    assert "<b>" not in figure.to_json().replace("<extra></extra>", "").replace("<br>", "")
    assert np.allclose(figure.data[0].error_x.arrayminus, [10])


def test_names_that_are_formulas_or_markup_empty_cells_and_columns_of_one_value_or_too_many_are_shown_or_refused(
    project, opened, say
):
    size = 1_200
    names = np.array(["=cat()", "<b>dog</b>"])
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, size)
    wrong = rng.random(size) < 0.2
    frame = pd.DataFrame(
        {
            "prediction": names[np.where(wrong, 1 - truth, truth)],
            "label": names[truth],
            "all": "<i>same</i>",
            "one": np.where(np.arange(size) == 7, "alone", "rest"),
            "light": np.where(np.arange(size) < 600, "", "night"),
            "id": [f"n{row}" for row in range(size)],
        }
    )
    gaps = frame.assign(km=np.where(np.arange(size) < 600, np.nan, 1.0)).to_csv(index=False).encode()
    with_gaps = project.add_table("gaps.csv", gaps)
    assert with_gaps.reading is not None
    assert "km" not in with_gaps.inputs.scores
    assert "km" in with_gaps.reading.left_out
    subject = project.add_table("t.csv", frame.to_csv(index=False).encode())
    session = project.start_session(subject.key, Request("srs", 120, 1))
    session.record([say(draw.row, int(session.inputs.truth[draw.row])) for draw in session.upcoming(120)])
    key = session.session_record.id
    test = opened("results", subject=subject.key, session=key)

    def by(column: str) -> pd.DataFrame | None:
        show_all(test.selectbox(f"slices {key}").select(column).run())
        assert not test.exception
        return next(
            (frame.value for frame in test.dataframe if column in frame.value and "Inputs" in frame.value), None
        )

    assert set(by("predicted class")["predicted class"]) == set(names)
    assert by("all")[["all", "Inputs", "Labels"]].to_numpy().tolist() == [["<i>same</i>", size, 120]]
    alone = by("one").set_index("one").loc["alone"]
    assert alone["Inputs"] == 1
    assert alone["Note"].endswith("10 needed")
    empty = by("light").set_index("light").loc["(empty)"]
    assert (empty["Inputs"], empty["Labels"]) == (600, len([row for row in session.answers() if row < 600]))
    assert by("id") is None
    [refused] = [one.value for one in test.warning if "different values" in one.value]
    assert "1\\,200" in refused
    for view in ("Precision and recall", "Weak spots"):
        test.button_group(f"where it fails {key}").select(view).run()
        assert not test.exception
    report = report_html(session, slices=report_slices(project, session))
    assert "&lt;b&gt;dog&lt;/b&gt;" in report
    assert "<b>dog" not in report
    assert "<i>same" not in report


def test_plan_aims_at_every_class_and_says_what_it_costs(project, opened):
    test = opened("plan", subject="digits")
    [each] = [one for one in test.toggle if one.label.startswith("Same precision")]
    each.set_value(True).run()
    [said] = [one.value for one in (*test.info, *test.warning) if "Each of 10 parts by predicted class" in one.value]
    [wide] = [one for one in test.number_input if one.label.startswith("Each within")]
    wide.set_value(20.0).run()
    [start] = [one for one in test.button if one.label == "Start labeling"]
    start.click().run()  # and on to Label, a page that is not there in this test
    [record] = [one for one in project.sessions() if one.request.technique == "each-part"]
    session = project.session(record.id)
    counts = Counter(session.inputs.predictions[list(record.request.options["rows"])].tolist())
    assert len(counts) == 10
    assert min(counts.values()) >= 10
    assert f"about {record.request.budget}" not in said  # of the width that was asked for first


def test_slices_under_details_count_the_labels_and_cost_nothing_while_these_are_closed(project, opened, monkeypatch):
    session = project.start_session("digits", Request("srs", 60, 1), level=0.95)
    label(session, 40, wrong=6)
    key = session.session_record.id
    asked = []
    real = live_panel.columns_of
    monkeypatch.setattr(live_panel, "columns_of", lambda *given: asked.append(given) or real(*given))
    assert not opened("label", subject="digits", session=key).exception
    assert not asked
    test = opened("label", subject="digits", session=key, details="true")
    assert not test.exception
    assert asked
    [table] = [frame.value for frame in test.dataframe if "predicted class" in frame.value]
    assert table["Labels"].sum() == 40


def test_results_and_the_report_say_how_sure_it_is_and_which_groups_differ(project, opened):
    session = project.start_session("digits", Request("srs", 200, 1), level=0.95)
    label(session, 200, wrong=60)
    key = session.session_record.id
    test = opened("results", subject="digits", session=key)
    assert not test.exception
    assert any("Largest gap" in one.value for one in test.markdown)
    test.button_group(f"where it fails {key}").select("Confidence").run()
    assert not test.exception
    shown = next(one.value for one in test.dataframe if "Of the confidence" in one.value)
    assert shown["Of the confidence"].tolist()[0] == "Mean confidence minus accuracy"
    made = report_html(session)
    assert "Largest gap:" in made
    assert "Brier score" in made
