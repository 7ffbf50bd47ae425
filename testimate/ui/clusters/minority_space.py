"""The minority space: in groups of similar inputs, or as one wall, the most outlying first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import counted
from testimate.project.cluster_review import CardNote, called
from testimate.project.clusters import ClusterView, MinorityGroup, minority_groups
from testimate.session.session import Session
from testimate.ui.clusters.cluster_settings import choose
from testimate.ui.clusters.selection import pick
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.error_messages import errors_in_words
from testimate.ui.input_dialog import closer_look_if_asked
from testimate.ui.input_walls import how_many, losses_known, more_button, wall

WALL, FEW, GROUPS = 24, 5, 6
"""Inputs on the wall of all, inputs of a group, and groups that are shown at first."""

Reasons = Callable[[Sequence[int]], Mapping[int, tuple[str, ...]]]


@st.fragment
@errors_in_words
def minority_space(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    notes: Mapping[int, CardNote],
    reasons: Reasons,
) -> None:
    """The inputs that belong to no cluster; ``reasons`` says why rows are shown."""
    st.subheader(
        f"Minority space: {counted(len(view.minority), 'input')}",
        anchor=False,
        help=f"{explained('minority space')}\n\n{explained('GLOSH')}",
    )
    if not len(view.minority):
        st.caption(
            "Every input belongs to a cluster, so the minority space is empty. A larger min_samples leaves some inputs in none."
        )
        if st.button("Try twice the min_samples"):
            choose(subject, replace(view.settings, min_samples=2 * view.settings.min_samples))
            st.rerun(scope="app")
        return
    losses = losses_known(inputs, session)
    ways = ["in groups", "most outlying first"]
    way = st.segmented_control("Shown", ways, default=ways[0], key="minority shown", label_visibility="collapsed")
    if way == ways[1]:
        rows = view.minority[: how_many("minority", WALL)].tolist()
        why = reasons(rows)
        hang(rows, "minority", "Minority", view, subject, inputs, losses, why)
        more_button("minority", len(rows), len(view.minority), WALL)
    else:
        why = in_groups(view, subject, inputs, losses, notes, reasons)
    closer_look_if_asked(subject, inputs, session, why)


def in_groups(
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    losses: NDArray[np.float64],
    notes: Mapping[int, CardNote],
    reasons: Reasons,
) -> Mapping[int, tuple[str, ...]]:
    """The largest groups, two in a line; why each input on the walls is shown."""
    groups = minority_groups(view, inputs)
    shown = groups[: how_many("minority groups", GROUPS)]
    why = reasons([int(row) for group in shown for row in group.rows[:FEW]])
    for start in range(0, len(shown), 2):
        for place, column in enumerate(st.columns(2, gap="large")):
            if start + place < len(shown):
                with column:
                    one_group(start + place, shown[start + place], view, subject, inputs, losses, notes, why)
    more_button("minority groups", len(shown), len(groups), GROUPS)
    return why


def one_group(
    place: int,
    group: MinorityGroup,
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    losses: NDArray[np.float64],
    notes: Mapping[int, CardNote],
    why: Mapping[int, tuple[str, ...]],
) -> None:
    """A description of the group, its most outlying inputs, and a button that selects it."""
    words = group_words(group, view, inputs, notes)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{escape_markdown(words[:1].upper() + words[1:])}**: {counted(len(group.rows), 'input')}",
            width="stretch",
        )
        if st.button("Select", key=f"select group {place}", type="tertiary"):
            pick(group.rows, words)
            st.rerun(scope="app")
    rows = group.rows[:FEW].tolist()
    hang(rows, f"minority group {place}", f"Minority, {words}", view, subject, inputs, losses, why)


def group_words(group: MinorityGroup, view: ClusterView, inputs: Inputs, notes: Mapping[int, CardNote]) -> str:
    """What the inputs of the group have in common."""
    near = f"near {called(view, group.nearest, notes)}" if group.nearest >= 0 else "outside of all"
    task = inputs.task
    if group.predicted is None or not task.one_class:
        return near
    return f"{near}, predicted {task.classes[group.predicted]}"


def hang(
    rows: Sequence[int],
    key: str,
    label: str,
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    losses: NDArray[np.float64],
    why: Mapping[int, tuple[str, ...]],
) -> None:
    """Shows a wall of outlying inputs with their scores."""
    wall(
        rows,
        subject,
        inputs,
        key=key,
        why={row: f"GLOSH {view.clustering.glosh[row]:.2f}" for row in rows},
        more=why,
        losses=losses,
        plot="map",
        size=72,
        label=label,
    )
