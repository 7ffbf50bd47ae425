"""A network whose classes stand in another order than the alphabet: seen at the upload, changed, and right in the report."""

import re
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper
from playwright.sync_api import expect

from tests.browser.app_steps import PATIENCE, answer_in_turn, click, downloaded_report, go, keys_on_screen
from tests.browser.test_nine_kinds import Brought, choose_files, csv_of, onnx_of

ROOT = Path(__file__).parents[2]
ROWS, RIGHT, LABELS = 200, 157, 6


def customers() -> Brought:
    """A network trained with 0 = stays and 1 = leaves, which is right about 157 of 200 customers: 78.5%."""
    x = np.random.default_rng(1).normal(size=(ROWS, 2)).round(4)
    said = np.where(x[:, 0] > 0, "leaves", "stays")
    truth = np.where((said == "leaves") ^ (np.arange(ROWS) >= RIGHT), "leaves", "stays")
    nodes = [
        helper.make_node("MatMul", ["x", "weights"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["y"], axis=1),
    ]
    model = onnx_of(TensorProto.FLOAT, 2, nodes, {"weights": np.array([[-1, 1], [0, 0]])}, 2)
    data = csv_of(("calls", "months", "label"), [(*row, name) for row, name in zip(x, truth, strict=True)])
    return Brought(("churn.onnx", model), ("customers.csv", data), truth.tolist(), said.tolist(), ".input table")


@pytest.fixture
def app(run_app, tmp_path):
    return run_app(ROOT / "serve.py", TESTIMATE_PROJECT=str(tmp_path))


def waits_for(page, words: str) -> None:
    page.get_by_text(words).first.wait_for(timeout=1000 * PATIENCE)


def lists(page, *names: str) -> None:
    """Whether the list has these classes, from output 0 on, as somebody hears them who does not see the table."""
    cells = page.locator("canvas td", has_text=re.compile("^(stays|leaves)$"))
    expect(cells).to_have_text([*names], timeout=1000 * PATIENCE)


@pytest.mark.slow  # tests/pages/test_class_order.py changes the order in each of these ways without a browser
def test_a_wrong_order_is_seen_at_the_upload_changed_by_hand_or_by_a_list_and_right_in_the_report(app, page):
    brought = customers()
    choose_files(page, app.url, brought)
    waits_for(page, "Taken from: the labels' words in alphabetical order")
    lists(page, "leaves", "stays")
    waits_for(page, "21.5% right; with leaves and stays exchanged 78.5% (of 200 labeled inputs)")

    click(page, page.get_by_role("button", name="Exchange the two"))
    waits_for(page, "Taken from: as changed by hand")
    lists(page, "stays", "leaves")
    assert not page.get_by_text("21.5% right").count()

    click(page, page.get_by_role("button", name="Exchange the two"))
    waits_for(page, "21.5% right")
    lists(page, "leaves", "stays")
    click(page, page.get_by_text("Another order, or a list of names"))
    field = page.get_by_role("textbox", name="List of classes, the first for output 0")
    field.fill("stays\nleaves")
    field.press("Control+Enter")
    click(page, page.get_by_role("button", name="Take this list"))
    waits_for(page, "Taken from: as pasted")
    lists(page, "stays", "leaves")

    click(page, page.get_by_role("button", name="Use this model and data"))
    waits_for(page, "Sample inputs")
    click(page, page.locator(".st-key-switcher").get_by_role("button"))
    click(page, page.get_by_text("Reveal the truth"))
    waits_for(page, "78.5")
    go(page, "Plan")
    budget = page.get_by_label("Labels, at most", exact=True)
    budget.fill(str(LABELS))
    budget.press("Enter")
    click(page, page.get_by_role("button", name="Start labeling"))
    keys = keys_on_screen(page)
    rows = answer_in_turn(page, lambda row: [keys[brought.truth[row]]], LABELS)
    wrong = sum(brought.said[row] != brought.truth[row] for row in rows)
    go(page, "Results")
    report = downloaded_report(page)
    assert re.search(rf"\bFrom {LABELS} labels: {wrong} wrong", report)
    assert "78.50%" in report  # the truth, known here
