"""Beside the labeling surface of a session inside a part of the inputs: what its labels say about that part.

Among the details beside the labeling surface: the accuracy of each slice by the labels so far.
"""

import streamlit as st

from testimate.core.errors import NotEnoughLabels, TestimateError
from testimate.core.task import Measure
from testimate.core.words import percent, spaced
from testimate.planning.estimate import counting_ends, headline_of
from testimate.planning.parts import Slice
from testimate.project.cluster_review import Columns
from testimate.project.labeled_parts import selection_estimate
from testimate.project.selections import known_losses, slice_by_fresh_labels
from testimate.reports.live import LiveReport
from testimate.reports.parts import session_slices
from testimate.session.session import Session
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown
from testimate.ui.current_project import project


def part_panel(session: Session, report: LiveReport) -> None:
    """The accuracy of the part with the interval that counts, and whether one may stop."""
    record, measure = session.session_record, session.inputs.task.measure
    options = record.request.options
    called = str(options.get("called", "")) or "this part"
    size = len(options["rows"]) + len(options.get("known", ()))
    st.markdown(escape_markdown(f"Inside {called}, {spaced(size)} inputs"))
    estimate, why = None, ""
    try:
        if "known" in options:
            estimate = slice_by_fresh_labels(session, known_losses(project(), record.subject))
        else:
            estimate = selection_estimate(session)
    except NotEnoughLabels as error:
        why = str(error)
    counts = None if estimate is None else headline_of(session.finished, estimate.low, estimate.always_low)
    ends = None if estimate is None else counting_ends(estimate, counts)
    columns = st.columns(2)
    columns[0].metric(
        measure.title,
        "–" if estimate is None else measure.brief(estimate.accuracy),
        help=explained("accuracy", "Estimated for this part alone."),
    )
    columns[1].metric(
        measure.interval(percent(record.level, 0)).capitalize() if counts == "fixed" else "Stop-safe interval",
        "–" if ends is None else measure.brief_range(*ends),
        help=explained("ordinary interval" if counts == "fixed" else "stop-safe interval"),
    )
    st.progress(min(1.0, report.counts.done / max(report.planned, 1)))
    if why:
        st.caption(escape_markdown(why))
    if ends is not None:
        width = (ends[1] - ends[0]) / 2
        wanted = measure.half_width(record.half_width)
        if width <= record.half_width:
            st.success(f"You may stop: the interval is within ±{wanted}.")
        elif not session.finished:
            st.caption(f"±{measure.half_width(width)} now; within ±{wanted} you may stop.")
    st.caption("These inputs were drawn inside the part, so they change no estimate of the whole set.")


HEIGHT = 212
"""Height in pixels; the rest scrolls, so that nothing below it moves."""

COLUMN = "live slices"


def live_slices(session: Session, columns: Columns) -> None:
    """A choice of the column and its slices, those with the most labels first; nothing without a column.

    It only shows past answers: nothing hints at the input on screen.
    """
    if not columns:
        return
    name = st.selectbox("Slices by", list(columns), key=f"{COLUMN} {session.session_record.id}")
    try:
        grouping = columns[name]()
    except TestimateError as error:
        st.caption(escape_markdown(str(error)))
        return
    measure = session.inputs.task.measure
    found = sorted(session_slices(session, grouping), key=lambda one: -one.estimate.labeled)
    st.dataframe(
        [
            {
                name: one.value,
                "Labels": one.estimate.labeled,
                f"{measure.title}, with its interval": _words(one, measure),
            }
            for one in found
        ],
        hide_index=True,
        height=HEIGHT,
    )


def _words(one: Slice, measure: Measure) -> str:
    """The share with its interval, or what is missing."""
    found = one.estimate
    if found.value is None or found.low is None or found.high is None:
        return found.why
    return f"{measure.brief(found.value)}, {measure.brief_range(found.low, found.high)}"
