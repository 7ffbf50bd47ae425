"""Study: techniques side by side where the truth is known, a race for a class, and what the papers claim."""

import streamlit as st

from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import counted
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.job_progress import computing
from testimate.ui.navigation import opened, remember
from testimate.ui.page_head import last_that_works, page_head
from testimate.ui.pages import STUDY, SUBJECT
from testimate.ui.shell import run_page
from testimate.ui.study.race import race
from testimate.ui.study.techniques import claims, orders, techniques
from testimate.ui.tour import first_demo

SIDE_BY_SIDE, RACE, ORDERS, CLAIMS = "Side by side", "Race", "Prioritizers", "What the papers claim"


def show() -> None:
    """The page."""
    key = opened("subject")
    if key is None:
        page_head(STUDY)
        nothing_known(
            "No subject is open. A study takes its labels from the known truth, so it needs a subject that has one."
        )
        return
    if computing(key):
        return
    with st.spinner("Opening the subject: running its network over the inputs the first time …", show_time=True):
        subject, inputs = project().subject(key), project().inputs(key)
    with page_head(STUDY):
        view = st.segmented_control(
            "View",
            [SIDE_BY_SIDE, RACE, ORDERS, CLAIMS],
            default=SIDE_BY_SIDE,
            required=True,
            key="view",
            bind="query-params",
            label_visibility="collapsed",
        )
        st.caption(escape_markdown(f"{subject.name}, {counted(len(inputs), 'input')}"), width="content")
    if inputs.compared:
        nothing_known("Several models are open, and a study is of one. Their ranking is under Models, Compare.")
    elif inputs.losses is None:
        nothing_known(
            f"The truth of {subject.name} is not known, and a study takes its labels from it. Open a demo, or "
            "upload a table with a column label or outcome under Project."
        )
    else:
        known(str(view), subject, inputs)


def known(view: str, subject: Subject, inputs: Inputs) -> None:
    """The chosen view, for a subject whose truth is known."""
    if view == RACE:
        race(subject, inputs)
    elif view == ORDERS:
        orders(subject, inputs)
    elif view == CLAIMS:
        claims(subject, inputs)
    else:
        techniques(subject, inputs)


def nothing_known(why: str) -> None:
    """Why there is no study, and how to get one."""
    st.info(escape_markdown(why), icon=":material/school:")
    first = first_demo()
    with st.container(horizontal=True):
        last_that_works()
        for entry in project().entries():
            if entry.demo and st.button(
                f"Open the demo {escape_markdown(entry.name.lower())}",
                key=f"study {entry.key}",
                type="primary" if entry.key == first else "secondary",
                icon=":material/play_arrow:",
            ):
                remember("subject", entry.key)
                st.rerun()
        if st.button("Go to Project", icon=":material/folder_open:"):
            st.switch_page(SUBJECT.file)


run_page(STUDY, show)
