"""Navigation: which project, subject and session the pages are about, kept in the URL, so that a reload returns there.

A page can tell being reached from being drawn again. What is on while the address says so, such as a tour, stays on in the
pages that the navigation opens. A default session starts with one click. Disputes that wait for a lead are counted at the top
of every page.
"""

from typing import Literal, NoReturn

import streamlit as st

from testimate.advice.advice import advise
from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.selector import DEFAULT_AUXILIARY, Request
from testimate.core.session_record import SessionRecord
from testimate.core.subject import Subject
from testimate.core.words import counted
from testimate.demos.catalog import find_demo
from testimate.session.session import Session
from testimate.ui.current_project import project, team
from testimate.ui.job_progress import computing, on_the_bar
from testimate.ui.member import present_member
from testimate.ui.page_head import nothing_here
from testimate.ui.pages import DISPUTES, LABEL, SUBJECT, Page
from testimate.ui.sessions import keep_picture
from testimate.ui.tabs import WAITING, remember_page
from testimate.ui.truth import as_revealed, note_truth

Name = Literal["subject", "session"]
NAMES: tuple[Name, ...] = ("subject", "session")


def opened(name: Name) -> str | None:
    """The key that is open, from the URL or else from this browser tab's memory; None if nothing is open.

    The tab remembers all that the URL names, also what this page does not ask for: the navigation opens the next one without.
    """
    for other in NAMES:
        if known := st.query_params.get(other):
            st.session_state[f"opened {other}"] = known
    key = st.session_state.get(f"opened {name}")
    if key:
        remember(name, key)
    return key


def remember(name: Name, key: str) -> None:
    """Keeps what is open in the URL and in the tab's memory.

    Everything else the tab remembers goes into the URL at once: each change of the URL is a step for Back.
    """
    st.session_state[f"opened {name}"] = key
    others = {other: st.session_state.get(f"opened {other}") for other in NAMES}
    wanted: dict[str, str] = {other: known for other, known in others.items() if known}
    if any(st.query_params.get(other) != known for other, known in wanted.items()):
        st.query_params.update(wanted)


def forget(*names: Name) -> None:
    """Closes the open subject or session of these names: removed from the address and from the tab's memory."""
    for name in names:
        st.session_state.pop(f"opened {name}", None)
        st.query_params.pop(name, None)


def go(page: Page, *, subject: str, session: str | None = None) -> NoReturn:
    """Opens a page on a subject, and on a session where one is given."""
    remember("subject", subject)
    if session is not None:
        remember("session", session)
    else:
        forget("session")
    params = {"subject": subject} | ({"session": session} if session else {})
    st.switch_page(page.file, query_params=params)


def opened_subject() -> tuple[Subject, Inputs] | None:
    """The open subject and what is known about its inputs; if none is open, says so and returns None."""
    key = opened("subject")
    if key is None:
        words = "No test set is open. Open a demo, a table or a model under Project."
        nothing_here(words, SUBJECT, icon=":material/folder_open:")
        return None
    if computing(key):
        return None
    return subject_and_inputs(key)


def subject_and_inputs(key: str) -> tuple[Subject, Inputs]:
    """The subject and what is known about its inputs, as far as revealed; a demo's network runs on them the first time."""
    with st.spinner("Running the model over the inputs (first time only) …", show_time=True):
        subject, inputs = project().subject(key), project().inputs(key)
    note_truth(key, inputs)
    return subject, as_revealed(inputs)


def opened_session() -> Session | None:
    """The open session, the latest one of the open subject by default, or the only one there is or that
    is open in another tab; None if there is none.

    If its subject's features are still being computed, the page ends with their progress.
    """
    key = opened("session") or usual_session()
    if key is None:
        if present_member().leads:
            check_subject()
        return None
    session = session_and_picture(key)
    remember("subject", session.session_record.subject)
    note_truth(session.session_record.subject, session.inputs)
    return session


def check_subject() -> None:
    """Raises BadInput where the open test set is not in the project: a page that only says what it lacks would hide it."""
    key = opened("subject")
    if key is not None and all(entry.key != key for entry in project().entries()):
        project().subject(key)


def usual_session() -> str | None:
    """The session that a page is about where none is open, which is then open; None if there is none.

    The latest of the open subject, or the only one there is; a team's tester is taken to the only one the team labels.
    """
    who, subject, records = present_member(), opened("subject"), project().sessions()
    if not who.leads:
        desk = project().team.desk()
        records = [one for one in records if one.votes_per_input is not None and desk.may_label(who.name, one.id)]
    keys = [record.id for record in records if record.subject == subject]
    if not who.leads and len(records) == 1:
        keys = [records[0].id]
    elif subject is None and not team():  # a new tab at the plain address
        keys = _only_session(records)
    if not keys:
        return None
    remember("subject", next(record.subject for record in records if record.id == keys[0]))
    remember("session", keys[0])
    return keys[0]


