"""Comparisons that take a while: models that run first, and the ranking; with progress, and a way to stop them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.ui.current_project import project
from testimate.ui.job_progress import resume_button, show_running, show_unfinished

if TYPE_CHECKING:
    from testimate.comparison.overview import ComparisonView

AT_ONCE = 0.5
"""Seconds that the page waits before it shows progress; what is done by then needs none."""

_MADE = "comparison being made"


def make_comparison(name: str, work: Callable[[Progress], str]) -> str | None:
    """Starts the work that gives a comparison's key; returns the key if it is there at once; else its progress is shown next.

    ``name`` : of the comparison; the same one is not made twice at a time.
    """
    job = f"comparison {name}"
    project().jobs.start(job, work)
    if project().jobs.wait(job, AT_ONCE).state == "done":
        return _taken(job)
    st.session_state[_MADE] = job
    return st.rerun()


def being_made() -> bool:
    """Whether a comparison is being made or was stopped, which is then shown in place of the choice."""
    job = st.session_state.get(_MADE)
    status = None if job is None else project().jobs.status(job)
    if job is None or status is None or status.state == "done":
        return False
    with st.container(border=True):
        if status.state == "running":
            show_running(job, first_step="running the models")
            return True
        show_unfinished(job, stopped="Not all models ran, because somebody stopped them. Nothing was kept.")
        if st.button("Choose models", type="primary"):
            del st.session_state[_MADE]
            project().jobs.forget(job)
            st.rerun()
    return True


def made() -> str | None:
    """The key of the comparison that was made in the background; once."""
    job = st.session_state.pop(_MADE, None)
    return None if job is None or project().jobs.status(job) is None else _taken(job)


def _taken(job: str) -> str:
    key: Any = project().jobs.result(job)
    project().jobs.forget(job)
    return str(key)


def view_of(inputs: Inputs) -> ComparisonView | None:
    """The ranking, made once for each comparison while the server runs; None while it is made or after it was stopped."""
    from testimate.comparison.overview import view_comparison

    jobs, job = project().jobs, f"ranking {inputs.fingerprint}"
    if jobs.status(job) is None:
        jobs.start(job, lambda progress: view_comparison(inputs, progress))
    status = jobs.wait(job, AT_ONCE)
    if status.state == "done":
        view: ComparisonView = jobs.result(job)
        return view
    with st.container(border=True):
        if status.state == "running":
            show_running(job, first_step="ranking the models")
            return None
        show_unfinished(job, stopped="The models are not ranked, because somebody stopped the ranking.")
        if resume_button(status, "Rank the models"):
            jobs.start(job, lambda progress: view_comparison(inputs, progress))
            st.rerun()
    return None
