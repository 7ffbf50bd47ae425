"""The settings of the clusters: chosen in a form, kept in the URL, found in the background."""

from dataclasses import asdict, replace
from functools import partial

import streamlit as st

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.progress import time_in_words
from testimate.core.subject import Subject
from testimate.core.terms import TERMS
from testimate.core.words import commas, counted
from testimate.project.cluster_settings import ClusterSettings, settings_of, suited_settings
from testimate.project.clusters import ClusterView
from testimate.project.jobs import JobStatus
from testimate.structure.density_clusters import EXACTNESS, MIN_CLUSTER_SIZE, MIN_SAMPLES, REDUCTION, SMALLER_SAMPLE
from testimate.structure.spanning_tree import COMPARING
from testimate.ui.components.terms import explained, layer_words
from testimate.ui.current_project import project
from testimate.ui.job_progress import resume_button, show_running, show_unfinished
from testimate.ui.member import present_member

SHORT_WAIT = 1.5
"""Seconds in which small sets are done, so that no progress flashes up."""
PARAMETER = "clusters"
REDUCED = (
    "Fewer dimensions before clustering. PACE takes FastICA where the features alone give at most 3 clusters, or one with "
    "more than 80% of the inputs."
)
REDUCTIONS = {
    "auto": "as PACE: FastICA where it is needed",
    "none": "none",
    "fastica": "FastICA",
    "pca": "PCA",
    "nmf": "NMF",
    "fa": "factor analysis",
}


def chosen_settings(subject: Subject, inputs: Inputs) -> ClusterSettings:
    """The settings in the URL, or of this tab; if there are none or they cannot be read, those that suit the inputs."""
    suited = suited_settings(inputs)
    written = st.query_params.get(PARAMETER) or st.session_state.get(memory(subject))
    if not written:
        return suited
    try:
        found = settings_of(dict(zip(asdict(suited), str(written).split(","), strict=True)))
        inputs.feature(found.features)
    except (BadInput, ValueError):
        return suited
    if found != suited:
        choose(subject, found)  # the tab remembers it; a link to another page drops the URL
    return found


def choose(subject: Subject, settings: ClusterSettings) -> None:
    """Keeps the settings in the URL and in the tab's memory."""
    written = ",".join(str(value) for value in asdict(settings).values())
    st.session_state[memory(subject)] = written
    st.query_params[PARAMETER] = written


def memory(subject: Subject) -> str:
    """Where the tab keeps the settings of a subject."""
    return f"cluster settings of {subject.key}"


def settings_form(subject: Subject, inputs: Inputs, now: ClusterSettings) -> None:
    """The form; a choice takes effect when the form is sent."""
    with (
        st.popover("Settings", icon=":material/tune:", key=f"settings {settings_words(now)}"),
        st.form("cluster settings", border=False, width=460),
    ):
        roles = st.multiselect(
            "Features",
            list(inputs.features),
            [role for role in now.features.split("+") if role in inputs.features],
            format_func=layer_words,
            help="\n\n".join(
                [explained(role) for role in inputs.features if role in TERMS] + ["Several are concatenated."]
            ),
        )
        known = list(REDUCTION.choices)
        first = st.columns([3, 1])
        reduction = first[0].selectbox(
            "Reduction",
            known,
            known.index(now.reduction),
            format_func=lambda name: REDUCTIONS.get(name, name),
            help=explained("FastICA", REDUCED),
        )
        dimensions = sorted({2, 4, 8, 16, now.components})
        components = first[1].selectbox(
            "Dimensions", dimensions, dimensions.index(now.components), help="After the reduction."
        )
        second = st.columns(3)
        size = second[0].number_input(
            MIN_CLUSTER_SIZE.name,
            int(MIN_CLUSTER_SIZE.low or 0),
            max(5000, now.min_cluster_size),
            now.min_cluster_size,
            help=explained("min_cluster_size"),
        )
        samples = second[1].number_input(
            MIN_SAMPLES.name,
            int(MIN_SAMPLES.low or 0),
            max(100, now.min_samples),
            now.min_samples,
            help=explained("min_samples"),
        )
        ways = list(EXACTNESS.choices)
        exactness = second[2].selectbox(
            "Distances",
            ways,
            ways.index(now.exactness),
            help="As published: what the hdbscan package does by default, approximate in few dimensions. Sampled: of "
            "a larger set, 20,000 inputs are clustered exactly, and the others join them.",
        )
        if st.form_submit_button("Find clusters", type="primary"):
            features = "+".join(roles) or now.features
            choose(
                subject,
                replace(
                    now,
                    features=features,
                    min_cluster_size=int(size),
                    min_samples=int(samples),
                    reduction=reduction,
                    components=int(components),
                    exactness=exactness,
                ),
            )
            st.rerun()


def settings_words(settings: ClusterSettings) -> str:
    """The settings in a line."""
    reduced = REDUCTIONS.get(settings.reduction, settings.reduction)
    if settings.reduction not in ("auto", "none"):
        reduced += f" to {settings.components}"
    return (
        f"{layer_words(settings.features)} · at least {settings.min_cluster_size} inputs a cluster (min_cluster_size) · "
        f"density by {counted(settings.min_samples, 'neighbor')} (min_samples) · "
        f"reduction: {reduced}" + ("" if settings.exactness == "exact" else f" · {settings.exactness}")
    )


def found_clusters(subject: Subject, settings: ClusterSettings) -> ClusterView | None:
    """The clusters; None while they are being found or where that failed, which is then shown in their place."""
    status = project().find_clusters(subject.key, settings)
    if status is not None and status.state == "running":
        with st.spinner("Finding clusters, prototypes and criticisms …"):
            status = project().jobs.wait(status.key, SHORT_WAIT)
    if status is None or status.state == "done":
        return project().clusters(subject.key, settings)
    with st.container(border=True):
        if status.state == "running":
            show_running(
                status.key,
                first_step="finding clusters",
                quicker=partial(offer_sample, subject=subject, settings=settings),
            )
        else:
            show_unfinished(status.key, stopped="The clusters were not found: you stopped the search.")
            ways_on(subject, settings, status)
    return None


def offer_sample(status: JobStatus, *, subject: Subject, settings: ClusterSettings) -> None:
    """While all pairs of inputs are compared, which takes minutes for inputs without groups: a sample instead."""
    if settings.exactness != "exact" or status.what != COMPARING or status.ahead is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if present_member().leads and st.button("Cluster a sample", icon=":material/speed:"):
            project().jobs.cancel(status.key)
            choose(subject, replace(settings, exactness="sampled"))
            st.rerun()
        st.caption(
            f"Comparing all pairs takes about {time_in_words(status.ahead.seconds)}, because these inputs hardly form "
            f"groups. A sample of {commas(SMALLER_SAMPLE)} takes a fraction of that; the other inputs join their "
            "nearest neighbor in it."
        )


def still_found(subject: Subject, settings: ClusterSettings) -> bool:
    """Whether the clusters are still being found."""
    status = project().find_clusters(subject.key, settings)
    return status is not None and status.state == "running"


def ways_on(subject: Subject, settings: ClusterSettings, status: JobStatus) -> None:
    """What can be done if no clusters were found: start again, or with the settings that suit the inputs."""
    with st.container(horizontal=True):
        if resume_button(status, "Start again"):
            project().find_clusters(subject.key, settings, again=True)
            st.rerun()
        suited = suited_settings(project().inputs(subject.key))
        if settings != suited and st.button("Go back to PACE's settings"):
            choose(subject, suited)
            st.rerun()
