"""Charts of groups of inputs: clusters, what their prototypes leave unexplained, and strata."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.palette import UNLABELED, faint, hue, shades
from testimate.charts.theme import blank, column, note, places, safe_text, themed
from testimate.core.errors import BadInput
from testimate.core.words import commas, percent

STEP_LIMIT = 60
"""Steps drawn of one cluster's outline; further ones would be thinner than a pixel."""


@dataclass(frozen=True, eq=False)
class _Branch:
    """A cluster of the tree: where it is born and how its size falls, ``sizes[k]`` from ``densities[k]`` on."""

    node: int
    center: float
    densities: NDArray[np.float64]
    sizes: NDArray[np.float64]


def condensed_tree(tree: NDArray[Any], chosen: Sequence[int], *, dark: bool, height: int = 420) -> go.Figure:
    """One shape per cluster of the tree, as wide as it has inputs; the chosen clusters in their hues of the map.

    Parameters
    ----------
    tree : structured array with parent, child, lambda_val and child_size, as HDBSCAN's condensed tree is (Campello,
        Moulavi, Zimek and Sander 2015); children of size 1 are inputs that fall out.
    chosen : the node of each cluster, in the order of the clusters' labels: chosen[k] is cluster k, shown as number k + 1.
    """
    figure = blank()
    x_title, y_title = "inputs (width = inputs still in the cluster)", "density λ (1 / mutual reachability distance)"
    if not len(tree):
        themed(figure, dark=dark, x_title=x_title, y_title=y_title, height=height)
        return note(figure, "No tree yet: cluster the inputs first.", dark=dark)
    branches = _branches(tree)
    missing = set(map(int, chosen)) - {branch.node for branch in branches}
    if missing:
        raise BadInput(
            f"Cluster node {min(missing)} was chosen and is not in the condensed tree. Expected nodes of this tree. "
            "Pass the tree and the clusters of the same run."
        )
    label = {int(node): place for place, node in enumerate(chosen)}
    plain = [branch for branch in branches if branch.node not in label]
    if plain:
        _add(figure, plain, "not chosen", shades(dark).noise, dark)
    for branch in sorted((b for b in branches if b.node in label), key=lambda b: label[b.node]):
        place = label[branch.node]
        _add(figure, [branch], f"cluster {place + 1}", hue(place, dark=dark), dark)
        if branch.sizes[0] >= 0.022 * branches[0].sizes[0]:
            figure.add_annotation(
                x=branch.center,
                y=branch.densities[0],
                text=f"<b>{place + 1}</b>",
                showarrow=False,
                yshift=10,
                font={"size": 12, "color": shades(dark).text},
            )
    _add_handles(figure, branches, dark)
    themed(figure, dark=dark, x_title=x_title, y_title=y_title, height=height)
    # A few near-duplicates leave at enormous densities; they would press all the rest against the top.
    deepest = max(min(branch.densities[-1], 2 * np.quantile(branch.densities, 0.9)) for branch in branches)
    figure.update_layout(
        yaxis_range=[1.02 * deepest, 0], legend={"orientation": "v", "x": 1.01, "y": 1, "yanchor": "top"}, margin_t=12
    )
    return figure


def _branches(tree: NDArray[Any]) -> list[_Branch]:
    """Every cluster of the tree, the root first, each centered in the room its parent had when it split."""
    density = np.asarray(tree["lambda_val"], dtype=np.float64)
    finite = density[np.isfinite(density)]
    density = np.where(np.isfinite(density), density, finite.max() if finite.size else 1.0)  # duplicates: 1 / 0
    parents, children, sizes = (np.asarray(tree[name], dtype=np.intp) for name in ("parent", "child", "child_size"))
    order = np.lexsort((density, parents))
    nodes, starts = np.unique(parents[order], return_index=True)
    entries = dict(zip(nodes.tolist(), np.split(order, starts[1:]), strict=True))
    root = int(nodes[0])
    total = float(sizes[entries[root]].sum())
    waiting = [(root, 0.0, total, total / 2)]
    branches = []
    while waiting:
        node, birth, size, center = waiting.pop()
        rows = entries.get(node, np.empty(0, dtype=np.intp))
        branches.append(_branch(node, center, birth, size, density[rows], sizes[rows]))
        splits = rows[sizes[rows] > 1]
        left = center - sizes[splits].sum() / 2
        for row in splits[np.argsort(children[splits])].tolist():
            waiting.append((int(children[row]), float(density[row]), float(sizes[row]), left + sizes[row] / 2))
            left += sizes[row]
    return branches


