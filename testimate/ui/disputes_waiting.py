"""How many disputes wait for a lead: at the top of every page, kept up to date by itself, and the way to them."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.reports.plurals import counted
from testimate.session.session import Session
from testimate.ui.current_project import project
from testimate.ui.pages import DISPUTES

EVERY = 5.0
"""Seconds between two looks."""


def sessions_in_dispute() -> dict[Session, int]:
    """The sessions that somebody has opened since the server started and in which disputes wait, with how many."""
    deleted = project().session_changes.deleted()
    found = {}
    for session in project().sessions_at_hand():
        record = session.session_record
        if record.votes_per_input is None or record.id in deleted:
            continue
        try:
            session.refresh()
        except TestimateError:  # its own page says why
            continue
        if count := len(session.disputed()):
            found[session] = count
    return found


@st.fragment(run_every=EVERY)
def disputes_in_navigation() -> None:
    """The number, as a link; nothing where no dispute waits."""
    try:
        count = sum(sessions_in_dispute().values())
    except TestimateError:
        return
    if count:
        with st.container(key="disputes-waiting", width="content"):
            st.page_link(DISPUTES.file, label=f":red[{counted(count, 'dispute')}]", icon=DISPUTES.icon)
