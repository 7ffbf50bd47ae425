"""What the labeling surface shows and takes for each kind of answer and input."""

import pytest

from tests.browser.surface_steps import press, shown, stored, until, visit


def test_the_last_answers_in_words_are_read_whole_and_none_of_them_is_cut_at_the_edge(bare, page):
    visit(page, bare, "code-strip")
    for name in ("street sign", "traffic light", "pedestrian", "something else") * 3:
        page.locator(f".classes button[title^='{name}']").click()
    until(lambda: stored(page) and page.locator(".strip li").count() == 12, page)
    looks = page.locator(".strip").evaluate(
        """(strip) => [...strip.children].map((item) => {
            const [all, one] = [strip.getBoundingClientRect(), item.getBoundingClientRect()];
            const label = item.querySelector(".label");
            return {
                whole: one.left >= all.left && one.right <= all.right && one.bottom <= all.bottom,
                below: one.top >= all.bottom,
                read: label.scrollWidth <= label.clientWidth && label.scrollHeight <= label.clientHeight,
            };
        })"""
    )
    assert all(look["whole"] != look["below"] for look in looks)
    assert sum(look["whole"] for look in looks) >= 4
    assert all(look["read"] for look in looks)


def test_a_label_in_the_strip_is_changed_by_a_click_and_a_key(bare, page, events):
    visit(page, bare, "digit-change")
    press(page, "1", "2", "3")
    until(lambda: stored(page), page)
    page.locator(".strip li button").nth(1).click()
    until(lambda: page.locator(".surface").get_attribute("data-row") == "101", page)
    assert page.locator(".classes .chosen").text_content() == "2"
    press(page, "8")
    assert page.locator(".surface").get_attribute("data-row") == "103"
    until(lambda: len(events("digit-change")) == 4, page)
    assert [(event["row"], event["answer"]) for event in events("digit-change")][-1] == (101, 8)


def test_the_prediction_is_shown_only_where_the_session_says_so_and_the_verdict_after_the_answer(bare, page, events):
    visit(page, bare, "text-hidden")
    assert page.locator(".prediction").is_hidden()
    press(page, "1", "2")
    until(lambda: page.locator(".strip .mark").count() == 2, page)
    marks = page.locator(".strip li button").evaluate_all("(all) => all.map((one) => one.title)")
    assert marks == ["input 101: 2; the model was right", "input 100: 1; the model was right"]
    visit(page, bare, "text-shown")
    assert page.locator(".prediction").text_content() == "model says 7"
    press(page, "7")
    until(lambda: stored(page), page)
    assert [read[0]["detail"]["prediction_shown"] for read in (events("text-hidden"), events("text-shown"))] == [
        False,
        True,
    ]


def test_several_classes_are_toggled_and_stored_by_enter(bare, page, events):
    visit(page, bare, "multi")
    press(page, "3", "2", "1", "2", "Enter", "Enter")
    until(lambda: stored(page), page)
    assert [(event["row"], event["answer"]) for event in events("multi")] == [(100, [0, 2]), (101, [])]


def test_a_number_is_typed_at_once_and_stored_by_enter(bare, page, events):
    visit(page, bare, "number")
    press(page, "-", "1", ",", "2", "5", "6", "Backspace", "Enter")
    press(page, "Enter")  # without a number nothing is stored
    press(page, "3", "0", "Enter", "Backspace", "Enter", " ")  # nor one that no answer can be: from -5 to 5
    press(page, "Backspace")
    until(lambda: len(events("number")) == 4, page)
    assert [(event["kind"], event["row"], event["answer"]) for event in events("number")] == [
        ("answer", 100, -1.25),
        ("answer", 101, 3),
        ("cannot tell", 102, None),
        ("undo", 102, None),
    ]


def test_more_than_ten_classes_have_letters_and_more_than_keys_are_named_by_their_first_letters(bare, page, events):
    visit(page, bare, "photo-letters")
    press(page, "0", "a")
    until(lambda: stored(page), page)
    assert [event["answer"] for event in events("photo-letters")] == [9, 10]
    visit(page, bare, "many")
    press(page, "/", *"kind 42", "Enter")
    press(page, *"5")
    assert page.locator(".classes button.searched").text_content() == "kind 5"
    assert page.locator(".classes button:visible").first.bounding_box() is not None
    press(page, "Enter", *"k1", "ArrowDown", "Enter")
    until(lambda: len(events("many")) == 3, page)
    assert [(event["row"], event["answer"]) for event in events("many")] == [(100, 42), (101, 5), (102, 10)]


