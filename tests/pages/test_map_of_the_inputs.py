"""The map on the Clusters page: its colors, how it settles, and what it says it is worth."""

import json
import re
import threading

import numpy as np
from streamlit.testing.v1 import AppTest

from testimate.project.selections import keep_selection
from tests.pages.clusters_page_steps import press, said, settled


def test_the_map_can_be_colored_by_a_tag(ready_page, project):
    keep_selection(project, "digits", range(30), "early", tester="Ann", column="part")
    test = ready_page()
    field = next(field for field in test.selectbox if field.label == "Color")
    assert "tag: part" in field.options
    field.set_value("tag: part").run()
    assert not test.exception
    assert not test.error


def test_the_map_can_be_colored_by_every_column_of_a_table_and_by_the_true_class_once_it_is_revealed(
    ready_page, project, tmp_path
):
    def colors(test: AppTest, choice: str) -> set[str]:
        field = next(field for field in test.selectbox if field.label == "Color")
        field.set_value(choice).run()
        assert not test.exception
        figure = json.loads(test.get("plotly_chart")[0].proto.spec)
        return {trace["name"] for trace in figure["data"]}

    rng = np.random.default_rng(4)
    features = rng.normal(size=(90, 4)) + 9 * np.repeat(np.eye(3, 4), 30, axis=0)
    np.save(tmp_path / "features.npy", features.astype(np.float32))
    lines = [
        f"{'ab'[row % 2]},{'' if row < 5 else ('dry', 'wet')[row // 3 % 2]},{row / 7},row {row}" for row in range(90)
    ]
    table = "\n".join(["prediction,road,age,remark", *lines]).encode()
    subject = project.add_table("roads.csv", table, features=tmp_path / "features.npy")
    test = ready_page(subject=subject.key)
    assert colors(test, "column: road") >= {"dry", "wet", "no value"}
    assert "inputs" in colors(test, "column: age")  # a scale
    assert "30 other values" in colors(test, "column: remark")
    field = next(field for field in test.selectbox if field.label == "Color")
    assert "true class" not in field.options
    hidden = next(field for field in ready_page().selectbox if field.label == "Color")
    assert "true class" not in hidden.options
    revealed = ready_page(truth="on")
    assert {"3", "8"} <= colors(revealed, "true class")


def test_the_map_settles_while_the_page_is_open_and_says_what_it_is_worth_as_the_linear_ones_do(ready_page):
    test = settled(ready_page(), "Distances between groups mean little")
    assert re.search(r"alike to the model \([\d.]+\s?% of the 15 nearest neighbors kept\)", said(test))
    method = next(field for field in test.selectbox if field.label == "Map")
    assert method.value == "neighbors"
    method.set_value("pca").run()
    assert re.search(r"A linear map \([\d.]+\s?% of the 15 nearest neighbors kept\)", said(test))


def test_a_map_that_is_stopped_stays_pcas_and_can_be_settled_later(ready_page, monkeypatch):
    begun = threading.Event()

    def endless(*args, progress, **named):
        begun.set()
        while True:
            progress(1, 2, "the map settles")  # raises once it was stopped

    with monkeypatch.context() as replaced:
        replaced.setattr("testimate.structure.maps.neighbor_map", endless)
        test = ready_page().run()  # it begins at the second look
        assert begun.wait(60)
        press(test, "Stop")
        settled(test, "stopped before it had settled: PCA's map is shown")
    press(test, "Settle it")
    settled(test, "Distances between groups mean little")
