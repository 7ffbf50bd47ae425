"""What a team's tester reads beside the inputs, or in place of them: who waits for whom, and what leads write."""

import threading
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.session_record import SessionRecord, Tester
from testimate.core.words import commas, counted, is_or_are
from testimate.labels.testers import TeamDesk, TeamWord
from testimate.session.next_inputs import StillOpen
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.network.connections import visitors
from testimate.ui.sessions import moment

CHOOSING = "The next inputs are being chosen…"
DONE = "All planned inputs are labeled."


def standstill_words(left: StillOpen) -> str:
    """The sentence for what is left.

    >>> standstill_words(StillOpen(disputes=7, held=0, holders=0, answered=0, to_draw=40))
    'Stopped: 7 disputes wait for a lead.'
    >>> standstill_words(StillOpen(disputes=1, held=6, holders=2, answered=0, to_draw=0))
    '2 testers are on the last 6 inputs. What they give back comes to you.'
    >>> standstill_words(StillOpen(disputes=0, held=1, holders=1, answered=0, to_draw=0))
    'You are done: 1 tester is on the last input.'
    >>> standstill_words(StillOpen(disputes=1, held=0, holders=0, answered=3, to_draw=0))
    'You are done: 3 inputs need another tester; 1 dispute waits for a lead.'
    """
    waits = f"{counted(left.disputes, 'dispute')} {'waits' if left.disputes == 1 else 'wait'} for a lead"
    need = f"{counted(left.answered, 'input')} {'needs' if left.answered == 1 else 'need'} another tester"
    who = f"{counted(left.holders, 'tester')} {is_or_are(left.holders)}"
    on = f"{who} on the last {'input' if left.held == 1 else f'{commas(left.held)} inputs'}"
    if left.over:
        parts = ((left.held, on), (left.answered, need), (left.disputes, waits))
        open_ones = [words for number, words in parts if number]
        return f"You are done: {'; '.join(open_ones)}." if open_ones else DONE
    if left.held:
        return f"{on}. {'The next are drawn after them.' if left.to_draw else 'What they give back comes to you.'}"
    if left.answered:
        return f"Waiting: {need}. New inputs follow."
    return f"Stopped: {waits}." if left.disputes else CHOOSING


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
        return HeldUp("You're labeling in another tab. Your answers here are saved.", "label here")
    if not who.leads and not desk.may_label(who.name, record.id):
        return HeldUp("Your lead has given this session to other testers. Your answers are saved.")
    word = desk.held_up.get(who.name)
    if word is None:
        return None
    if word.kind == "paused":
        return HeldUp(f"{word.tester} paused you. Your answers are saved. You can continue once a lead resumes you.")
    return HeldUp(f"{word.tester} gave your open inputs to others. Press Continue for new ones.", "go on")


def way_on(held: HeldUp | None, record: SessionRecord, who: Tester) -> None:
    """The button that ends it, if the tester can."""
    if held is None or not held.way_on:
        return
    if held.way_on == "label here":
        st.button("Label here", type="primary", icon=":material/tab:", on_click=_take_over, args=(record.id, who.name))
    else:
        st.button("Continue", type="primary", icon=":material/play_arrow:", on_click=_go_on, args=(who.name,))


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


FEW_LETTERS, LOW = 500, 180
"""Instructions with more characters scroll in a box of this height in pixels."""


def message_of(desk: TeamDesk) -> None:
    """The message to everybody, with its author and time; nothing if there is none."""
    if desk.message is not None:
        st.info(f"{_lines(desk.message.text)}  \n{_signed(desk.message)}", icon=":material/campaign:")


def instructions_of(desk: TeamDesk, session: str) -> None:
    """What a lead wrote for this session; nothing if nobody did."""
    word = desk.instructions.get(session)
    if word is None:
        return
    with st.container(height="content" if len(word.text) < FEW_LETTERS else LOW, border=True, key="instructions"):
        st.caption(f"**Instructions**  \n{_lines(word.text)}  \n{_signed(word)}")


def _lines(text: str) -> str:
    return "  \n".join(escape_markdown(line) for line in text.splitlines())


def _signed(word: TeamWord) -> str:
    return f":small[{escape_markdown(word.tester)}, {moment(word.at)}]"
