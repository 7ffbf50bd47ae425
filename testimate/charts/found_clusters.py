"""The clusters that HDBSCAN found: their sizes, and the condensed tree they are cut from, as an icicle."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import places
from testimate.charts.palette import UNLABELED, faint, hue, shades
from testimate.charts.theme import blank, note, themed
from testimate.core.errors import BadInput
from testimate.core.words import percent, spaced

STEP_LIMIT = 60
"""Steps drawn of one cluster's outline; further ones would be thinner than a pixel."""


@dataclass(frozen=True, eq=False)
class _Branch:
    """A cluster of the tree: where it is born and how its size falls, ``sizes[k]`` from ``densities[k]`` on."""

    node: int
    centre: float
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
                x=branch.centre,
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
    """Every cluster of the tree, the root first, each centred in the room its parent had when it split."""
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
        node, birth, size, centre = waiting.pop()
        rows = entries.get(node, np.empty(0, dtype=np.intp))
        branches.append(_branch(node, centre, birth, size, density[rows], sizes[rows]))
        splits = rows[sizes[rows] > 1]
        left = centre - sizes[splits].sum() / 2
        for row in splits[np.argsort(children[splits])].tolist():
            waiting.append((int(children[row]), float(density[row]), float(sizes[row]), left + sizes[row] / 2))
            left += sizes[row]
    return branches


def _branch(
    node: int, centre: float, birth: float, size: float, density: NDArray[np.float64], lost: NDArray[np.intp]
) -> _Branch:
    """Its size over density, ascending, in at most ``STEP_LIMIT`` steps."""
    levels, first = np.unique(density, return_index=True)
    after = size - np.cumsum(np.add.reduceat(lost, first)) if len(lost) else np.empty(0)
    if len(levels) > STEP_LIMIT:
        pick = np.unique(np.linspace(0, len(levels) - 1, STEP_LIMIT).astype(np.intp))
        levels, after = levels[pick], after[pick]
    return _Branch(node, centre, np.concatenate([[birth], levels]), np.concatenate([[size], after]))


def _add(figure: go.Figure, branches: list[_Branch], name: str, colour: str, dark: bool) -> None:
    """The outlines of these branches as one trace: down the left side in steps, up the right."""
    x: list[NDArray[np.float64]] = []
    y: list[NDArray[np.float64]] = []
    for branch in branches:
        half = np.repeat(branch.sizes, 2)[:-1] / 2
        level = np.repeat(branch.densities, 2)[1:]
        x += [branch.centre - half, branch.centre + half[::-1], np.array([branch.centre - half[0], np.nan])]
        y += [level, level[::-1], np.array([level[0], np.nan])]
    figure.add_scatter(
        x=np.concatenate(x)[:-1],
        y=np.concatenate(y)[:-1],
        name=name,
        mode="lines",
        line={"width": 0.75, "color": shades(dark).background},
        fill="toself",
        fillcolor=colour,
        hoveron="fills",
        text=_hover(name, branches),
        hoverinfo="text",
    )


def _add_handles(figure: go.Figure, branches: list[_Branch], dark: bool) -> None:
    """A dot where each branch begins, which carries its node, so that a click can mean it."""
    figure.add_scatter(
        x=[branch.centre for branch in branches],
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
    return f"{name}: {spaced(branch.sizes[0])} inputs, λ {born:.3g} to {gone:.3g}"


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
        tickvals=ticks,
        ticktext=[*(names[tick] for tick in ticks[:-1]), "minority<br>space"],
        tickangle=0,
        showgrid=False,
    )
    if not values.any():
        return note(figure, "No clusters yet: cluster the inputs first.", dark=dark)
    return figure
