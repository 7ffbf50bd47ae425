"""Why a team's tester gets no inputs now, whatever is in the queue: another tab, a lead's decision, another's session."""

import threading
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.session_record import SessionRecord, Tester
from testimate.labels.testers import TeamDesk
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.network.visitors import visitors

CLOSED_SECONDS = 5.0
"""Seconds after a member's last tab closed until their inputs go to others, enough for a reload or a dropped line."""

_WayOn = Literal["", "label here", "go on"]


@dataclass(frozen=True)
class HeldUp:
    """A sentence for the tester, and what they can do about it themselves, if anything."""

    words: str
    way_on: _WayOn = ""


_at_work: dict[tuple[str, str], str] = {}  # session and tester -> the tab in which they label
_lock = threading.Lock()


def held_up(record: SessionRecord, who: Tester, desk: TeamDesk) -> HeldUp | None:
    """Why this tab gets no inputs of a team's session; None if it does. Testers who closed all tabs give theirs back.

    ``desk`` : the leads' decisions. Raises StoreUnavailable where nothing can be given back.
    """
    for name in visitors.gone(CLOSED_SECONDS):
        project().give_back(name)
    if not _labels_in_this_tab(record.id, who.name):
        return HeldUp("You label in another tab now. What you answered here is stored.", "label here")
    if not who.leads and not desk.may_label(who.name, record.id):
        return HeldUp("Your lead has given this session to other testers. What you answered is kept.")
    word = desk.held_up.get(who.name)
    if word is None:
        return None
    if word.kind == "paused":
        return HeldUp(f"{word.tester} has paused you. What you answered is kept; wait until a lead lets you go on.")
    return HeldUp(f"{word.tester} gave your open inputs to others. Press Go on to get new ones.", "go on")


def way_on(held: HeldUp | None, record: SessionRecord, who: Tester) -> None:
    """The button that ends it, if the tester can."""
    if held is None or not held.way_on:
        return
    if held.way_on == "label here":
        st.button("Label here", type="primary", icon=":material/tab:", on_click=_take_over, args=(record.id, who.name))
    else:
        st.button("Go on", type="primary", icon=":material/play_arrow:", on_click=_go_on, args=(who.name,))


def _this_tab() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def _labels_in_this_tab(session: str, tester: str) -> bool:
    """Whether the tester labels the session here: in the tab that opened it last, or in any once that one is closed."""
    here, key, new = _this_tab(), (session, tester), f"labels here {session} {tester}"
    with _lock:
        there = _at_work.get(key, here)
        if there == here or new not in st.session_state or not visitors.is_open(there):
            _at_work[key] = here
            st.session_state[new] = True
        return _at_work[key] == here


def _take_over(session: str, tester: str) -> None:
    with _lock:
        _at_work[session, tester] = _this_tab()


def _go_on(tester: str) -> None:
    try:
        project().team.go_on(tester, tester)
    except (BadInput, StoreUnavailable) as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:")
