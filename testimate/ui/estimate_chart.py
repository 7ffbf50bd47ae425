"""The running estimate of a session as a chart, for the pages that show it."""

import plotly.graph_objects as go

from testimate.charts.estimates import running_estimate
from testimate.reports.live import LiveReport
from testimate.session.session import Session
from testimate.ui.appearance import dark


def estimate_chart(
    session: Session, report: LiveReport, *, truth: float | None, target_half_width: float | None = None
) -> go.Figure:
    """The estimate with its two bands against the labels.

    ``truth`` : a dashed line, 0 to 1 or in the unit of the task; None to omit it. ``target_half_width`` : the requested
        one.
    """
    trail = report.trail_that_counts
    return running_estimate(
        trail.labels,
        trail.accuracy,
        trail.low,
        trail.high,
        trail.always_low,
        trail.always_high,
        truth=truth,
        target_half_width=target_half_width,
        level=session.session_record.level,
        measure=session.inputs.task.measure,
        chosen=not session.selector.design.at_random,
        dark=dark(),
    )
