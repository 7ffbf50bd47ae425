"""Orders of priority: how fast each finds the faults, and its scores by several metrics."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import Column, column
from testimate.charts.palette import FAILED, SYMBOL_SCALE, UNLABELED, dash, hue, shades, symbol
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput
from testimate.core.words import grouped, percent


def fault_curve(
    found: Mapping[str, ArrayLike],
    *,
    dark: bool,
    size: int,
    faults: float | None = None,
    faults_estimated: bool = False,
) -> go.Figure:
    """Faults found after 0, 1, 2 ... labels, one line per order; a single one is drawn in the colour of failure.

    Parameters
    ----------
    found : name of the order to (n,) faults among its first 1..n labels; untrusted names.
    size : N, the inputs of the whole set.
    faults : m, the faults in the whole set, for the ideal line min(i, m) and the random one i m / N; None where unknown.
    faults_estimated : whether m is an estimate, which the legend then says.
    """
    if size < 1:
        raise BadInput(f"Expected a set of at least 1 input, got {size}. Load a dataset that is not empty.")
    curves = {name: column(values, f"faults found by {name!r:.40}") for name, values in found.items()}
    longest = max((len(curve) for curve in curves.values()), default=0)
    figure = blank()
    colours = shades(dark)
    if faults is not None and longest:
        known = "estimated" if faults_estimated else "known"
        ends = np.unique([0.0, min(faults, longest), longest])
        _reference(
            figure,
            ends,
            np.minimum(ends, faults),
            f"ideal ({grouped(f'{faults:.4g}')} faults, {known})",
            colours.text,
            "dash",
        )
        line = np.array([0.0, longest])
        _reference(figure, line, line * faults / size, "random order (expected)", UNLABELED, "dot")
    for place, (name, curve) in enumerate(curves.items()):
        single = len(curves) == 1
        figure.add_scatter(
            x=np.arange(len(curve) + 1),
            y=np.concatenate([[0.0], curve]),
            name=safe_text(name),
            mode="lines",
            line={
                "color": FAILED if single else hue(place, dark=dark),
                "width": 2.5,
                "shape": "hv",
                "dash": "solid" if single else dash(place),
            },
            hovertemplate="%{fullData.name}: %{y:,} faults in %{x:,} labels<extra></extra>",
        )
    figure.update_layout(showlegend=bool(longest))
    themed(figure, dark=dark, x_title="labels (inputs)", y_title="faults found (inputs)", height=260)
    figure.update_yaxes(rangemode="tozero")
    if not longest:
        return note(figure, "No labels yet: label a first input.", dark=dark)
    most = max(float(curve.max(initial=0)) for curve in curves.values())
    figure.update_yaxes(range=[0, max(5.0, 1.35 * most)], tickformat=",d", nticks=6)
    return figure


def _reference(figure: go.Figure, x: ArrayLike, y: ArrayLike, name: str, colour: str, style: str) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"color": colour, "width": 1.25, "dash": style},
        hovertemplate="%{fullData.name}: %{y:,.1f} faults in %{x:,.0f} labels<extra></extra>",
    )


SPREAD = 0.5
"""Share of an order's height over which its metrics are spread."""


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
