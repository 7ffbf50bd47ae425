"""What leads write for those who label: a message to all, and the instructions of the session."""

import streamlit as st

from testimate.labels.testers import TeamDesk, TeamWord
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.session_names import moment

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
