"""Clusters: how the network's features group the inputs, what represents each group, and what is in none."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from testimate.charts.clusters import cluster_sizes, condensed_tree
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import commas, counted, percent
from testimate.project.cluster_review import CardNote, notes_elsewhere, notes_on
from testimate.project.clusters import ClusterView, inputs_below, kind_of, settings_to_try
from testimate.reports.clusters import clusters_csv
from testimate.reports.explained_words import place_words, plan_words, role_words
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.clusters.cluster_cards import (
    chosen_card,
    cluster_card,
    cluster_table,
    minority_space,
    other_notes,
    two_clusters,
)
from testimate.ui.clusters.cluster_map import clusters_on_a_map, first_map, kept_figure, picks_on_the_map
from testimate.ui.clusters.cluster_proof import prototype_study, settings_study
from testimate.ui.clusters.cluster_settings import (
    choose,
    chosen_settings,
    found_clusters,
    settings_form,
    still_found,
)
from testimate.ui.clusters.selection import ROWS, pick, picked, selection_panel
from testimate.ui.components.linked_pictures import map_picks
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_dialog import closer_look_if_asked
from testimate.ui.input_walls import how_many, losses_known, more_button, shown_inputs, wall
from testimate.ui.navigation import opened_session, opened_subject
from testimate.ui.page_head import about, nothing_here, page_head
from testimate.ui.pages import CLUSTERS, PLAN, STRATA, SUBJECT
from testimate.ui.shell import run_page

MAP_HEIGHT, TABLE_HEIGHT = 620, 500
WALL = 18
DETAIL = "cluster-detail"


def show() -> None:
    """The page."""
    head = page_head(CLUSTERS)
    found = opened_subject()
    if found is None:
        return
    subject, inputs = found
    about(head, subject, inputs)
    if not inputs.features:
        words = "No clusters: this table has no features. Add a features file, or upload the model with its data."
        nothing_here(words, STRATA if inputs.scores else PLAN, SUBJECT, icon=":material/bubble_chart:")
        return
    settings = chosen_settings(subject, inputs)
    with head:
        settings_form(subject, inputs, settings)
    view = found_clusters(subject, settings)
    if view is None:
        if still_found(subject, settings):
            first_map(subject, inputs, settings.features, height=MAP_HEIGHT)
        return
    session = opened_session()
    if session is not None and session.inputs.fingerprint != inputs.fingerprint:
        session = None  # of another subject
    if view.trouble:
        trouble(view, subject, inputs)
    else:
        for note in notes_of(view):
            st.warning(escape_markdown(note), icon=":material/warning:")
    explored(view, subject, inputs, session)
    notes = notes_on(view, project().cluster_notes.of(subject.key))
    reasons = partial(reasons_shown, view=view, session=session, notes=notes)
    with (
        st.container(key="minority space"),
        st.expander("Fits no cluster (minority space)", icon=":material/scatter_plot:"),
    ):
        minority_space(view, subject, inputs, session, notes, reasons)
    with st.expander("More", icon=":material/more_horiz:"):
        if len(view.cards) > 1:
            two_clusters(view, subject, inputs, session, notes, reasons)
        more(view, inputs)
        settings_study(view, subject, inputs)
        prototype_study(view, subject, inputs)
        work_on_clusters(view, subject, inputs, session, notes)


def outside_words(view: ClusterView, inputs: Inputs) -> str:
    """How many inputs are in no cluster; "" where all are in some."""
    return "" if view.trouble or not len(view.minority) else f", {percent(len(view.minority) / len(inputs))} in none"


def in_words(view: ClusterView, inputs: Inputs) -> None:
    """What was found, in a sentence or two."""
    count, size, outside = len(view.cards), len(inputs), len(view.minority)
    st.write(
        escape_markdown(
            f"{counted(count, 'cluster')} {'covers' if count == 1 else 'cover'} {commas(size - outside)} of {commas(size)} "
            f"inputs. {commas(outside)} ({percent(outside / size)}) {'fits' if outside == 1 else 'fit'} none (the minority "
            f"space).{faults_outside(view, inputs)} {kinds_in_words(view, inputs)}"
        )
    )


def kinds_in_words(view: ClusterView, inputs: Inputs) -> str:
    """How many clusters match a predicted class, how many hold part of one, and how many mix several."""
    kinds = [kind_of(card, inputs) for card in view.cards]
    if not view.cards or kinds[0] is None:
        return ""
    phrases = []
    for kind, one, several in (
        ("a class", "matches a predicted class", "match a predicted class"),
        ("a part of a class", "covers part of a class", "cover part of a class"),
        ("mixed", "mixes classes", "mix classes"),
    ):
        if count := kinds.count(kind):
            phrases.append(f"{count} {one if count == 1 else several}")
    return f"{', '.join(phrases)}."


def notes_of(view: ClusterView) -> list[str]:
    """What the clustering reports about itself, except what the page says anyway."""
    return [note for note in view.clustering.notes if not (view.trouble and note.startswith("HDBSCAN"))]


def faults_outside(view: ClusterView, inputs: Inputs) -> str:
    """If the truth is known: how many of the faults are in the minority space."""
    if inputs.losses is None or not inputs.losses.any() or not len(view.minority):
        return ""
    failed = inputs.task.failed(inputs.losses)
    return f" Known here: {percent(failed[view.minority].sum() / failed.sum())} of all faults are in it."


def trouble(view: ClusterView, subject: Subject, inputs: Inputs) -> None:
    """Clusters that say little: why, what is shown instead, and settings to try."""
    with st.container(border=True):
        st.markdown(f":material/warning: **{escape_markdown(view.trouble)}**")
        for note in notes_of(view):
            st.markdown(escape_markdown(note))
        if len(view.cards) == 1:  # k-means tells all inputs apart that differ
            st.markdown(
                "No setting separates these inputs. Try other features under Settings, or check how these were made."
            )
            return
        st.markdown(
            f"Showing {len(view.cards)} k-means groups instead. They show which inputs are close, not that the groups are "
            "separate. PACE also takes its typical inputs from such groups if no cluster is found or more than 80% of "
            "the inputs fit none."
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
    """Map and table, and beside them the detail, which stays on screen: one part of the page, redrawn on its own."""
    notes = project().cluster_notes.of(subject.key)
    written = notes_on(view, notes)
    with st.container(key="chart-and-detail"):
        left, right = st.columns([2, 1], gap="medium")
    with left:
        clusters_on_a_map(view, subject, inputs, session, written, height=MAP_HEIGHT)
        with st.expander(f"{counted(len(view.cards), view.group)}{outside_words(view, inputs)}"):
            if not view.trouble:
                in_words(view, inputs)
            cluster_table(view, subject, inputs, session, written, height=TABLE_HEIGHT)
        other_notes(subject, notes_elsewhere(view, notes))
    with right, st.container(key=DETAIL):
        detail(view, subject, inputs, session)


@st.fragment
@errors_in_words
def detail(view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None) -> None:
    """What is selected, and the card of the cluster chosen; a click on the map draws this again and nothing else."""
    written = notes_on(view, project().cluster_notes.of(subject.key))
    picks_on_the_map(view, subject, inputs)
    chosen = picked(len(inputs))
    shown = chosen.rows[: how_many(ROWS, WALL)].tolist()
    card = chosen_card(view)
    why = reasons_shown([*shown, *map(int, (*card.prototypes, *card.criticisms))], view, session, written)
    if len(chosen.rows) == 1:
        st.subheader(f"Input {commas(shown[0])}", anchor=False)
    elif len(chosen.rows):
        selection_panel(chosen, view, subject, inputs, session, written)
    if shown:
        wall(
            shown_inputs(
                shown,
                subject,
                inputs,
                why={row: in_brief(row, view, written) for row in shown},
                more=why,
                losses=losses_known(inputs, session),
            ),
            key="picked",
            plot="map",
            size=62,
            label="Picked on the map",
        )
        more_button(ROWS, len(shown), len(chosen.rows), WALL)
    cluster_card(view, subject, inputs, session, written, why)
    closer_look_if_asked(subject, inputs, session, why)


def in_brief(row: int, view: ClusterView, notes: Mapping[int, CardNote]) -> str:
    """The input's part in its cluster, or else the cluster alone."""
    return role_words(view, row).split(":")[0] or place_words(view, row, notes).rsplit(", ", 1)[0]


