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


def nothing_here(missing: str, *pages: Page, icon: str = ":material/info:") -> None:
    """Says what is missing and what to do, with buttons to other pages, the most likely one first."""
    st.info(escape_markdown(missing), icon=icon)
    with st.container(horizontal=True):
        for place, page in enumerate(pages):
            key = f"{page.address} {missing[:24]}"
            if st.button(f"Go to {page.title}", type="secondary" if place else "primary", key=key):
                st.switch_page(page.file)
