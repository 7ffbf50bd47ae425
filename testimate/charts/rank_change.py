"""The ranks of the same models on several datasets, as lines from one to the next."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import places
from testimate.charts.palette import dash, hue, symbol
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text


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
