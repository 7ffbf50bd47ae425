"""Clusters: how the network's features group the inputs, who stands for each group, and who stands outside of all."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from testimate.charts.found_clusters import cluster_sizes, condensed_tree
from testimate.core.inputs import Inputs
from testimate.core.rounding import percent, spaced
from testimate.core.subject import Subject
from testimate.project.cluster_notes import notes_elsewhere, notes_on
from testimate.project.clusters import ClusterView, settings_to_try
from testimate.reports.plurals import counted
from testimate.reports.why_shown import place_words, plan_words, role_words
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.closer_look import closer_look_if_asked
from testimate.ui.clusters.cluster_cards import cluster_card, cluster_table, other_notes
from testimate.ui.clusters.cluster_map import PICKED, clusters_on_a_map
from testimate.ui.clusters.cluster_settings import (
    REDUCTIONS,
    choose,
    chosen_settings,
    found_clusters,
    settings_form,
    settings_words,
)
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.empty_state import nothing_here
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_walls import how_many, losses_known, more_button, wall
from testimate.ui.location import opened_session, opened_subject
from testimate.ui.pages import CLUSTERS, PLAN, STRATA, SUBJECT
from testimate.ui.shell import run_page

MAP_HEIGHT = 500
WALL = 24


def show() -> None:
    """The page."""
    title, choices = st.columns([6, 1], vertical_alignment="center")
    title.header("Clusters", anchor=False)
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    if not inputs.features:
        words = (
            "A prediction table holds no features, so there is nothing to cluster. Open the model with its data "
            "instead, or go on without clusters."
        )
        nothing_here(words, STRATA if inputs.scores else PLAN, SUBJECT, icon=":material/bubble_chart:")
        return
    settings = chosen_settings(subject, inputs)
    with choices:
        settings_form(subject, inputs, settings)
    view = found_clusters(subject, settings)
    if view is None:
        return
    session = opened_session()
    if session is not None and session.inputs is not inputs:
        session = None  # of another subject
    if view.trouble:
        trouble(view, subject, inputs)
    else:
        in_words(view, inputs)
    explored(view, subject, inputs, session)
    minority(view, subject, inputs, session)
    more(view)


def in_words(view: ClusterView, inputs: Inputs) -> None:
    """What was found, in a sentence or two."""
    count, size, outside = len(view.cards), len(inputs), len(view.minority)
    st.write(
        escape_markdown(
            f"{counted(count, 'cluster')} {'holds' if count == 1 else 'hold'} {spaced(size - outside)} of the "
            f"{spaced(size)} inputs; "
            f"{spaced(outside)} ({percent(outside / size)}) belong to none: the minority space.{faults_outside(view, inputs)}"
        )
    )
    how_found(view)
    for note in notes_of(view):
        st.warning(escape_markdown(note), icon=":material/warning:")


def how_found(view: ClusterView) -> None:
    """Settings and engine, in a quiet line."""
    found = view.clustering
    reduced = f"after {REDUCTIONS.get(found.reduction, found.reduction)}, " if found.reduced else ""
    st.caption(escape_markdown(f"{settings_words(view.settings)} · HDBSCAN: {reduced}{found.engine}"))


def notes_of(view: ClusterView) -> list[str]:
    """What the clustering says of itself, except what the page says anyway."""
    return [note for note in view.clustering.notes if not (view.trouble and note.startswith("HDBSCAN"))]


def faults_outside(view: ClusterView, inputs: Inputs) -> str:
    """Where the truth is known: how much of the faults lies in the minority space."""
    if inputs.losses is None or not inputs.losses.any() or not len(view.minority):
        return ""
    failed = inputs.task.failed(inputs.losses)
    return f" Known here: {percent(failed[view.minority].sum() / failed.sum())} of all faults lie in it."


def trouble(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """Clusters that say little: why, what is shown in their place, and settings to try."""
    with st.container(border=True):
        st.markdown(f":material/warning: **{escape_markdown(view.trouble)}**")
        for note in notes_of(view):
            st.markdown(escape_markdown(note))
        st.markdown(
            f"Shown below are {len(view.cards)} groups found by k-means instead. They show which inputs are close "
            "together, not that there are gaps between the groups. PACE also takes its prototypes from such "
            "groups where no cluster is found or more than 80 % of the inputs are outside."
        )
        st.caption("Other settings may separate the inputs better. Try one:")
        with st.container(horizontal=True):
            for words, settings in settings_to_try(view.settings, inputs).items():
                if st.button(words, key=f"try {words}"):
                    choose(subject, settings)
                    st.rerun()


@st.fragment
@errors_in_words
def explored(view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None) -> None:
    """Map, table, picked inputs and card: one part of the page, drawn again by itself."""
    notes = project().cluster_notes.of(subject.key)
    written = notes_on(view, notes)
    left, right = st.columns([9, 11], gap="medium")
    with left:
        clusters_on_a_map(view, subject, inputs, session, height=MAP_HEIGHT)
    with right:
        cluster_table(view, subject, inputs, written, height=MAP_HEIGHT)
        other_notes(subject, notes_elsewhere(view, notes))
    picked = [row for row in st.session_state.get(PICKED, []) if row < len(inputs)]
    shown = picked[: how_many(PICKED, WALL)]
    why = reasons_shown(
        [*shown, *(int(row) for card in view.cards for row in (*card.prototypes, *card.criticisms))], view, session
    )
    if picked:
        picked_on_the_map(picked, shown, why, subject, inputs, session)
    cluster_card(view, subject, inputs, written, why)
    closer_look_if_asked(subject, inputs, session, why)


def reasons_shown(rows: Sequence[int], view: ClusterView, session: Session | None) -> dict[int, tuple[str, ...]]:
    """Why each of the rows is shown: its part in its cluster, its place, and why the plan picked it."""
    lines_of = {row: (role_words(view, row), place_words(view, row), plan_words(session, row)) for row in rows}
    return {row: tuple(line for line in lines if line) for row, lines in lines_of.items()}


def picked_on_the_map(
    picked: Sequence[int],
    shown: Sequence[int],
    why: dict[int, tuple[str, ...]],
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
) -> None:
    """The inputs picked on the map."""
    st.subheader(f"{spaced(len(picked))} picked on the map", anchor=False)
    wall(
        shown,
        subject,
        inputs,
        key="picked",
        why={row: why[row][0].split(",")[0] for row in shown},
        more=why,
        losses=losses_known(inputs, session),
        plot="map",
        label="Picked on the map",
    )
    more_button(PICKED, len(shown), len(picked), WALL)


@st.fragment
@errors_in_words
def minority(view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None) -> None:
    """The minority space as a gallery, most outlying first."""
    st.subheader(
        f"Minority space, most outlying first: {counted(len(view.minority), 'input')}",
        anchor=False,
        help=f"{explained('minority space')}\n\n{explained('GLOSH')}",
    )
    if not len(view.minority):
        st.caption("Every input belongs to a cluster, so none is outside. A larger min_samples leaves some outside.")
        if st.button("Try twice the min_samples"):
            choose(subject, replace(view.settings, min_samples=2 * view.settings.min_samples))
            st.rerun(scope="app")
        return
    rows = view.minority[: how_many("minority", WALL)].tolist()
    why = reasons_shown(rows, view, session)
    scores = {row: f"GLOSH {view.clustering.glosh[row]:.2f}" for row in rows}
    losses = losses_known(inputs, session)
    wall(
        rows,
        subject,
        inputs,
        key="minority",
        why=scores,
        more=why,
        losses=losses,
        plot="map",
        size=72,
        label="Minority",
    )
    more_button("minority", len(rows), len(view.minority), WALL)
    closer_look_if_asked(subject, inputs, session, why)


def more(view: ClusterView) -> None:
    """Sizes and the condensed tree."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Sizes", anchor=False)
        sizes, outside = [len(card.rows) for card in view.cards], 0 if view.trouble else len(view.minority)
        figure = cluster_sizes(sizes, outside, called=view.group, dark=dark())
        st.plotly_chart(figure, theme=None, alt=f"Inputs per {view.group}")
    with right:
        st.subheader("Condensed tree", anchor=False, help=explained("condensed tree", "The chosen ones are marked."))
        figure = condensed_tree(view.clustering.condensed_tree, np.asarray(view.nodes).tolist(), dark=dark())
        st.plotly_chart(figure, theme=None, alt="Condensed tree of the clustering")


run_page(CLUSTERS, show)
