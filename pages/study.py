"""Learn: lessons, a race and techniques side by side where the truth is known, what the papers claim, and the glossary."""

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
from testimate.ui.study.lessons import RACE, VIEW, glossary, lessons
from testimate.ui.study.race import race
from testimate.ui.study.techniques import claims, orders, techniques
from testimate.ui.tour import first_demo

SIDE_BY_SIDE, ORDERS, CLAIMS = "Side by side", "Prioritizers", "What the papers claim"
LESSONS, GLOSSARY = "Lessons", "Glossary"


def show() -> None:
    """The page."""
    key = opened("subject")
    if key is not None and computing(key):
        return
    found = None
    if key is not None:
        with st.spinner("Running the model over the inputs (first time only) …", show_time=True):
            found = project().subject(key), project().inputs(key)
    studied = found is not None and not found[1].compared and found[1].losses is not None
    with page_head(STUDY):
        view = st.segmented_control(
            "View",
            [LESSONS, RACE, SIDE_BY_SIDE, ORDERS, CLAIMS, GLOSSARY],
            default=LESSONS if found is None else SIDE_BY_SIDE,
            required=True,
            key=VIEW,
            bind="query-params",
            label_visibility="collapsed",
        )
        if found is not None:
            st.caption(escape_markdown(f"{found[0].name}, {counted(len(found[1]), 'input')}"), width="content")
    if view == LESSONS:
        lessons()
    elif view == GLOSSARY:
        glossary()
    elif view == CLAIMS:
        claims(found if studied else None)
    elif found is None:
        nothing_known("A study needs a test set whose true answers are known. Open a demo to try it.")
    elif studied:
        known(str(view), *found)
    else:
        nothing_known(why_not(*found))


def why_not(subject: Subject, inputs: Inputs) -> str:
    """Why these inputs cannot be studied."""
    if inputs.compared:
        return "Several models are open, and a study is of one. Their ranking is under Models, Compare."
    return (
        f"A study needs true answers, and {subject.name} has none. Open a demo, or upload a table with a label or outcome "
        "column."
    )


def known(view: str, subject: Subject, inputs: Inputs) -> None:
    """The chosen view, for a subject whose truth is known."""
    if view == RACE:
        race(subject, inputs)
    elif view == ORDERS:
        orders(subject, inputs)
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
