"""How many of the labels planned in each stratum there are."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import places
from testimate.charts.palette import faint, shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text


def strata_filled(
    labeled: ArrayLike, planned: ArrayLike, *, dark: bool, names: Sequence[str] | None = None, what: str = "stratum"
) -> go.Figure:
    """Horizontal bars, labeled within planned, the first stratum on top, with the counts in words.

    Parameters
    ----------
    labeled, planned : (H,) labels there are and labels there shall be.
    names : H names, untrusted text; numbers from 1 on where not given.
    what : what the bars stand for: stratum, zone, cluster.
    """
    done = places(labeled, "labels per stratum")
    goal = places(planned, "planned labels per stratum", len(done))
    colours = shades(dark)
    named = (
        [str(h) for h in range(1, len(done) + 1)] if names is None else [safe_text(name, limit=24) for name in names]
    )
    figure = blank()
    rows = list(range(len(done)))
    blue = colours.estimate
    figure.add_bar(
        x=goal,
        y=rows,
        orientation="h",
        name="planned",
        marker={"color": faint(blue, 0.12), "line": {"color": faint(blue, 0.55), "width": 1}},
        text=[f"{have} of {want}" for have, want in zip(done.tolist(), goal.tolist(), strict=True)],
        textposition="outside",
        textfont={"color": colours.muted, "size": 11},
        constraintext="none",
        cliponaxis=False,
        hoverinfo="skip",
    )
    figure.add_bar(
        x=done,
        y=rows,
        orientation="h",
        name="labeled",
        marker={"color": blue, "line": {"width": 0}},
        customdata=[[name, want] for name, want in zip(named, goal.tolist(), strict=True)],
        hovertemplate=f"{safe_text(what)} %{{customdata[0]}}: %{{x}} of %{{customdata[1]}} labeled<extra></extra>",
    )
    figure.update_layout(barmode="overlay", bargap=0.3, showlegend=False)
    height = 64 + 24 * max(len(done), 3)
    themed(figure, dark=dark, x_title="labels (inputs)", y_title=safe_text(what), height=height)
    most = int(np.max(np.concatenate([done, goal, [4]])))
    figure.update_xaxes(range=[0, 1.3 * most], tickformat=",d", nticks=6)
    figure.update_yaxes(tickvals=rows, ticktext=named, range=[len(done) - 0.4, -0.6], showgrid=False)
    if not len(done):
        return note(figure, "No strata yet: make a plan first.", dark=dark)
    return figure
