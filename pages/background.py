"""Work of a page that goes on in the background: how far it is, a way to stop it, and the page drawn anew as it gets on."""

from collections.abc import Callable

import streamlit as st

from pages.computing import EVERY, how_far
from pages.errors_in_words import errors_in_words
from pages.opened_project import project
from testimate.widgets.untrusted_text import escape_markdown


def running(job: str) -> bool:
    """Whether the job is at work."""
    status = project().jobs.status(job)
    return status is not None and status.state == "running"


@st.fragment(run_every=EVERY)
@errors_in_words
def watched(job: str, done: int, count: Callable[[], int]) -> None:
    """How far the job is, looked at every second; the page is drawn anew when it is over or ``count`` is not ``done`` any more.

    ``count`` : how many of its results are there.
    """
    status = project().jobs.status(job)
    if status is None or status.state != "running" or count() != done:
        st.rerun()
    share = status.done / status.total if status.total else 0.0
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, share), text=escape_markdown(f"{status.what or 'beginning'} · {how_far(status)}"))
        if st.button("Cancel", icon=":material/stop:", key=f"cancel {job}"):
            project().jobs.cancel(job)
            st.toast("It stops after the batch it is at; what is finished is kept.")


def ended(job: str) -> None:
    """Why the job did not come to its end, where it did not."""
    status = project().jobs.status(job)
    if status is None:
        return
    if status.state == "failed":
        st.error(escape_markdown(status.error), icon=":material/error:")
    elif status.state == "cancelled":
        st.info("You stopped it. What is finished is kept, and running it again goes on from there.")
