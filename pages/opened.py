"""Which project, subject and session the pages are about; kept in the URL, so that a reload finds the place again."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NoReturn

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.computing import computing
from pages.errors_in_words import say
from pages.member import keep_login, login, member
from pages.next_step import TO_SUBJECT, nothing_here
from pages.opened_project import project
from pages.reconnecting import run_again_on_reconnecting
from testimate.core.errors import StoreUnavailable, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.tester import Tester
from testimate.sessions.session import Session

Name = Literal["subject", "session"]
NAMES: tuple[Name, ...] = ("subject", "session")


def opened(name: Name) -> str | None:
    """The key that is open, from the URL or else from this browser tab's memory; None where nothing is."""
    key = st.query_params.get(name) or st.session_state.get(f"opened {name}")
    if key:
        remember(name, key)
    return key


def remember(name: Name, key: str) -> None:
    """Keeps what is open in the URL and in the tab's memory.

    What the tab remembers besides goes into the URL at once: each change of it is a step for the browser's Back.
    """
    st.session_state[f"opened {name}"] = key
    others = {other: st.session_state.get(f"opened {other}") for other in NAMES}
    wanted = {other: known for other, known in others.items() if known}
    if any(st.query_params.get(other) != known for other, known in wanted.items()):
        st.query_params.update(wanted)


def forget(*names: Name) -> None:
    """Closes what was open."""
    for name in names:
        st.session_state.pop(f"opened {name}", None)
        st.query_params.pop(name, None)


def go(page: str, *, subject: str, session: str | None = None) -> NoReturn:
    """Opens a page on a subject, and on a session where one is given."""
    remember("subject", subject)
    if session is not None:
        remember("session", session)
    else:
        forget("session")
    params = {"subject": subject} | ({"session": session} if session else {})
    st.switch_page(f"pages/{page}.py", query_params=params)


def opened_subject() -> tuple[Subject, Inputs] | None:
    """The open subject and what is known of its inputs; where none is open, says so and returns None."""
    key = opened("subject")
    if key is None:
        words = "No subject is open. Open a demo, a table or a model on the Subject page first."
        nothing_here(words, TO_SUBJECT, icon=":material/folder_open:")
        return None
    if computing(project(), key):
        return None
    return subject_and_inputs(key)


def subject_and_inputs(key: str) -> tuple[Subject, Inputs]:
    """The subject and what is known of its inputs; a demo's network runs over them the first time."""
    with st.spinner("Opening the subject: running its network over the inputs the first time …", show_time=True):
        return project().subject(key), project().inputs(key)


def opened_session() -> Session | None:
    """The open session, the latest one of the open subject by default; None where there is none.

    Where its subject's features are still being computed the page ends with how far they are.
    """
    key = opened("session")
    if key is None:
        subject = opened("subject")
        of_subject = [record.id for record in project().sessions() if record.subject == subject]
        if not of_subject:
            return None
        key = of_subject[0]
        remember("session", key)
    if computing(project(), project().subject_of(key)):
        st.stop()
    with st.spinner("Opening the session …"):
        session = project().session(key)
    remember("subject", session.session_record.subject)
    return session


QUIET = """<style>
[data-testid="stMainBlockContainer"] { padding-top: 4.5rem; padding-bottom: 2rem; }
[data-testid="stMetricValue"] { font-size: 1.6rem; }
.st-key-who { margin: -1.25rem 0 -1.5rem; }
@media (min-width: 1200px) {
  [data-testid="stLayoutWrapper"]:has(> .st-key-who) {
    position: fixed; top: 0.6rem; right: 6.5rem; width: auto; max-width: 22rem; z-index: 1000000;
  }
  .st-key-who { margin: 0; }
}
[data-testid="stLayoutWrapper"]:has(> .st-key-page-help) {
  position: fixed; top: 0.6rem; right: 1rem; width: auto; z-index: 1000000;
}
.st-key-page-help button, .st-key-page-help button:is(:hover, :focus, :active) { color: inherit; }
.st-key-tour-card { border-left: 4px solid #0072B2; padding: 0.6rem 1rem; }
</style>"""

READABLE = """<style>
[data-testid="stCaptionContainer"] { color: %s; opacity: 1; }
button[aria-checked="true"] p, [data-testid="stSliderThumbValue"] { color: %s; }
</style>"""
"""Streamlit's own greys, and its blue on dark, are too pale for WCAG 2.2 at AA: 4.5 to 1."""


def navigation_is_streamlits_own() -> bool:
    """Whether this run did not come by app.py.

    A fresh server that is asked for a page before it has run app.py takes the folder pages/ for navigation of its own, in
    which app.py is a page like the others.
    """
    context = get_script_run_ctx()
    pages = {} if context is None else context.pages_manager.get_pages()
    return any(Path(found["script_path"]).name == "app.py" for found in pages.values())


def page(show: Callable[[], None], *, for_leads: bool = True) -> None:
    """Runs a page; an error a tester can mend becomes a sentence, and the app stays up.

    Before the login of a team there is nothing but its form; ``for_leads``: testers, who see no other's votes, are sent to
    the Label page.
    """
    from pages.tour import guide  # which opens pages by this file

    if navigation_is_streamlits_own():
        PagesManager.uses_pages_directory = False
        st.rerun()
    st.html(QUIET + READABLE % (("#A8A6A3", "#7CC4EE") if dark() else ("#666462", "#00639B")))
    run_again_on_reconnecting()
    who = None
    try:
        keep_login()
        who = member()
        if who is None:
            login()
        elif for_leads and not who.leads:
            st.info("This page is for the team's leads: it shows what others said.", icon=":material/lock:")
            if st.button("Go to Label"):
                st.switch_page("pages/label.py")
        else:
            guide(Path(show.__code__.co_filename).stem, leads=who.leads)
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


def dark() -> bool:
    """Whether this browser shows the dark theme."""
    return st.context.theme.type == "dark"
