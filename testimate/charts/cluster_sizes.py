"""How many inputs each cluster holds, the minority space last."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import places
from testimate.charts.palette import UNLABELED, faint, hue, shades
from testimate.charts.theme import blank, note, themed
from testimate.core.rounding import percent


def cluster_sizes(sizes: ArrayLike, minority: int, *, dark: bool, called: str = "cluster") -> go.Figure:
    """One bar per cluster in its hue of the map, and a hatched one for the minority space.

    Parameters
    ----------
    sizes : (clusters,) inputs in each cluster, in the order of their labels; numbers count from 1.
    minority : inputs that belong to no cluster. called : what a bar stands for.
    """
    counts = places(sizes, "cluster sizes")
    figure = blank()
    names = [str(place + 1) for place in range(len(counts))]
    total = max(int(counts.sum()) + minority, 1)
    values = np.append(counts, minority)
    figure.add_bar(
        x=np.arange(len(values)),
        y=values,
        marker={
            "color": [*(hue(place, dark=dark) for place in range(len(counts))), faint(UNLABELED, 0.35)],
            "pattern": {"shape": [*[""] * len(counts), "/"], "fgcolor": UNLABELED, "fillmode": "overlay"},
            "line": {"width": [*[0] * len(counts), 1], "color": UNLABELED},
        },
        customdata=[*(f"{called} {name}" for name in names), "minority space"],
        text=values if len(values) <= 24 else None,
        texttemplate="%{text:,}" if len(values) <= 24 else None,
        textposition="outside",
        textfont={"color": shades(dark).muted, "size": 12},
        cliponaxis=False,
        meta=total,
        hovertemplate=[
            f"%{{customdata}}: %{{y:,}} inputs ({percent(value / total, space=' ')})<extra></extra>" for value in values
        ],
    )
    figure.update_layout(showlegend=False, bargap=0.25)
    themed(figure, dark=dark, x_title=f"{called} (number)", y_title="size (inputs)")
    every = max(1, -(-len(counts) // 24))
    ticks = [*range(0, len(counts), every), len(counts)]
    figure.update_xaxes(
        tickvals=ticks, ticktext=[*(names[tick] for tick in ticks[:-1]), "minority<br>space"], showgrid=False
    )
    if not values.any():
        return note(figure, "No clusters yet: cluster the inputs first.", dark=dark)
    return figure