def _branch(
    node: int, center: float, birth: float, size: float, density: NDArray[np.float64], lost: NDArray[np.intp]
) -> _Branch:
    """Its size over density, ascending, in at most ``STEP_LIMIT`` steps."""
    levels, first = np.unique(density, return_index=True)
    after = size - np.cumsum(np.add.reduceat(lost, first)) if len(lost) else np.empty(0)
    if len(levels) > STEP_LIMIT:
        pick = np.unique(np.linspace(0, len(levels) - 1, STEP_LIMIT).astype(np.intp))
        levels, after = levels[pick], after[pick]
    return _Branch(node, center, np.concatenate([[birth], levels]), np.concatenate([[size], after]))


def _add(figure: go.Figure, branches: list[_Branch], name: str, color: str, dark: bool) -> None:
    """The outlines of these branches as one trace: down the left side in steps, up the right."""
    x: list[NDArray[np.float64]] = []
    y: list[NDArray[np.float64]] = []
    for branch in branches:
        half = np.repeat(branch.sizes, 2)[:-1] / 2
        level = np.repeat(branch.densities, 2)[1:]
        x += [branch.center - half, branch.center + half[::-1], np.array([branch.center - half[0], np.nan])]
        y += [level, level[::-1], np.array([level[0], np.nan])]
    figure.add_scatter(
        x=np.concatenate(x)[:-1],
        y=np.concatenate(y)[:-1],
        name=name,
        mode="lines",
        line={"width": 0.75, "color": shades(dark).background},
        fill="toself",
        fillcolor=color,
        hoveron="fills",
        text=_hover(name, branches),
        hoverinfo="text",
    )


def _add_handles(figure: go.Figure, branches: list[_Branch], dark: bool) -> None:
    """A dot where each branch begins, which carries its node, so that a click can mean it."""
    figure.add_scatter(
        x=[branch.center for branch in branches],
        y=[branch.densities[0] for branch in branches],
        customdata=[branch.node for branch in branches],
        mode="markers",
        showlegend=False,
        marker={"size": 7, "color": shades(dark).text, "line": {"width": 1, "color": shades(dark).background}},
        text=[_hover("branch", [branch]) for branch in branches],
        hoverinfo="text",
        cliponaxis=False,
    )


