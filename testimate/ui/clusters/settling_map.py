"""The neighbour map while it settles: how far it is, a way to stop it, and how far the map can be trusted."""

import streamlit as st

from testimate.core.subject import Subject
from testimate.core.words import percent
from testimate.project.found_clusters import map_job_of
from testimate.structure.maps import PlanarMap
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.job_progress import how_far, resume_button, running, show_unfinished
from testimate.ui.member import present_member
from testimate.ui.visits import this_visit

LOOKED = "map looked at"
EVERY = 1.0
"""Seconds between two updates of a settling map."""


def job_of(subject: Subject, features: str) -> str:
    """The name of the job that lays out the subject's inputs."""
    return map_job_of(project().inputs(subject.key).fingerprint, features)


def settling(subject: Subject, features: str) -> bool:
    """Whether the map moves: it is being laid out, or will be once the chart is on the screen."""
    if project().map_now(subject.key, features).settled:
        return False
    status = project().jobs.status(job_of(subject, features))
    return status is None or status.state == "running"


def how_it_settles(subject: Subject, features: str) -> None:
    """Under a map that has not settled: how far it is, or why it did not settle and how to go on.

    It begins at the second update of a visit: a browser that still draws the chart asks for none, and need not share the
    processor; nor does a visitor who leaves at once. The whole page is drawn again once it is over.
    """
    job = job_of(subject, features)
    status, looked = project().jobs.status(job), (job, this_visit())
    if status is None and st.session_state.get(LOOKED) != looked:
        st.session_state[LOOKED] = looked
        st.progress(0.0, text="**Looking for neighbours**")
        return
    status = status or project().find_map(subject.key, features)
    if status is None or status.state == "done":
        st.rerun()
    elif running(job):
        share = status.done / status.total if status.total else 0.0
        step = escape_markdown(status.what or "looking for neighbours")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(min(1.0, share), text=f"**{step[:1].upper()}{step[1:]}** · {how_far(status)}")
            if present_member().leads and st.button("Stop", icon=":material/stop:", key=f"cancel {job}"):
                project().jobs.cancel(job)
    else:
        begins = "the earlier version's" if project().map_now(subject.key, features).planar.method != "pca" else "PCA's"
        show_unfinished(job, stopped=f"The map was stopped before it had settled: {begins} map is shown.")
        if resume_button(status, "Settle it"):
            project().find_map(subject.key, features, again=True)
            st.rerun()


def worth(planar: PlanarMap) -> str:
    """What being near each other means on this map, in a sentence, with the share of neighbours that it keeps."""
    if planar.kept is None:
        return "Near points look alike to the network."
    kept = f"{percent(planar.kept)} of the 15 nearest neighbours kept"
    if planar.method == "neighbours":
        return f"Near points look alike to the network: {kept}; distances between groups mean little."
    return f"A linear map, on which groups that are far apart may lie on top of each other: {kept}."
