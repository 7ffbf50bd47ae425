"""The app's entry: the login gate of a team, and navigation over the pages; nothing else."""

from pathlib import Path

import streamlit as st

from testimate.ui.current_project import team
from testimate.ui.member import initials, logout, who_is_here
from testimate.ui.navigation import disputes_in_navigation
from testimate.ui.tabs import tabs

st.set_page_config(
    page_title="Testimate", page_icon=str(Path(__file__).parent / ".streamlit" / "icon.png"), layout="wide"
)
who = who_is_here()
page = st.navigation(tabs(who), position="hidden" if who is None else "top")
if team() and who is not None:
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="who"):
        if who.leads:
            disputes_in_navigation()
        with st.popover(initials(who.name), type="tertiary", help=f"{who.name} ({who.role})"):
            st.text(f"{who.name} ({who.role})")
            st.button("Log out", on_click=logout, type="tertiary", icon=":material/logout:")
page.run()
