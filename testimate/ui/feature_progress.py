"""The features of a model that was uploaded: computed in the background, with their progress shown in place of the subject."""

import streamlit as st

from testimate.project.project import job_of
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.job_progress import resume_button, show_running, show_unfinished
from testimate.ui.member import present_member


def computing(key: str) -> bool:
    """Whether the features of this subject are not all computed yet; their progress is then shown in its place."""
    status = project().compute(key)
    if status is None:
        return False
    names = [entry.name for entry in project().entries() if entry.key == key]
    st.subheader(escape_markdown(names[0] if names else key), anchor=False)
    with st.container(border=True):
        if status.state == "running":
            show_running(job_of(key), first_step="opening the model and the data", note="This is only done once.")
            return True
        leads = present_member().leads
        who = "you" if leads else "a lead"
        stopped = f"Not all features are computed: {who} stopped it. What is finished is kept."
        show_unfinished(job_of(key), stopped=stopped)
        if leads and resume_button(status, "Continue"):
            project().compute(key, again=True)
            st.rerun()
    return True
