"""The accuracy of each version of a model, one after another, each with its interval."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from testimate.charts.columns import Column, column
from testimate.charts.palette import shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text

FITS, TURNED = 48, 14
"""Letters that fit side by side below the chart, every name with as much room as the longest; of more the names are turned,
beyond that many versions on end."""


def version_history(
    names: Sequence[str], accuracy: Column, low: Column, high: Column, truth: Column, *, dark: bool
) -> go.Figure:
    """A dot for each version in its order, with a bar for its interval and a dash where its accuracy is known.

    Parameters
    ----------
    names : V names, untrusted text.
    accuracy, low, high, truth : (V,) shares, 0..1; nan where there is no number, no interval or no known truth.
    """
    values, least, most, known = (
        100 * column(one, what, len(names))
        for one, what in (
            (accuracy, "accuracies"),
            (low, "lower ends"),
            (high, "upper ends"),
            (truth, "known accuracies"),
        )
    )
    colours, places = shades(dark), list(range(len(names)))
    shown = [safe_text(name, limit=24) for name in names]
    figure = blank()
    figure.add_scatter(
        x=places,
        y=values,
        name="estimate",
        mode="lines+markers",
        line={"color": colours.estimate, "width": 1, "dash": "dot"},
        marker={"size": 11, "color": colours.estimate},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": np.nan_to_num(most - values).clip(min=0),
            "arrayminus": np.nan_to_num(values - least).clip(min=0),
            "color": colours.estimate,
            "thickness": 2,
            "width": 7,
        },
        customdata=np.column_stack([shown, [_ends(*one) for one in zip(least, most, strict=True)]]),
        hovertemplate="%{customdata[0]}: %{y:.1f} %%{customdata[1]}<extra></extra>",
    )
    there = np.flatnonzero(~np.isnan(known))
    if there.size:
        figure.add_scatter(
            x=there,
            y=known[there],
            name="known here",
            mode="markers",
            marker={"symbol": "line-ew", "size": 26, "line": {"color": colours.text, "width": 2}},
            customdata=[shown[place] for place in there],
            hovertemplate="%{customdata}: %{y:.1f} % is its accuracy, known here<extra></extra>",
        )
    figure.update_layout(showlegend=bool(there.size))
    themed(figure, dark=dark, x_title="version", y_title="accuracy (% of the inputs)", height=340)
    beside = max(map(len, shown), default=0) * len(shown) <= FITS
    turn = 0 if beside else -40 if len(shown) <= TURNED else -90
    figure.update_xaxes(tickvals=places, ticktext=shown, tickangle=turn, range=[-0.5, max(len(names), 2) - 0.5])
    return figure if np.isfinite(values).any() else note(figure, "No version has a number yet.", dark=dark)


def _ends(low: float, high: float) -> str:
    return "" if np.isnan(low) or np.isnan(high) else f", {low:.1f} to {high:.1f} %"
