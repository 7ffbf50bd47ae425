"""Random keys at every kind of surface in a real browser: what is stored is what a plain model of the keys says."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from testimate.core.words import number_in_full
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression
from tests.browser.model_of_the_keys import ModelOfTheKeys
from tests.browser.surface_without_streamlit import AHEAD, BareSurface

CASES = json.loads((Path(__file__).parents[1] / "ui" / "typed_numbers.json").read_text(encoding="utf-8"))
ANIMALS = ("dog", "horse", "动物", "植物", "kind", *(f"kind {place}" for place in range(40)))
TASKS = {
    "class": Classification(tuple("0123456789")),
    "letters": Classification(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
    "set": MultiLabel(("cat", "dog", "bird")),
    "number": Regression(tolerance=250.0, unit="USD"),
    "bounded number": Regression(tolerance=0.1, unit="degrees", answers=(-5, 5)),
    "text search": Classification(ANIMALS),
    "set search": MultiLabel(ANIMALS),
}
OFTEN = {
    "class": "0123456789" * 2,
    "letters": "abcfprsz",
    "set": "123" * 5,
    "number": "0123456789.,-" * 2,
    "bounded number": "01234.,-" * 2,
    "text search": "kindhorseg 123/" * 2,
    "set search": "kind 123/" * 2,
}
CODES = {" ": ("Space", 32), ".": ("Period", 190), ",": ("Comma", 188), "-": ("Minus", 189), "/": ("Slash", 191)}
CODES |= {"ArrowRight": ("ArrowRight", 39)}
CODES |= {"?": ("Slash", 191), "+": ("Equal", 187), "Enter": ("Enter", 13), "Escape": ("Escape", 27)}
CODES |= {"Backspace": ("Backspace", 8), "Shift": ("ShiftLeft", 16), "CapsLock": ("CapsLock", 20)}
SELDOM = [*"xpce+z", "?", "Shift", "CapsLock"]
PASTED = ["about 12.5 m", "450,000", "12 500", "−1,25", "7" * 400, "0x10", "Infinity", "1e3", "kind 1", "dog"]
WRITTEN = ["动物", "植物", "１２", "一"]


def sequences(kind: str, count: int, seed: int) -> Iterator[list[tuple[str, str]]]:
    """Random sequences of (what, of what): keys, held keys, pastes and words of an input method."""
    chance = random.Random(f"{kind} {seed}")
    moved = ["ArrowRight", ","] if kind in ("letters", "text search") else []
    verbs = ["Enter"] * 5 + [" ", "s", "f", "Backspace", "Backspace", "Escape", *moved]
    for _ in range(count):
        steps = []
        if kind == "text search" and chance.random() < 0.5:
            steps.append(("key", "/"))
        for _ in range(chance.randint(2, 9)):
            roll = chance.random()
            what = "hold" if roll > 0.95 else "key"
            if roll < 0.04:
                steps.append(("paste", chance.choice(PASTED)))
            elif roll < 0.07:
                steps.append(("write", chance.choice(WRITTEN)))
            elif roll < 0.12:
                steps.append(("key", chance.choice(SELDOM)))
            elif roll < 0.4:
                steps.append((what, chance.choice(verbs)))
            else:
                steps.append((what, chance.choice(OFTEN[kind])))
        ending = [("key", "Enter"), ("key", "Escape")]  # what is refused stays in its field until it is left
        yield [*steps, *ending[: 1 + (chance.random() < 0.7)]]


class Typist:
    """Types in the browser, and knows the keydown events it brought about: (key, repeated) or a text put in."""

    def __init__(self, page) -> None:
        self.page = page
        self.devtools = page.context.new_cdp_session(page)
        self.did: list[tuple[str, str]] = []

    def do(self, what: str, of: str) -> None:
        if what == "key":
            self.down(of)
        elif what == "hold":
            for place in range(4):
                self.down(of, repeated=place > 0)
        elif what == "paste":
            self.insert(of)
        else:
            self.write(of)

    def down(self, key: str, repeated: bool = False) -> None:
        code, number = CODES.get(key) or (f"{'Digit' if key.isdigit() else 'Key'}{key.upper()}", ord(key.upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "autoRepeat": repeated}
        self.devtools.send(
            "Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", "text": text, **event}
        )
        self.did.append(("repeated" if repeated else "key", key))

    def write(self, words: str) -> None:
        """As an input method does: keys that are its own, a text in the making, then the words."""
        for letters in ("d", "do", "don"):
            self.key_of_input_method(f"Key{letters[-1].upper()}")
            at = {"selectionStart": len(letters), "selectionEnd": len(letters)}
            if self.in_a_field():
                self.devtools.send("Input.imeSetComposition", {"text": letters, **at})
        self.key_of_input_method("Enter")
        self.insert(words)

    def insert(self, words: str) -> None:
        """Where no field has the focus, the browser's tool would put the words into the last that had it; a person cannot."""
        if self.in_a_field():
            self.devtools.send("Input.insertText", {"text": words})
            self.did.append(("text", words))

    def in_a_field(self) -> bool:
        return bool(self.page.evaluate("() => window.surfaceRoot.activeElement?.matches('input')"))

    def key_of_input_method(self, code: str) -> None:
        down = {"type": "rawKeyDown", "key": "Process", "code": code, "windowsVirtualKeyCode": 229}
        self.devtools.send("Input.dispatchKeyEvent", down)
        self.did.append(("own", code))


