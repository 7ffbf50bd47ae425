"""An empty place on a page: what is missing, and the buttons that lead to where it is found."""

import streamlit as st

from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.pages import Page

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