def test_small_pictures_are_crisp_and_large_and_large_ones_zoom_and_pan(bare, page):
    visit(page, bare, "digit-crisp")
    small = page.locator(".input img")
    assert small.evaluate("(image) => getComputedStyle(image).imageRendering") == "pixelated"
    assert small.bounding_box()["width"] % 8 == 0
    assert small.bounding_box()["width"] >= 300
    visit(page, bare, "photo-zoom")
    large = page.locator(".input img")
    box, stage = large.bounding_box(), page.locator(".stage").bounding_box()
    assert box["width"] <= stage["width"]
    assert box["height"] <= stage["height"] + 1
    page.mouse.move(stage["x"] + 200, stage["y"] + 150)
    page.mouse.wheel(0, -400)
    page.keyboard.press("+")
    zoomed = large.bounding_box()
    assert zoomed["width"] > 2 * box["width"]
    page.mouse.down()
    page.mouse.move(stage["x"] + 240, stage["y"] + 170)
    page.mouse.up()
    assert large.bounding_box()["x"] == pytest.approx(zoomed["x"] + 40, abs=1)
    page.mouse.dblclick(stage["x"] + 200, stage["y"] + 150)
    assert large.bounding_box()["width"] == pytest.approx(box["width"])


def test_a_sound_is_drawn_and_waits_for_its_key_and_ends_with_its_input(bare, page, events, expected_errors):
    expected_errors += ["ERR_REQUEST_RANGE_NOT_SATISFIABLE"]  # the damaged sound, asked for from where it ends
    visit(page, bare, "sound-played", rows=4)
    player = page.locator(".input audio")
    until(lambda: player.evaluate("(sound) => sound.readyState") >= 3, page)  # it could play
    assert player.evaluate("(sound) => [sound.paused, sound.currentTime]") == [True, 0]
    assert player.evaluate("(sound) => sound.src.startsWith('blob:')")
    inked = """(wave) => { const half = wave.width / 2, pen = wave.getContext("2d");
      const count = (x) => pen.getImageData(x, 0, half, wave.height).data.filter((v, i) => i % 4 === 3 && v > 0).length;
      return [count(0), count(half)]; }"""
    quiet, loud = page.locator(".input .wave").evaluate(inked)
    assert loud == pytest.approx(3 * quiet, rel=0.15)  # it grows from 0: the halves' means are as 1 to 3
    spectrogram = page.locator(".input .spectrogram")
    loudest = """(picture) => { const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
      canvas.width = picture.naturalWidth; canvas.height = picture.naturalHeight; pen.drawImage(picture, 0, 0);
      const column = pen.getImageData(canvas.width - 20, 0, 1, canvas.height).data.filter((v, i) => i % 4 === 3);
      return column.indexOf(Math.max(...column)) / (canvas.height - 1); }"""
    assert 4000 * (1 - spectrogram.evaluate(loudest)) == pytest.approx(300, abs=32)  # the tone, of 0 to 4 kHz
    assert spectrogram.get_attribute("alt") == "Spectrogram: 0 to 4 kHz, 2 s"
    assert page.locator(".input .play").text_content() == "p ▶ play"
    press(page, "p")
    until(lambda: player.evaluate("(sound) => sound.currentTime > 0.1"), page)
    assert page.locator(".input .play").text_content() == "p ❚❚ pause"
    press(page, "p")
    assert player.evaluate("(sound) => sound.paused")
    until(lambda: page.locator(".input .play").text_content() == "p ▶ play", page)
    press(page, "p")
    page.evaluate(
        "() => { window.first = document.querySelector('[data-testid=stBidiComponentIsolated]')"
        ".shadowRoot.querySelector('.input audio'); }"
    )
    press(page, "7")
    assert page.locator(".surface").get_attribute("data-row") == "101"
    assert page.evaluate("() => [window.first.paused, window.first.currentTime]") == [True, 0]
    assert player.evaluate("(sound) => sound.paused")
    press(page, "1")
    until(lambda: "data are damaged" in shown(page), page)
    until(lambda: stored(page), page)
    assert [(event["row"], event["answer"]) for event in events("sound-played")] == [(100, 7), (101, 1)]


def test_buttons_work_by_mouse_and_by_keyboard_and_a_click_leaves_the_space_bar_alone(bare, page, events):
    visit(page, bare, "text-buttons")
    page.locator(".classes button").nth(4).click()
    press(page, " ")
    page.locator(".classes button").nth(6).focus()
    press(page, "Enter")
    until(lambda: stored(page), page)
    received = [(event["kind"], event["row"], event["answer"]) for event in events("text-buttons")]
    assert received == [("answer", 100, 4), ("cannot tell", 101, None), ("answer", 102, 6)]
