"""Several criteria in a real browser: one key for each, skipped by x, stored with the last, taken back and changed."""

import pytest

from testimate.core.subject import Pane, Shown
from testimate.tasks.criteria import Criteria
from testimate.tasks.verdict import criterion_of
from tests.browser.surface_without_streamlit import BareSurface

ASKED = ("<b>faithful</b>:1-5 | 5: every claim is in the source", "polite", "overall:0-10")


def judged(row: int) -> Shown:
    panes = (Pane("Input", Shown("text", text=f"question {row}")), Pane("Output", Shown("text", text=f"answer {row}")))
    return Shown("text", text="all of it", panes=panes)


@pytest.fixture
def surface(page):
    made = BareSurface(Criteria(criteria=tuple(map(criterion_of, ASKED))), shown=judged)
    made.open(page)
    return made


def words(page, selector):
    return page.evaluate("(selector) => window.surfaceRoot.querySelector(selector).textContent", selector)


def click(page, selector):
    place = page.evaluate(
        "(selector) => { const box = window.surfaceRoot.querySelector(selector).getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; }",
        selector,
    )
    page.mouse.click(*place)


def said(surface):
    return [(event.row, event.kind, event.answer) for event in surface.events]


def test_the_output_is_stored_with_the_last_criterion_by_keys_and_clicks(page, surface):
    assert words(page, ".criterion-name") == "<b>faithful</b>"
    assert words(page, ".criterion-rubric") == "5: every claim is in the source"
    for key in ("4", "2"):
        page.keyboard.press(key)
    assert words(page, ".store-words") == "Still open: overall"
    click(page, ".grade[data-criterion='2'][data-place='10']")  # which has no key
    for key in ("1", "x", "0"):
        page.keyboard.press(key)
    surface.settled(page)
    assert said(surface) == [(100, "answer", [3, 1, 10]), (101, "answer", [0, -1, 0])]


def test_enter_stores_nothing_while_a_criterion_is_open_and_a_step_is_taken_back_first(page, surface):
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    assert words(page, ".store-words") == "Still open: polite, overall"
    page.keyboard.press("Backspace")
    assert words(page, ".store-words") == "Still open: <b>faithful</b>, polite, overall"
    for key in ("ArrowDown", "1", "5", "2"):
        page.keyboard.press(key)
    surface.settled(page)
    assert said(surface) == [(100, "answer", [1, 0, 5])]


def test_an_output_whose_criteria_are_all_skipped_cannot_be_told(page, surface):
    for key in ("x", "x", "x"):
        page.keyboard.press(key)
    surface.settled(page)
    assert said(surface) == [(100, "cannot tell", None)]


def test_an_answer_of_the_strip_is_changed_by_one_criterion_and_stored_by_enter(page, surface):
    for key in ("4", "1", "7"):
        page.keyboard.press(key)
    click(page, ".strip button")
    page.keyboard.press("5")
    assert words(page, ".store-words") == "Save"
    page.keyboard.press("Enter")
    surface.settled(page)
    assert said(surface) == [(100, "answer", [3, 0, 7]), (100, "answer", [4, 0, 7])]
