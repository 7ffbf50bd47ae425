"""The tabs of the header, and the step from one page of a tab to another.

Every page keeps its address. A tab shows one of its pages, so that Streamlit lights it for each of them: the page that is
open, else the one visited last; Label opens the labeling where a session is open, else its plan.
"""

import streamlit as st
from streamlit.navigation.page import Page as StreamlitPage

from testimate.core.session_record import Tester
from testimate.ui.current_project import team
from testimate.ui.error_messages import LEADS_HERE
from testimate.ui.pages import DISPUTES, LABEL, PAGES, PLAN, STUDY, TABS, Page, Tab, tab_of

LECTURE = "lecture"
"""The parameter of projector mode, in which Learn leaves the header."""

WAITING = "disputes that wait"
_VISITED = "visited last in "


def tabs(who: Tester | None) -> list[StreamlitPage]:
    """Every page that this person may open, one of each tab visible; a tester's one page is the first."""
    if who is not None and not who.leads:
        # the address of a tester's page is empty; a link to /label opens it, too
        return [
            st.Page(LABEL.file, title=LABEL.title, url_path="first", default=True),
            st.Page(LABEL.file, title=LABEL.title, visibility="hidden"),
        ]
    here = page_here()
    return [
        st.Page(
            page.file,
            title=tab.title,
            default=page is PAGES[0],
            visibility="visible" if page is _shown(tab, here) and _belongs(tab, here) else "hidden",
        )
        for tab in TABS
        for page in tab.pages
    ]


def page_here() -> Page:
    """The page whose address is open; the first one where none is."""
    name = (st.context.url or "").rstrip("/").rpartition("/")[2]
    return next((page for page in PAGES if page.address == name), PAGES[0])


def remember_page(page: Page) -> None:
    """Makes this page the one that its tab opens."""
    st.session_state[_VISITED + tab_of(page).title] = page


def _shown(tab: Tab, here: Page) -> Page:
    """The page that the tab opens."""
    if here in tab.pages:
        return here
    if LABEL in tab.pages:
        return LABEL if st.query_params.get("session") or st.session_state.get("opened session") else PLAN
    visited: Page = st.session_state.get(_VISITED + tab.title, tab.pages[0])
    return visited


def _belongs(tab: Tab, here: Page) -> bool:
    """Whether the header has the tab: that of a team only where there is one, Learn not before an audience."""
    if here in tab.pages:
        return True
    if STUDY in tab.pages:
        return not (st.session_state.get(LECTURE) or st.query_params.get(LECTURE))
    return team() or DISPUTES not in tab.pages


def steps(page: Page) -> None:
    """The pages of this one's tab, to choose from; nothing where it has no other, or for a tester."""
    pages = {one.address: one for one in tab_of(page).pages}
    if len(pages) < 2 or not st.session_state.get(LEADS_HERE, True):
        return
    chosen = st.segmented_control(
        tab_of(page).title,
        list(pages),
        default=page.address,
        required=True,
        format_func=lambda address: _step_words(pages[address]),
        key=f"step from {page.address}",
        label_visibility="collapsed",
        width="content",
    )
    if chosen != page.address:
        st.switch_page(pages[chosen].file, query_params=st.query_params.to_dict())


def _step_words(page: Page) -> str:
    """What a step is called: those to labels are numbered, and disputes counted."""
    pages = tab_of(page).pages
    if LABEL in pages:
        return f"{pages.index(page) + 1} {page.title}"
    waiting = st.session_state.get(WAITING, 0)
    return f"{page.title} {waiting}" if page is DISPUTES and waiting else page.title
