"""How far the features of a tester's own model are: the work goes on in the background, whatever page is open."""

import streamlit as st

from pages.errors_in_words import errors_in_words
from pages.member import present_member
from testimate.sessions.jobs import JobStatus
from testimate.sessions.project import Project, job_of
from testimate.widgets.untrusted_text import escape_markdown

EVERY = 1.0
"""Seconds between two looks at the work."""


def computing(project: Project, key: str) -> bool:
    """Whether the features are not all computed yet; then how far they are is shown in the subject's place."""
    status = project.compute(key)
    if status is None:
        return False
    names = [entry.name for entry in project.entries() if entry.key == key]
    st.subheader(escape_markdown(names[0] if names else key), anchor=False)
    with st.container(border=True):
        if status.state == "running":
            watched(project, key)
        else:
            ended(project, key, status)
    return True


@st.fragment(run_every=EVERY)
@errors_in_words
def watched(project: Project, key: str) -> None:
    """The work as it goes on, looked at every second; the page is drawn anew when it is over."""
    status = project.jobs.status(job_of(key))
    if status is None or status.state != "running":
        st.rerun()
    share = status.done / status.total if status.total else 0.0
    what = escape_markdown(status.what) or "opening the model and the data"
    st.progress(min(1.0, share), text=f"**{what[:1].upper()}{what[1:]}** · {how_far(status)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if present_member().leads and st.button("Cancel", icon=":material/stop:"):
            project.jobs.cancel(job_of(key))
            st.toast("It stops after the batch it is at; what is finished is kept.")
        st.caption("This is done once. You may leave this page meanwhile; the work goes on.")


def how_far(status: JobStatus) -> str:
    """Steps done and the time left, in words."""
    if not status.total:
        return f"{status.seconds:.0f} s"
    left = "" if status.seconds_left is None else f" · {time_in_words(status.seconds_left)} left"
    return f"{status.done:,} of {status.total:,}{left}"


def time_in_words(seconds: float) -> str:
    """A time as one reads it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def ended(project: Project, key: str, status: JobStatus) -> None:
    """The work that failed or was cancelled, and the way to go on."""
    leads = present_member().leads
    if status.state == "cancelled":
        who = "you" if leads else "a lead"
        st.info(f"The features are not computed: {who} stopped it. What is finished is kept.", icon=":material/stop:")
    else:
        st.error(escape_markdown(status.error), icon=":material/error:")
    if leads and st.button("Go on computing" if status.state == "cancelled" else "Try again", type="primary"):
        project.compute(key, again=True)
        st.rerun()
