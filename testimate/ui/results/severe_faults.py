"""Which faults matter most: found against labels by severity, the share of each band found, what the severe ones confuse."""

from collections import Counter

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.palette import FAILED, faint
from testimate.charts.priority_orders import fault_curve
from testimate.core.rounding import percent
from testimate.core.task import Classification
from testimate.metrics import severity_band
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.terms import explained
from testimate.ui.components.untrusted_text import escape_markdown

BANDS = {"high": "Severe (80 % and more)", "moderate": "Moderate (50 to 80 %)", "low": "Low (below 50 %)"}
STRENGTHS = (1.0, 0.75, 0.5)
"""Of the colour of each band's line; they are dashed apart, too."""

MOST_PAIRS = 6


def severe_faults(session: Session, rows: NDArray[np.intp], failed: NDArray[np.bool_]) -> None:
    """The section; nothing without a confidence or a fault. ``rows``, ``failed`` : the labeled in draw order, (k,)."""
    confidence = session.inputs.confidence
    if confidence is None or not failed.any():
        return
    bands = np.array([severity_band(float(chance)) for chance in confidence[rows]])
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Faults of each severity against the labels**", help=explained("severity"))
        found = {BANDS[name]: np.cumsum(failed & (bands == name)) for name in BANDS}
        curve = fault_curve(found, size=len(session.inputs), dark=dark())
        for line, strength in zip(curve.data, STRENGTHS, strict=True):
            line.line.color = faint(FAILED, strength)
        curve.update_layout(height=300)
        st.plotly_chart(curve, theme=None, alt="Severe, moderate and low faults found against labels")
    with right:
        shares_found(session, rows, bands)
        pairs(session, rows[failed & (bands == "high")])


def shares_found(session: Session, rows: NDArray[np.intp], bands: NDArray[np.str_]) -> None:
    """How much of each band is found, where the truth is known (Al-Qadasi et al. 2023, table V)."""
    inputs = session.inputs
    if inputs.losses is None or inputs.confidence is None:
        st.caption("How many faults there are in all is not known here; the estimate above says how many to expect.")
        return
    truly = inputs.task.failed(inputs.losses)
    every = np.array([severity_band(float(chance)) for chance in inputs.confidence[truly]])
    st.markdown("**Of all faults there are, found so far**")
    found = truly[rows]
    for column, (name, words) in zip(st.columns(3), BANDS.items(), strict=True):
        total, here = int((every == name).sum()), int((found & (bands == name)).sum())
        column.metric(
            words.split(" (")[0], percent(here / total, 0) if total else "–", help=f"{here} of {total}. {words}."
        )


def pairs(session: Session, severe: NDArray[np.intp]) -> None:
    """What the network took for what while it was sure."""
    task, inputs, answers = session.inputs.task, session.inputs, session.answers()
    st.markdown("**Sure, and wrong**")
    if not isinstance(task, Classification) or inputs.predictions.ndim != 1 or not len(severe):
        st.caption("No severe fault so far." if not len(severe) else f"{len(severe)} severe faults so far.")
        return
    taken = Counter((answers[row], int(inputs.predictions[row])) for row in severe.tolist())
    lines = []
    for (was, said), count in taken.most_common(MOST_PAIRS):
        words = escape_markdown(f"{task.classes[was]} taken for {task.classes[said]}")
        lines.append(f"- {words}: {'once' if count == 1 else f'{count} times'}")
    st.markdown("\n".join(lines))
