"""Results: the final estimate in words, the faults and how severe they are, and everything to take away."""

from dataclasses import replace

import streamlit as st

from pages.next_step import TO_LABEL, TO_PLAN, TO_SUBJECT, nothing_here
from pages.opened import opened_session, page, remember
from pages.opened_project import project
from pages.results_estimate import accuracy, assisted, in_words, what_it_rests_on
from pages.results_faults import faults
from pages.results_files import files
from pages.session_names import session_names
from pages.team_agreement import team_agreement
from testimate.sessions.counted import counted
from testimate.sessions.live import live
from testimate.sessions.session import Session
from testimate.widgets.untrusted_text import escape_markdown


def show() -> None:
    """The page."""
    session = opened_session()
    if session is None:
        st.header("Results", anchor=False)
        words = "There are no labels yet. Start a labeling session on the Plan page, or with a demo."
        nothing_here(words, TO_PLAN, TO_SUBJECT, icon=":material/label:")
        return
    head(session)
    session.refresh()
    report = live(session)
    if report.labeled:
        in_words(session, report)
        left, right = st.columns(2, gap="large")
        with left:
            accuracy(session, report)
            assisted(session, report)
        with right:
            what_it_rests_on(session, report)
        faults(session, report)
    else:
        begin = replace(TO_LABEL, label="Start labeling")
        nothing_here("Nothing is labeled in this session yet.", begin, icon=":material/label:")
        what_it_rests_on(session, report)
    team_agreement(session)
    files(session)


def head(session: Session) -> None:
    """Which session this is, and another one of the same subject, where there are several."""
    record = session.session_record
    names = session_names(other for other in project().sessions() if other.subject == record.subject)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Results", anchor=False, width="content")
        about = f"{record.subject_name}, {counted(len(session.inputs), 'input')}"
        if len(names) < 2:
            st.caption(escape_markdown(f"{about} · {names[record.id]}"), width="content")
            return
        st.caption(escape_markdown(about), width="content")
        chosen = st.selectbox(
            "Session",
            list(names),
            list(names).index(record.id),
            format_func=names.__getitem__,
            label_visibility="collapsed",
            width=560,
        )
    if chosen != record.id:
        remember("session", chosen)
        st.rerun()


page(show)
