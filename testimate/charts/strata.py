"""Strata: where a variable is cut into them, how techniques share the budget out, and how many labels each has so far."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import column, places
from testimate.charts.palette import faint, shades
from testimate.charts.theme import blank, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput
from testimate.core.words import spaced

STRIP = 0.08
"""Height of the strip that names the strata, as a share of the plot."""

LONGEST_LINE = 26
"""Letters of a technique's name beside a chart; longer ones take two lines."""


def strata_histogram(
    values: ArrayLike,
    bounds: ArrayLike = (),
    *,
    dark: bool,
    name: str,
    unit: str = "no unit",
    log_count: bool = False,
    counts: ArrayLike | None = None,
    bins: int = 60,
    height: int = 300,
) -> go.Figure:
    """The histogram, a dotted line at each bound, and above it a strip that names each stratum and its inputs.

    Parameters
    ----------
    values : (N,) the auxiliary variable; without bounds this is its plain histogram.
    bounds : (H - 1,) ascending values where one stratum ends and the next begins; a value on a bound belongs to the next.
    name, unit : of the variable, untrusted text.
    counts : (H,) inputs in each stratum, needed where ties were broken by a random key; counted by the bounds otherwise.
    """
    spread, cuts = column(values, "values"), column(bounds, "bounds")
    if np.any(np.diff(cuts) < 0):
        raise BadInput("Expected the bounds of the strata in ascending order. Sort them.")
    spread = spread[np.isfinite(spread)]
    figure = blank()
    figure.update_layout(showlegend=False, bargap=0, barmode="overlay")
    x_title, y_title = f"{safe_text(name)} ({safe_text(unit)})", "inputs (count)"
    if not spread.size:
        themed(figure, dark=dark, x_title=x_title, y_title=y_title, height=height)
        return note(figure, "No values yet: compute this variable first.", dark=dark)
    heights, edges = np.histogram(spread, bins=bins)
    figure.add_bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=heights,
        width=np.diff(edges),
        customdata=np.stack([edges[:-1], edges[1:]], axis=1),
        marker={"color": shades(dark).estimate, "line": {"width": 0.5, "color": shades(dark).background}},
        hovertemplate="%{customdata[0]:.4g} to %{customdata[1]:.4g}: %{y:,} inputs<extra></extra>",
    )
    themed(figure, dark=dark, x_title=x_title, y_title=y_title, height=height)
    top = max(int(heights.max()), 1)
    if log_count:
        figure.update_yaxes(
            type="log", range=[np.log10(0.6), np.log10(0.6) + 1.15 * np.log10(top / 0.6)], dtick=1, tickformat=",d"
        )
    else:
        figure.update_yaxes(range=[0, 1.15 * top])
    if cuts.size:
        inside = (
            counts
            if counts is not None
            else np.bincount(np.searchsorted(cuts, spread, "right"), minlength=len(cuts) + 1)
        )
        ends = np.concatenate([edges[:1], np.clip(cuts, edges[0], edges[-1]), edges[-1:]])
        _add_strata(figure, ends, places(inside, "stratum sizes", len(cuts) + 1), dark)
    return figure


