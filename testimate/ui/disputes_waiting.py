"""How many disputes wait for a lead: at the top of every page, kept up to date by itself, and the way to them."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.words import counted
from testimate.session.session import Session
from testimate.ui.current_project import project
from testimate.ui.pages import DISPUTES

EVERY = 5.0
"""Seconds between two checks."""


def sessions_in_dispute() -> dict[Session, int]:
    """The number of waiting disputes of each session that anybody has opened since the server started."""
    deleted = project().session_changes.deleted()
    found = {}
    for session in [*_opened_here(), *project().open_sessions()]:
        record = session.session_record
        if record.votes_per_input is None or record.id in deleted or session in found:
            continue
        try:
            session.refresh()
        except TestimateError:  # the session's own page says why
            continue
        if count := len(session.disputed()):
            found[session] = count
    return found


def _opened_here() -> list[Session]:
    """The session that is open in this tab; none where its subject's features are still to be computed."""
    key = st.query_params.get("session") or st.session_state.get("opened session")
    if not key:
        return []
    try:
        return [] if project().compute(project().subject_of(key)) is not None else [project().session(key)]
    except TestimateError:
        return []


@st.fragment(run_every=EVERY)
def disputes_in_navigation() -> None:
    """The number, as a link; nothing if no dispute waits."""
    try:
        found = sessions_in_dispute()
    except TestimateError:
        return
    if found:
        count, record = sum(found.values()), next(iter(found)).session_record
        with st.container(key="disputes-waiting", width="content"):
            words, params = f":red[{counted(count, 'dispute')}]", {"subject": record.subject, "session": record.id}
            st.page_link(DISPUTES.file, label=words, icon=DISPUTES.icon, query_params=params)
