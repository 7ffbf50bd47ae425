"""The app's entry: navigation over the pages, nothing else."""

from pathlib import Path

import streamlit as st

st.set_page_config(
    page_title="Testimate", page_icon=str(Path(__file__).parent / ".streamlit" / "icon.png"), layout="wide"
)
st.navigation(
    [
        st.Page("pages/subject.py", title="Subject", icon=":material/folder_open:", default=True),
        st.Page("pages/clusters.py", title="Clusters", icon=":material/bubble_chart:"),
        st.Page("pages/strata.py", title="Strata", icon=":material/stacked_bar_chart:"),
        st.Page("pages/plan.py", title="Plan", icon=":material/checklist:"),
        st.Page("pages/label.py", title="Label", icon=":material/label:"),
        st.Page("pages/results.py", title="Results", icon=":material/monitoring:"),
    ],
    position="top",
).run()
