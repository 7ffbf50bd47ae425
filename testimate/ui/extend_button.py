"""The way on at the end of a plan: more labels, with everything kept; or why this plan cannot be extended."""

import streamlit as st

from testimate.core.session_record import Tester
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown

MORE = 50
"""Labels that one press adds, if there are that many inputs."""


def extend_button(session: Session, who: Tester) -> None:
    """ "Label 50 more", which extends the plan at once; if it was pressed elsewhere in the meantime, it changes nothing."""
    stored = session.session_record.request.options.get("rows")  # of a part, or with draws made in advance
    left = len(session.inputs if stored is None else stored) - session.planned
    if stored is not None and left < 1:
        st.caption("These are all the inputs this plan has to draw. For more labels, make another plan.")
        return
    more = max(min(MORE, left), 1)
    why_not = session.why_not_extended(more)
    if why_not:
        st.caption(escape_markdown(why_not))
        return
    meaning = "The plan continues with further draws. Every answer stays, and they all count together."
    if st.button(f"Label {more} more", icon=":material/add:", help=meaning):
        session.extend(more, who.name)
        st.rerun()
