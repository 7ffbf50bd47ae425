"""Label: the input under judgement, and beside it what the labels say by now."""

import streamlit as st

from pages.labeling import labeling
from pages.member import present_member, team
from pages.opened import go, opened, opened_session, page
from pages.opened_project import project
from testimate.widgets.untrusted_text import escape_markdown


def show() -> None:
    """The page."""
    who = present_member()
    if team():
        choose_session()
    session = opened_session()
    if session is None:
        st.header("Label", anchor=False)
        st.info("No labeling session is open. Plan one, or start with a demo.", icon=":material/label:")
        if not who.leads:
            st.caption("Your lead plans the sessions; they appear here.")
            return
        with st.container(horizontal=True):
            if st.button("Go to Plan", type="primary"):
                st.switch_page("pages/plan.py")
            if st.button("Go to Subject"):
                st.switch_page("pages/subject.py")
        return
    if session.session_record.votes_per_input is None and not who.leads:
        st.info("This session is labeled by one person. Choose one that your lead planned for the team.")
        return
    labeling(session, who)


def choose_session() -> None:
    """The sessions of the project, of which a team may have several at work."""
    records = {record.id: record for record in project().sessions()}
    if len(records) < 2:
        return
    here = opened("session")
    chosen = st.selectbox(
        "Session",
        list(records),
        index=list(records).index(here) if here in records else None,
        format_func=lambda id: escape_markdown(
            f"{records[id].subject_name} · {records[id].request.technique} · {records[id].created[:16].replace('T', ' ')}"
        ),
        width=420,
    )
    if chosen is not None and chosen != here:
        go("label", subject=records[chosen].subject, session=chosen)


page(show, for_leads=False)
