"""The head of a page, and an empty page: what it is about, and the one thing to do there."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import counted
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.pages import Page
from testimate.ui.tabs import steps


def page_head(page: Page) -> DeltaGenerator:
    """Draws the page's name and the steps of its tab; what else belongs in the line is drawn into it."""
    line = st.container(horizontal=True, vertical_alignment="center", key="page-head")
    with line:
        st.header(page.title, anchor=False, width="content")
        steps(page)
    return line


@contextmanager
def named_in_errors(page: Page) -> Iterator[None]:
    """An error inside has the page's name above it."""
    try:
        yield
    except TestimateError:
        page_head(page)
        raise


def about(line: DeltaGenerator, subject: Subject, inputs: Inputs) -> None:
    """Which subject the page shows, beside its name."""
    line.caption(escape_markdown(f"{subject.name}, {counted(len(inputs), 'input')}"), width="stretch")


UNKNOWN = "–"
"""Shown in a table's cell without a value, where Streamlit would write None."""


_MISSING, _WORKED, _DRAWN = "something is missing", "worked on ", "page being drawn"


@contextmanager
def noted_if_it_works(page: Page) -> Iterator[None]:
    """Notes what is open if the page, drawn inside, can show it, so that it can offer it where it cannot show the next."""
    st.session_state[_DRAWN], st.session_state[_MISSING] = page.address, False
    yield
    subject, session = (st.session_state.get(f"opened {name}") for name in ("subject", "session"))
    if subject and not st.session_state[_MISSING]:
        st.session_state[_WORKED + page.address] = {"subject": subject} | ({"session": session} if session else {})


def last_that_works() -> None:
    """A button to the test set that this page showed last, where it cannot show the open one; nothing before that."""
    address = st.session_state.get(_DRAWN, "")
    last: dict[str, str] = st.session_state.get(_WORKED + address, {})
    if not last or last["subject"] == st.session_state.get("opened subject"):
        return
    if st.button("Open the last one that works", key=f"last that works on {address}", type="primary"):
        st.session_state["opened session"] = last.get("session")
        st.session_state["opened subject"] = last["subject"]
        st.query_params.from_dict(last)
        st.rerun()


def nothing_here(missing: str, *pages: Page, icon: str = ":material/info:") -> None:
    """Says what is missing and what to do, with buttons to other pages, the most likely one first."""
    st.session_state[_MISSING] = True
    st.info(escape_markdown(missing), icon=icon)
    with st.container(horizontal=True):
        last_that_works()
        for place, page in enumerate(pages):
            key = f"{page.address} {missing[:24]}"
            if st.button(f"Go to {page.title}", type="secondary" if place else "primary", key=key):
                st.switch_page(page.file)
