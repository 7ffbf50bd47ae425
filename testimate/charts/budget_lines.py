"""Lines over the budget: the half-width that is expected before a session, and what a study measured of each technique."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import Column, column
from testimate.charts.palette import dash, faint, hue, shades, symbol
from testimate.charts.theme import blank, note, themed
from testimate.charts.ticks import with_log_heights
from testimate.charts.untrusted import safe_text
from testimate.core.words import percent, points, spaced

NOTHING = "No study yet: run one."

APART = 1.025
"""Factor by which techniques are shifted along the budget axis, so that their error bars do not overlap."""


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
    figure = drawn_lines(lines, 100.0, dark, lambda error: points(error, 2))
    themed(figure, dark=dark, x_title="budget (labels)", y_title=f"{measure} (points of accuracy)")
    if not figure.data:
        return note(figure, "No study yet: run one to see its errors.", dark=dark)
    return with_budgets(with_log_heights(figure), lines)


def ratio_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Errors over that of simple random sampling, which is the line at 1; below it a technique saves labels."""
    figure = drawn_lines(lines, 1.0, dark, lambda ratio: f"{ratio:.2f} of its error")
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


def drawn_lines(lines: Mapping[str, StudyLine], scale: float, dark: bool, said: Callable[[float], str]) -> go.Figure:
    """The lines, ``scale`` times as large, and their bands beneath them; ``said`` says a value as it came, with its unit."""
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
            customdata=[said(value / scale) if np.isfinite(value) else "–" for value in values],
            hovertemplate="%{fullData.name}: %{customdata} with %{x:,} labels<extra></extra>",
        )
    figure.update_layout(showlegend=bool(figure.data))
    return figure


def with_budgets(figure: go.Figure, lines: Mapping[str, StudyLine]) -> go.Figure:
    """The budgets of the study as ticks of a logarithmic axis."""
    ticks = np.unique(np.concatenate([column(line.budgets, "budgets") for line in lines.values()]))
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[spaced(tick) for tick in ticks])
    return figure


def failure_lines(lines: Mapping[str, StudyLine], *, dark: bool) -> go.Figure:
    """Failures among the labels against the budget; an input drawn twice counts twice."""
    figure = drawn_lines(lines, 1.0, dark, lambda count: f"{count:.1f} failures")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="failures found (labels)")
    if not figure.data:
        return note(figure, NOTHING, dark=dark)
    figure.update_yaxes(rangemode="tozero")
    return with_budgets(figure, lines)


def coverage_lines(lines: Mapping[str, StudyLine], *, dark: bool, level: float = 0.95) -> go.Figure:
    """How often the intervals contained the truth against the budget, with what they claim as a dashed line.

    ``lines`` : technique (untrusted) to its coverage, shares; those without an interval are left out. ``level`` : 0..1.
    """
    plain = {name: StudyLine(line.budgets, line.values) for name, line in lines.items()}
    figure = drawn_lines(plain, 100.0, dark, lambda share: f"{percent(share, space=' ')} held the truth")
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
    figure = drawn_lines(lines, 100.0, dark, lambda width: f"{points(width)} wide")
    themed(figure, dark=dark, x_title="budget (labels)", y_title="mean width (points of accuracy)")
    if not figure.data:
        return note(figure, "None of these techniques has an interval.", dark=dark)
    return with_budgets(with_log_heights(figure), lines)


def forecast(
    budgets: ArrayLike,
    half_widths: Mapping[str, Column],
    *,
    dark: bool,
    chosen_budget: int | None = None,
    chosen_technique: str | None = None,
    target: float | None = None,
) -> go.Figure:
    """Expected half-width in percentage points against labels, one line per technique, the chosen budget marked.

    Parameters
    ----------
    budgets : (k,) labels, ascending.
    half_widths : technique to its (k,) expected half-widths, shares; None or nan where none can be expected.
    target : half-width the tester would like, a share, drawn as a thin line.
    """
    places = column(budgets, "budgets")
    figure = blank()
    colours = shades(dark)
    highest = 0.0
    for place, (technique, widths) in enumerate(half_widths.items()):
        points = 100 * column(widths, f"half-widths of {technique!r:.40}", len(places))
        highest = max(highest, *points[np.isfinite(points)].tolist(), 0.0)
        chosen = technique == chosen_technique
        figure.add_scatter(
            x=places,
            y=points,
            name=safe_text(technique),
            mode="lines+markers" if len(places) <= 12 else "lines",
            line={"color": hue(place, dark=dark), "width": 3 if chosen else 1.75, "dash": dash(place)},
            marker={"symbol": symbol(place), "size": 9 if chosen else 7},
            hovertemplate="%{fullData.name}: ±%{y:.2f} points with %{x:,} labels<extra></extra>",
        )
    # Room for the words on the two lines, beyond the plot, where no curve runs through them.
    figure.update_layout(showlegend=True, legend={"y": 1.1}, margin={"t": 60, "r": 72})
    themed(figure, dark=dark, x_title="budget (labels)", y_title="expected half-width (± points)")
    if not highest:
        return note(figure, "No forecast yet: choose a technique and a budget.", dark=dark)
    figure.update_yaxes(range=[0, 1.08 * highest])
    shapes, words = [], []
    if target is not None:
        y = 100 * target
        line = {"color": colours.text, "width": 1.25, "dash": "dash"}
        shapes.append(
            {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y", "line": line}
        )
        at = {"x": 1, "xref": "x domain", "xanchor": "left", "xshift": 4, "y": y, "yref": "y", "yanchor": "middle"}
        font = {"size": 12, "color": colours.muted}
        words.append({"text": f"wanted:<br>±{y:g}", **at, "align": "left", "font": font, "showarrow": False})
    if chosen_budget is not None:
        x, line = chosen_budget, {"color": colours.estimate, "width": 1.5}
        shapes.append(
            {"type": "line", "x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line}
        )
        at = {"x": x, "xref": "x", "xanchor": "center", "y": 1, "yref": "y domain", "yanchor": "bottom"}
        font = {"size": 12, "color": colours.text}
        words.append({"text": f"budget: {spaced(x)} labels", **at, "font": font, "showarrow": False})
    figure.layout.shapes, figure.layout.annotations = shapes, words  # at once: add_hline and add_vline take 10 ms each
    return figure
