"""The page's own words where its server no longer answers, in place of a dialog that covers the input under judgement."""

from pathlib import Path

import streamlit as st

from testimate.ui.components.joined_modules import joined

_component = st.components.v2.component("testimate.server_away", js=joined(Path(__file__).with_suffix(".js")))


def server_away() -> None:
    """Watches the connection of this browser tab; draws nothing while it holds."""
    with st.container(key="server-away"):
        _component(key="server away", height=1)
