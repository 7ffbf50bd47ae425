"""Which visit to a page this is, so that a page can tell being reached from being drawn again."""

import streamlit as st

from testimate.ui.pages import Page

_PAGE, _VISIT = "page drawn last", "visits to pages"


def count_visit(page: Page) -> None:
    """Called whenever a page is drawn; a visit begins where another page was drawn before."""
    if st.session_state.get(_PAGE) != page.file:
        st.session_state[_PAGE] = page.file
        st.session_state[_VISIT] = this_visit() + 1


def this_visit() -> int:
    """A number that stays while one page is looked at, and is another after every change of page; 0 before the first."""
    return int(st.session_state.get(_VISIT, 0))
