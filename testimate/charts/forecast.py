"""How narrow the interval is expected to become, against the budget, technique by technique."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import Column, column
from testimate.charts.palette import dash, hue, shades, symbol
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text


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
    if target is not None:
        figure.add_hline(
            y=100 * target,
            line={"color": colours.text, "width": 1.25, "dash": "dash"},
            annotation={
                "text": f"wanted:<br>±{100 * target:g}",
                "font": {"size": 12, "color": colours.muted},
                "align": "left",
                "xanchor": "left",
                "yanchor": "middle",
                "x": 1,
                "xshift": 4,
            },
        )
    if chosen_budget is not None:
        figure.add_vline(
            x=chosen_budget,
            line={"color": colours.estimate, "width": 1.5},
            annotation={
                "text": f"budget: {chosen_budget:,} labels",
                "font": {"size": 12, "color": colours.text},
                "xanchor": "center",
                "yanchor": "bottom",
                "y": 1,
            },
        )
    return figure
