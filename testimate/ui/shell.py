"""The shell every page runs in: login, help, answers that an earlier page left, and errors shown as sentences."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from testimate.core.errors import StoreUnavailable, TestimateError
from testimate.core.session_record import Tester
from testimate.ui.appearance import QUIET, READABLE, dark, lecture_style, logo
from testimate.ui.commands import palette
from testimate.ui.components.labeling_surface.browser_events import read_message
from testimate.ui.components.labeling_surface.surface import Delivery, late_answers
from testimate.ui.components.labeling_surface.view import SurfaceView
from testimate.ui.components.page_scripts import one_step_back, server_away, window_changes
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, team
from testimate.ui.error_messages import say
from testimate.ui.member import is_here, keep_login, login, member
from testimate.ui.navigation import count_visit, forget, opened
from testimate.ui.network.visitors import CONNECTION, visitors
from testimate.ui.page_head import nothing_here, page_head
from testimate.ui.pages import LABEL, SUBJECT, TEAM, Page
from testimate.ui.tour import help_and_tour

KEY = "late-answers"
_DELIVERY = "delivery of late answers"


def store_late_answers(who: Tester, *, labeling: bool) -> None:
    """Stores the answers this browser still holds for this tester; ``labeling``: on Label, whose surface sends its own."""

    def arrived(messages: list[object]) -> None:
        if is_here(who):
            st.session_state[_DELIVERY] = _stored(messages, who)

    on_surface = labeling and not st.session_state.get("plain buttons")
    leave = (st.query_params.get("session") or st.session_state.get("opened session") or "") if on_surface else ""
    with st.container(key=KEY):
        delivery = st.session_state.get(_DELIVERY, Delivery())
        late_answers(who.name, delivery, leave=leave, key=f"{KEY} of this browser", on_messages=arrived)


def _stored(messages: list[object], who: Tester) -> Delivery:
    """Records the events of each message in its session; a refusal is shown, because the browser then drops the answer."""
    settled: list[str] = []
    strangers: list[str] = []
    reason = ""
    try:
        known = {record.id: record for record in project().sessions()}
    except TestimateError as error:
        return Delivery(reason=str(error))
    for message in messages:
        name = message.get("session") if isinstance(message, dict) else None
        if not isinstance(name, str) or name not in known:
            strangers.append(name if isinstance(name, str) else "")
            continue
        try:
            if project().compute(known[name].subject) is not None:
                reason = "The model is still running over the inputs; they are stored after that."
                continue
            session = project().session(name)
            task = session.inputs.task
            shown = known[name].show_prediction
            read = read_message(message, SurfaceView(name, who.name, task, predictions_shown=shown))
            if read is None:
                continue
            recorded = session.record(read.events, lead=who.leads)
        except TestimateError as error:
            reason = str(error)
            continue
        refused = {**read.refused, **recorded.refused}
        settled += [*recorded.acknowledged, *refused]
        for why in refused.values():
            st.toast(escape_markdown(f"An answer was not stored. {why}"), icon=":material/error:", duration="infinite")
    return Delivery(settled, strangers, reason)


def navigation_is_streamlits_own() -> bool:
    """Whether this run did not come by app.py.

    A fresh server that is asked for a page before it has run app.py takes the folder pages/ for navigation of its own, in
    which app.py is a page like the others. The folder stays where users of Streamlit look for it, so this is undone here.
    """
    context = get_script_run_ctx()
    pages = {} if context is None else context.pages_manager.get_pages()
    return any(Path(found["script_path"]).name == "app.py" for found in pages.values())


def leave_streamlits_own_navigation() -> None:
    """Runs the app again by app.py where this run came by Streamlit's own navigation; otherwise does nothing."""
    if navigation_is_streamlits_own():
        PagesManager.uses_pages_directory = False
        st.rerun()


ONCE_A_DAY = 86_400.0  # seconds


def run_page(page: Page, show: Callable[[], None]) -> None:
    """Draws a page with ``show``; an error that a tester can correct becomes a sentence, and the app stays up.

    Before a team's login there is only its form. Testers, who see nobody else's votes, are sent from the leads' pages to the
    Label page.
    """
    leave_streamlits_own_navigation()
    count_visit(page)
    st.html(QUIET + READABLE % (("#A8A6A3", "#7CC4EE") if dark() else ("#666462", "#00639B")))
    lecture_style()
    logo()
    one_step_back()
    server_away()
    window_changes()
    run_again_on_reconnecting()
    who = None
    try:
        keep_login()
        who = member()
        tell_the_server(who)
        if who is not None:
            store_late_answers(who, labeling=page is LABEL)
        if who is None:
            login()
        elif not who.leads and page.audience != "everyone":
            st.info("This page is for the team's leads: it shows what others said.", icon=":material/lock:")
            if st.button(f"Go to {LABEL.title}"):
                st.switch_page(LABEL.file)
        elif page is TEAM and not team():
            page_head(page)
            words = (
                "This page is for a team, and Testimate was started for one person. To label together, start it with "
            )
            nothing_here(f"{words}testimate app --team.", SUBJECT, icon=":material/group:")
        else:
            palette(who)
            help_and_tour(page, leads=who.leads)
            with project().pages_first.drawing():
                show()
    except TestimateError as error:
        say(error)
        if not isinstance(error, StoreUnavailable):
            ways_on(who)


def tell_the_server(who: Tester | None) -> None:
    """Tells the network filters below the pages who is in this tab: they accept more from a member than from a stranger."""
    context = get_script_run_ctx()
    if context is not None:
        visitors.recognize(context.session_id, who, st.context.headers.get(CONNECTION))


def ways_on(who: Tester | None) -> None:
    """Ways out of an address that leads nowhere; without them every page, and every link to one, would show the same error."""
    with st.container(horizontal=True):
        if opened("session"):
            st.button("Open the latest session", type="primary", on_click=forget, args=("session",))
        if opened("subject") and who is not None and who.leads:
            st.button("Open another subject", on_click=forget, args=("session", "subject"))


# Decision 18: otherwise Streamlit asks for no run when it connects again.
@st.fragment(run_every=ONCE_A_DAY)
def run_again_on_reconnecting() -> None:
    """Draws nothing, and makes Streamlit run the page when its browser connects to a server that does not know it.

    Streamlit does so by itself only where the page was running, ran a fragment last, or has one that runs at intervals.
    Otherwise a server that was restarted ignores every rerun of a fragment, and what a tester labels is not stored before a
    reload.
    """
