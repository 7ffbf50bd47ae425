"""Orders of priority by their metrics: one line per order, one symbol per metric."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from testimate.charts.columns import Column, column
from testimate.charts.palette import SYMBOL_SCALE, hue, symbol
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.rounding import percent

SPREAD = 0.5
"""Of the height of an order, over which its metrics lie."""


def order_scores(orders: Sequence[str], scores: Mapping[str, Column], *, dark: bool) -> go.Figure:
    """A symbol for each metric of each order, the first order on top, one metric above the other so that equal ones show.

    ``orders`` : K names, untrusted. ``scores`` : metric to (K,) shares, 0..1, None where there is no number.
    """
    names = [safe_text(order, limit=28) for order in orders]
    places = list(range(len(names)))
    figure = blank()
    for place, (metric, values) in enumerate(scores.items()):
        mark = symbol(place)
        figure.add_scatter(
            x=100 * column(values, f"values of {metric}", len(names)),
            y=[order + SPREAD * (place - (len(scores) - 1) / 2) / max(len(scores) - 1, 1) for order in places],
            name=metric,
            mode="markers",
            marker={"symbol": mark, "size": 11 * SYMBOL_SCALE.get(mark, 1), "color": hue(place, dark=dark)},
            customdata=[
                f"{name}: {metric} {percent(value, space=' ') if np.isfinite(value) else '–'}"
                for name, value in zip(names, column(values, f"values of {metric}", len(names)), strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    themed(
        figure, dark=dark, x_title="metric (%; more is better)", y_title="order", height=110 + 46 * max(len(names), 3)
    )
    figure.update_xaxes(range=[-1.5, 101.5])
    figure.update_yaxes(tickvals=places, ticktext=names, range=[len(names) - 0.5, -0.5])
    return figure if names else note(figure, "No orders yet: choose some to compare.", dark=dark)
