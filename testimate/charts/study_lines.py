"""A study as lines: error against budget with bands, one line per technique, or its ratio to simple random sampling."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import column
from testimate.charts.log_ticks import with_log_heights
from testimate.charts.palette import dash, faint, hue, shades, symbol
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text


@dataclass(frozen=True, eq=False)
class StudyLine:
    """One technique's line.

    ``budgets`` (k,) labels, ascending; ``values`` (k,), None or nan where there is no number; ``low`` and ``high`` (k,)
    the band around them, both or neither.
    """

    budgets: ArrayLike
    values: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None


def error_lines(lines: Mapping[str, StudyLine], *, dark: bool, measure: str = "RMSE") -> go.Figure:
    """Errors in percentage points against the budget, both axes logarithmic: 1 / sqrt(n) is a straight line.

    Parameters
    ----------
    lines : technique (untrusted) to its errors, shares.
    measure : of the y axis, such as "RMSE" or "RMedSE".
    """
    figure = drawn_lines(lines, 100.0, dark, "%{y:.2f} points")
    themed(figure, dark=dark, x_title="budget (labels)", y_title=f"{measure} (points of accuracy)")
    if not figure.data:
        return note(figure, "No study yet: run one to see its errors.", dark=dark)
    return with_budgets(with_log_heights(figure), lines)


def ratio_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Errors over that of simple random sampling, which is the line at 1; below it a technique saves labels."""
    figure = drawn_lines(lines, 1.0, dark, "%{y:.2f} of its error")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="RMSE over that of srs")
    if not figure.data:
        return note(figure, "No study yet: run one to see its errors.", dark=dark)
    budgets = np.concatenate([column(line.budgets, "budgets") for line in lines.values()])
    figure.add_scatter(
        x=[budgets.min(), budgets.max()],
        y=[1, 1],
        name="srs, exact",
        mode="lines",
        line={"color": shades(dark).text, "width": 1.25, "dash": "dash"},
        hovertemplate="1: the exact error of simple random sampling<extra></extra>",
    )
    figure.update_yaxes(rangemode="tozero")
    return with_budgets(figure, lines)


def drawn_lines(lines: Mapping[str, StudyLine], scale: float, dark: bool, hover: str) -> go.Figure:
    """The lines, ``scale`` times as large, and their bands beneath them; ``hover`` says a value with its unit."""
    figure = blank()
    for place, (name, line) in enumerate(lines.items()):
        budgets = column(line.budgets, "budgets")
        values = scale * column(line.values, f"errors of {name!r:.40}", len(budgets))
        if not np.isfinite(values).any():
            continue
        colour = hue(place, dark=dark)
        if line.low is not None and line.high is not None:
            low = scale * column(line.low, f"lower ends of {name!r:.40}", len(budgets))
            high = scale * column(line.high, f"upper ends of {name!r:.40}", len(budgets))
            figure.add_scatter(
                x=np.concatenate([budgets, budgets[::-1]]),
                y=np.concatenate([high, low[::-1]]),
                mode="lines",
                fill="toself",
                fillcolor=faint(colour, 0.15),
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
                legendgroup=str(place),
            )
        figure.add_scatter(
            x=budgets,
            y=values,
            name=safe_text(name),
            mode="lines+markers",
            legendgroup=str(place),
            line={"color": colour, "width": 1.75, "dash": dash(place)},
            marker={"symbol": symbol(place), "size": 7},
            hovertemplate="%{fullData.name}: " + hover + " with %{x:,} labels<extra></extra>",
        )
    figure.update_layout(showlegend=bool(figure.data))
    return figure


def with_budgets(figure: go.Figure, lines: Mapping[str, StudyLine]) -> go.Figure:
    """The budgets of the study as ticks of a logarithmic axis."""
    ticks = np.unique(np.concatenate([column(line.budgets, "budgets") for line in lines.values()]))
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:,.0f}" for tick in ticks])
    return figure
