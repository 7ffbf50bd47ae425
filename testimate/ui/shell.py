"""The shell every page runs in: login, help, the command palette, answers an earlier page left, and errors as sentences."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from testimate.core.errors import BadInput, StoreUnavailable, TestimateError
from testimate.core.session_record import Tester
from testimate.ui.appearance import QUIET, READABLE, dark, lecture_style, logo
from testimate.ui.components.labeling_surface.browser_events import read_message
from testimate.ui.components.labeling_surface.class_keys import DIGITS, PALETTE
from testimate.ui.components.labeling_surface.surface import Delivery, late_answers
from testimate.ui.components.labeling_surface.view import SurfaceView
from testimate.ui.components.page_scripts import Command, command_palette, one_step_back, server_away, window_changes
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, team
from testimate.ui.error_messages import errors_in_words, say
from testimate.ui.member import is_here, keep_login, login, member
from testimate.ui.navigation import count_visit, forget, go, is_on, opened, turn_off, turn_on, usual_session
from testimate.ui.network.connections import CONNECTION, visitors
from testimate.ui.page_head import noted_if_it_works, nothing_here, page_head
from testimate.ui.pages import DISPUTES, LABEL, PAGES, RESULTS, SUBJECT, TEAM, Page
from testimate.ui.sessions import session_names
from testimate.ui.switcher import switcher
from testimate.ui.tabs import LECTURE
from testimate.ui.tour import PARAMETER as TOUR_PARAMETER
from testimate.ui.tour import help_and_tour
from testimate.ui.truth import reveal, truth_revealed

PALETTE_KEY = "command-palette"
_CHOSEN, _OPENED = "command chosen", "palette opened"

MOST_SESSIONS = 500
"""The latest ones are offered; the list of all sessions finds the others."""


@st.fragment
@errors_in_words
def palette(who: Tester) -> None:
    """The palette, and what was chosen in it."""
    chosen = st.session_state.pop(_CHOSEN, None)
    commands = [*pages_for(who), *actions(who)]
    if st.session_state.pop(_OPENED, False) or (chosen or "").startswith("session "):
        commands += [*demos(who), *sessions(who)]
    with st.container(key=PALETTE_KEY):
        command_palette(
            commands,
            key="the command palette",
            on_choose=lambda one: st.session_state.update({_CHOSEN: one}),
            on_open=lambda: st.session_state.update({_OPENED: True}),
        )
    if chosen is not None:
        act(chosen)


def pages_for(who: Tester) -> list[Command]:
    """The pages that this person may open, as the navigation has them; Alt Shift and a digit leads to the first ten."""
    there = [page for page in PAGES if is_for(page, who)]
    digits = dict(enumerate(DIGITS))
    return [
        Command(f"page {page.address}", page.title, "page", digits.get(place, "")) for place, page in enumerate(there)
    ]


def is_for(page: Page, who: Tester) -> bool:
    """Whether the page is in this person's navigation."""
    return page.audience == "everyone" or (who.leads and (page.audience == "leads" or team()))


def actions(who: Tester) -> list[Command]:
    """What can be done from any page."""
    lecture = "Leave projector mode" if is_on(LECTURE) else "Projector mode: large type for a lecture"
    found = [Command("act lecture", lecture, "action")]
    if not who.leads:
        return found
    around = "End the tour" if is_on(TOUR_PARAMETER) else "Show me around"
    truth = "Hide the truth" if truth_revealed() else "Reveal the truth"
    return [
        *found,
        Command("act tour", around, "action"),
        Command("act truth", truth, "action"),
        Command("act sessions", "All sessions", "action"),
        Command("act add", "Run a model here", "action"),
    ]


def demos(who: Tester) -> list[Command]:
    """The demos, for those who may open subjects."""
    return [
        Command(f"demo {entry.key}", entry.name, "demo") for entry in project().entries() if entry.demo and who.leads
    ]


def sessions(who: Tester) -> list[Command]:
    """The latest sessions, those of the team alone for a tester of it."""
    desk = project().team.desk()
    records = [
        one
        for one in project().sessions()
        if who.leads or (one.votes_per_input is not None and desk.may_label(who.name, one.id))
    ][:MOST_SESSIONS]
    names = session_names(records, project().session_changes.names(), subject=True)
    return [Command(f"session {id_}", name, "session") for id_, name in names.items()]


def act(chosen: str) -> None:
    """Goes to, or does, what was chosen."""
    kind, _, name = chosen.partition(" ")
    match kind, name:
        case "page", _:
            page = next(page for page in PAGES if page.address == name)
            kept = {what: key for what in ("subject", "session") if (key := opened(what))}
            st.switch_page(page.file, query_params=kept)
        case "session", _:
            go(LABEL, subject=project().subject_of(name), session=name)
        case "demo", _:
            go(SUBJECT, subject=name)
        case "act", "sessions" | "add":
            forget("subject", "session")
            st.switch_page(SUBJECT.file, query_params={"sessions": "all"} if name == "sessions" else {"add": "own"})
        case "act", "truth":
            reveal(not truth_revealed())
            st.rerun(scope="app")
        case "act", "lecture" | "tour":
            parameter = LECTURE if name == "lecture" else TOUR_PARAMETER
            (turn_off if is_on(parameter) else turn_on)(parameter)
            st.rerun(scope="app")
        case _:
            raise BadInput(
                f"No match for {chosen!r:.60}. Expected an entry from the list. Press {PALETTE} and pick one."
            )


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
                reason = "The model is still running over the inputs. Your answers are saved after that."
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
            st.toast(escape_markdown(f"An answer was not saved. {why}"), icon=":material/error:", duration="infinite")
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


OF_A_SESSION = (LABEL, RESULTS, DISPUTES)
"""Pages about a session; the others are about a test set."""

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
            st.info("Only leads can open this page, because it shows other testers' answers.", icon=":material/lock:")
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
            if page in OF_A_SESSION and opened("session") is None:
                usual_session()  # so that the switcher says what the page is about
            switcher(page, who)
            help_and_tour(page, leads=who.leads)
            with project().pages_first.drawing(), noted_if_it_works(page):
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
            st.button("Open another test set", on_click=forget, args=("session", "subject"))


# Decision 18: otherwise Streamlit asks for no run when it connects again.
@st.fragment(run_every=ONCE_A_DAY)
def run_again_on_reconnecting() -> None:
    """Draws nothing, and makes Streamlit run the page when its browser connects to a server that does not know it.

    Streamlit does so by itself only where the page was running, ran a fragment last, or has one that runs at intervals.
    Otherwise a server that was restarted ignores every rerun of a fragment, and what a tester labels is not stored before a
    reload.
    """
