"""Label: the input to answer, and beside it what the labels say so far."""

import streamlit as st

from testimate.ui.current_project import project, team
from testimate.ui.label.labeling import labeling
from testimate.ui.label.notices import message_of
from testimate.ui.member import present_member
from testimate.ui.navigation import opened_session
from testimate.ui.page_head import named_in_errors, nothing_here, page_head
from testimate.ui.pages import LABEL, PLAN, SUBJECT
from testimate.ui.shell import run_page


def show() -> None:
    """The page."""
    who = present_member()
    with named_in_errors(LABEL):
        session = opened_session()
    if session is None:
        page_head(LABEL)
        if team():
            message_of(project().team.desk())
        if who.leads:
            words = "No labeling session is open. Plan one, or start with a demo."
            nothing_here(words, PLAN, SUBJECT, icon=":material/label:")
        else:
            st.info("No session yet. Sessions that your lead plans appear here.", icon=":material/label:")
        return
    if session.session_record.votes_per_input is None and not who.leads:
        st.info("This session is labeled by one person. Choose one that your lead planned for the team.")
        return
    labeling(session, who)


run_page(LABEL, show)
