"""What the command palette offers and does: pages, sessions, demos and actions."""

import streamlit as st

from testimate.core.errors import BadInput
from testimate.core.session_record import Tester
from testimate.ui.appearance import LECTURE
from testimate.ui.components.command_palette import Command, command_palette
from testimate.ui.components.labeling_surface.class_keys import DIGITS, PALETTE
from testimate.ui.current_project import project, team
from testimate.ui.error_messages import errors_in_words
from testimate.ui.navigation import forget, go, is_on, opened, turn_off, turn_on
from testimate.ui.pages import LABEL, PAGES, SUBJECT, Page
from testimate.ui.session_names import session_names
from testimate.ui.tour import PARAMETER as TOUR_PARAMETER
from testimate.ui.truth import reveal, truth_revealed

KEY = "command-palette"
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
    with st.container(key=KEY):
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
        Command("act add", "Bring your own model and data", "action"),
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
                f"There is nothing called {chosen!r:.60}; expected an entry of the list. Open it again with {PALETTE}."
            )
