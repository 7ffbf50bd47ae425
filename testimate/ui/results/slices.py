"""Where the network fails: the accuracy of slices with intervals, as a table and a forest plot, and more labels in a slice."""

from collections.abc import Sequence
from math import ceil, floor

import streamlit as st

from testimate.charts.estimates import forest
from testimate.core.errors import TestimateError
from testimate.planning.parts import MANY
from testimate.project.cluster_review import Columns, columns_of, grouping_by
from testimate.reports.live import LiveReport
from testimate.reports.parts import SlicesFound, fresh_words, mean_errors, slices_with_top_ups
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project
from testimate.ui.empty_state import UNKNOWN
from testimate.ui.error_messages import errors_in_words
from testimate.ui.label_in_part import label_in_part
from testimate.ui.results.class_scores import class_scores
from testimate.ui.results.weak_spots import weak_spots

VIEWS = ("Slices", "Precision and recall", "Weak spots")
ROUNDED = 1e-9
"""Tolerance for rounding errors; ends of intervals are rounded outwards."""

LOWEST = "picked as the lowest, so it looks worse than it is"


def slices(session: Session, report: LiveReport) -> None:
    """The section; nothing if the session is about a part of the inputs or the inputs have nothing to slice by."""
    columns = columns_of(project(), session)
    if not columns:
        return
    st.subheader("Where it fails", anchor=False)
    one_class = "predicted class" in columns
    views = [name for name in VIEWS if one_class or name != "Precision and recall"]
    view = st.segmented_control(
        "Where it fails",
        views,
        default=views[0],
        required=True,
        label_visibility="collapsed",
        key=f"where it fails {session.session_record.id}",
    )
    if view == "Precision and recall":
        class_scores(session)
    elif view == "Weak spots":
        weak_spots(session)
    else:
        by_column(session, report, columns)


@st.fragment
@errors_in_words
def by_column(session: Session, report: LiveReport, columns: Columns) -> None:
    """The slices of a column, or of the pairs of two; a part of the page of its own, so that a choice draws it alone."""
    key, measure = session.session_record.id, session.inputs.task.measure
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.selectbox("By", list(columns), key=f"slices {key}", width=240)
        others = [name for name in columns if name != first]
        second = st.selectbox(
            "and by", others, None, placeholder="nothing else", key=f"and by {key} {first}", width=240
        )
        together = st.checkbox(
            "Intervals that hold all together",
            help="Bonferroni correction: wider, so that all of them together hold as often as a single one otherwise "
            "does.",
        )
    try:
        grouping = grouping_by(columns, first, second)
    except TestimateError as error:
        st.warning(escape_markdown(str(error)), icon=":material/warning:")
        return
    found = slices_with_top_ups(project(), session, grouping, simultaneous=together)
    st.caption(f"{MANY} These intervals hold at a number of labels fixed in advance. Click a row to label more in it.")
    with st.container(key="stacked slices"):
        left, right = st.columns([8, 5], gap="medium")
    with left:
        picked = table(session, found)
    with right:
        chart(found, report, measure.title)
    place = picked if picked is not None else found.lowest
    if place is not None:
        more_labels(session, found, place)
    for at, top_up in found.top_ups.items():
        said = f"{grouping.column} {grouping.values[at]}: {fresh_words(session, top_up)}"
        st.caption(escape_markdown(said))


def table(session: Session, found: SlicesFound) -> int | None:
    """A row for each slice, which one can sort; the place of the one that is clicked."""
    measure, column = session.inputs.task.measure, found.grouping.column
    errors = mean_errors(session, found.grouping)
    unit = session.inputs.task.unit
    lowest = found.lowest
    rows = []
    for place, one in enumerate(found.slices):
        note = one.estimate.why or (LOWEST if place == lowest and place not in found.top_ups else "")
        row = {
            column: one.value,
            "Inputs": one.size,
            "Labels": one.estimate.labeled,
            measure.title: _percent(one.estimate.value),
            "Low": None if one.estimate.low is None else floor(1000 * one.estimate.low + ROUNDED) / 10,
            "High": None if one.estimate.high is None else ceil(1000 * one.estimate.high - ROUNDED) / 10,
        }
        error = errors[place]
        if session.inputs.task.numeric:
            row["Mean error"] = "" if error is None else error.words(unit)
        rows.append({**row, "Note": note})
    percent = st.column_config.NumberColumn(format="%.1f %%")
    chosen = st.dataframe(
        rows,
        hide_index=True,
        column_config={measure.title: percent, "Low": percent, "High": percent},
        on_select="rerun",
        selection_mode="single-row",
        key=f"slices table {session.session_record.id} {column}",
        placeholder=UNKNOWN,
    )
    picked: Sequence[int] = chosen.selection.rows
    return int(picked[0]) if picked and picked[0] < len(rows) else None


def chart(found: SlicesFound, report: LiveReport, measure: str) -> None:
    """The forest plot of the slices with an interval."""
    shown = [one for one in found.slices if one.estimate.low is not None]
    if not shown:
        st.caption("No slice has 10 labels yet.")
        return
    figure = forest(
        [one.value for one in shown],
        [one.estimate.value or 0.0 for one in shown],
        [one.estimate.low or 0.0 for one in shown],
        [one.estimate.high or 0.0 for one in shown],
        whole=None if report.estimate is None else report.estimate.accuracy,
        column=found.grouping.column,
        measure=measure,
        dark=dark(),
    )
    st.plotly_chart(figure, theme=None, alt=f"{measure} by {found.grouping.column}, with intervals")


def more_labels(session: Session, found: SlicesFound, place: int) -> None:
    """The slice that was clicked, or the lowest one: labels drawn inside it."""
    one, column = found.slices[place], found.grouping.column
    label_in_part(
        session,
        (found.grouping.groups == place).nonzero()[0],
        f"{column} {one.value}",
        accuracy=one.estimate.value,
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
