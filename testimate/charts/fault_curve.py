"""How fast the faults come: found against labels, between the best possible order and a random one."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import column
from testimate.charts.palette import FAILED, UNLABELED, dash, hue, shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput


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
            figure, ends, np.minimum(ends, faults), f"ideal ({faults:,.4g} faults, {known})", colours.text, "dash"
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
