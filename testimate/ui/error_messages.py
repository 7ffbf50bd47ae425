"""Errors a tester can correct, as a sentence on the page; the app stays up."""

import functools
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from testimate.core.errors import StoreUnavailable, TestimateError
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project, team

Given = ParamSpec("Given")

LEADS_HERE = "a lead is here"
"""In a tab's memory: whether a lead of the team was logged in when that could be looked up last."""

AWAY = (
    "The database of the labels cannot be reached. What you answered is kept in this browser and is stored as soon as it can "
    "be; you need do nothing, and may go on."
)
"""For a team's testers, who can do nothing about it and need not know where it is."""

EVERY = 3.0
"""Seconds between two looks whether the database is back."""


def sentence_of(error: TestimateError) -> str:
    """What is said about an error to who is here: where the database is, is for leads and who works alone."""
    if isinstance(error, StoreUnavailable) and team() and not st.session_state.get(LEADS_HERE):
        return AWAY
    return str(error)


def say(error: TestimateError) -> None:
    """The error's sentence, in place of the page, which goes on by itself where only the database was away."""
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
    """The same part of a page, with its error shown in its place: what a fragment raises never reaches the page around it."""

    @functools.wraps(show)
    def shown(*args: Given.args, **options: Given.kwargs) -> None:
        try:
            show(*args, **options)
        except TestimateError as error:
            say(error)

    return shown
