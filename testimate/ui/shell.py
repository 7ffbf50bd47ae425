"""What every page runs in: the login, the help, and errors as sentences instead of a page that fails."""

from collections.abc import Callable

import streamlit as st

from testimate.core.errors import StoreUnavailable, TestimateError
from testimate.core.tester import Tester
from testimate.ui.appearance import QUIET, READABLE, dark
from testimate.ui.components.one_step_back import one_step_back
from testimate.ui.error_messages import say
from testimate.ui.late_answers import store_late_answers
from testimate.ui.location import forget, opened
from testimate.ui.member import keep_login, login, member
from testimate.ui.pages import LABEL, Page
from testimate.ui.streamlit_navigation import leave_streamlits_own_navigation
from testimate.ui.tour import help_and_tour

ONCE_A_DAY = 86_400.0  # seconds


def run_page(page: Page, show: Callable[[], None]) -> None:
    """Draws a page with ``show``; an error that a tester can correct becomes a sentence, and the app stays up.

    Before the login of a team there is nothing but its form. Testers, who see nobody else's votes, are sent from the leads'
    pages to the Label page.
    """
    leave_streamlits_own_navigation()
    st.html(QUIET + READABLE % (("#A8A6A3", "#7CC4EE") if dark() else ("#666462", "#00639B")))
    one_step_back()
    run_again_on_reconnecting()
    who = None
    try:
        keep_login()
        who = member()
        if who is not None:
            store_late_answers(who, labeling=page is LABEL)
        if who is None:
            login()
        elif not who.leads and page.audience != "everyone":
            st.info("This page is for the team's leads: it shows what others said.", icon=":material/lock:")
            if st.button(f"Go to {LABEL.title}"):
                st.switch_page(LABEL.file)
        else:
            help_and_tour(page, leads=who.leads)
            show()
    except TestimateError as error:
        say(error)
        if not isinstance(error, StoreUnavailable):
            ways_on(who)


def ways_on(who: Tester | None) -> None:
    """What to do about an address that leads nowhere; else every page, and every link to one, would say the same again."""
    with st.container(horizontal=True):
        if opened("session"):
            st.button("Open the latest session", type="primary", on_click=forget, args=("session",))
        if opened("subject") and who is not None and who.leads:
            st.button("Open another subject", on_click=forget, args=("session", "subject"))


@st.fragment(run_every=ONCE_A_DAY)
def run_again_on_reconnecting() -> None:
    """Draws nothing, and makes Streamlit run the page when its browser connects to a server that does not know it.

    Streamlit does so by itself only where the page was running, ran a fragment last, or has one that runs at intervals.
    Otherwise a server that was restarted ignores every rerun of a fragment, and what a tester labels is not stored before a
    reload.
    """
