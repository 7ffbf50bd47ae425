"""The line at the top of a page: its name, what it is about, and the one thing to do there."""

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


def page_head(page: Page) -> DeltaGenerator:
    """Draws the page's name; what else belongs in the line is drawn into it."""
    line = st.container(horizontal=True, vertical_alignment="center", key="page-head")
    line.header(page.title, anchor=False, width="content")
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
