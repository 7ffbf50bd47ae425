"""Failure codes on the labeling surface in a real browser: by letter, typed anew, taken back, and never in an answer's way."""

import pytest

from testimate.tasks.classification import Classification
from testimate.tasks.criteria import Criteria
from testimate.tasks.verdict import Judgment, criterion_of
from tests.browser.surface_without_streamlit import SETTLED, BareSurface
from tests.browser.test_criteria_in_the_browser import click, judged, words

RIGHT, WRONG = "1", "2"


@pytest.fixture
def opened(page):
    def open_surface(task=None, codes=()):
        surface = BareSurface(task or Judgment(), codes=dict(codes))
        if surface.task.graded:
            surface.shown = judged
        surface.open(page)
        return surface

    return open_surface


def asked(page):
    """Which input is asked about; None where none is."""
    hidden = page.evaluate("() => window.surfaceRoot.querySelector('.codes').classList.contains('none')")
    return None if hidden else words(page, ".codes-words")


def said(surface):
    return [(event.row, event.kind, event.detail.get("codes", event.answer)) for event in surface.events]


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_codes_are_typed_anew_and_then_given_by_letter_while_the_next_input_waits(page, opened):
    surface = opened()
    assert asked(page) is None
    press(page, RIGHT, WRONG)
    assert asked(page).startswith("Why did input 101 fail")
    press(page, "y")
    page.keyboard.type("off by one; wrong unit")
    press(page, "Enter", "Escape", WRONG, "Shift+W", RIGHT, "Shift+O")
    surface.settled(page)
    assert said(surface) == [
        (100, "answer", 0),
        (101, "answer", 1),
        (101, "codes", ["off by one", "wrong unit"]),
        (102, "answer", 1),
        (102, "codes", ["wrong unit"]),
        (103, "answer", 0),
        (102, "codes", ["wrong unit", "off by one"]),
    ]
    assert words(page, ".codes-names .chosen .name") == "off by one"


def test_answers_ten_a_second_are_all_stored_beside_the_codes_asked_for(page, opened):
    surface = opened(codes={7: ["blur"]})
    keys = [WRONG, RIGHT, WRONG, WRONG, RIGHT] * 8
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(100 - 10)
    surface.settled(page)
    assert said(surface) == [(100 + place, "answer", int(key) - 1) for place, key in enumerate(keys)]


def test_the_same_letter_again_or_undo_takes_a_code_back_before_the_answer(page, opened):
    surface = opened(codes={7: ["blur", "dark"]})
    press(page, WRONG, "Shift+B", "Shift+D", "Shift+B", "Backspace", "Backspace", "Backspace", "Backspace")
    surface.settled(page)
    given = [codes for _, kind, codes in said(surface) if kind == "codes"]
    assert given == [["blur"], ["blur", "dark"], ["dark"], ["blur", "dark"], ["blur"], []]
    assert said(surface)[-1] == (100, "undo", None)
    assert asked(page) is None


def test_of_a_classifier_codes_are_asked_for_once_the_server_has_the_answer(page, opened):
    surface = opened(Classification(("cat", "dog")), {7: ["blur"]})
    press(page, "2")
    surface.settled(page)
    page.wait_for_timeout(SETTLED)
    assert asked(page) == "Why did input 100 fail (dog)?"
    press(page, "Shift+B", "1")
    surface.settled(page)
    assert said(surface) == [(100, "answer", 1), (100, "codes", ["blur"]), (101, "answer", 0)]


def test_a_code_keeps_its_letter_and_forty_codes_hide_no_answer(page, opened):
    many = {row: [f"kind {row}"] for row in range(40)}
    surface = opened(codes=many)
    press(page, WRONG)
    letters = page.evaluate(
        "() => [...window.surfaceRoot.querySelectorAll('.codes-names button')].map((one) => one.textContent)"
    )
    assert len(letters) == 40
    assert len({one[:2] for one in letters if one.startswith("⇧")}) == 26
    bottom = "() => window.surfaceRoot.querySelector('.answers').getBoundingClientRect().bottom"
    assert 0 < page.evaluate(bottom) < page.viewport_size["height"]
    click(page, ".codes-names button:nth-child(2)")
    surface.settled(page)
    assert said(surface)[-1] == (100, "codes", ["kind 1"])


def test_a_name_of_other_case_is_the_known_one_and_markup_stays_text(page, opened):
    surface = opened(codes={7: ["<b>Blur</b>"]})
    press(page, WRONG, "y")
    page.keyboard.type("<B>blur</B>;dark")
    press(page, "Enter", "Enter", RIGHT)
    surface.settled(page)
    assert said(surface)[1:] == [(100, "codes", ["<b>Blur</b>", "dark"]), (101, "answer", 0)]
    assert words(page, ".codes-names .name") == "<b>Blur</b>"


def test_an_output_with_a_fault_by_one_criterion_is_asked_about(page, opened):
    surface = opened(Criteria(criteria=(criterion_of("polite"), criterion_of("true:1-5"))), {7: ["blur"]})
    press(page, "1", "5")
    assert asked(page) is None
    press(page, "1", "x")
    assert asked(page) is None
    press(page, "1", "2", "Shift+B")
    surface.settled(page)
    assert said(surface)[-1] == (102, "codes", ["blur"])


def test_without_a_failure_the_key_says_so_and_where_codes_cannot_be_given_it_has_no_meaning(page, opened):
    opened()
    press(page, "y")
    assert "No failure to give a code to" in words(page, ".stored")
    bare = BareSurface(Judgment(), shown=judged)
    assert "why" not in bare.view([])["task"]["actions"]


def test_an_earlier_failure_chosen_on_the_strip_gets_the_code(page, opened):
    surface = opened(codes={7: ["blur"]})
    press(page, WRONG, WRONG)
    surface.settled(page)
    page.wait_for_timeout(SETTLED)
    click(page, ".strip li:nth-child(2) button")
    press(page, "Shift+B", "Escape")
    surface.settled(page)
    assert said(surface)[-1] == (100, "codes", ["blur"])
