"""Whatever a hand-made message of a component is, a sentence says so, and nothing of it is acted on or raised."""

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import streamlit
from streamlit.components.v2.bidi_component.serialization import BidiComponentSerde, handle_deserialize

from testimate.core.subject import Shown
from testimate.tasks.classification import Classification
from testimate.ui import shell
from testimate.ui.components import linked_pictures, page_scripts
from testimate.ui.components.labeling_surface import surface
from testimate.ui.components.labeling_surface.browser_events import read_message
from testimate.ui.components.labeling_surface.view import SurfaceView
from tests.each import each

VIEW = SurfaceView("s1", "ada", Classification(("cat", "dog")))
WALL = [linked_pictures.Hung(7, Shown("text", text="x"))]
SHOW: dict[str, object] = {"show": lambda row: Shown("text", text="x")}


def ignore(*_: object) -> None:
    """Does nothing."""


MAP = {"key": "k", "plot": "p", "count": 10, "marked": None}
COMPONENTS: dict[str, tuple[object, str, str, Callable[[Callable[..., None]], object]]] = {
    "surface": (surface, "_component", "events", lambda act: surface.labeling_surface(VIEW, key="k", on_events=act)),
    "late answers": (
        surface,
        "_late_component",
        "messages",
        lambda act: surface.late_answers("ada", surface.Delivery(), leave="", key="k", on_messages=act),
    ),
    "palette": (
        page_scripts,
        "_palette",
        "chosen",
        lambda act: page_scripts.command_palette(
            [page_scripts.Command("go", "Go", "page")], key="k", on_choose=act, on_open=ignore
        ),
    ),
    "click": (
        linked_pictures,
        "_picks_component",
        "clicked",
        lambda act: linked_pictures.map_picks(on_click=act, on_lasso=act, **MAP),
    ),
    "lasso": (
        linked_pictures,
        "_picks_component",
        "lassoed",
        lambda act: linked_pictures.map_picks(on_click=act, on_lasso=act, **MAP),
    ),
    "wall": (
        linked_pictures,
        "_component",
        "picked",
        lambda act: linked_pictures.picture_wall(WALL, key="k", on_pick=act),
    ),
    "pointer": (
        linked_pictures,
        "_pointer_component",
        "asked",
        lambda act: linked_pictures.map_pointer(
            key="k", plot="p", name="n", near=lambda row: [row], lines=lambda row: [], count=10, **SHOW
        ),
    ),
    "pictures": (
        linked_pictures,
        "_pictures_component",
        "seen",
        lambda act: linked_pictures.map_pictures(
            key="k", plot="p", name="n", on=True, rows_in=lambda view: [], place=lambda row: (0, 0), **SHOW
        ),
    ),
}
OF_NO_KIND = [
    "true",
    "-1",
    "1.5",
    "NaN",
    "-Infinity",
    "1e999",
    "1" * 400,
    "[" * 300 + "]" * 300,
    "[[NaN, 0], [0, 1], [1, 1]]",
    "[[0, 0], [0, 1], 5]",
    '[[0, 0], [0, 1], ["x", 1]]',
    "[0, 1, 0, 1, NaN, 5]",
    "[0, 1, 0, 1, true, 5]",
    '{"a": {"b": [{}]}}',
]


@pytest.fixture
def deliver(monkeypatch):
    """Hands a component a message as Streamlit does; returns what it acted on and the sentences that were shown."""

    def deliver(name: str, text: str) -> tuple[list[object], list[str]]:
        module, component, message, draw = COMPONENTS[name]
        acted, toasts, callbacks = [], [], {}
        state = {"k": BidiComponentSerde().deserialize({message: handle_deserialize(text)})}
        monkeypatch.setattr(streamlit, "session_state", state)
        monkeypatch.setattr(streamlit, "toast", lambda words, **_: toasts.append(words))
        monkeypatch.setattr(module, component, lambda **given: callbacks.update(given))
        draw(acted.append)
        before = dict(state)
        callbacks[f"on_{message}_change"]()
        acted += [value for key, value in state.items() if key not in before and not key.endswith("its page holds")]
        return acted, toasts

    return deliver


@each("name", COMPONENTS)
@each("text", OF_NO_KIND)
def test_a_message_of_no_kind_is_refused_in_a_sentence_by_every_component(deliver, name, text):
    acted, toasts = deliver(name, text)
    value = json.loads(text)
    if name == "late answers" and isinstance(value, list):  # each of the messages in it is looked at for itself
        assert not toasts
    elif name == "surface" and isinstance(value, dict):  # another session's, so not ours to judge
        assert not acted
    else:
        assert not acted
        [sentence] = toasts
        assert sentence.startswith(("This page sent", "The message"))
        assert len(sentence) < 300


def made_up(chance: random.Random, depth: int = 0) -> object:
    """A JSON value of any shape."""
    kind = chance.randrange(8 if depth < 4 else 5)
    if kind >= 6:
        names = ["session", "tester", "events", "held", "id", "row", "note", "now", "x\ud800"]
        return {chance.choice(names): made_up(chance, depth + 1) for _ in range(chance.randrange(4))}
    if kind == 5:
        return [made_up(chance, depth + 1) for _ in range(chance.randrange(7))]
    if kind == 4:
        return chance.choice(["", "s1", "ada", "x" * 5000, "\ud800", "\x00", "go", "11111111-2222", "9" * 5000])
    plain = [None, True, -1, 7, 10**300, -0.5, float("nan"), float("inf"), 2**60, False]
    return chance.choice(plain)


def test_a_thousand_made_up_messages_raise_nothing_in_any_component(deliver):
    chance = random.Random(20261128)
    for _ in range(130):
        text = json.dumps(made_up(chance))
        for name in COMPONENTS:
            _, toasts = deliver(name, text)
            assert all(0 < len(words) < 400 for words in toasts)


def test_a_label_nested_too_deep_or_of_no_number_is_refused_by_its_id():
    deep: object = []
    for _ in range(400):
        deep = [deep]
    sound = {"kind": "answer", "position": 3, "at": "2026-05-01T10:00:00.000Z", "answer": 1, "seconds": 1.5}
    sent = [
        {"id": "11111111-0000", "row": deep, **sound},
        {"id": "11111111-0001", "row": 7, **sound, "answer": float("nan")},
        {"id": "11111111-0002", "row": 7, **sound, "answer": {"x": deep}},
        {"id": "11111111-0003", "row": 7, **sound},
    ]
    message = {"session": "s1", "tester": "ada", "events": sent, "held": []}
    read = read_message(message, VIEW, datetime(2026, 5, 1, 10, 0, 5, tzinfo=UTC))
    assert [event.id for event in read.events] == ["11111111-0003"]
    assert set(read.refused) == {"11111111-0000", "11111111-0001", "11111111-0002"}
    assert all(why.startswith("The label ") for why in read.refused.values())


def test_late_answers_of_no_session_are_strangers(monkeypatch):
    monkeypatch.setattr(shell, "project", lambda: SimpleNamespace(sessions=list))
    deep: object = []
    for _ in range(990):
        deep = [deep]
    done = shell._stored([5, {"session": deep}, {"session": "gone"}, None], SimpleNamespace(name="ada", leads=False))
    assert "gone" in done.strangers
    assert not done.settled
