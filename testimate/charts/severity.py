"""How confident the model was in the faults found, which is their severity."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import column, places
from testimate.charts.palette import FAILED, faint, shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput

OPACITIES = (0.3, 0.6, 1.0)
BANDS = ("low (below 50 %)", "moderate (50 – 80 %)", "high (80 % and above)")


def severity(probabilities: ArrayLike, *, dark: bool, ten_levels: bool = False) -> go.Figure:
    """The faults found by the probability the model gave its wrong answer: three bands in words, or ten levels.

    Parameters
    ----------
    probabilities : (faults,) probability of the predicted class of each fault, 0..1.
    ten_levels : the levels of SFDR, floor(10 p + 1e-9) + 1 and at most 10, instead of the bands.
    """
    sure = column(probabilities, "probabilities")
    if sure.size and not (sure.min() >= 0 and sure.max() <= 1):
        raise BadInput("Expected probabilities from 0 to 1, got one that is outside or missing. Repair them.")
    level = np.minimum(np.floor(10 * sure + 1e-9).astype(np.intp) + 1, 10)
    if ten_levels:
        return _levels(np.bincount(level, minlength=11)[1:], dark)
    band = np.searchsorted((6, 9), level, "right")
    return severity_bands(BANDS, np.bincount(band, minlength=3), dark=dark, what="confidence (%)")


def severity_bands(names: Sequence[str], counts: ArrayLike, *, dark: bool, what: str) -> go.Figure:
    """Faults per band, the mildest first in ``names`` and drawn lowest; for errors of a regression, or any other bands.

    Parameters
    ----------
    names : of the bands, untrusted text.
    counts : (bands,) faults in each.
    what : what the bands measure, with its unit, such as "absolute error (degrees)"; untrusted text.
    """
    values = places(counts, "faults per band", len(names))
    opacity = np.interp(np.linspace(0, 2, len(names)), (0, 1, 2), OPACITIES).tolist()
    figure = blank()
    figure.add_bar(
        x=values,
        y=list(range(len(names))),
        orientation="h",
        width=0.62,
        marker={"color": [faint(FAILED, part) for part in opacity], "line": {"color": FAILED, "width": 1}},
        text=values,
        texttemplate="<b>%{text:,}</b>",
        textposition="outside",
        textfont={"color": shades(dark).text, "size": 14},
        cliponaxis=False,
        customdata=[safe_text(name) for name in names],
        hovertemplate="%{customdata}: %{x:,} faults<extra></extra>",
    )
    figure.update_layout(showlegend=False)
    height = 70 + 38 * len(names)
    themed(figure, dark=dark, x_title="faults found (inputs)", y_title=safe_text(what), height=height)
    figure.update_xaxes(range=[0, 1.15 * max(4, int(values.max(initial=0)))], tickformat=",d", nticks=6)
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=[safe_text(name) for name in names], showgrid=False)
    return _or_note(figure, values, dark)


def _levels(counts: NDArray[np.intp], dark: bool) -> go.Figure:
    opacity = [*[OPACITIES[0]] * 5, *[OPACITIES[1]] * 3, *[OPACITIES[2]] * 2]
    words = [*["low"] * 5, *["moderate"] * 3, *["high"] * 2]
    figure = blank()
    figure.add_bar(
        x=list(range(1, 11)),
        y=counts,
        marker={"color": [faint(FAILED, part) for part in opacity], "line": {"color": FAILED, "width": 1}},
        customdata=[f"{word}: {10 * k} to {10 * k + 10} %" for k, word in enumerate(words)],
        hovertemplate="level %{x}, %{customdata}: %{y:,} faults<extra></extra>",
    )
    figure.update_layout(showlegend=False, bargap=0.15)
    themed(figure, dark=dark, x_title="severity level (1 to 10)", y_title="faults found (inputs)", height=220)
    figure.update_xaxes(
        tickvals=list(range(1, 11)),
        ticktext=["1", "2", "3<br>low", "4", "5", "6", "7<br>moderate", "8", "9", "10<br>high"],
        tickangle=0,
        showgrid=False,
    )
    few = {"dtick": 1} if counts.max(initial=0) < 6 else {"nticks": 6}  # else the ticks read 0, 0, 1, 1
    figure.update_yaxes(rangemode="tozero", tickformat=",d", **few)
    return _or_note(figure, counts, dark)


def _or_note(figure: go.Figure, counts: NDArray[np.intp], dark: bool) -> go.Figure:
    return figure if counts.any() else note(figure, "No fault found yet.", dark=dark)
