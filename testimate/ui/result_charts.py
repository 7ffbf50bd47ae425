"""The running estimate of a session as a chart, for the pages that show it.

How large the errors of a regression's faults are, which takes the place of the severity that a confidence would give.
"""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from testimate.charts.estimates import running_estimate, severity_bands
from testimate.core.inputs import Inputs
from testimate.core.task import Task
from testimate.metrics import fault_severity, severity_counts
from testimate.reports.live import LiveReport
from testimate.reports.words import severity_bands as bands_in_words
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.shown_input import Tile, gallery


def estimate_chart(
    session: Session, report: LiveReport, *, truth: float | None, target_half_width: float | None = None
) -> go.Figure:
    """The estimate with its two bands against the labels.

    ``truth`` : a dashed line, 0 to 1 or in the unit of the task; None to omit it. ``target_half_width`` : the requested
        one.
    """
    return running_estimate(
        report.trail_that_counts,
        truth=truth,
        target_half_width=target_half_width,
        level=session.session_record.level,
        measure=session.inputs.task.measure,
        chosen=not session.selector.design.at_random,
        dark=dark(),
    )


ACROSS, WIDE = 6, 160
"""Pictures in a line, and the width of each in pixels."""


def has_error_sizes(task: Task) -> bool:
    """Whether faults have a size: those of a regression with a tolerance do, in multiples of it."""
    return task.tolerance > 0


def error_sizes(inputs: Inputs, rows: NDArray[np.intp], losses: NDArray[np.float64]) -> go.Figure:
    """The faults among these rows and losses, (n,), by band of severity; only where ``has_error_sizes``."""
    severity = fault_severity(inputs, rows, losses)
    assert severity is not None
    counts, names = severity_counts(inputs.task.failed(losses), severity).to_json(), bands_in_words(inputs.task)
    mildest_first = list(reversed(names))
    return severity_bands(
        [names[band].replace(" (", "<br>(") for band in mildest_first],
        [counts[band] for band in mildest_first],
        dark=dark(),
        what="size of the error",
    )


def largest_errors(session: Session, rows: NDArray[np.intp], *, count: int) -> dict[int, str]:
    """The faults of a regression as pictures, the largest error first and at most ``count`` of them; the words of each."""
    inputs, answers = session.inputs, session.answers()
    of_faults = {row: answers[row] for row in rows.tolist()}
    largest = np.argsort(-inputs.losses_of(of_faults), kind="stable")[:count]
    st.markdown("**Largest error first**")
    tiles, captions = [], {}
    for place in largest.tolist():
        row = int(rows[place])
        answer = f"{answers[row]:.4g} {inputs.task.unit}".rstrip()
        words = f"said {inputs.task.prediction_text(inputs.predictions[row])}, is {answer}"
        captions[row] = words
        tiles.append(Tile(session.show(row), words, help=inputs.name_of(row)))
    gallery(tiles, across=ACROSS, size=WIDE)
    return captions
