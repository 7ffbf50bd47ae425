"""Compare models: the demo ranked, labels spent where they decide, a winner only when the intervals say so."""

import threading

import numpy as np
import pytest

from testimate.core.selector import Request
from testimate.core.session_record import Event
from testimate.project.compared_models import ComparisonChoice, csv_of
from testimate.project.subjects import COMPARISON
from testimate.ui import compare
from tests.session.labeling import label_all


@pytest.fixture
def three():
    """Three models of names that are no markup, and the truth."""
    rng = np.random.default_rng(5)
    truth = rng.integers(4, size=300)
    columns = {}
    for name, share in (("good", 0.95), ("fair", 0.8), ("<b>*poor*</b>", 0.6)):
        columns[name] = np.where(rng.random(300) < share, truth, (truth + 1) % 4)
    return columns, truth


def words(test):
    return " ".join(
        str(element.value) for kind in ("markdown", "success", "info", "warning") for element in test.get(kind)
    )


def test_without_a_comparison_it_offers_three_ways_to_one(opened):
    test = opened("compare")
    assert not test.exception
    assert [heading.value for heading in test.subheader] == [
        "Try the demo",
        "Upload predictions",
        "Models of this project",
    ]


def press(test, label):
    return next(button for button in test.button if button.label == label).click().run(timeout=120)


def test_the_demo_is_ranked_with_warnings_and_offers_labels(opened):
    test = press(opened("compare"), "Compare ten models")
    assert not test.exception
    assert "10 models, 1,497 inputs" in words(test)
    assert "Hardest inputs" in [heading.value for heading in test.subheader]
    assert [metric.label for metric in test.metric] == ["Quality", "Diversity", "Stability"]
    assert any(button.label == "Start labeling" for button in test.button)
    test.button_group(key="ranked by").set_value("Dawid-Skene").run(timeout=60)
    assert not test.exception
    assert "right, as estimated" in str(test.get("plotly_chart")[0].proto)


@pytest.fixture
def slow_training(monkeypatch):
    """Ten models that take until they are let go, or stopped."""
    let_go, training = threading.Event(), compare.demo_comparison

    def slow(shift, progress):
        while not let_go.wait(0.01):
            progress(3, 10, "training the models")
        return training(shift, progress)

    monkeypatch.setattr(compare, "demo_comparison", slow)
    yield let_go
    let_go.set()


def test_models_that_take_a_while_show_how_far_they_are_and_can_be_stopped(opened, project, slow_training, monkeypatch):
    begun = opened("compare")
    monkeypatch.setattr("testimate.ui.compare.AT_ONCE", 0.1)
    test = press(begun, "Compare ten models")
    assert "Training the models** · 3 of 10" in test.get("progress")[0].proto.text
    assert not test.subheader  # the choice is not offered meanwhile
    press(test, "Stop")
    while all(button.label != "Choose models" for button in test.button):
        test.run()
    press(test, "Choose models")
    assert "Try the demo" in [heading.value for heading in test.subheader]
    assert all(entry.description != COMPARISON for entry in project.entries())


def test_one_model_is_not_compared_and_the_last_comparison_is_one_click_away(opened, project, three):
    columns, _ = three
    key = project.add_comparison(csv_of(columns), ComparisonChoice("three.csv")).key
    test = opened("compare", subject=key)
    test.query_params["subject"] = "digits"
    test = test.run()
    assert "One model is open" in words(test)
    assert test.query_params["subject"] == "digits", "a tab never changes what the others show"
    press(test, "Open the last one that works")
    assert "**three**: 3 models" in words(test)
    assert "Try the demo" in [heading.value for heading in press(test, "Other models").subheader]


def test_a_winner_is_declared_only_when_the_intervals_say_so(opened, project, three):
    columns, truth = three
    key = project.add_comparison(csv_of({**columns, "label": truth}), ComparisonChoice("three.csv", "label")).key
    session = project.start_session(key, Request("tell-apart", 150, 1))
    test = opened("compare", subject=key)
    assert "looks best by agreement alone" in words(test)
    assert "is the best" not in words(test)
    while draws := session.upcoming(1):
        row = draws[0].row
        session.record([Event(f"e{row}", "answer", row, "tester", "2026-01-01T00:00:00Z", int(truth[row]))])
    test.run()
    assert not test.exception
    assert "#### good is the best of 3 models" in words(test)
    label = opened("label", subject=key, session=session.session_record.id)
    assert not label.exception
    assert any("good is the best of 3 models" in one.value for one in label.success)


def test_the_same_models_on_other_data_stand_side_by_side(opened, project, three):
    columns, _ = three
    first = project.add_comparison(csv_of(columns), ComparisonChoice("plain.csv"))
    shifted = {name: values[::-1] for name, values in columns.items()}
    project.add_comparison(csv_of(shifted), ComparisonChoice("foggy.csv"))
    test = opened("compare", subject=first.key)
    chooser = next(one for one in test.multiselect if one.label == "Beside this one")
    chooser.select("foggy").run()
    assert not test.exception
    assert len(test.get("plotly_chart")) == 3


@pytest.mark.parametrize("page", ["subject", "clusters", "strata", "plan", "results"])
def test_the_other_pages_bear_with_a_comparison(page, opened, project, three):
    columns, truth = three
    key = project.add_comparison(csv_of({**columns, "label": truth}), ComparisonChoice("three.csv", "label")).key
    session = project.start_session(key, Request("tell-apart", 50, 1))
    row = session.upcoming(1)[0].row
    session.record([Event("e1", "answer", row, "tester", "2026-01-01T00:00:00Z", int(truth[row]))])
    test = opened(page, subject=key, session=session.session_record.id)
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize(("technique", "earlier"), [("rrs", 0), ("ssrs", 1)])
def test_labels_of_the_same_inputs_judge_the_models_at_once(opened, project, say, technique, earlier):
    session = project.start_session("digits", Request(technique, 60, seed=1))
    truth = project.inputs("digits").truth
    label_all(session, say, truth)
    wrong = (truth + 1) % 10
    columns = {"exact": truth, "half": np.where(np.arange(len(truth)) % 2, truth, wrong)}
    key = project.add_comparison(csv_of(columns), ComparisonChoice("two.csv", shown_by="digits")).key
    test = opened("compare", subject=key)
    assert not test.exception
    assert "#### exact is the best of the 2 models" in words(test)
    captions = " ".join(one.value for one in test.caption)
    assert "60 labels these inputs already have" in captions
    assert captions.count("The plan has the earlier interval of a difference") == earlier


@pytest.mark.parametrize("said", ["Yes", "No"])
def test_a_column_that_is_not_called_as_the_models_are_is_asked_about_before_they_are_compared(
    opened, project, three, said
):
    columns, truth = three
    models = dict(zip(("run1", "run2", "run3"), columns.values(), strict=True))
    test = opened("compare")
    table = csv_of({"id": np.arange(300), **models, "species": truth})
    [field] = [one for one in test.file_uploader if one.label == "Predicted labels"]
    field.upload("t.csv", table, "text/csv").run()
    assert not any(button.label == "Compare these models" for button in test.button)
    [asked] = [one for one in test.button_group if one.label == "Is species the true answer?"]
    asked.set_value(said).run()
    [chosen] = [one for one in test.multiselect if one.label == "Models"]
    [true] = [one for one in test.selectbox if one.label == "True labels, where known"]
    assert (true.value == "species", "species" in chosen.value) == (said == "Yes", said == "No")
    press(test, "Compare these models")
    assert not test.exception
    assert f"{3 if said == 'Yes' else 4} models, 300 inputs" in words(test)
