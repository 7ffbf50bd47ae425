"""Selects inputs by what is known about them, and finds saved selections."""

from collections.abc import Mapping

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import spaced
from testimate.project.cluster_review import CardNote, called
from testimate.project.clusters import ClusterView
from testimate.project.selections import FAULTS, MINORITY, Filter, filtered, take_back_selection
from testimate.session.session import Session
from testimate.tasks.classification import Classification
from testimate.ui.clusters.picked import pick
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.input_walls import losses_known
from testimate.ui.member import present_member

NONE_FOUND = "nothing fits the filter"


def filter_form(
    view: ClusterView,
    inputs: Inputs,
    session: Session | None,
    notes: Mapping[int, CardNote],
    tags: Mapping[str, NDArray[np.object_]],
) -> None:
    """A form whose answer is selected."""

    def select() -> None:
        rows = filtered(wanted(tags), view, inputs, known_losses(inputs, session), tags)
        st.session_state[NONE_FOUND] = not len(rows)
        if len(rows):
            pick(rows, "filter")

    with st.popover("Filter", icon=":material/filter_alt:"), st.form("filter the inputs", border=False, width=520):
        task, left, right = inputs.task, *st.columns(2)
        if isinstance(task, Classification) and inputs.predictions.ndim == 1:
            said = np.unique(inputs.predictions).tolist()
            left.multiselect("Predicted", said, format_func=lambda place: task.classes[place], key="filter classes")
        groups = [*range(len(view.cards)), *([] if view.trouble else [MINORITY])]
        right.multiselect(
            view.group.capitalize(),
            groups,
            format_func=lambda number: "minority space" if number == MINORITY else called(view, number, notes),
            key="filter clusters",
        )
        left.selectbox(
            "Label", FAULTS, key="filter fault", help="By testers' answers, and the truth where it is known."
        )
        values = [(column, name) for column, cells in tags.items() for name in np.unique(cells[cells != ""]).tolist()]
        if values:
            right.multiselect("Tag", values, format_func=lambda pair: f"{pair[0]}: {pair[1]}", key="filter tags")
        if inputs.confidence is not None:
            st.slider("Confidence (%)", 0.0, 100.0, (0.0, 100.0), 0.5, key="filter confidence")
        st.form_submit_button("Select", type="primary", on_click=select)
    if st.session_state.pop(NONE_FOUND, False):
        st.toast("No input fits the filter, so the selection stays as it was.")


def wanted(tags: Mapping[str, NDArray[np.object_]]) -> Filter:
    """The filter as the form has it now; several tags have to be in the same column as the first."""
    state = st.session_state
    chosen = [pair for pair in state.get("filter tags", ()) if pair[0] in tags]
    column = chosen[0][0] if chosen else ""
    low, high = state.get("filter confidence", (0.0, 100.0))
    return Filter(
        classes=tuple(state.get("filter classes", ())),
        confidence=(low / 100, high / 100),
        clusters=tuple(state.get("filter clusters", ())),
        fault=state.get("filter fault", FAULTS[0]),
        column=column,
        values=tuple(name for of, name in chosen if of == column),
    )


def known_losses(inputs: Inputs, session: Session | None) -> NDArray[np.float64]:
    """The losses as testers found them, (N,), completed with the truth where it is known; nan elsewhere."""
    found = losses_known(inputs, session)
    return found if inputs.losses is None else np.where(np.isfinite(found), found, inputs.losses)


def kept_selections(subject: Subject) -> None:
    """The named selections: each can be selected again, or its name removed."""
    kept = project().selections.of(subject.key)
    if not kept:
        return
    with st.popover(f"Kept ({len(kept)})", icon=":material/bookmarks:"):
        for place, one in enumerate(kept):
            with st.container(horizontal=True, vertical_alignment="center", width=360):
                words = f"**{escape_markdown(one.name)}** · {escape_markdown(one.column)} · {spaced(len(one.rows))}"
                st.markdown(words, width="stretch")
                st.button("Select", key=f"select kept {place}", on_click=pick, args=(list(one.rows), one.name))
                st.button(
                    "",
                    icon=":material/delete:",
                    key=f"take back {place}",
                    help="Remove this name.",
                    type="tertiary",
                    on_click=take_back_selection,
                    args=(project(), one),
                    kwargs={"tester": present_member().name},
                )
