"""Where a map is crowded: points thinned to what a browser draws at once, a shading, and contour lines."""

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from testimate.charts.palette import faint, shades

CELLS = 200
SHADING_CELLS = 96
_MARGIN, _SMOOTHED, _LINES = 6, 1.6, 6  # cells around the map, cells that a point is spread over, contour lines


def thinned(points: NDArray[np.floating], limit: int, *, keep: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """Positions of at most ``limit`` of the (N, 2) points, ascending: crowds are thinned, lone points stay.

    A grid of 200 x 200 cells covers the map; each cell gives its first point, then each its second, and so on,
    until there are enough. Points of ``keep``, (N,), come before all others. Nothing is drawn at random.
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


def add_contours(figure: go.Figure, points: NDArray[np.floating], *, dark: bool) -> None:
    """Lines of equal density, each one of twice the density of the line outside of it; the outermost surrounds nearly all."""
    from scipy.ndimage import gaussian_filter

    low, step = points.min(axis=0), _extent(points) / SHADING_CELLS
    column, row = _cells(points, SHADING_CELLS)
    counts = np.zeros((SHADING_CELLS + 2 * _MARGIN, SHADING_CELLS + 2 * _MARGIN))  # a margin, so that the lines close
    np.add.at(counts, (row + _MARGIN, column + _MARGIN), 1)
    density = gaussian_filter(counts, _SMOOTHED)
    level = np.log2(np.maximum(density / density.max(), 1e-9))
    where = np.arange(-_MARGIN, SHADING_CELLS + _MARGIN) + 0.5
    figure.add_contour(
        z=np.maximum(level, -_LINES).astype(np.float32),
        x=low[0] + where * step[0],
        y=low[1] + where * step[1],
        name="density",
        contours={"coloring": "lines", "start": -_LINES + 1, "end": 0, "size": 1},
        colorscale=[[0, faint(shades(dark).muted, 0.35)], [1, faint(shades(dark).muted, 0.95)]],
        line={"width": 1.2},
        showscale=False,
        hoverinfo="skip",
        showlegend=True,
        legendrank=10_000,
    )
