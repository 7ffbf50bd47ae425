"""A forest plot: the accuracy of each slice as a point with its interval, the whole set as a line."""

from collections.abc import Sequence

import plotly.graph_objects as go

from testimate.charts.palette import shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text

MOST = 40
"""Slices drawn: those with the lowest accuracy."""

LETTERS = 24
"""Letters of a slice's name that the axis shows."""


def forest(
    names: Sequence[str],
    values: Sequence[float],
    lows: Sequence[float],
    highs: Sequence[float],
    *,
    whole: float | None,
    column: str,
    measure: str,
    dark: bool,
) -> go.Figure:
    """The slices from the lowest value down the page.

    Parameters
    ----------
    names : untrusted text. values, lows, highs : K shares 0..1, one for each.
    whole : the accuracy of the whole set, or None.
    """
    figure, colours = blank(), shades(dark)
    order = sorted(range(len(values)), key=values.__getitem__)[:MOST]
    points = [100 * values[place] for place in order]
    places = [*range(len(order))]
    shown = [safe_text(names[place], limit=LETTERS) for place in order]
    figure.add_scatter(
        x=points,
        y=places,
        mode="markers",
        marker={"color": colours.estimate, "size": 8},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [100 * highs[place] - point for place, point in zip(order, points, strict=True)],
            "arrayminus": [point - 100 * lows[place] for place, point in zip(order, points, strict=True)],
            "color": colours.estimate,
            "thickness": 1.5,
        },
        customdata=[[name, 100 * lows[place], 100 * highs[place]] for name, place in zip(shown, order, strict=True)],
        hovertemplate="%{customdata[0]}<br>%{x:.1f} %, %{customdata[1]:.1f} to %{customdata[2]:.1f}<extra></extra>",
    )
    if whole is not None:
        figure.add_vline(x=100 * whole, line={"color": colours.muted, "dash": "dot", "width": 1.5})
    figure.update_layout(showlegend=False)
    some = f", the {MOST} lowest of {len(values)}" if len(values) > MOST else ""
    themed(
        figure, dark=dark, x_title=f"{measure} (%)", y_title=f"{safe_text(column)}{some}", height=110 + 24 * len(order)
    )
    figure.update_yaxes(tickvals=places, ticktext=shown, autorange="reversed")
    if not order:
        return note(figure, "Too few labels in every slice.", dark=dark)
    return figure
