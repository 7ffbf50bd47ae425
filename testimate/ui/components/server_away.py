"""The page's own words where its server no longer answers, in place of a dialog that covers the input under judgement."""

import streamlit as st

from testimate.ui.components.bundle import component

_component = component("server_away")


def server_away() -> None:
    """Watches the connection of this browser tab; draws nothing while it holds."""
    with st.container(key="server-away"):
        _component(key="server away", height=1)
