"""The running estimate of a session as a chart, for the pages that show it."""

import plotly.graph_objects as go

from pages.opened import dark
from testimate.charts.running_estimate import running_estimate
from testimate.core.design import Purposive
from testimate.core.task import Regression
from testimate.sessions.live import LiveReport
from testimate.sessions.session import Session


def estimate_chart(
    session: Session, report: LiveReport, *, truth: float | None, target_half_width: float | None = None
) -> go.Figure:
    """The estimate with its two bands against the labels.

    ``truth`` : a dashed line, 0 to 1 or in the unit of the task; None for none. ``target_half_width`` : what was asked.
    """
    trail = report.trail
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
        shares=not isinstance(session.inputs.task, Regression),
        chosen=isinstance(session.selector.design, Purposive),
        dark=dark(),
    )
