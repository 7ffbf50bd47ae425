"""The guided tour, and the short help of every page: what to look at here, and what the words mean.

A tour is on while the URL says so (``tour=on``); this tab's memory carries it to pages opened by the navigation. It is a
card above each page that blocks nothing, and it appears only on request.
"""

import re
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from testimate.ui.components.labeling_surface.class_keys import PALETTE
from testimate.ui.components.terms import words
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.navigation import go, is_on, opened, start_default, turn_off, turn_on
from testimate.ui.pages import COMPARE, LABEL, PAGES, SUBJECT, TOUR, Page, Point

PARAMETER = "tour"
WIDTH, TALLEST = 520, 460
"""Height of the help in pixels; its list of words scrolls."""

RING = """
%(part)s { outline: 2px solid #1F83C0; outline-offset: 6px; border-radius: 2px; overflow: visible; }
:where(%(part)s) { position: relative; }
%(part)s::before {
  content: "%(number)s"; position: absolute; top: -1.1rem; left: -1.1rem; z-index: 2; width: 1.5rem; height: 1.5rem;
  border-radius: 50%%; background: #0072B2; color: white; font-weight: 600; font-size: 0.85rem; line-height: 1.5rem;
  text-align: center; }
body:not(:has(%(named)s)) .st-key-%(sentence)s { display: none; }
.st-key-%(sentence)s .stMarkdownBadge { background: #0072B2 !important; color: white !important; }
"""
"""Around a part that the tour points at: a ring with its number. Its sentence disappears if the part is not there."""


def help_and_tour(page: Page, *, leads: bool) -> None:
    """The help of a page, and its card of the tour where one is under way; ``leads`` : testers have no tour."""
    help_button(page, leads=leads)
    if leads and is_on(PARAMETER):
        card(page)


def show_me_around() -> None:
    """The button of the first screen: the tour, on the first demo."""
    if st.button("Show me around", key="show me around", icon=":material/signpost:", type="tertiary"):
        turn_on(PARAMETER)
        go(SUBJECT, subject=opened("subject") or first_demo())


def first_demo() -> str:
    """The key of the demo a newcomer sees first."""
    return next(entry.key for entry in project().entries() if entry.demo)


@st.fragment
@errors_in_words
def help_button(page: Page, *, leads: bool) -> None:
    """A question mark at the top of every page; its content is drawn only while it is open."""
    with st.container(key="page-help"):
        popover = st.popover(
            "Help",
            icon=":material/help:",
            type="tertiary",
            key=f"help on {page.address}",
            on_change="rerun",
        )
    if not popover.open:
        return
    with popover, st.container(width=WIDTH):
        st.markdown(f"**{page.title}**: {page.help}")
        st.caption(f"Press {PALETTE} to go anywhere.")
        if leads and page in TOUR and not is_on(PARAMETER) and st.button("Show me around", key="around from here"):
            turn_on(PARAMETER)
            st.rerun(scope="app")
        with st.container(height=TALLEST, border=False):
            words(page.terms)


def stops() -> list[Page]:
    """The pages of the tour that are in the navigation; all of them if a page runs on its own."""
    context = get_script_run_ctx()
    listed = {} if context is None else context.pages_manager.get_pages()
    there = {Path(one["script_path"]).stem for one in listed.values()} & {page.address for page in PAGES}
    return [page for page in TOUR if page.address in there or len(there) < 2]


def card(page: Page) -> None:
    """Where the tour is, what to look at here, and the way to its next page."""
    along = stops()
    if page not in along:
        return
    place = along.index(page)
    with (
        st.container(border=True, key="tour-card"),
        st.container(horizontal=True, vertical_alignment="center", gap="medium"),
    ):
        with st.container(width="stretch", gap=None):
            st.markdown(f":material/signpost: **{page.title}** :small[:gray[{place + 1} of {len(along)}]]")
            st.markdown(page.help)
            point_at(page.points)
        with st.container(horizontal=True, width="content", gap="small", vertical_alignment="center"):
            back = place > 0 and st.button("Back", key="tour back", icon=":material/arrow_back:")
            last = place + 1 == len(along)
            on = not last and st.button(
                "Next", key="tour next", type="primary", icon=":material/arrow_forward:", help=along[place + 1].title
            )
            st.button(
                "End the tour",
                key="tour end",
                type="primary" if last else "tertiary",
                on_click=turn_off,
                args=(PARAMETER,),
            )
    if back or on:
        move(along[place + (1 if on else -1)])


def point_at(points: tuple[Point, ...]) -> None:
    """The parts of the page to look at: a sentence with a number, and a ring with that number around the part.

    A part that is not on the page now, such as a chart before the first label, takes its sentence with it.
    """
    rings = []
    for number, point in enumerate(points, start=1):
        sentence = f"tour-point-{number}"
        with st.container(key=sentence):
            st.markdown(f":primary-badge[{number}] {point.says}")
        named = f".st-key-{re.sub('[^a-zA-Z0-9_-]', '-', point.key)}"  # as Streamlit writes a key into the page
        part = f':is([data-testid="stLayoutWrapper"]:has(> {named}), [data-testid="stElementContainer"]{named})'
        rings.append(RING % {"part": part, "named": named, "number": number, "sentence": sentence})
    st.html(f"<style>{''.join(rings)}</style>")


def move(to: Page) -> None:
    """Goes to a page of the tour, with something to see there: the demo where nothing is open, a session for Label."""
    subject = opened("subject")
    if subject is None and to is not COMPARE:
        subject = first_demo()
    if to is LABEL and subject and all(record.subject != subject for record in project().sessions()):
        start_default(subject)
    if subject is None:
        st.switch_page(to.file)
    go(to, subject=subject, session=opened("session"))