def type_at_random(page, kind: str, count: int, seed: int) -> int:
    """Types the sequences, compares what is stored with the model, and returns how many events there were."""
    surface, typist, model = BareSurface(TASKS[kind]), Typist(page), ModelOfTheKeys(TASKS[kind])
    surface.open(page)
    at_rest = 0  # keydowns before the last time that all was stored
    for steps in sequences(kind, count, seed):
        for what, of in steps:
            typist.do(what, of)
        if len(typist.did) - at_rest > AHEAD / 2:  # so that there is always a next input
            surface.settled(page)
            at_rest = len(typist.did)
    surface.settled(page)
    rows = iter(page.evaluate("() => window.pressed"))
    at_event: list[int] = []  # for each event of the model, the keydown it came from
    for place, (what, of) in enumerate(typist.did):
        at_event += [place - 1] * (len(model.said) - len(at_event))
        if what == "text":
            model.insert(of)
            continue
        row = next(rows)
        if what != "own":
            model.press(of, row, repeated=what == "repeated")
    assert next(rows, None) is None
    stored = [
        (event.kind, str(event.row), event.detail["note"] if event.kind == "flag" else event.answer)
        for event in surface.events
    ]
    differs = next((at for at, (was, is_) in enumerate(zip(stored, model.said, strict=False)) if was != is_), None)
    if differs is not None:
        typed = typist.did[max(0, at_event[max(0, differs - 3)]) : at_event[min(differs, len(at_event) - 1)] + 12]
        raise AssertionError(f"stored {stored[differs]}, expected {model.said[differs]}, after the keys {typed}")
    assert len(stored) == len(model.said)
    assert surface.refused == {}
    return len(stored)


@pytest.mark.parametrize("kind", TASKS)
def test_what_is_stored_is_what_the_keys_say(page, kind):
    assert type_at_random(page, kind, 12, seed=1) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_two_thousand_sequences_are_stored_as_the_keys_say(page, kind, seed):
    assert type_at_random(page, kind, 100, seed) >= 25  # in a search many sequences name no class


def test_the_browser_reads_and_writes_every_number_as_the_server_does(page):
    surface = BareSurface(TASKS["number"])
    surface.open(page)
    field = page.locator(".number-field")
    rows = iter(range(100, 100 + len(CASES)))
    for typed, expected in CASES.items():
        field.evaluate("(field, typed) => { field.value = typed; field.focus(); }", typed)
        page.keyboard.press("Enter")
        if isinstance(expected, str):
            assert expected in page.locator(".refused").text_content(), typed
            continue
        row = next(rows)
        page.wait_for_selector(f".strip li:first-child button[data-row='{row}']")
        label = page.locator(".strip li:first-child .label").text_content()
        assert label == number_in_full(expected, "USD"), typed
    surface.settled(page)
    assert [event.answer for event in surface.events] == [
        value for value in CASES.values() if not isinstance(value, str)
    ]


def test_a_number_far_from_all_predictions_is_marked_and_stored_and_undo_says_it_in_full(page):
    surface = BareSurface(TASKS["number"], usual=(37_500, 3_100_000))
    surface.open(page)
    page.keyboard.type("455123")
    assert page.locator(".far").text_content() == ""
    page.keyboard.type("00")
    assert page.locator(".far").text_content() == "45\u202f512\u202f300 USD is far from all predictions: a slip?"
    page.keyboard.press("Enter")
    surface.settled(page)
    assert [event.answer for event in surface.events] == [45_512_300]
    marked = page.locator(".strip button.far-off")
    assert (
        marked.get_attribute("title") == "input 100: 45\u202f512\u202f300 USD; far from all predictions, perhaps a slip"
    )
    assert page.locator("[data-act=undo]").get_attribute("title") == "Takes back 45\u202f512\u202f300 USD, input 100"
    page.keyboard.press("Backspace")
    assert page.locator(".stored").text_content() == "Undone: 45\u202f512\u202f300 USD, input 100."
    surface.settled(page)
    assert surface.events[-1].kind == "undo"


