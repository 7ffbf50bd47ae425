"""Work that takes a while, the same on every page: its progress, a way to stop it, and what to do if it did not finish.

The features of a model that was uploaded: computed in the background, with their progress shown in place of the subject.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from testimate.core.progress import A_MINUTE, LOOKED, Progress, time_in_words
from testimate.core.words import commas
from testimate.project.jobs import JobStatus
from testimate.project.project import job_of
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.member import present_member

EVERY = 1.0
"""Seconds between two updates of the progress."""


def running(job: str) -> bool:
    """Whether the job is running."""
    status = project().jobs.status(job)
    return status is not None and status.state == "running"


def start_over(job: str, work: Callable[[Progress], Any]) -> None:
    """Starts the job in the background, even if one of that name has finished, because there is new work."""
    jobs = project().jobs
    status = jobs.status(job)
    if status is not None and status.state == "done":
        jobs.forget(job)
    jobs.start(job, work)


@st.fragment(run_every=EVERY)
@errors_in_words
def show_running(
    job: str,
    *,
    first_step: str,
    note: str = "",
    finished_parts: tuple[int, Callable[[], int]] | None = None,
    quicker: Callable[[JobStatus], None] | None = None,
) -> None:
    """The job's progress, updated every second; the whole page is drawn again when it is over.

    ``first_step`` : what it does before it has reported anything. ``note`` : shown beside the button to stop it, which leads
    have. ``finished_parts`` : how many of its results the page shows and how many there are by now; the page is drawn again
    when there are more. ``quicker`` : draws a quicker way, where the work turns out to take long.
    """
    status = project().jobs.status(job)
    more = finished_parts is not None and finished_parts[1]() != finished_parts[0]
    if status is None or status.state != "running" or more:
        st.rerun()
    step = escape_markdown(status.what or first_step)
    share = status.done / status.total if status.total else 0.0
    st.progress(min(1.0, share), text=f"**{step[:1].upper()}{step[1:]}** · {how_far(status)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if present_member().leads and st.button("Stop", icon=":material/stop:", key=f"cancel {job}"):
            project().jobs.cancel(job)
            st.toast("It stops after the current step.")
        st.caption(" ".join(filter(None, (note, "This keeps running if you leave the page."))))
    if (
        quicker is not None
        and status.ahead is not None
        and status.seconds >= LOOKED
        and status.ahead.seconds > A_MINUTE
    ):
        quicker(status)


def show_unfinished(job: str, *, stopped: str) -> None:
    """Why the job did not finish: its error, or the sentence ``stopped`` if somebody canceled it; otherwise nothing."""
    status = project().jobs.status(job)
    if status is None:
        return
    if status.state == "failed":
        st.error(escape_markdown(status.error), icon=":material/error:")
    elif status.state == "canceled":
        st.info(stopped, icon=":material/stop:")


def resume_button(status: JobStatus, after_canceling: str) -> bool:
    """The button that runs a failed or canceled job again; whether it was pressed."""
    return st.button(after_canceling if status.state == "canceled" else "Try again", type="primary")


def on_the_bar(bar: DeltaGenerator, doing: str = "") -> Progress:
    """Progress of something a page waits for, drawn on this bar; ``doing`` stands before what it is at."""

    def progress(done: int, total: int, what: str = "") -> None:
        said = doing + what
        bar.progress(min(1.0, done / max(total, 1)), text=escape_markdown(said[:1].upper() + said[1:]))

    return progress


def how_far(status: JobStatus) -> str:
    """Steps done and the time left, in words."""
    if not status.total:
        return f"{status.seconds:.0f} s"
    if status.seconds_left is None:
        return f"{commas(status.done)} of {commas(status.total)} · {status.seconds:.0f} s so far"
    return f"{commas(status.done)} of {commas(status.total)} · {time_in_words(status.seconds_left)} left"


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
        who = "You" if leads else "A lead"
        stopped = f"{who} stopped this. Finished parts are saved."
        show_unfinished(job_of(key), stopped=stopped)
        if leads and resume_button(status, "Continue"):
            project().compute(key, again=True)
            st.rerun()
    return True
