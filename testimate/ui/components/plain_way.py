"""The line above the plain buttons that says, also to who listens, what was stored and which input is there now."""

from pathlib import Path

import streamlit as st

from testimate.ui.components.joined_modules import joined

_HTML = '<p role="status" tabindex="-1"></p>'
_CSS = """p { margin: 0; color: var(--st-text-color); font: 400 1rem/1.5 var(--st-font); overflow-wrap: anywhere; }
p:focus:not(:focus-visible) { outline: none; }"""

_component = st.components.v2.component(
    "testimate.plain_way", html=_HTML, css=_CSS, js=joined(Path(__file__).with_suffix(".js"))
)


def plain_way(words: str, *, row: int | None, key: str) -> None:
    """Shows the words, which are untrusted text; the focus comes here where ``row`` is another one and the last had it."""
    _component(key=key, data=[{"words": words, "input": str(row)}])