def test_a_number_is_changed_by_typing_over_it_and_escape_leaves_it_as_it_was(page):
    surface = BareSurface(TASKS["number"])
    surface.open(page)
    for typed in ("450000", "7"):
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
    surface.settled(page)
    first = page.locator(".strip button[data-row='100']")
    first.click()
    assert page.locator(".number-field").input_value() == "450000"
    page.keyboard.type("s 12")  # all keys belong to the field
    page.keyboard.press("Escape")
    assert page.locator(".surface").get_attribute("data-row") == "102"
    first.click()
    page.keyboard.type("45")
    page.keyboard.press("Enter")
    surface.settled(page)
    assert [(event.row, event.answer) for event in surface.events] == [(100, 450_000), (101, 7), (100, 45)]


def test_what_is_put_into_the_field_and_is_no_number_stays_there_with_the_reason_and_is_stored_nowhere(page):
    surface = BareSurface(TASKS["number"])
    surface.open(page)
    page.keyboard.press("1")
    for put_in, why in (
        ("7" * 400, "400 characters are typed"),
        ("about 12.5 m", "is not a number"),
        ("450,000", "could be 450000"),
    ):
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(put_in)
        page.keyboard.press("Enter")
        assert why in page.locator(".refused").text_content()
        assert page.locator(".number-field").input_value() == put_in
        assert page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    page.keyboard.press("Control+a")
    page.keyboard.type("12.5")
    page.keyboard.press("Enter")
    surface.settled(page)
    assert [(event.row, event.answer) for event in surface.events] == [(100, 12.5)]


def test_a_set_of_all_two_hundred_labels_is_one_answer_and_the_surface_keeps_its_size(page):
    surface = BareSurface(MultiLabel(tuple(f"label {place}" for place in range(200))))
    surface.open(page)
    size = "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    before = page.evaluate(size)
    page.evaluate("() => window.surfaceRoot.querySelectorAll('.classes button').forEach((one) => one.click())")
    assert page.locator(".store-words").text_content() == "Save 200"
    page.keyboard.press("Enter")
    surface.settled(page)
    assert [(event.row, event.answer) for event in surface.events] == [(100, list(range(200)))]
    assert page.evaluate(size) == before
    assert page.locator(".strip li").bounding_box()["height"] < 80
    assert page.locator(".store-words").text_content() == "Save “none”"


HOW = {
    "set": "Press the key of each class that is present, once more to take it out, then Enter.",
    "number": "Type the number, then Enter. While something is typed every key belongs to it; Esc empties the field.",
    "text search": "Type the first letters of the name, of its words, or a part of it",
}


@pytest.mark.parametrize("kind", HOW)
def test_behind_the_question_mark_stands_how_this_kind_of_answer_is_given(page, kind):
    BareSurface(TASKS[kind]).open(page)
    page.keyboard.press("?")
    assert HOW[kind] in page.locator(".help-how").text_content()


UNDO_AND_ANSWER = """() => new Promise((done) => {
  const frame = window.surfaceRoot.querySelector(".surface");
  const press = (key, code) => document.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true }));
  const look = () => {
    if (frame.dataset.row !== "101") return setTimeout(look, 1);
    press("Backspace", "Backspace");
    press("2", "Digit2");
    done();
  };
  press("1", "Digit1");
  look();
})"""


def test_an_input_that_undo_calls_back_takes_keys_at_once_though_another_came_by_itself_a_moment_ago(page, monkeypatch):
    monkeypatch.setattr("tests.browser.surface_without_streamlit.AHEAD", 1)  # the next one comes when this is answered
    surface = BareSurface(TASKS["class"])
    surface.open(page)
    page.evaluate(UNDO_AND_ANSWER)
    surface.settled(page)
    assert [(event.kind, event.row, event.answer) for event in surface.events] == [
        ("answer", 100, 1),
        ("undo", 100, None),
        ("answer", 100, 2),
    ]