def _add_strata(figure: go.Figure, ends: NDArray[np.float64], sizes: NDArray[np.intp], dark: bool) -> None:
    colours = shades(dark)
    low, high = ends[:-1], ends[1:]
    share = (high - low) / max(ends[-1] - ends[0], 1e-300)
    labels = [
        f"stratum {h}: {spaced(n)}"
        if part > 0.2
        else f"{h}: {spaced(n)}"
        if part > 0.1
        else str(h)
        if part > 0.025
        else ""
        for h, (n, part) in enumerate(zip(sizes.tolist(), share.tolist(), strict=True), start=1)
    ]
    figure.add_bar(
        x=(low + high) / 2,
        y=np.full(len(sizes), STRIP),
        base=1 - STRIP,
        width=high - low,
        yaxis="y2",
        name="strata",
        customdata=np.stack([np.arange(1, len(sizes) + 1), low, high, sizes], axis=1),
        text=labels,
        textposition="inside",
        insidetextanchor="middle",
        constraintext="none",
        textangle=0,
        textfont={"color": colours.text, "size": 12},
        marker={
            "color": [faint(colours.muted, 0.34 if h % 2 else 0.16) for h in range(len(sizes))],
            "line": {"width": 0},
        },
        hovertemplate="stratum %{customdata[0]}: %{customdata[3]:,} inputs<br>%{customdata[1]:.4g} to "
        "%{customdata[2]:.4g}<extra></extra>",
    )
    figure.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True})
    line = {"color": colours.text, "width": 1, "dash": "dot"}
    # At once: add_vline takes 4 ms for each line, and more the more there are.
    figure.layout.shapes = [
        {"type": "line", "x0": bound, "x1": bound, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line}
        for bound in ends[1:-1].tolist()
    ]


def allocation(
    allocations: Mapping[str, ArrayLike], *, dark: bool, strata: Sequence[str] | None = None, height: int = 300
) -> go.Figure:
    """A row of cells per technique, one for each stratum: the number of its labels, the darker the more.

    Parameters
    ----------
    allocations : technique, untrusted text, to its (H,) labels per stratum.
    strata : H names of the strata, untrusted text; their numbers from 1 on where not given.
    """
    figure = blank()
    size = len(strata) if strata is not None else None
    lines = []
    for technique, labels in allocations.items():
        lines.append(column(labels, f"labels per stratum of {technique!r:.40}", size))
        size = len(lines[-1])
    figure.update_layout(showlegend=False)
    themed(figure, dark=dark, x_title="stratum (by the auxiliary variable)", y_title="technique", height=height)
    if not size:
        return note(figure, "Nothing to share out yet: choose a technique and a budget.", dark=dark)
    counts, colour = np.array(lines), shades(dark).estimate  # (T, H)
    names = [str(h) for h in range(1, size + 1)] if strata is None else [safe_text(name, limit=18) for name in strata]
    techniques = [_in_two_lines(safe_text(technique, limit=60)) for technique in allocations]
    figure.add_heatmap(
        z=counts,
        customdata=[[[technique.replace("<br>", " "), name] for name in names] for technique in techniques],
        text=[[spaced(round(count)) for count in line] for line in counts.tolist()],
        texttemplate="%{text}",
        textfont={"size": 12, "color": shades(dark).text},
        colorscale=[[0, faint(colour, 0.03)], [1, faint(colour, 0.6)]],
        zmin=0,
        zmax=max(float(counts.max()), 1.0),
        xgap=2,
        ygap=2,
        showscale=False,
        hovertemplate="%{customdata[0]}, stratum %{customdata[1]}: %{text} labels<extra></extra>",
    )
    figure.update_xaxes(tickvals=list(range(size)), ticktext=names, showgrid=False)
    figure.update_yaxes(
        tickvals=list(range(len(techniques))),
        ticktext=techniques,
        tickfont_size=12,
        showgrid=False,
        zeroline=False,
        autorange="reversed",
    )
    return figure


def _in_two_lines(name: str) -> str:
    """A long name broken at the space next to its middle, for the side of a chart."""
    if len(name) <= LONGEST_LINE:
        return name
    spaces = [place for place, letter in enumerate(name) if letter == " "]
    if not spaces:
        return name
    middle = min(spaces, key=lambda place: abs(2 * place - len(name)))
    return f"{name[:middle]}<br>{name[middle + 1 :]}"


def strata_filled(
    labeled: ArrayLike, planned: ArrayLike, *, dark: bool, names: Sequence[str] | None = None, what: str = "stratum"
) -> go.Figure:
    """Horizontal bars, labeled within planned, the first stratum on top, with the counts in words.

    Parameters
    ----------
    labeled, planned : (H,) labels given and labels planned.
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
