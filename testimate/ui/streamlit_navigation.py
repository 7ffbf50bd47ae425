"""Keeps Streamlit's own navigation away from the folder pages/: the one place that does, with its reason.

Streamlit makes pages of every file in a folder pages/ beside the entry until ``st.navigation`` has run once. A
server that was just started and is asked for a page by its address does so, and would show app.py as a page
like the others. The folder stays where users of Streamlit look for it, so this is undone here.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx


def navigation_is_streamlits_own() -> bool:
    """Whether this run did not come by app.py.

    A fresh server that is asked for a page before it has run app.py takes the folder pages/ for navigation of its own, in
    which app.py is a page like the others.
    """
    context = get_script_run_ctx()
    pages = {} if context is None else context.pages_manager.get_pages()
    return any(Path(found["script_path"]).name == "app.py" for found in pages.values())


def leave_streamlits_own_navigation() -> None:
    """Runs the app anew by app.py where this run came by Streamlit's own navigation; otherwise does nothing."""
    if navigation_is_streamlits_own():
        PagesManager.uses_pages_directory = False
        st.rerun()
