"""The labeling surface for hands that know another tool, and for fingers: its keys, a sound, colors, and swipes."""

import time

import pytest

from tests.browser.app_steps import let_it_be_seen
from tests.browser.surface_steps import press, stored, until, visit
from tests.browser.test_surface_by_keyboard_and_reader import answers


@pytest.mark.slow
def test_the_keys_of_another_tool_are_chosen_once_for_all_sessions_of_the_browser(app, page, events):
    visit(page, app, "pair-prodigy")
    page.keyboard.press("?")
    assert page.get_by_role("radio", name="Testimate").get_attribute("aria-checked") == "true"
    page.get_by_role("radio", name="Testimate").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("radio", name="Prodigy").get_attribute("aria-checked") == "true"
    page.keyboard.press("Escape")
    press(page, "a", "x", "x")
    until(lambda: stored(page), page)
    assert answers(events("pair-prodigy")) == [(100, 0), (101, 1), (102, 1)]
    visit(page, app, "pair-studio")
    press(page, "a")
    page.keyboard.press("?")
    page.get_by_role("radio", name="Label Studio").click()
    page.keyboard.press("Escape")
    press(page, "2", "Control+z", "Control+ ")
    until(lambda: stored(page), page)
    kinds = [(event["kind"], event["row"]) for event in events("pair-studio")]
    assert kinds == [("answer", 100), ("answer", 101), ("undo", 101), ("skip", 101)]
    page.evaluate("() => localStorage.removeItem('testimate-key-layout')")


def test_a_sound_after_each_answer_is_made_when_it_is_wanted(bare, page):
    page.add_init_script(
        "window.tones = []; const start = OscillatorNode.prototype.start;"
        "OscillatorNode.prototype.start = function () { window.tones.push(this.frequency.value); start.call(this); };"
    )
    visit(page, bare, "text-sounds")
    press(page, "3")
    assert page.evaluate("window.tones") == []
    page.keyboard.press("?")
    page.get_by_role("button", name="sound after each answer").click()
    page.keyboard.press("Escape")
    press(page, "3", "y")  # an answer, and a key without a meaning
    assert page.evaluate("window.tones") == [880, 880, 220]  # the first one when it was turned on
    page.evaluate("() => localStorage.removeItem('testimate-sound-cue')")


def test_a_class_has_the_stripe_of_its_color_and_its_name_and_key_stay(bare, page):
    visit(page, bare, "pair-colors")
    accept, reject = page.locator(".classes button").all()
    assert accept.evaluate("node => getComputedStyle(node).borderLeftColor") == "rgb(0, 158, 115)"
    assert accept.text_content() == "1accept"
    assert reject.evaluate("node => getComputedStyle(node).borderLeftWidth") == "1px"


@pytest.fixture
def phone(browser):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


def swipe(page, across: int) -> None:
    """A finger over the input for 0.15 s, as the browser's own protocol makes it, however long a busy machine takes over it."""
    box = page.locator(".stage").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    hand = page.context.new_cdp_session(page)
    begun = time.time()  # each touch says when it was made, which the page goes by
    for step, (kind, share) in enumerate((("touchStart", 0), ("touchMove", 0.4), ("touchMove", 1), ("touchEnd", None))):
        points = [] if share is None else [{"x": x + share * across, "y": y}]
        made = {"type": kind, "touchPoints": points, "timestamp": begun + 0.05 * step}
        hand.send("Input.dispatchTouchEvent", made)


def test_on_a_phone_a_swipe_answers_where_there_are_two_classes_and_nothing_is_cut(app, phone, events):
    visit(phone, app, "pair-phone")
    assert phone.locator(".swipes").text_content() == "swipe ← accept, → reject"
    assert phone.locator(".swipes").is_visible()
    wide = phone.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 390
    swipe(phone, -120)
    let_it_be_seen(phone)
    swipe(phone, 120)
    let_it_be_seen(phone)
    swipe(phone, 30)  # too short
    phone.locator(".classes button").nth(1).tap()
    until(lambda: len(events("pair-phone")) == 3, phone)
    assert answers(events("pair-phone")) == [(100, 0), (101, 1), (102, 1)]


def test_two_fingers_zoom_a_photo_about_the_place_between_them_and_one_moves_it(app, phone):
    visit(phone, app, "photo-phone")
    before, stage = phone.locator(".input img").bounding_box(), phone.locator(".stage").bounding_box()
    x, y = stage["x"] + stage["width"] / 2 + 30, stage["y"] + stage["height"] / 2
    hand = phone.context.new_cdp_session(phone)

    def touch(kind: str, *across: float) -> None:
        points = [{"x": x + way, "y": y, "id": finger} for finger, way in enumerate(across)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", -20)
    touch("touchStart", -20, 20)
    touch("touchMove", -30, 30)
    touch("touchMove", -60, 60)
    image = phone.locator(".input img")
    until(lambda: image.bounding_box()["width"] == pytest.approx(3 * before["width"], rel=0.01), phone)
    zoomed = image.bounding_box()
    assert (x - zoomed["x"]) / zoomed["width"] == pytest.approx((x - before["x"]) / before["width"], abs=0.01)
    touch("touchEnd")
    touch("touchStart", -60)
    touch("touchMove", -20)
    until(lambda: image.bounding_box()["x"] == pytest.approx(zoomed["x"] + 40, abs=1), phone)
    touch("touchEnd")
