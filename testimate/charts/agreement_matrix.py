"""How often any two models predict the same."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.palette import shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput

MOST_WRITTEN = 14
"""With more models than this the numbers are on hover alone."""


def agreement_matrix(shares: ArrayLike, models: Sequence[str], *, dark: bool) -> go.Figure:
    """A square of shares, darker (or, on dark, lighter) where two models agree less often.

    Parameters
    ----------
    shares : (M, M) share of inputs on which two models predict the same, 0..1.
    models : M names, untrusted text, in the order of the rows.
    """
    values = np.asarray(shares, dtype=np.float64)
    if values.shape != (len(models), len(models)):
        raise BadInput(
            f"The shares have the shape {values.shape} and there are {len(models)} models; needed is a row and a column for "
            "each. Pass as many names."
        )
    names = [safe_text(model, limit=22) for model in models]
    colours = shades(dark)
    figure = blank()
    percent = 100 * values
    if len(models):
        off = percent[~np.eye(len(models), dtype=bool)]
        low = float(np.floor(off.min(initial=100.0) / 10) * 10)
        count = len(colours.scale)
        figure.add_heatmap(
            z=np.where(np.eye(len(models), dtype=bool), np.nan, percent),
            customdata=[[[row, column] for column in names] for row in names],
            text=[["" if i == j else f"{value:.0f}" for j, value in enumerate(row)] for i, row in enumerate(percent)],
            texttemplate="%{text}" if len(models) <= MOST_WRITTEN else None,
            colorscale=[[place / (count - 1), colour] for place, colour in enumerate(colours.scale)],
            zmin=min(low, 90.0),
            zmax=100.0,
            xgap=1,
            ygap=1,
            hoverongaps=False,
            colorbar={
                "title": {"text": "same (%)", "font": {"color": colours.muted, "size": 12}},
                "tickfont": {"color": colours.muted},
                "thickness": 12,
                "outlinewidth": 0,
            },
            hovertemplate="%{customdata[0]} and %{customdata[1]}: %{z:.1f} % the same<extra></extra>",
        )
    figure.update_layout(showlegend=False)
    height = 150 + 26 * max(len(models), 4)
    themed(figure, dark=dark, x_title="model", y_title="model", height=height)
    ticks = {"tickvals": list(range(len(models))), "ticktext": names, "showgrid": False, "tickfont_size": 11}
    figure.update_xaxes(**ticks, tickangle=-45)
    figure.update_yaxes(**ticks, autorange="reversed")
    return figure if len(models) else note(figure, "No models yet: choose some to compare.", dark=dark)
