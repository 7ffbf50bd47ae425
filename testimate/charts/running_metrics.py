"""WFDR and SFDR label by label: how early the faults come, and how early the severe ones."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import Column, column
from testimate.charts.palette import hue, symbol
from testimate.charts.theme import blank, note, themed


def running_metrics(
    labels: ArrayLike,
    wfdr: Column,
    sfdr: Column,
    *,
    dark: bool,
    exact_wfdr: Column | None = None,
    exact_sfdr: Column | None = None,
) -> go.Figure:
    """Both rates in percent against labels: estimated solid, exact dashed where the truth is known.

    Parameters
    ----------
    labels : (n,) how many labels there were, ascending.
    wfdr, sfdr : (n,) the rates as estimated while labeling, shares 0..1; None or nan where there is none yet.
    exact_wfdr, exact_sfdr : (n,) the same with full truth, or None.
    """
    places = column(labels, "label counts")
    figure = blank()
    latest: dict[str, float] = {}
    pairs = (("WFDR", wfdr, exact_wfdr), ("SFDR", sfdr, exact_sfdr))
    for place, (name, estimated, exact) in enumerate(pairs):
        rates = 100 * column(estimated, name, len(places))
        truths = 100 * column(exact, f"exact {name}", len(places))
        colour = hue(place, dark=dark)
        if np.isfinite(truths).any():
            _line(figure, places, truths, f"{name}, exact", colour, "dash", 1.5)
        if np.isfinite(rates).any():
            _line(figure, places, rates, f"{name}, estimated", colour, "solid", 2.5)
            latest[name] = _latest(figure, places, rates, colour, symbol(place))
    empty = not figure.data
    figure.update_layout(showlegend=not empty)
    themed(figure, dark=dark, x_title="labels (inputs)", y_title="detection rate (%)", height=260)
    figure.update_yaxes(range=[0, 102])
    if empty:
        return note(figure, "No rates yet: they start with the first failure found.", dark=dark)
    span = max(float(places[-1]), 1.0)
    _name_ends(figure, 1.02 * span, latest)
    return figure.update_xaxes(range=[0, 1.17 * span])


def _line(
    figure: go.Figure, x: NDArray[np.float64], y: NDArray[np.float64], name: str, colour: str, style: str, width: float
) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"color": colour, "dash": style, "width": width},
        hovertemplate="%{fullData.name}: %{y:.1f} % after %{x:,} labels<extra></extra>",
    )


def _latest(figure: go.Figure, x: NDArray[np.float64], y: NDArray[np.float64], colour: str, sign: str) -> float:
    """Marks the last rate and returns it, in percent."""
    last = int(np.flatnonzero(np.isfinite(y))[-1])
    figure.add_scatter(
        x=[x[last]],
        y=[y[last]],
        mode="markers",
        marker={"color": colour, "symbol": sign, "size": 9},
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )
    return float(y[last])


def _name_ends(figure: go.Figure, x: float, latest: dict[str, float]) -> None:
    """Each metric's name and last rate beside its line, so that colour is not all that tells them apart."""
    middle = sum(latest.values()) / max(len(latest), 1)
    apart = max(latest.values(), default=0.0) - min(latest.values(), default=0.0)
    push = max(0.0, 18 - 1.8 * apart) / 2 if len(latest) > 1 else 0.0  # pixels that keep the two names apart
    for place, (name, rate) in enumerate(latest.items()):
        up = 1 if rate > middle or (rate == middle and place == 0) else -1
        figure.add_annotation(
            x=x,
            y=rate,
            text=f"{name} {rate:.0f} %",
            showarrow=False,
            xanchor="left",
            yshift=push * up,
            font={"size": 13},
        )
