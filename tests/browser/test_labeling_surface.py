"""The labeling surface in a real browser: no label on a wrong input, nothing lost, nothing run that was only shown."""

import os
import signal
import threading
from pathlib import Path

from tests.browser.app_steps import GONE, let_it_be_seen
from tests.browser.surface_steps import press, shown, stored, until, visit
from tests.typescript import compiled

HERE = Path(__file__).parent
SURFACE = HERE.parents[1] / "testimate" / "ui" / "components" / "labeling_surface"
RECORD_KEYS = """() => {
  window.keys = [];
  const surface = () => document.querySelector("[data-testid=stBidiComponentIsolated]").shadowRoot;
  // before anything of the page sees the key: what a tester has before their eyes
  window.addEventListener("keydown", (event) => {
    window.keys.push([event.key, surface().querySelector(".input").textContent]);
  }, true);
}"""


def test_at_ten_keys_a_second_every_label_is_on_the_input_that_was_on_the_screen(app, page, events):
    visit(page, app, "text-fast")
    page.evaluate(RECORD_KEYS)
    for count in range(40):
        page.keyboard.press(str(count * 7 % 10))
        page.wait_for_timeout(85)  # with the time a key takes, ten a second
    until(lambda: stored(page), page)
    seen = [(key, text) for key, text in page.evaluate("() => window.keys") if text]
    answered = {text: int(key) for key, text in seen}  # a key that came too early left the input where it was
    received = {f"input {event['row']}": event["answer"] for event in events("text-fast")}
    assert received == answered
    assert len(events("text-fast")) == len(received) >= 30


def test_a_held_key_is_one_label(bare, page, events):
    visit(page, bare, "text-held")
    for _ in range(12):
        page.keyboard.down("3")  # down again without up: what a held key sends
        page.wait_for_timeout(20)  # as fast as keyboards repeat
    page.keyboard.up("3")
    until(lambda: stored(page), page)
    assert [(event["row"], event["answer"]) for event in events("text-held")] == [(100, 3)]


def test_a_double_click_is_one_label_and_one_click_after_another_are_two(bare, page, events):
    visit(page, bare, "text-double")
    button = page.locator(".surface .answers button", has_text="3").first
    button.dblclick()
    assert shown(page) == "input 101"
    page.wait_for_timeout(600)  # beyond what counts as a double click
    button.click()
    until(lambda: shown(page) == "input 102", page)
    page.locator(".surface [data-act=skip]").dblclick()
    until(lambda: stored(page), page)
    received = [(event["kind"], event["row"], event["answer"]) for event in events("text-double")]
    assert received == [("answer", 100, 3), ("answer", 101, 3), ("skip", 102, None)]


def test_the_second_half_of_a_double_click_that_a_busy_page_takes_late_is_no_label(bare, page, events):
    visit(page, bare, "text-busy")
    page.locator(".surface .answers button", has_text="3").first.evaluate(
        """(button) => {
          const [first, second] = [1, 2].map((detail) => new MouseEvent("click", { detail, bubbles: true, composed: true }));
          button.dispatchEvent(first);
          const end = performance.now() + 500;
          while (performance.now() < end);
          button.dispatchEvent(second);
        }"""
    )
    until(lambda: stored(page), page)
    assert [(event["row"], event["answer"]) for event in events("text-busy")] == [(100, 3)]


def test_undo_skip_and_cannot_tell_do_what_they_say(bare, page, events):
    visit(page, bare, "text-verbs", rows=6)
    press(page, "1", " ", "s", "4")
    assert shown(page) == "input 104"
    press(page, "Backspace", "Backspace")
    assert shown(page) == "input 102"
    press(page, "5", "6", "7", "8")
    until(lambda: shown(page) == "", page)
    until(lambda: stored(page), page)
    assert [(event["kind"], event["row"], event["answer"]) for event in events("text-verbs")] == [
        ("answer", 100, 1),
        ("cannot tell", 101, None),
        ("skip", 102, None),
        ("answer", 103, 4),
        ("undo", 103, None),
        ("undo", 102, None),
        ("answer", 102, 5),
        ("answer", 103, 6),
        ("answer", 104, 7),
        ("answer", 105, 8),
    ]
    assert "All planned inputs are done" in str(page.locator(".surface .calm").text_content())
    page.reload()
    page.wait_for_selector(".surface .strip li")
    for row in (105, 104, 103):  # undo has no limit: it goes on behind a reload
        press(page, "Backspace")
        until(lambda row=row: shown(page) == f"input {row}", page)


