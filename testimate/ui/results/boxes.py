"""Precision and recall of a detector on Results, class by class."""

import streamlit as st

from testimate.reports.live import session_boxes
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown


def boxes(session: Session) -> None:
    """The section; nothing for other tasks."""
    found = session_boxes(session)
    if found is None:
        return
    st.subheader("Precision and recall", anchor=False)
    lines = [
        {
            "Class": one.name,
            "Precision: boxes that are right": one.precision,
            "Recall: objects that are found": one.recall,
        }
        for one in found.lines()[: 1 if len(found.task.classes) == 1 else None]
    ]
    st.dataframe(lines, hide_index=True, height="content" if len(lines) <= 12 else 460)
    st.caption(
        escape_markdown(
            f"Of the whole set, with {100 * found.level:g} % intervals at a number of labels fixed in advance. Pictures were "
            "drawn, not boxes, and the boxes of a picture go wrong together: the intervals allow for it."
        )
    )
