"""What a page does once it finds its server again, after a restart or a long sleep."""

import streamlit as st

ONCE_A_DAY = 86_400.0  # seconds


@st.fragment(run_every=ONCE_A_DAY)
def run_again_on_reconnecting() -> None:
    """Draws nothing, and makes Streamlit run the page when its browser connects to a server that does not know it.

    It does so by itself only where the page was running, ran a fragment last, or has one that runs at intervals. Otherwise
    the new server ignores every rerun of a fragment, and what a tester labels would not be stored before a reload.
    """
