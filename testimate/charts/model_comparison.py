"""Several models side by side: their ranking, how often two of them agree, and how the ranking changes."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import Column, column, places
from testimate.charts.palette import dash, hue, shades, symbol
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput
from testimate.core.words import percent

MOST_WRITTEN = 14
"""With more models than this the numbers are on hover alone."""


def model_ranking(
    models: Sequence[str], scores: Column, low: Column | None, high: Column | None, *, dark: bool, what: str
) -> go.Figure:
    """A dot for each model, the first on top, with a bar for its range.

    Parameters
    ----------
    models : M names, untrusted text, the best first.
    scores, low, high : (M,) in the same order; None or nan where there is no range.
    what : what the score is, with its unit.
    """
    values = column(scores, "scores", len(models))
    ends = [column(end, "ends of the range", len(models)) for end in (low, high)]
    colours = shades(dark)
    names = [safe_text(model, limit=28) for model in models]
    places = list(range(len(models)))
    figure = blank()
    figure.add_scatter(
        x=values,
        y=places,
        mode="markers",
        marker={"size": 10, "color": colours.estimate},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(ends[1] - values).clip(min=0),
            "arrayminus": np.nan_to_num(values - ends[0]).clip(min=0),
            "color": colours.muted,
            "thickness": 1.5,
            "width": 4,
        },
        customdata=names,
        hovertemplate="%{customdata}: %{x:.4~g}<extra></extra>",
    )
    figure.update_layout(showlegend=False)
    themed(figure, dark=dark, x_title=what, y_title="model (best first)", height=90 + 30 * max(len(models), 3))
    figure.update_yaxes(tickvals=places, ticktext=names, range=[len(models) - 0.5, -0.5])
    return figure if len(models) else note(figure, "No models yet: choose some to compare.", dark=dark)


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
            f"The shares have the shape {values.shape} and there are {len(models)} models. Expected a row and a column for "
            "each. Pass as many names."
        )
    names = [safe_text(model, limit=22) for model in models]
    colours = shades(dark)
    figure = blank()
    in_percent = 100 * values
    if len(models):
        off = in_percent[~np.eye(len(models), dtype=bool)]
        low = float(np.floor(off.min(initial=100.0) / 10) * 10)
        count = len(colours.scale)
        figure.add_heatmap(
            z=np.where(np.eye(len(models), dtype=bool), np.nan, in_percent),
            customdata=[
                [[row, column, percent(share, space=" ")] for column, share in zip(names, line, strict=True)]
                for row, line in zip(names, values, strict=True)
            ],
            text=[
                ["" if i == j else percent(share, 0, space="")[:-1] for j, share in enumerate(line)]
                for i, line in enumerate(values)
            ],
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
            hovertemplate="%{customdata[0]} and %{customdata[1]}: %{customdata[2]} the same<extra></extra>",
        )
    figure.update_layout(showlegend=False)
    height = 150 + 26 * max(len(models), 4)
    themed(figure, dark=dark, x_title="model", y_title="model", height=height)
    ticks = {"tickvals": list(range(len(models))), "ticktext": names, "showgrid": False, "tickfont_size": 11}
    figure.update_xaxes(**ticks, tickangle=-45)
    figure.update_yaxes(**ticks, autorange="reversed")
    return figure if len(models) else note(figure, "No models yet: choose some to compare.", dark=dark)


def rank_change(ranks: Mapping[str, ArrayLike], datasets: Sequence[str], *, dark: bool) -> go.Figure:
    """A line for each model over the datasets, rank 1 on top.

    Parameters
    ----------
    ranks : model (untrusted text) to its (D,) ranks, whole numbers from 1.
    datasets : D names, untrusted text.
    """
    figure = blank()
    across = list(range(len(datasets)))
    for place, (model, values) in enumerate(ranks.items()):
        figure.add_scatter(
            x=across,
            y=places(values, "ranks", len(datasets)),
            name=safe_text(model, limit=28),
            mode="lines+markers",
            line={"color": hue(place, dark=dark), "dash": dash(place // 7), "width": 2},
            marker={"symbol": symbol(place), "size": 9},
            hovertemplate="%{fullData.name}: rank %{y}<extra></extra>",
        )
    figure.update_layout(showlegend=bool(ranks))
    themed(figure, dark=dark, x_title="dataset", y_title="rank (1 is best)", height=140 + 26 * max(len(ranks), 4))
    figure.update_layout(legend={"orientation": "v", "x": 1.02, "y": 1, "yanchor": "top"})
    figure.update_xaxes(tickvals=across, ticktext=[safe_text(name, limit=24) for name in datasets], showgrid=False)
    figure.update_yaxes(range=[len(ranks) + 0.5, 0.5], dtick=1 if len(ranks) <= 15 else 5)
    return figure if ranks else note(figure, "No change yet: choose two datasets with the same models.", dark=dark)