def test_a_skipped_input_comes_back_after_the_others(bare, page, events):
    visit(page, bare, "text-skip", rows=3)
    press(page, "s", "1", "2")
    until(lambda: shown(page) == "input 100", page)
    let_it_be_seen(page)
    press(page, "9")
    until(lambda: len(events("text-skip")) == 4, page)
    assert [(event["row"], event["answer"]) for event in events("text-skip")][-1] == (100, 9)


def test_a_frozen_server_and_a_reload_lose_no_label_and_double_none(app, page, events):
    visit(page, app, "text-frozen")
    press(page, "1", "2")
    until(lambda: stored(page), page)
    os.kill(app.process.pid, signal.SIGSTOP)
    try:
        press(page, "3", "4", "5")
        page.wait_for_selector(".surface .banner:not([hidden])")
        assert "3 labels not saved yet. Keep this page open" in page.locator(".surface .banner").text_content()
    finally:
        threading.Timer(0.5, os.kill, (app.process.pid, signal.SIGCONT)).start()
    page.reload()
    page.wait_for_selector(".surface[data-row='105']")
    until(lambda: stored(page) and page.locator(".surface .banner").is_hidden(), page)
    assert [(event["row"], event["answer"]) for event in events("text-frozen")] == [
        (100, 1),
        (101, 2),
        (102, 3),
        (103, 4),
        (104, 5),
    ]


def test_a_killed_and_restarted_server_gets_what_it_missed(run_app, folder, page, events, expected_errors):
    expected_errors += [*GONE, "Client Error"]
    app = run_app(HERE / "surface_app.py", SURFACE_FOLDER=str(folder))
    visit(page, app, "text-killed")
    press(page, "1")
    until(lambda: stored(page), page)
    app.kill()
    press(page, "2", "3")
    page.wait_for_timeout(200)  # the labels go out while nobody is there
    app.start()
    until(lambda: len(events("text-killed")) == 3, page, seconds=40)
    assert [(event["row"], event["answer"]) for event in events("text-killed")] == [(100, 1), (101, 2), (102, 3)]
    until(lambda: stored(page), page)
    app.kill()


def test_a_second_tab_drops_what_was_answered_in_the_first(app, page, events):
    visit(page, app, "text-tabs")
    other = page.context.new_page()
    visit(other, app, "text-tabs")
    press(page, "1", "2", "3")
    until(lambda: stored(page), page)
    assert shown(other) == "input 100"
    press(other, "7")
    until(lambda: shown(other) == "input 103", other)
    other.close()
    received = [(event["row"], event["answer"]) for event in events("text-tabs")]
    assert received == [(100, 1), (101, 2), (102, 3), (100, 7)]


def test_hostile_text_is_shown_letter_by_letter(app, page):
    visit(page, app, "hostile")  # a script in the text would have run by the end of the visit
    assert "<script>window.hacked = 1</script><img src=x" in shown(page)
    assert "[picture: picture (https://evil.example/leak.png)]" in shown(page)
    assert "<script>" in page.locator(".classes button").first.text_content()
    press(page, "1")
    page.wait_for_selector(".strip li")
    page.keyboard.press("?")
    page.wait_for_selector(".help:not([hidden])")
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".surface script, .surface img").count() == 0


def test_typing_into_fields_labels_nothing(app, page, events):
    visit(page, app, "text-fields")
    press(page, "f")
    page.keyboard.type("rc 3 sees 4 circles?")
    assert page.locator("[role=dialog]:not(.help)").count() == 0  # Streamlit's own shortcut for c did not fire
    page.keyboard.press("Enter")
    page.get_by_label("A field of the page").click()
    page.keyboard.type("12345 sf")
    page.keyboard.press("Enter")
    until(lambda: stored(page) or len(events("text-fields")) == 1, page)
    page.wait_for_timeout(400)  # a label would go out within 300
    assert [(event["kind"], event["row"]) for event in events("text-fields")] == [("flag", 100)]
    assert events("text-fields")[0]["detail"]["note"] == "rc 3 sees 4 circles?"
    assert shown(page) == "input 100"


def test_other_keys_are_left_alone_and_the_numpad_answers(app, page, events):
    visit(page, app, "text-keys")
    for keys in ("Control+3", "Alt+3", "Shift+Digit3", "c", "ArrowDown"):
        page.keyboard.press(keys)
    assert shown(page) == "input 100"
    page.keyboard.press("Numpad6")
    page.keyboard.press("?")
    press(page, "1", "2")  # the list of keys hides the input: nobody can mean it
    page.keyboard.press("Escape")
    until(lambda: stored(page), page)
    assert [(event["row"], event["answer"]) for event in events("text-keys")] == [(100, 6)]


