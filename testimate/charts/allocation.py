"""How each technique would share the budget out over the strata, side by side."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from testimate.charts.columns import column
from testimate.charts.palette import hue, pattern, shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text


def allocation(
    allocations: Mapping[str, ArrayLike], *, dark: bool, strata: Sequence[str] | None = None, height: int = 300
) -> go.Figure:
    """Grouped bars, one group per stratum, one colour and pattern per technique.

    Parameters
    ----------
    allocations : technique to its (H,) labels per stratum.
    strata : H names of the strata, untrusted text; their numbers from 1 on where not given.
    """
    figure = blank()
    size = len(strata) if strata is not None else None
    colours = shades(dark)
    for place, (technique, labels) in enumerate(allocations.items()):
        bars = column(labels, f"labels per stratum of {technique!r:.40}", size)
        size = len(bars)
        figure.add_bar(
            x=list(range(size)),
            y=bars,
            name=safe_text(technique, limit=60),
            marker={
                "color": hue(place, dark=dark),
                "line": {"width": 0},
                "pattern": {
                    "shape": pattern(place),
                    "fillmode": "overlay",
                    "fgcolor": colours.background,
                    "size": 6,
                    "solidity": 0.2,
                    "fgopacity": 0.6,
                },
            },
        )
    figure.update_layout(barmode="group", bargap=0.3, bargroupgap=0.08, showlegend=True)
    themed(figure, dark=dark, x_title="stratum (by the auxiliary variable)", y_title="labels (inputs)", height=height)
    if not size:
        return note(figure, "Nothing to share out yet: choose a technique and a budget.", dark=dark)
    halves = {"entrywidth": 0.5, "entrywidthmode": "fraction", "font": {"size": 11}}
    figure.update_layout(legend=halves)  # titles are long, and six in a column leave the bars no room
    names = [str(h) for h in range(1, size + 1)] if strata is None else [safe_text(name, limit=18) for name in strata]
    figure.update_xaxes(tickvals=list(range(size)), ticktext=names, showgrid=False)
    return figure.update_traces(
        customdata=names, hovertemplate="%{fullData.name}, stratum %{customdata}: %{y:,.4~g} labels<extra></extra>"
    )
