"""Follows the window: a page is drawn again when its theme changes, and legends when its width does."""

from pathlib import Path

import streamlit as st

from testimate.ui.components.joined_modules import joined

_component = st.components.v2.component("testimate.window_changes", js=joined(Path(__file__).with_suffix(".js")))


def window_changes() -> None:
    """Draws nothing. Call it outside a fragment: a change of the theme concerns the whole page."""
    with st.container(key="window-changes"):
        _component(key="window changes", height=1, on_scheme_change=lambda: None)
