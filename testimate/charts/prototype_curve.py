"""What prototypes leave unexplained against how many there are."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from testimate.charts.palette import shades
from testimate.charts.theme import blank, themed


def prototype_curve(discrepancies: NDArray[np.float64], *, used: int, elbow: int, dark: bool) -> go.Figure:
    """MMD^2 for 1..m prototypes, (m,), with the number in use and the elbow marked."""
    colours = shades(dark)
    numbers = np.arange(1, len(discrepancies) + 1)
    figure = blank()
    figure.add_scatter(
        x=numbers,
        y=discrepancies,
        mode="lines",
        name="MMD²",
        line={"color": colours.estimate, "width": 2},
        hovertemplate="%{x} prototypes: %{y:.3g}<extra></extra>",
    )
    for number, name, symbol in ((used, "in use", "circle"), (elbow, "elbow", "diamond-open")):
        figure.add_scatter(
            x=[number],
            y=[discrepancies[number - 1]],
            mode="markers+text",
            text=[f"{name}: {number}"],
            textposition="top right",
            textfont={"color": colours.text},
            name=name,
            marker={"color": colours.text, "size": 10, "symbol": symbol, "line": {"width": 2}},
            hovertemplate=f"{name}: %{{x}} prototypes, %{{y:.3g}}<extra></extra>",
            cliponaxis=False,
        )
    figure.update_layout(showlegend=False)
    themed(figure, dark=dark, x_title="prototypes of all inputs (number)", y_title="MMD² left (no unit)", height=280)
    figure.update_yaxes(rangemode="tozero")
    return figure
