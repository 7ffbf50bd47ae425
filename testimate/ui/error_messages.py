"""Errors a tester can correct, as a sentence on the page; the app stays up."""

import functools
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.ui.components.untrusted_text import escape_markdown

Given = ParamSpec("Given")


def say(error: TestimateError) -> None:
    """The error's sentence, in place of the page."""
    st.error(escape_markdown(str(error)), icon=":material/error:")


def errors_in_words(show: Callable[Given, None]) -> Callable[Given, None]:
    """The same part of a page, with its error shown in its place: what a fragment raises never reaches the page around it."""

    @functools.wraps(show)
    def shown(*args: Given.args, **options: Given.kwargs) -> None:
        try:
            show(*args, **options)
        except TestimateError as error:
            say(error)

    return shown
