"""Hands over the answers that a page was left with before they were stored; mounted on every page."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import streamlit as st

from testimate.ui.components.joined_modules import joined

MOST_MESSAGES = 20
"""Sessions of which answers are taken at once; the browser sends the rest again."""

_HTML = '<div class="late" role="status" hidden></div>'
_CSS = """
.late {
  padding: 8px 14px;
  border-left: 4px solid #d55e00;
  border-radius: var(--st-base-radius, 6px);
  background: color-mix(in srgb, #d55e00 14%, var(--st-background-color, #fff));
  color: var(--st-text-color, #222);
  font: 600 14px/1.4 var(--st-font, sans-serif);
}
.late[hidden] { display: none; }
"""
_component = st.components.v2.component(
    "testimate.late_answers", html=_HTML, css=_CSS, js=joined(Path(__file__).parent / "late_answers.js")
)


@dataclass(frozen=True)
class Delivery:
    """What became of the answers that the browser handed over last.

    Attributes
    ----------
    settled : ids of events stored, or refused for good.
    strangers : sessions that this project does not hold; their answers stay in the browser, for the server that does.
    reason : one sentence on why answers cannot be stored now; empty where they can.
    """

    settled: Collection[str] = ()
    strangers: Collection[str] = ()
    reason: str = ""


def late_answers(
    tester: str, delivery: Delivery, *, leave: str, key: str, on_messages: Callable[[list[object]], None]
) -> None:
    """Draws nothing unless the browser holds answers of this tester; then it says how many, and downloads wait for them.

    ``leave`` : the session whose labeling surface is on the page and sends its own; "" for none. ``on_messages`` : called
    before the script runs again, with one message per session as ``browser_events.read_message`` takes them; what comes of
    them shows in the next ``delivery``.
    """

    def arrived() -> None:
        messages = st.session_state[key].get("messages")
        if isinstance(messages, list):
            on_messages(messages[:MOST_MESSAGES])

    data = {
        "tester": tester,
        "leave": leave,
        "settled": list(delivery.settled),
        "strangers": list(delivery.strangers),
        "reason": delivery.reason,
        "delivery": uuid4().hex,  # so that each run of the page is a delivery, also where nothing changed
    }
    # in a list: Streamlit looks through a dictionary for tables, for which it first imports pandas and PyArrow
    _component(key=key, data=[data], on_messages_change=arrived)