def _hover(name: str, branches: list[_Branch]) -> str:
    if len(branches) > 1:
        return name
    branch = branches[0]
    born, gone = branch.densities[0], branch.densities[-1]
    return f"{name}: {commas(branch.sizes[0])} inputs, λ {born:.3g} to {gone:.3g}"


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
            f"%{{customdata}}: %{{y:,}} inputs ({percent(value / total)})<extra></extra>" for value in values
        ],
    )
    figure.update_layout(showlegend=False, bargap=0.25)
    themed(figure, dark=dark, x_title=f"{called} (number)", y_title="size (inputs)")
    every = max(1, -(-len(counts) // 24))
    ticks = [*range(0, len(counts), every), len(counts)]
    figure.update_xaxes(
        tickvals=ticks,
        ticktext=[*(names[tick] for tick in ticks[:-1]), "minority<br>space"],
        tickangle=0,
        showgrid=False,
    )
    if not values.any():
        return note(figure, "No clusters yet: cluster the inputs first.", dark=dark)
    return figure


def prototype_curve(discrepancies: NDArray[np.float64], *, used: int, elbow: int, dark: bool) -> go.Figure:
    """MMD^2 for 1..m prototypes, (m,), with the number in use and the elbow marked."""
    colors = shades(dark)
    numbers = np.arange(1, len(discrepancies) + 1)
    figure = blank()
    figure.add_scatter(
        x=numbers,
        y=discrepancies,
        mode="lines",
        name="MMD²",
        line={"color": colors.estimate, "width": 2},
        hovertemplate="%{x} prototypes: %{y:.3g}<extra></extra>",
    )
    for number, name, symbol in ((used, "in use", "circle"), (elbow, "elbow", "diamond-open")):
        figure.add_scatter(
            x=[number],
            y=[discrepancies[number - 1]],
            mode="markers+text",
            text=[f"{name}: {number}"],
            textposition="top right",
            textfont={"color": colors.text},
            name=name,
            marker={"color": colors.text, "size": 10, "symbol": symbol, "line": {"width": 2}},
            hovertemplate=f"{name}: %{{x}} prototypes, %{{y:.3g}}<extra></extra>",
            cliponaxis=False,
        )
    figure.update_layout(showlegend=False)
    themed(figure, dark=dark, x_title="prototypes of all inputs (number)", y_title="MMD² left (no unit)", height=280)
    figure.update_yaxes(rangemode="tozero")
    return figure


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
    colors = shades(dark)
    low, high = ends[:-1], ends[1:]
    share = (high - low) / max(ends[-1] - ends[0], 1e-300)
    labels = [
        f"stratum {h}: {commas(n)}"
        if part > 0.2
        else f"{h}: {commas(n)}"
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
        textfont={"color": colors.text, "size": 12},
        marker={
            "color": [faint(colors.muted, 0.34 if h % 2 else 0.16) for h in range(len(sizes))],
            "line": {"width": 0},
        },
        hovertemplate="stratum %{customdata[0]}: %{customdata[3]:,} inputs<br>%{customdata[1]:.4g} to "
        "%{customdata[2]:.4g}<extra></extra>",
    )
    figure.update_layout(yaxis2={"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True})
    line = {"color": colors.text, "width": 1, "dash": "dot"}
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
    themed(figure, dark=dark, x_title="stratum (by the failure score)", y_title="technique", height=height)
    if not size:
        return note(figure, "Nothing to share out yet: choose a technique and a budget.", dark=dark)
    counts, color = np.array(lines), shades(dark).estimate  # (T, H)
    names = [str(h) for h in range(1, size + 1)] if strata is None else [safe_text(name, limit=18) for name in strata]
    techniques = [_in_two_lines(safe_text(technique, limit=60)) for technique in allocations]
    figure.add_heatmap(
        z=counts,
        customdata=[[[technique.replace("<br>", " "), name] for name in names] for technique in techniques],
        text=[[commas(round(count)) for count in line] for line in counts.tolist()],
        texttemplate="%{text}",
        textfont={"size": 12, "color": shades(dark).text},
        colorscale=[[0, faint(color, 0.03)], [1, faint(color, 0.6)]],
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
    colors = shades(dark)
    named = (
        [str(h) for h in range(1, len(done) + 1)] if names is None else [safe_text(name, limit=24) for name in names]
    )
    figure = blank()
    rows = list(range(len(done)))
    blue = colors.estimate
    figure.add_bar(
        x=goal,
        y=rows,
        orientation="h",
        name="planned",
        marker={"color": faint(blue, 0.12), "line": {"color": faint(blue, 0.55), "width": 1}},
        text=[f"{have} of {want}" for have, want in zip(done.tolist(), goal.tolist(), strict=True)],
        textposition="outside",
        textfont={"color": colors.muted, "size": 11},
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
