"""A top-up on the Results page: its result is on Versions."""

import streamlit as st

from testimate.core.words import spaced
from testimate.project.version_labels import is_top_up
from testimate.session.session import Session
from testimate.ui.location import go
from testimate.ui.pages import LABEL, VERSIONS


def belongs_to_versions(session: Session) -> bool:
    """If the session is a top-up, says so and leads to Versions. Returns whether it is one."""
    record = session.session_record
    if not is_top_up(record):
        return False
    st.info(
        f"These are a few more labels for versions of a model, {spaced(session.counts().done)} of {spaced(session.planned)} so "
        "far. They have no estimate of their own: with the labels before them they judge the versions.",
        icon=":material/history:",
    )
    with st.container(horizontal=True):
        if not session.finished and st.button("Continue", type="primary"):
            st.switch_page(LABEL.file)
        if st.button("Versions", type="primary" if session.finished else "secondary"):
            go(VERSIONS, subject=record.subject)
    return True