def reasons_shown(
    rows: Sequence[int], view: ClusterView, session: Session | None, notes: Mapping[int, CardNote]
) -> dict[int, tuple[str, ...]]:
    """Why each of the rows is shown: its part in its cluster, its place, and why the plan picked it."""
    lines_of = {row: (role_words(view, row), place_words(view, row, notes), plan_words(session, row)) for row in rows}
    return {row: tuple(line for line in lines if line) for row, lines in lines_of.items()}


def more(view: ClusterView, inputs: Inputs) -> None:
    """Sizes and the condensed tree, whose branches select their inputs."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Sizes", anchor=False)
        sizes, outside = [len(card.rows) for card in view.cards], 0 if view.trouble else len(view.minority)
        figure = kept_figure(
            "drawn sizes", view.fingerprint, lambda: cluster_sizes(sizes, outside, called=view.group, dark=dark())
        )
        st.plotly_chart(figure, theme=None, alt=f"Inputs per {view.group}")
    with right:
        st.subheader("Condensed tree", anchor=False, help=explained("condensed tree", "The chosen ones are marked."))
        tree = view.clustering.condensed_tree
        nodes = np.asarray(view.nodes).tolist()
        figure = kept_figure("drawn tree", view.fingerprint, lambda: condensed_tree(tree, nodes, dark=dark()))
        st.plotly_chart(figure, theme=None, key="tree", alt="Condensed tree of the clustering")
        if len(tree):
            st.caption("Click a dot to select the inputs of its branch.")

    def branch(node: int) -> None:
        rows = inputs_below(node, tree, len(inputs))
        if len(rows):
            pick(rows, f"branch of {counted(len(rows), 'input')}")

    count = int(tree["parent"].max()) + 1 if len(tree) else 0
    map_picks(key="tree picks", plot="tree", marked=None, on_click=branch, on_lasso=lambda _: None, count=count)


def work_on_clusters(
    view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None, notes: Mapping[int, CardNote]
) -> None:
    """Every input with its cluster, name and tags, to take away."""
    st.download_button(
        "Clusters, names and tags (CSV)",
        lambda: clusters_csv(
            view, inputs, notes, project().columns.tags(subject.key), losses_known(inputs, session)
        ).encode(),
        "testimate-clusters.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        help="One line per input. Names and notes are in the report too.",
    )


run_page(CLUSTERS, show)
