"""The guided tour, and the small help of every page: what to look at here, and what the words mean.

A tour is on while the URL says so (``tour=on``); this tab's memory brings it along to pages opened by the navigation. It is
a card above each page that blocks nothing, and it comes only when asked for.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.errors_in_words import errors_in_words
from pages.opened import go, opened, project
from pages.page_guides import GUIDES, TOUR, PageGuide
from testimate.widgets.terms import words

PARAMETER, ON = "tour", "on"
WIDTH, TALLEST = 520, 460
"""Of the help in pixels; its list of words scrolls."""


def guide(page: str, *, leads: bool) -> None:
    """The help of a page, and its card of the tour where one is under way; ``leads`` : testers have no tour."""
    found = GUIDES.get(page)
    if found is None:
        return
    help_button(found, leads=leads)
    if leads and on_tour():
        card(found)


def on_tour() -> bool:
    """Whether a tour is under way, by the URL or else by this tab's memory."""
    if st.query_params.get(PARAMETER) == ON:
        st.session_state[PARAMETER] = True
    elif st.session_state.get(PARAMETER):
        st.query_params[PARAMETER] = ON
    return bool(st.session_state.get(PARAMETER))


def begin() -> None:
    """Starts the tour on the page that is open."""
    st.session_state[PARAMETER] = True


def end() -> None:
    """Ends it; it does not come back by itself."""
    st.session_state.pop(PARAMETER, None)
    st.query_params.pop(PARAMETER, None)


def show_me_around() -> None:
    """The button of the first screen: the tour, on the first demo."""
    if st.button("Show me around", key="show me around", icon=":material/signpost:", type="tertiary"):
        begin()
        go("subject", subject=opened("subject") or first_demo())


def first_demo() -> str:
    """The key of the demo a newcomer sees first."""
    return next(entry.key for entry in project().entries() if entry.demo)


@st.fragment
@errors_in_words
def help_button(found: PageGuide, *, leads: bool) -> None:
    """A question mark at the top of every page; what it opens is drawn only when it is open."""
    with st.container(key="page-help"):
        popover = st.popover(
            "Help",
            icon=":material/help:",
            type="tertiary",
            key=f"help on {found.page}",
            on_change="rerun",
        )
    if not popover.open:
        return
    with popover, st.container(width=WIDTH):
        st.markdown(f"**{found.title}**: {found.look}")
        if leads and found in TOUR and not on_tour() and st.button("Show me around", key="around from here"):
            begin()
            st.rerun(scope="app")
        with st.container(height=TALLEST, border=False):
            words(found.words)


def stops() -> list[PageGuide]:
    """The pages of the tour that the navigation has; all of them where a page runs by itself."""
    context = get_script_run_ctx()
    listed = {} if context is None else context.pages_manager.get_pages()
    there = {Path(one["script_path"]).stem for one in listed.values()} & set(GUIDES)
    return [one for one in TOUR if one.page in there or len(there) < 2]


def card(found: PageGuide) -> None:
    """Where one is on the tour, what to look at here, and the way on."""
    along = stops()
    if found not in along:
        return
    place = along.index(found)
    with (
        st.container(border=True, key="tour-card"),
        st.container(horizontal=True, vertical_alignment="center", gap="medium"),
    ):
        with st.container(width="stretch", gap=None):
            st.markdown(f":material/signpost: **{found.title}** :small[:gray[{place + 1} of {len(along)}]]")
            st.markdown(found.look)
        with st.container(horizontal=True, width="content", gap="small", vertical_alignment="center"):
            back = place > 0 and st.button("Back", key="tour back", icon=":material/arrow_back:")
            last = place + 1 == len(along)
            on = not last and st.button(
                "Next", key="tour next", type="primary", icon=":material/arrow_forward:", help=along[place + 1].title
            )
            st.button("End the tour", key="tour end", type="primary" if last else "tertiary", on_click=end)
    if back or on:
        move(along[place + (1 if on else -1)])


def move(to: PageGuide) -> None:
    """Goes to a page of the tour, with something to see there: the demo where nothing is open, a session for Label."""
    from pages.welcome import start_default  # which offers the tour itself

    subject = opened("subject")
    if subject is None and to.page != "compare":
        subject = first_demo()
    if to.page == "label" and subject and all(record.subject != subject for record in project().sessions()):
        start_default(subject)
    if subject is None:
        st.switch_page(f"pages/{to.page}.py")
    go(to.page, subject=subject, session=opened("session"))
