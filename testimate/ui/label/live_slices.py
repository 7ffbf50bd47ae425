"""Among the details beside the labeling surface: the accuracy of each slice by the labels so far."""

import streamlit as st

from testimate.core.errors import TestimateError
from testimate.core.task import Measure
from testimate.planning.parts import Slice
from testimate.project.cluster_review import Columns
from testimate.reports.parts import session_slices
from testimate.session.session import Session
from testimate.ui.components.untrusted_text import escape_markdown

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
