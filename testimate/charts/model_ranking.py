"""Models by their score, each with the range it would have on other inputs of the same kind."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from testimate.charts.columns import Column, column
from testimate.charts.palette import shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text


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
