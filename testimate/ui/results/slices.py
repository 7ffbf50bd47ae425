"""Where it fails: the accuracy by predicted class and by confidence, each with its interval, as a table and a forest plot."""

import streamlit as st

from testimate.charts.slices import forest
from testimate.planning.slices import MANY
from testimate.reports.live import LiveReport
from testimate.reports.slices import groupings_of, session_slices
from testimate.session.session import Session
from testimate.ui.appearance import dark


def slices(session: Session, report: LiveReport) -> None:
    """The section; nothing where the session is about a part of the inputs or the inputs have nothing to slice by."""
    groupings = {one.column: one for one in groupings_of(session)}
    if not groupings:
        return
    measure = session.inputs.task.measure
    st.subheader(f"{measure.title} by slice", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = st.segmented_control(
            "By",
            list(groupings),
            default=next(iter(groupings)),
            required=True,
            key=f"slices {session.session_record.id}",
        )
        together = st.checkbox(
            "Intervals that hold all together",
            help="Bonferroni: wider, so that all of them hold as often as one does else.",
        )
    found = session_slices(session, groupings[column], simultaneous=together)
    st.caption(
        f"{MANY} These intervals hold at a number of labels fixed in advance. A column of the plan's table: "
        "`testimate estimate PLAN.json VOTES.csv --slice COLUMN`"
    )
    shown = [one for one in found if one.estimate.low is not None]
    left, right = st.columns(2, gap="large")
    percent = st.column_config.NumberColumn(format="%.1f %%")
    with left:
        st.dataframe(
            [
                {
                    column: one.value,
                    "Inputs": one.size,
                    "Labels": one.estimate.labeled,
                    measure.title: _percent(one.estimate.value),
                    "Low": _percent(one.estimate.low),
                    "High": _percent(one.estimate.high),
                    "Note": one.estimate.why,
                }
                for one in found
            ],
            hide_index=True,
            column_config={measure.title: percent, "Low": percent, "High": percent},
        )
    with right:
        if not shown:
            st.caption("No slice has 10 labels yet.")
            return
        figure = forest(
            [one.value for one in shown],
            [one.estimate.value or 0.0 for one in shown],
            [one.estimate.low or 0.0 for one in shown],
            [one.estimate.high or 0.0 for one in shown],
            whole=None if report.estimate is None else report.estimate.accuracy,
            column=column,
            measure=measure.title,
            dark=dark(),
        )
        st.plotly_chart(figure, theme=None, alt=f"{measure.title} by {column}, with intervals")


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
