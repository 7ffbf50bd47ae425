"""Results: the final estimate in words, the faults and how severe they are, and everything to take away."""

import streamlit as st

from testimate.reports.live import live
from testimate.reports.plurals import counted
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.empty_state import nothing_here
from testimate.ui.location import opened_session, remember
from testimate.ui.pages import LABEL, PLAN, RESULTS, SUBJECT
from testimate.ui.results.downloads import files
from testimate.ui.results.estimate import accuracy, assisted, in_words, what_it_rests_on
from testimate.ui.results.faults import faults, flagged
from testimate.ui.results.team_agreement import team_agreement
from testimate.ui.session_names import session_names
from testimate.ui.shell import run_page


def show() -> None:
    """The page."""
    session = opened_session()
    if session is None:
        st.header("Results", anchor=False)
        words = "There are no labels yet. Start a labeling session on the Plan page, or with a demo."
        nothing_here(words, PLAN, SUBJECT, icon=":material/label:")
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
        nothing_here("Nothing is labeled in this session yet.", LABEL, icon=":material/label:")
        what_it_rests_on(session, report)
    flagged(session)
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


run_page(RESULTS, show)