def test_a_rerun_leaves_the_input_the_focus_and_the_note_alone(app, page):
    visit(page, app, "text-rerun")
    press(page, "1", "2", "f")
    page.keyboard.type("half a no")
    page.get_by_role("button", name="Slow rerun").evaluate("(button) => button.click()")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=running]", state="attached")
    page.keyboard.type("te")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", state="attached")
    assert shown(page) == "input 102"
    assert page.locator(".note-field").input_value() == "half a note"
    page.keyboard.type("!")
    assert page.locator(".note-field").input_value() == "half a note!"


def test_a_surface_that_left_the_page_takes_no_keys_and_one_that_came_back_takes_each_once(app, page, events):
    visit(page, app, "text-gone")
    press(page, "1")
    until(lambda: stored(page), page)
    page.get_by_text("Hide the surface").click()
    page.wait_for_selector(".surface", state="detached")
    press(page, "2", "3")
    page.get_by_text("Hide the surface").click()
    page.wait_for_selector(".surface[data-row='101']")
    let_it_be_seen(page)
    press(page, "4")
    until(lambda: stored(page), page)
    assert [(event["row"], event["answer"]) for event in events("text-gone")] == [(100, 1), (101, 4)]


def test_labels_wait_loudly_while_nothing_can_be_stored_and_arrive_afterwards(bare, folder, page, events):
    visit(page, bare, "text-full")
    (folder / "text-full.broken").touch()
    press(page, "1", "2")
    until(lambda: "The disk is full" in str(page.locator(".surface .banner").text_content()), page)
    assert shown(page) == "input 102"
    (folder / "text-full.broken").unlink()
    until(lambda: stored(page), page)
    assert [(event["row"], event["answer"]) for event in events("text-full")] == [(100, 1), (101, 2)]


def test_a_forged_event_is_refused_aloud_and_forgotten(bare, page, events):
    visit(page, bare, "text-forged")
    forged = {"id": "forged-0001", "kind": "answer", "row": 100, "position": 0, "answer": 99, "seconds": 1}
    page.evaluate(
        "(kept) => localStorage.setItem('testimate text-forged tester forged-0001', JSON.stringify(kept))",
        {"event": {**forged, "at": "2026-01-01T00:00:00.000Z"}, "place": 1},
    )
    page.reload()
    page.wait_for_selector(".surface .banner:not([hidden])")
    assert "Not saved: The answer 99 is not a class" in page.locator(".surface .banner").text_content()
    assert page.evaluate("() => localStorage.getItem('testimate text-forged tester forged-0001')") is None
    assert events("text-forged") == []
    let_it_be_seen(page)
    press(page, "5")  # the input on the screen stays; the one whose label was refused is next
    until(lambda: shown(page) == "input 100", page)


def test_what_waits_is_sent_in_the_order_it_was_done_though_the_clock_was_set_back_and_the_page_loaded_again(
    bare, page
):
    page.goto(f"{bare.url}/?case=text-clock")
    source = compiled(SURFACE / "outbox.ts")
    orders = page.evaluate(
        """async (source) => {
          const { Outbox } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
          const opened = () => new Outbox("text-clock", "clock");
          const ids = (outbox) => outbox.events.map((event) => event.id).join(" ");
          const first = opened(), other = opened();
          first.add({ id: "answer", at: "2026-01-01T10:00:09.000Z" });
          first.add({ id: "undo", at: "2026-01-01T10:00:00.000Z" });
          const again = opened();
          again.add({ id: "later", at: "2026-01-01T09:00:00.000Z" });
          other.add({ id: "in the other tab", at: "2026-01-01T08:00:00.000Z" });
          const last = opened();
          const orders = [ids(first), ids(again), ids(last)];
          last.events.forEach((event) => last.remove(event.id));
          return [...orders, ids(opened())];
        }""",
        source,
    )
    assert orders == ["answer undo", "answer undo later", "answer undo later in the other tab", ""]


def test_while_the_next_inputs_are_chosen_the_surface_asks_again_by_itself(app, page):
    page.goto(f"{app.url}/?case=text-waiting")
    page.wait_for_selector(".surface .calm:not([hidden])")
    assert page.locator(".surface .calm").text_content() == "The next inputs are being chosen…"
    until(lambda: shown(page) == "input 100", page)
