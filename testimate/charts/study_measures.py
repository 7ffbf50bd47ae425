"""What a study measures beside the error, as lines against the budget: failures, coverage and width of the intervals."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from testimate.charts.columns import column
from testimate.charts.log_ticks import with_log_heights
from testimate.charts.palette import shades
from testimate.charts.study_lines import StudyLine, drawn_lines, with_budgets
from testimate.charts.theme import note, themed

NOTHING = "No study yet: run one."

APART = 1.025
"""By what factor of the budget techniques stand beside each other, where their error bars would lie upon each other."""


def failure_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Failures among the labels against the budget; an input drawn twice counts twice."""
    figure = drawn_lines(lines, 1.0, dark, "%{y:.1f} failures")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="failures found (labels)")
    if not figure.data:
        return note(figure, NOTHING, dark=dark)
    figure.update_yaxes(rangemode="tozero")
    return with_budgets(figure, lines)


def coverage_lines(lines: Mapping[str, StudyLine], *, dark: bool, level: float = 0.95) -> go.Figure:
    """How often the intervals held the truth against the budget, with what they claim as a dashed line.

    ``lines`` : technique (untrusted) to its coverage, shares; those without an interval are left out. ``level`` : 0..1.
    """
    plain = {name: StudyLine(line.budgets, line.values) for name, line in lines.items()}
    figure = drawn_lines(plain, 100.0, dark, "%{y:.1f} % held the truth")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="intervals that hold the truth (%)")
    if not figure.data:
        return note(figure, "None of these techniques has an interval.", dark=dark)
    lowest = 100 * level - 5
    known = [line for line in lines.values() if np.isfinite(column(line.values, "coverages")).any()]
    for place, (trace, line) in enumerate(zip(figure.data, known, strict=True)):
        trace.x = column(line.budgets, "budgets") * APART ** (place - (len(known) - 1) / 2)  # beside each other
        if line.low is None or line.high is None:
            continue
        low, high = 100 * column(line.low, "lower ends"), 100 * column(line.high, "upper ends")
        bars = {"array": high - trace.y, "arrayminus": trace.y - low, "color": trace.line.color}
        trace.error_y = {"type": "data", "symmetric": False, "thickness": 1.25, "width": 3, **bars}
        lowest = min(lowest, float(np.nanmin(low)))
    budgets = np.concatenate([column(line.budgets, "budgets") for line in known])
    figure.add_scatter(
        x=[budgets.min() / APART**2, budgets.max() * APART**2],
        y=[100 * level] * 2,
        name=f"claimed: {100 * level:g} %",
        mode="lines",
        line={"color": shades(dark).text, "width": 1.25, "dash": "dash"},
        hoverinfo="skip",
    )
    figure.update_yaxes(range=[lowest - 1, 100.8])
    return with_budgets(figure, lines)


def width_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Mean widths of the intervals, shares, against the budget, both axes logarithmic."""
    figure = drawn_lines(lines, 100.0, dark, "%{y:.1f} points wide")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="mean width (points of accuracy)")
    if not figure.data:
        return note(figure, "None of these techniques has an interval.", dark=dark)
    return with_budgets(with_log_heights(figure), lines)
