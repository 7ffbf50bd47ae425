"""Mounts the components that send answers until they are stored: the labeling surface and, on every page, late answers."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from uuid import uuid4

import streamlit as st

from testimate.core.session_record import Event
from testimate.ui.components.component import arrival, component, plain_list, plain_object
from testimate.ui.components.labeling_surface.browser_events import PageMemory, clock_words, read_message
from testimate.ui.components.labeling_surface.view import SurfaceView, view_to_json

_component = component("labeling_surface")


def labeling_surface(view: SurfaceView, *, key: str, on_events: Callable[[list[Event]], None]) -> None:
    """Draws the surface; what the tester does comes back as events, each with the input that was on the screen.

    ``on_events`` is called before the script runs again (so that the same run shows the new state), with events in the
    order the tester made them. It stores them, idempotently by id, and does not raise: events now on disk are in the
    next view's ``acknowledged``, those that cannot be accepted in ``refused``, and while nothing can be stored
    ``offline_error`` says why. An event in neither is sent again, also after a reload or a reconnect.

    ``key`` : unique on the page; only one surface on a page takes keys. Draw it before whatever is slow.
    """
    memory = _memory(key, view)

    def take(sent: dict[str, object]) -> None:
        message = read_message(sent, view)
        if message is None:
            return
        memory.take(message)
        words = clock_words(message.clock_ahead)
        if words and not memory.clock_reported:
            memory.clock_reported = True
            st.toast(words, icon=":material/schedule:", duration="long")
        if message.events:
            on_events(list(message.events))

    data = view_to_json(view, held=memory.held, asked=memory.asked, refused=memory.refused)
    # in a list: Streamlit looks through a dictionary for tables, for which it first imports pandas and PyArrow
    _component(
        key=key,
        data=[{**data, "page": memory.page, "delivery": uuid4().hex}],
        on_events_change=arrival(key, "events", plain_object, take),
    )


def _memory(key: str, view: SurfaceView) -> PageMemory:
    name = f"{key}: what its page holds"
    memory = st.session_state.get(name)
    if not isinstance(memory, PageMemory) or memory.owner != (view.session, view.tester):
        memory = st.session_state[name] = PageMemory((view.session, view.tester))
    return memory


MOST_MESSAGES = 20
"""Sessions whose answers are accepted at once; the browser sends the rest again."""

_late_component = component("late_answers")


@dataclass(frozen=True)
class Delivery:
    """What happened to the answers that the browser handed over last.

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

    def take(sent: list[object]) -> None:
        on_messages(sent[:MOST_MESSAGES])

    data = {
        "tester": tester,
        "leave": leave,
        "settled": list(delivery.settled),
        "strangers": list(delivery.strangers),
        "reason": delivery.reason,
        "delivery": uuid4().hex,  # so that each run of the page is a delivery, also where nothing changed
    }
    # in a list: Streamlit looks through a dictionary for tables, for which it first imports pandas and PyArrow
    _late_component(key=key, data=[data], on_messages_change=arrival(key, "messages", plain_list, take))
