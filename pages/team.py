"""Team: who labels and how far they are, and what a lead does about it."""

import streamlit as st

from testimate.core.session_record import SessionRecord, Tester
from testimate.session.session import Session
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.member import is_here, present_member
from testimate.ui.navigation import opened, remember, session_and_picture, sessions_in_dispute
from testimate.ui.page_head import page_head
from testimate.ui.pages import TEAM
from testimate.ui.shell import run_page
from testimate.ui.team import add_member, desk_table, members, message_to_all, session_desk

EVERY = 10.0
"""Seconds between two updates of the table."""


def show() -> None:
    """The page."""
    page_head(TEAM)
    lead = present_member()
    record = chosen_session()
    session = None if record is None else session_and_picture(record.id)
    with st.container(horizontal=True):
        add_member(project())
        words = "Message" if session is None else "Message and instructions"
        with st.popover(words, icon=":material/campaign:"):
            if session is not None:
                session_desk(project(), session, lead)
            message_to_all(project(), lead)
    if session is None:
        members(project(), lead)
    else:
        table(session, lead, sum(sessions_in_dispute().values()))


@st.fragment(run_every=EVERY)
@errors_in_words
def table(session: Session, lead: Tester, waiting: int) -> None:
    """The testers of the session, looked up again by itself; the page, too, when other disputes are ``waiting``."""
    if not is_here(lead) or sum(sessions_in_dispute().values()) != waiting:
        st.rerun()
    desk_table(project(), session, lead)


def chosen_session() -> SessionRecord | None:
    """The session the page is about: the open one, or the newest of the team where none is open; None where there is none."""
    records = {record.id: record for record in project().sessions() if record.votes_per_input is not None}
    here = opened("session")
    if not records:
        st.info("No team session yet. You can add testers now.")
        return None
    if here is not None and here not in records:
        st.info(
            "One person labels the open session. Choose a session of the team at the top.", icon=":material/person:"
        )
        return None
    if here is None:  # so that the other tabs are about it, too
        newest = next(iter(records.values()))
        remember("subject", newest.subject)
        remember("session", newest.id)
        st.rerun()
    return records[here]


run_page(TEAM, show)
