"""The running estimate of a session as a chart, for the pages that show it.

How large the errors of a regression's faults are, which takes the place of the severity that a confidence would give.
"""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from testimate.charts.estimates import running_estimate, severity_bands
from testimate.core.inputs import Inputs
from testimate.core.task import Task
from testimate.metrics import SeverityCounts, fault_severity, severity_counts
from testimate.reports.live import LiveReport
from testimate.reports.words import severity_bands as bands_in_words
from testimate.session.session import Session
from testimate.ui.appearance import dark
from testimate.ui.components.gauges import Band, severity_bars


def estimate_chart(
    session: Session,
    report: LiveReport,
    *,
    truth: float | None,
    target_half_width: float | None = None,
    stop_safe_alone: bool = False,
) -> go.Figure:
    """The estimate with its two bands against the labels.

    ``truth`` : a dashed line, 0 to 1 or in the unit of the task; None to omit it. ``target_half_width`` : the requested
        one. ``stop_safe_alone`` : leaves out the band of the fixed-size interval.
    """
    trail = report.trail_that_counts
    if stop_safe_alone:
        none = np.full(len(trail.labels), np.nan)
        trail = replace(trail, low=none, high=none)
    return running_estimate(
        trail,
        truth=truth,
        target_half_width=target_half_width,
        level=session.session_record.level,
        measure=session.inputs.task.measure,
        chosen=not session.selector.design.at_random,
        dark=dark(),
    )


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


OPACITY = {"high": 1.0, "moderate": 0.6, "low": 0.35}
"""How strongly the bars of the bands of severity are colored."""


def faults_by_severity(session: Session, report: LiveReport) -> None:
    """The faults found, by the confidence in the wrong answer or by the size of the error; nothing if neither is known."""
    if report.severity is None:
        return
    bars_of(session.inputs.task, report.severity)


def bars_of(task: Task, found: SeverityCounts) -> None:
    """Draws a bar for each grade of severity, the most severe first."""
    counts = found.to_json()
    severity_bars(
        [Band(_begun_large(name), counts[band], OPACITY[band]) for band, name in bands_in_words(task).items()],
        f"By {task.severity_basis}",
    )


def _begun_large(words: str) -> str:
    """The words as the beginning of a line."""
    return words[:1].upper() + words[1:]
