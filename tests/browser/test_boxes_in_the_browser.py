"""A detector's boxes in a real browser: judged by keys and clicks, objects counted, steps taken back, everything stored."""

import io

import pytest
from PIL import Image

from testimate.core.subject import Shown, ShownBox
from testimate.tasks.boxes import Boxes
from tests.browser.surface_without_streamlit import BareSurface

PLACES = ((0.1, 0.1, 0.3, 0.3), (0.5, 0.2, 0.4, 0.6), (0.6, 0.4, 0.1, 0.1))


def pictured(row: int) -> Shown:
    """Row 101 has no box, 104 no picture; the others have a large box with a small one in front, and one beside."""
    if row == 104:
        return Shown("tabular", cells=(("file", "104.png"), ("not shown", "There is no such file.")))
    file = io.BytesIO()
    Image.new("RGB", (400, 300), (90, 120, 150)).save(file, "PNG")
    boxes = tuple(ShownBox("<b>ship</b>", *place) for place in PLACES)
    return Shown("image", file.getvalue(), boxes=() if row == 101 else boxes)


@pytest.fixture
def surface(page):
    made = BareSurface(Boxes(("<b>ship</b>", "buoy")), shown=pictured)
    made.open(page)
    return made


def words(page, selector):
    return page.evaluate("(selector) => window.surfaceRoot.querySelector(selector).textContent", selector)


def click(page, selector, **where):
    box = page.evaluate(
        "(selector) => { const box = window.surfaceRoot.querySelector(selector).getBoundingClientRect();"
        " return [box.x, box.y, box.width, box.height]; }",
        selector,
    )
    page.mouse.click(box[0] + box[2] * where.get("x", 0.5), box[1] + box[3] * where.get("y", 0.5))


def test_boxes_are_judged_by_keys_and_clicks_and_every_answer_is_stored(page, surface):
    assert words(page, ".box[data-box='0'] .box-tag") == "1 <b>ship</b>"
    page.keyboard.press("1")
    click(page, ".box[data-box='2']")  # the small one, in front of the large one
    for key in ("ArrowDown", "+", "+", "-"):
        page.keyboard.press(key)
    assert words(page, ".store-words") == "Save: 2 wrong, 1 missed"
    page.keyboard.press("Enter")
    assert words(page, ".boxed-words") == "No box. Missed:"
    assert words(page, ".store-words") == "Save: nothing missed"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("w")  # the last one
    page.keyboard.press("Enter")
    surface.settled(page)
    assert [(event.row, event.answer) for event in surface.events] == [(100, [-2, 0, 2]), (101, []), (102, [2])]


def test_names_of_many_boxes_do_not_hide_the_picture(page):
    def crowd(row):
        boxes = tuple(ShownBox("ship", place % 20 / 20, place // 20 / 20, 0.03, 0.03) for place in range(300))
        return Shown("image", pictured(row).image, boxes=boxes)

    BareSurface(Boxes(("ship",)), shown=crowd, ahead=1).open(page)
    seen = """() => [...window.surfaceRoot.querySelectorAll(".box-tag")]
        .filter((tag) => getComputedStyle(tag).display !== "none").map((tag) => parseInt(tag.textContent))"""
    assert sorted(page.evaluate(seen)) == list(range(1, 10))  # those that have a key
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("w")
    page.keyboard.press("ArrowLeft")
    assert sorted(page.evaluate(seen)) == [*range(1, 10), 299, 300]


def test_a_picture_that_is_missing_cannot_be_judged(page, surface):
    for _ in range(4):
        page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # of the picture that is missing: it stores nothing
    assert words(page, ".boxed-words") == "This picture can't be shown. Answer “can't tell”."
    page.keyboard.press("Space")
    surface.settled(page)
    assert [(event.row, event.kind) for event in surface.events[3:]] == [(103, "answer"), (104, "cannot tell")]


def test_a_step_back_takes_back_the_last_mark_and_then_the_last_picture(page, surface):
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.keyboard.press("+")
    page.keyboard.press("Backspace")
    assert words(page, ".store-words") == "Save: nothing missed"
    page.keyboard.press("Backspace")
    surface.settled(page)
    assert [(event.row, event.kind) for event in surface.events] == [(100, "answer"), (100, "undo")]
    assert page.evaluate("() => window.surfaceRoot.querySelector('.surface').dataset.row") == "100"


def test_how_many_were_missed_can_be_typed_and_what_is_no_number_is_not_stored(page, surface):
    click(page, ".missed-class[data-kind='1'] .missed-count")
    page.keyboard.press("Control+A")
    page.keyboard.type("two")
    page.keyboard.press("Enter")
    assert words(page, ".boxed-words").startswith("Expected a whole number from 0 to 1000, got two.")
    assert page.evaluate("() => window.surfaceRoot.querySelector('.surface').dataset.row") == "100"
    page.keyboard.press("Control+A")
    page.keyboard.type("12")  # digits belong to the field
    page.keyboard.press("Enter")
    surface.settled(page)
    assert [(event.row, event.answer) for event in surface.events] == [(100, [-2] * 12)]


def test_an_answer_chosen_from_the_strip_stands_there_again_and_can_be_changed(page, surface):
    for key in ("3", "+", "Enter"):
        page.keyboard.press(key)
    surface.settled(page)
    page.wait_for_function("() => window.surfaceRoot.querySelector('.strip button')")
    click(page, ".strip button")
    assert words(page, ".store-words") == "Save: 1 wrong, 1 missed"
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    surface.settled(page)
    assert surface.answered[100].answer == [-1]
