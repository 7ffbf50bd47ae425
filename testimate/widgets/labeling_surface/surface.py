"""Mounts the labeling surface: one component that holds the next inputs and sends events until they are stored."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import streamlit as st

from testimate.core.vote import Event
from testimate.widgets.labeling_surface.browser_events import MOST_EVENTS, BrowserMessage, read_message
from testimate.widgets.labeling_surface.view import SurfaceView, view_to_json

_HERE = Path(__file__).parent
_SCRIPTS = (
    "outbox",
    "courier",
    "sound",
    "source_code",
    "stage",
    "at_hand",
    "standing",
    "answers",
    "note",
    "strip",
    "words",
    "own_keys",
    "key_list",
    "keys",
    "surface",
)  # one module; the last exports

_component = st.components.v2.component(
    "testimate.labeling_surface",
    html=(_HERE / "surface.html").read_text(encoding="utf-8"),
    css=(_HERE / "surface.css").read_text(encoding="utf-8"),
    js="\n".join((_HERE / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS),
)


@dataclass
class _Memory:
    """What one browser page has and has lately asked for; lost with the page, which then sends all of it again."""

    owner: tuple[str, str]
    held: frozenset[int] = frozenset()
    asked: dict[str, None] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def take(self, message: BrowserMessage) -> None:
        """Remembers what the page has and the last ids it sent."""
        self.held = message.held
        self.refused.update(message.refused)
        for id in [*(event.id for event in message.events), *message.refused]:
            self.asked.pop(id, None)
            self.asked[id] = None
        for id in list(self.asked)[:-MOST_EVENTS]:
            del self.asked[id]
            self.refused.pop(id, None)


def labeling_surface(view: SurfaceView, *, key: str, on_events: Callable[[list[Event]], None]) -> None:
    """Draws the surface; what the tester does comes back as events, each with the input that was on the screen.

    ``on_events`` is called before the script runs again (so that the same run shows the new state), with events in the
    order of the tester's doing. It stores them, idempotently by id, and does not raise: what is now on disk shows in the
    next view's ``acknowledged``, what cannot be accepted in ``refused``, and while nothing can be stored
    ``offline_error`` says why. An event in neither is sent again, also after a reload or a reconnect.

    ``key`` : unique on the page; only one surface on a page takes keys. Draw it before whatever is slow.
    """
    memory = _memory(key, view)

    def arrived() -> None:
        message = read_message(st.session_state[key].get("events"), view)
        if message is None:
            return
        memory.take(message)
        if message.events:
            on_events(list(message.events))

    data = view_to_json(view, held=memory.held, asked=memory.asked, refused=memory.refused)
    # in a list: Streamlit looks through a dictionary for tables, for which it first imports pandas and PyArrow
    _component(key=key, data=[{**data, "delivery": uuid4().hex}], on_events_change=arrived)


def _memory(key: str, view: SurfaceView) -> _Memory:
    name = f"{key}: what its page holds"
    memory = st.session_state.get(name)
    if not isinstance(memory, _Memory) or memory.owner != (view.session, view.tester):
        memory = st.session_state[name] = _Memory((view.session, view.tester))
    return memory
