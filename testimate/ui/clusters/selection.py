"""The selection on the Clusters page: made, remembered, summarized, named, labeled in part, and downloaded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.core.words import commas, counted, percent
from testimate.labels.notes import COLUMN, LONGEST_SELECTION_NAME
from testimate.project.cluster_review import CardNote, called
from testimate.project.clusters import ClusterView
from testimate.project.selections import (
    FAULTS,
    MINORITY,
    Filter,
    Summary,
    estimated_parts,
    filtered,
    keep_selection,
    label_some,
    largest_within,
    summary_of,
    take_back_selection,
)
from testimate.reports.clusters import MOST_PICTURES, clusters_csv, pictures_zip
from testimate.reports.words import part_words
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.input_walls import losses_known
from testimate.ui.member import present_member
from testimate.ui.navigation import go
from testimate.ui.pages import LABEL

ROWS, HOW, MARKED = "picked on the map", "how it was picked", "marked on the map"


@dataclass(frozen=True, eq=False)
class Picked:
    """The selection: ``rows`` ascending, and ``how`` they were chosen, such as "lasso" or the name they were saved under."""

    rows: NDArray[np.intp]
    how: str


def picked(size: int) -> Picked:
    """The selection among ``size`` inputs; no rows where nothing is selected."""
    rows = np.asarray(st.session_state.get(ROWS, ()), dtype=np.intp)
    return Picked(rows[rows < size], str(st.session_state.get(HOW, "")))


def pick(rows: Sequence[int] | NDArray[np.intp], how: str) -> None:
    """Selects these rows; one alone is ringed on the map."""
    st.session_state[ROWS] = np.unique(np.asarray(rows, dtype=np.intp))
    st.session_state[HOW] = how
    st.session_state.pop(f"{ROWS}: how many", None)  # of the wall
    st.session_state[MARKED] = int(rows[0]) if len(rows) == 1 else None


def clear() -> None:
    """Selects nothing."""
    pick([], "")


def marked() -> int | None:
    """The row whose point has the ring."""
    row = st.session_state.get(MARKED)
    return row if isinstance(row, int) else None


SOME = 20
"""Enough labels to say something about a selection, and soon done."""
REFUSED, KEPT = "selection refused", "selection kept"
PARTS = 4
"""How many classes and clusters are listed; the rest are counted."""


def selection_panel(
    chosen: Picked,
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    session: Session | None,
    notes: Mapping[int, CardNote],
) -> None:
    """The summary of several selected inputs and what can be done with them."""
    losses = losses_known(inputs, session)
    summary = summary_of(chosen.rows, view, inputs, losses)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"{commas(summary.size)} selected", anchor=False, width="stretch")
        st.button("Clear", icon=":material/close:", key="clear selection", type="tertiary", on_click=clear)
    st.markdown(escape_markdown(in_words(summary, view, inputs, notes)))
    said = estimated_words(chosen.rows, subject, inputs)
    if said:
        st.markdown(escape_markdown(said))
    with st.container(horizontal=True):
        name_it(chosen, subject)
        label_them(chosen, subject, session)
        export(chosen, view, subject, inputs, losses, notes)


def in_words(summary: Summary, view: ClusterView, inputs: Inputs, notes: Mapping[int, CardNote]) -> str:
    """Size, composition, confidence and labels, in sentences."""
    words = f"{percent(summary.share)} of all inputs."
    if summary.predicted:
        parts = [f"{name} ({commas(count)})" for name, count in summary.predicted]
        words += f" Predicted: {listed(parts)}."
    names = [
        f"{'minority space' if number == MINORITY else called(view, number, notes)} ({commas(count)})"
        for number, count in summary.clusters
    ]
    words += f" From {listed(names)}."
    if summary.mean_confidence is not None:
        words += f" Mean confidence {percent(summary.mean_confidence)}."
    words += f" {labeled_words(summary)}"
    if summary.known_accuracy is not None:
        measure = inputs.task.measure
        words += (
            f" {measure.title[:1].upper()}{measure.title[1:]}, known here: {measure.value(summary.known_accuracy)}."
        )
    return words


def estimated_words(rows: NDArray[np.intp], subject: Subject, inputs: Inputs) -> str:
    """The estimate for the largest part of these rows that was sampled at random; empty if there is none."""
    part = largest_within(estimated_parts(project(), subject.key), rows)
    return "" if part is None else part_words(part.estimate, inputs.task.measure, len(part.rows))


def labeled_words(summary: Summary) -> str:
    """How many are labeled and right."""
    if not summary.labeled:
        return "None of them is labeled."
    return f"{commas(summary.labeled)} labeled, {commas(summary.right)} right."


def listed(parts: list[str]) -> str:
    """The first parts, and how many more there are.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e", "f"])
    ('a, b', 'a, b, c, d and 2 more')
    """
    rest = len(parts) - PARTS
    return ", ".join(parts[:PARTS]) + (f" and {commas(rest)} more" if rest > 0 else "")


def name_it(chosen: Picked, subject: Subject) -> None:
    """A form that keeps the selection under a name."""

    def keep() -> None:
        name, column = str(st.session_state["selection name"]), str(st.session_state["selection column"])
        try:
            kept = keep_selection(
                project(), subject.key, chosen.rows.tolist(), name, column=column, tester=present_member().name
            )
        except TestimateError as error:
            st.session_state[REFUSED] = str(error)
        else:
            st.session_state[HOW] = kept.name
            st.session_state[KEPT] = f"✓ saved as {kept.name} in the column {kept.column}."

    if said := st.session_state.pop(KEPT, ""):
        st.caption(escape_markdown(said))
    with st.popover("Name", icon=":material/sell:"), st.form("name the selection", border=False):
        if refused := st.session_state.pop(REFUSED, ""):
            st.error(escape_markdown(refused), icon=":material/error:")
        st.text_input(
            "Name", max_chars=LONGEST_SELECTION_NAME, key="selection name", placeholder="night, blurred, loops …"
        )
        st.text_input(
            "Column",
            max_chars=LONGEST_SELECTION_NAME,
            key="selection column",
            placeholder=COLUMN,
            help="The name becomes the value of these inputs in this column. Groups and exports use it.",
        )
        st.form_submit_button("Keep", type="primary", on_click=keep)


def label_them(chosen: Picked, subject: Subject, session: Session | None, *, key: str = "") -> None:
    """A form that starts a session on some of the selection; ``key`` : tells it from another one on the page."""
    answered = [] if session is None else [*session.answers(), *session.explored()]
    left = len(np.setdiff1d(chosen.rows, answered))
    with st.popover(
        f"Label {min(SOME, left)}{'' if key else ' of these'}" if left else "Label",
        icon=":material/label:",
        disabled=not left,
        help=None if left else "Each of them has a label in this session.",
    ):
        count = st.number_input(
            "How many", 1, max(left, 1), max(min(SOME, left), 1), key=f"label how many {key}".rstrip()
        )
        st.caption(
            f"Random picks from the {commas(left)} unlabeled ones, in a separate session. They measure this selection only. "
            "The whole-set estimate doesn't change."
        )
        if st.button("Label them", type="primary", key=f"label them {key}".rstrip()):
            new = label_some(
                project(),
                subject.key,
                chosen.rows.tolist(),
                int(count),
                called=chosen.how,
                seed=len(project().sessions()),
                labeled=answered,
                like=None if session is None else session.session_record,
            )
            go(LABEL, subject=subject.key, session=new.session_record.id)


def export(
    chosen: Picked,
    view: ClusterView,
    subject: Subject,
    inputs: Inputs,
    losses: NDArray[np.float64],
    notes: Mapping[int, CardNote],
) -> None:
    """The rows as CSV, and where they are pictures, these in a zip."""
    stem = f"testimate-selection-{datetime.now(UTC):%Y%m%d}"
    with st.popover("Export", icon=":material/download:"):
        st.download_button(
            "Rows (CSV)",
            lambda: clusters_csv(
                view, inputs, notes, project().columns.tags(subject.key), losses, chosen.rows
            ).encode(),
            f"{stem}.csv",
            "text/csv",
            on_click="ignore",
            key="selection rows",
        )
        if subject.dataset.show(int(chosen.rows[0])).image is None:
            return
        fits = len(chosen.rows) <= MOST_PICTURES
        st.download_button(
            "Pictures (zip)",
            lambda: pictures_zip(chosen.rows, subject.dataset.show),
            f"{stem}.zip",
            "application/zip",
            on_click="ignore",
            key="selection pictures",
            disabled=not fits,
            help=None if fits else f"At most {counted(MOST_PICTURES, 'picture')}: select fewer.",
        )


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
        if inputs.single_class:
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
                words = f"**{escape_markdown(one.name)}** · {escape_markdown(one.column)} · {commas(len(one.rows))}"
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
