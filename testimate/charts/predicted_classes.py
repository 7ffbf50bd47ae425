"""How many inputs are predicted as each class."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import places
from testimate.charts.palette import shades
from testimate.charts.theme import blank, caption, note, themed
from testimate.charts.untrusted import safe_text

CLASS_LIMIT = 30
"""With more classes than this only the most frequent ones are drawn."""


def predicted_classes(counts: ArrayLike, classes: Sequence[str], *, dark: bool) -> go.Figure:
    """One bar per class, in the order of the classes; the most frequent ones where there are many.

    Parameters
    ----------
    counts : (C,) inputs predicted as each class.
    classes : names of all classes, untrusted text.
    """
    numbers = places(counts, "counts", len(classes))
    shown = np.sort(np.argsort(-numbers, kind="stable")[:CLASS_LIMIT])
    figure = blank()
    figure.add_bar(
        x=[safe_text(classes[place]) for place in shown],
        y=numbers[shown],
        marker_color=shades(dark).estimate,
        hovertemplate="predicted %{x}<br>%{y:,} inputs<extra></extra>",
    )
    themed(figure, dark=dark, x_title="predicted class", y_title="inputs (count)", height=260)
    figure.update_xaxes(type="category")
    if not numbers.sum():
        return note(figure, "No predictions yet: compute the features first.", dark=dark)
    if len(shown) < len(classes):
        caption(figure, f"the {len(shown)} most frequent of {len(classes):,} classes", dark=dark)
    return figure
