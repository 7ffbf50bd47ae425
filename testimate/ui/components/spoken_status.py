"""The line above the plain buttons that says, for screen readers too, what was stored and which input comes next."""

from pathlib import Path

import streamlit as st

from testimate.ui.components.joined_modules import joined

_HTML = '<p role="status" tabindex="-1"></p>'
_CSS = """p { margin: 0; color: var(--st-text-color); font: 400 1rem/1.5 var(--st-font); overflow-wrap: anywhere; }
p:focus:not(:focus-visible) { outline: none; }"""

_component = st.components.v2.component(
    "testimate.spoken_status", html=_HTML, css=_CSS, js=joined(Path(__file__).with_suffix(".js"))
)


def spoken_status(words: str, *, row: int | None, key: str) -> None:
    """Shows the words, untrusted text; takes the focus if ``row`` changed and the button that had the focus is gone."""
    _component(key=key, data=[{"words": words, "input": str(row)}])
