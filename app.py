"""The app's entry: the login gate of a team, and navigation over the pages; nothing else."""

from pathlib import Path

import streamlit as st

from pages.member import logout, team, who_is_here

st.set_page_config(
    page_title="Testimate", page_icon=str(Path(__file__).parent / ".streamlit" / "icon.png"), layout="wide"
)
who = who_is_here()
leads = who is None or who.leads
label = {"page": "pages/label.py", "title": "Label", "icon": ":material/label:"}
# a tester's one page is the first one, whose address is empty, and also what a link to /label opens
pages = [st.Page(**label, url_path="first", default=True), st.Page(**label, visibility="hidden")]
if leads:
    pages = [
        st.Page("pages/subject.py", title="Subject", icon=":material/folder_open:", default=True),
        st.Page("pages/clusters.py", title="Clusters", icon=":material/bubble_chart:"),
        st.Page("pages/strata.py", title="Strata", icon=":material/stacked_bar_chart:"),
        st.Page("pages/plan.py", title="Plan", icon=":material/checklist:"),
        st.Page(**label),
        st.Page("pages/results.py", title="Results", icon=":material/monitoring:"),
        st.Page("pages/compare.py", title="Compare models", icon=":material/balance:"),
        st.Page("pages/study.py", title="Study", icon=":material/school:"),
    ]
    if team():
        pages.append(st.Page("pages/disputes.py", title="Disputes", icon=":material/gavel:"))
page = st.navigation(pages, position="hidden" if who is None else "top")
if team() and who is not None:
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="who"):
        st.text(f"{who.name} ({who.role})", width="content")
        st.button("Log out", on_click=logout, type="tertiary", icon=":material/logout:")
page.run()
