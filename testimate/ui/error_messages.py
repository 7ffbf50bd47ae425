"""Errors as sentences on the page, while the app stays up: those a tester can correct, and those that nobody foresaw.

The details of the latter are for leads and for people who work alone. Predictions that suggest that the inputs were not
prepared as in training are warned of.
"""

import functools
import logging
import secrets
import traceback
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from testimate.core.errors import StoreUnavailable, TestimateError
from testimate.core.inputs import Inputs
from testimate.planning.known_inputs import unusual_predictions
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, team
from testimate.ui.network.hosts import open_to_others

Given = ParamSpec("Given")

_log = logging.getLogger(__name__)

LEADS_HERE = "a lead is here"
"""The key in a tab's memory for whether a lead of the team was logged in when that could last be checked."""

AWAY = "Can't reach the database. Your answers are safe in this browser and will be saved when it is back. Keep going."
"""What a team's testers read, who can do nothing about it and need not know where the database is."""

EVERY = 3.0
"""Seconds between two checks whether the database is back."""


def sentence_of(error: TestimateError) -> str:
    """The sentence about an error for this visitor: only leads, and people who work alone, learn where the database is."""
    if isinstance(error, StoreUnavailable) and team() and not st.session_state.get(LEADS_HERE):
        return AWAY
    return str(error)


def say(error: TestimateError) -> None:
    """Shows the error's sentence in place of the page, which continues by itself if only the database was away."""
    st.error(escape_markdown(sentence_of(error)), icon=":material/error:")
    if isinstance(error, StoreUnavailable):
        go_on_when_it_is_back()


@st.fragment(run_every=EVERY)
def go_on_when_it_is_back() -> None:
    """Draws nothing; runs the page again once the database answers."""
    try:
        project().testers.list()
    except StoreUnavailable:
        return
    st.rerun()


def errors_in_words(show: Callable[Given, None]) -> Callable[Given, None]:
    """Shows the error of a part of a page in its place, because an error in a fragment never reaches the page around it."""

    @functools.wraps(show)
    def shown(*args: Given.args, **options: Given.kwargs) -> None:
        try:
            show(*args, **options)
        except TestimateError as error:
            say(error)

    return shown


def unusual(inputs: Inputs) -> None:
    """A warning for each sign of a wrong scale, channel order or class list."""
    for warning in unusual_predictions(inputs):
        st.warning(escape_markdown(warning), icon=":material/warning:")


def show_unexpected(error: Exception) -> bool:
    """Shows a sentence with a number that is also in the log; True, because Streamlit shows nothing of its own then."""
    number = secrets.token_hex(4)
    _log.error("Error %s on a page.", number, exc_info=error)
    knows = bool(st.session_state.get(LEADS_HERE)) if team() else not open_to_others()
    who = "It is in the server's log, too." if knows else "The lead can see it in the log."
    st.error(f"Something went wrong, and it is not your fault. {who} Its number is {number}.", icon=":material/error:")
    if knows:
        with st.expander("Details"):
            st.code("".join(traceback.format_exception(error)), language=None)
    return True
