"""Fewer points than a browser can draw at ease, and the shading that shows where all of them are."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from testimate.charts.palette import faint, shades

CELLS = 200
SHADING_CELLS = 96


def thinned(points: NDArray[np.floating], limit: int, *, keep: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """Positions of at most ``limit`` of the (N, 2) points, ascending: crowds are thinned, lone points stay.

    A grid of 200 x 200 cells is laid over the map; each cell gives its first point, then each its second, and so on,
    until there are enough. Points of ``keep``, (N,), come before all others. Nothing is drawn by chance.
    """
    count = len(points)
    if count <= limit:
        return np.arange(count)
    column, row = _cells(points, CELLS)
    cell = column * CELLS + row
    order = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    turn = np.empty(count, dtype=np.intp)
    turn[order] = np.arange(count) - np.repeat(starts, np.diff(starts, append=count))
    if keep is not None:
        turn[keep] = -1
    return np.sort(np.argsort(turn, kind="stable")[:limit])


def add_shading(figure: go.Figure, points: NDArray[np.floating], *, dark: bool) -> None:
    """How crowded the map is everywhere, on a log scale, as a grey layer under the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    column, row = _cells(points, SHADING_CELLS)
    counts = np.zeros((SHADING_CELLS, SHADING_CELLS), dtype=np.float32)
    np.add.at(counts, (row, column), 1)
    step = _extent(points) / SHADING_CELLS
    colours = shades(dark)
    figure.add_heatmap(
        z=np.where(counts > 0, np.log1p(counts), np.nan),
        x=np.linspace(low[0], high[0], SHADING_CELLS, endpoint=False) + step[0] / 2,
        y=np.linspace(low[1], high[1], SHADING_CELLS, endpoint=False) + step[1] / 2,
        name="all inputs",
        colorscale=[[0, faint(colours.noise, 0.15)], [1, faint(colours.noise, 0.9)]],
        showscale=False,
        hoverinfo="skip",
    )


def _extent(points: NDArray[np.floating]) -> NDArray[np.floating]:
    extent: NDArray[np.floating] = points.max(axis=0) - points.min(axis=0)
    return np.where(extent > 0, extent, 1)


def _cells(points: NDArray[np.floating], cells: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The column and the row of each point's cell, 0..cells-1."""
    scaled = (points - points.min(axis=0)) / _extent(points) * cells
    place = np.minimum(scaled.astype(np.intp), cells - 1)
    return place[:, 0], place[:, 1]
