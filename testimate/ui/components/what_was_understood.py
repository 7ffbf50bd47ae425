"""What was understood of a file, in the words of the terminal, and why each column is what it is."""

from collections.abc import Sequence

import streamlit as st

from testimate.core.reading import Reading
from testimate.ui.components.untrusted_text import escape_markdown, with_names

TITLE = "What was understood"


def what_was_understood(reading: Reading | None, *, reasons: bool = True) -> None:
    """Shows the reading in a block: one line, what may be otherwise, and the reasons to open; nothing where there is none.

    ``reasons`` : False where they stand beside the columns already, and the line alone is enough.
    """
    if reading is None:
        return
    if not reasons:
        st.caption(with_names(reading.in_words()))
        _doubts([doubt for doubt in reading.doubtful if "--column " not in doubt])  # each column has its field there
        return
    with st.container(border=True, gap="small", key="understood"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f"**{TITLE}**", width="content")
            st.caption(escape_markdown(reading.format), width="content")
        st.markdown(with_names(reading.in_words()))
        _doubts(reading.doubtful)
        why = _reasons(reading)
        if why:
            with st.expander("Why"):
                st.table(why, border="horizontal", hide_header=True, hide_index=True)


def _doubts(doubts: Sequence[str]) -> None:
    """Shows what may be otherwise."""
    for doubt in doubts:
        st.markdown(f":orange[:material/help:] {with_names(doubt)}")


def _reasons(reading: Reading) -> list[dict[str, str]]:
    """What each column or choice is, and the reason, for a table."""
    found = [(f"`{name}`", one.role, one.reason) for name, one in reading.roles.items() if name not in reading.unseen]
    found += [(f"`{name}`", "left out", why) for name, why in reading.unseen.items()]
    if reading.task:
        found.append(("the answers", reading.task, reading.task_reason))
    if reading.preprocessing_reason:
        found.append(("the inputs", reading.preprocessing, reading.preprocessing_reason))
    return [
        {"what": with_names(what), "is": escape_markdown(role), "why": escape_markdown(why)}
        for what, role, why in found
    ]
