"""Label: the input to answer, and beside it what the labels say so far."""

import streamlit as st

from testimate.core.session_record import Tester
from testimate.ui.current_project import project, team
from testimate.ui.label.labeling import labeling
from testimate.ui.label.notices import message_of
from testimate.ui.member import present_member
from testimate.ui.navigation import go, opened, opened_session, remember
from testimate.ui.page_head import named_in_errors, nothing_here, page_head
from testimate.ui.pages import LABEL, PLAN, SUBJECT
from testimate.ui.sessions import session_names
from testimate.ui.shell import run_page
from testimate.ui.truth import truth_switch


def show() -> None:
    """The page."""
    who = present_member()
    if team():
        choose_session(who)
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
            st.info("No labeling session is open. Your lead plans them; they appear here.", icon=":material/label:")
        return
    if session.session_record.votes_per_input is None and not who.leads:
        st.info("This session is labeled by one person. Choose one that your lead planned for the team.")
        return
    if who.leads:
        truth_switch(session.inputs)
    labeling(session, who)


def choose_session(who: Tester) -> None:
    """The sessions of the project, for a tester without those assigned to others; a team may work on several.

    A tester who comes by the plain address is taken to the only one the team labels.
    """
    desk = project().team.desk()
    records = {record.id: record for record in project().sessions() if who.leads or desk.may_label(who.name, record.id)}
    for_team = [record for record in records.values() if record.votes_per_input is not None]
    if len(for_team) == 1 and not who.leads and opened("session") is None:
        remember("subject", for_team[0].subject)
        remember("session", for_team[0].id)
    if len(records) < 2:
        return
    names = session_names(records.values(), project().session_changes.names(), subject=True)
    here = opened("session")
    chosen = st.selectbox(
        "Session",
        list(records),
        index=list(records).index(here) if here in records else None,
        format_func=names.__getitem__,
        label_visibility="collapsed",
        placeholder="Choose a session",
        width=640,
    )
    if chosen is not None and chosen != here:
        go(LABEL, subject=records[chosen].subject, session=chosen)


run_page(LABEL, show)