def _only_session(records: list[SessionRecord]) -> list[str]:
    """The id of the only session there is, or of the only one that is open in another tab; none where it could be another."""
    here = [record.id for record in records]
    for known in (here, [one.session_record.id for one in project().open_sessions() if one.session_record.id in here]):
        if len(known) == 1:
            return known
    return []


def session_and_picture(key: str) -> Session:
    """The session of that id, with its picture kept; the page ends with its features' progress while they are computed."""
    if computing(project().subject_of(key)):
        st.stop()
    with st.spinner("Opening the session …"):
        session = project().session(key)
    keep_picture(project(), session)
    return session


_PAGE, _VISIT = "page drawn last", "visits to pages"


def count_visit(page: Page) -> None:
    """Called whenever a page is drawn; a visit begins where another page was drawn before."""
    remember_page(page)
    if st.session_state.get(_PAGE) != page.file:
        st.session_state[_PAGE] = page.file
        st.session_state[_VISIT] = this_visit() + 1


def this_visit() -> int:
    """A number that stays while one page is looked at, and is another after every change of page; 0 before the first."""
    return int(st.session_state.get(_VISIT, 0))


ON = "on"


def is_on(parameter: str) -> bool:
    """Whether it is on, by the address or else by this tab's memory."""
    if st.query_params.get(parameter) == ON:
        st.session_state[parameter] = True
    elif st.session_state.get(parameter):
        st.query_params[parameter] = ON
    return bool(st.session_state.get(parameter))


def turn_on(parameter: str) -> None:
    """Turns it on, on the page that is open and those to come."""
    st.session_state[parameter] = True


def turn_off(parameter: str) -> None:
    """Turns it off; it does not come back by itself."""
    st.session_state.pop(parameter, None)
    st.query_params.pop(parameter, None)


FIRST_BUDGET = 200
START_HALF_WIDTH = 0.05
START_SEED = 4


def question_of(key: str) -> str:
    """What a tester of a demo is asked; empty for other subjects."""
    demo = find_demo(key)
    return "" if demo is None else demo.question


def start_default(
    key: str,
    *,
    question: str | None = None,
    budget: int = FIRST_BUDGET,
    half_width: float = START_HALF_WIDTH,
) -> NoReturn:
    """Opens a subject, plans a session with the default technique and goes to Label. ``question`` : a demo's own by default."""
    with st.spinner("Choosing the first inputs …"):
        inputs = project().inputs(key, on_the_bar(st.progress(0.0)))
        advice = advise(inputs, "tight interval", budget=min(budget, len(inputs)))
        request = Request(
            advice.technique,
            budget=min(budget, len(inputs)),
            seed=START_SEED,
            auxiliary=advice.auxiliary or DEFAULT_AUXILIARY,
            options=advice.options,
        )
        session = project().start_session(
            key,
            request,
            half_width=half_width,
            votes_per_input=1 if team() else None,
            question=question_of(key) if question is None else question,
            rubric="" if (demo := find_demo(key)) is None else demo.rubric,
        )
    go(LABEL, subject=key, session=session.session_record.id)


EVERY = 5.0
"""Seconds between two checks."""


def sessions_in_dispute() -> dict[Session, int]:
    """The number of waiting disputes of each session that anybody has opened since the server started."""
    deleted = project().session_changes.deleted()
    found = {}
    for session in [*_opened_here(), *project().open_sessions()]:
        record = session.session_record
        if record.votes_per_input is None or record.id in deleted or session in found:
            continue
        try:
            session.refresh()
        except TestimateError:  # the session's own page says why
            continue
        if count := len(session.disputed()):
            found[session] = count
    return found


def _opened_here() -> list[Session]:
    """The session that is open in this tab; none where its subject's features are still to be computed."""
    key = st.query_params.get("session") or st.session_state.get("opened session")
    if not key:
        return []
    try:
        return [] if project().compute(project().subject_of(key)) is not None else [project().session(key)]
    except TestimateError:
        return []


@st.fragment(run_every=EVERY)
def disputes_in_navigation() -> None:
    """The number, as a link; nothing if no dispute waits."""
    try:
        found = sessions_in_dispute()
    except TestimateError:
        return
    st.session_state[WAITING] = count = sum(found.values())
    if found:
        record = next(iter(found)).session_record
        with st.container(key="disputes-waiting", width="content"):
            words, params = f":red[{counted(count, 'dispute')}]", {"subject": record.subject, "session": record.id}
            st.page_link(DISPUTES.file, label=words, icon=":material/gavel:", query_params=params)
