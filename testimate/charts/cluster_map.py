"""The map of the inputs: points, crowded places, names of groups, pictures and lassos."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.map_colors import (
    Group,
    Scale,
    class_groups,
    cluster_groups,
    confidence_scale,
    failed_groups,
    labeled_groups,
    number_scale,
    tag_groups,
    variable_scale,
)
from testimate.charts.palette import FAILED, SYMBOL_SCALE, UNLABELED, faint, hue, shades
from testimate.charts.theme import Column, blank, caption, column, note, safe_text, themed
from testimate.core.errors import BadInput
from testimate.core.words import commas

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
    """How crowded the map is everywhere, on a log scale, as a gray layer under the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    column, row = _cells(points, SHADING_CELLS)
    counts = np.zeros((SHADING_CELLS, SHADING_CELLS), dtype=np.float32)
    np.add.at(counts, (row, column), 1)
    step = _extent(points) / SHADING_CELLS
    colors = shades(dark)
    figure.add_heatmap(
        z=np.where(counts > 0, np.log1p(counts), np.nan),
        x=np.linspace(low[0], high[0], SHADING_CELLS, endpoint=False) + step[0] / 2,
        y=np.linspace(low[1], high[1], SHADING_CELLS, endpoint=False) + step[1] / 2,
        name="all inputs",
        colorscale=[[0, faint(colors.noise, 0.15)], [1, faint(colors.noise, 0.9)]],
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


NAME_SIZE, LONGEST_NAME = 12, 24
"""Font size in pixels, and how many letters of a name are written."""

WIDTH = 560
"""Pixels of the narrowest map that names are placed for; on a wider one they have more room."""

_LETTER, _LINE = 7.0, 20.0  # pixels that a letter, and a line with its ground, take up
_TRIED = 24  # members of a group, spread over it, at which its name is tried after its middle


@dataclass(frozen=True)
class PlacedName:
    """A name and its middle, in the map's own units."""

    text: str
    x: float
    y: float


def placed_names(
    points: NDArray[np.floating], groups: Mapping[str, NDArray[np.intp]], *, height: int, width: int = WIDTH
) -> list[PlacedName]:
    """The names that find room, those of the largest groups first.

    Parameters
    ----------
    points : (N, 2). groups : the positions of the points of each name, untrusted text.
    height, width : of the map in pixels.

    Notes
    -----
    A name stands on the member nearest to the median of its group, or else on another member, the nearest to it first: so it
    is never written into the gap between two parts of its group. A name without room is left out.
    """
    if not len(points):
        return []
    low = points.min(axis=0)
    extent = points.max(axis=0) - low
    scale = np.array([width, height]) / np.where(extent > 0, extent, 1)  # pixels per unit
    taken: list[tuple[float, float, float]] = []  # middle, and half of the width
    found = []
    for name, members in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        if not len(members):
            continue
        half = _LETTER * min(len(name), LONGEST_NAME) / 2 + 4
        own = points[members]
        order = np.argsort(np.linalg.norm((own - np.median(own, axis=0)) * scale, axis=1), kind="stable")
        tried = order[np.unique(np.linspace(0, len(order) - 1, _TRIED).astype(np.intp))]
        for place in tried.tolist():
            x, y = ((own[place] - low) * scale).tolist()
            if all(abs(x - a) >= half + b_half or abs(y - b) >= _LINE for a, b, b_half in taken):
                taken.append((x, y, half))
                found.append(PlacedName(name, float(own[place, 0]), float(own[place, 1])))
                break
    return found


FADED = 0.08
"""Opacity of what lies outside the focus."""

POINT_LIMIT = 20_000


class MapDrawing:
    """The (N, 2) points of a map with the rows they carry.

    ``hover`` : (N,) a line for each, untrusted text, or None. ``focus`` : (N,) the points that are not faded; None for all.
    ``pictured`` : the page shows the input under the pointer, so that the points have no labels of their own.
    """

    def __init__(
        self,
        points: NDArray[np.float32],
        rows: NDArray[np.int32],
        hover: Sequence[str] | None,
        dark: bool,
        focus: NDArray[np.bool_] | None,
        pictured: bool,
    ) -> None:
        for name, values in (("rows", rows), ("hover lines", hover), ("marks of the focus", focus)):
            if values is not None and len(values) != len(points):
                raise BadInput(
                    f"There are {len(values)} {name} and {len(points)} points. Expected one for each. Pass as many."
                )
        self.points, self.rows, self.hover, self.dark = points, rows, hover, dark
        self.focus, self.pictured = focus, pictured

    def scatter(self, positions: NDArray[np.intp], *lines: str) -> dict[str, object]:
        """What a Scattergl of these points needs besides its markers."""
        places = {
            "x": self.points[positions, 0],
            "y": self.points[positions, 1],
            "customdata": self.rows[positions],
            "mode": "markers",
        }
        if self.pictured:
            return {**places, "hoverinfo": "none"}
        template = ["input %{customdata}", *lines]
        if self.hover is not None:
            template.append("%{text}")
        text = None if self.hover is None else [safe_text(self.hover[i], limit=120) for i in positions]
        return {**places, "text": text, "hovertemplate": "<br>".join(template) + "<extra></extra>"}

    def faded(self, positions: NDArray[np.intp], opacity: float) -> float | NDArray[np.float32]:
        """The opacity of each of these points: the focus as given, the others almost invisible."""
        if self.focus is None:
            return opacity
        return np.where(self.focus[positions], opacity, FADED).astype(np.float32)


ColorBy = Literal[
    "cluster", "predicted class", "confidence", "auxiliary variable", "labeled", "failed", "tag", "column", "number"
]


SCALES: Mapping[str, Callable[[str], Scale]] = {
    "confidence": lambda _: confidence_scale(),
    "auxiliary variable": variable_scale,
    "number": number_scale,
}
"""Colorings by a number, from its name."""


FRAMES = 0
"""Rank of the frames in the legend: before all groups."""

FEW_GROUPS = 14
"""Up to this many groups the legend is below the map, which keeps its width on narrow screens; else beside it."""

BELOW = {"orientation": "h", "x": 0, "y": -0.09, "yanchor": "top"}
BESIDE = {"orientation": "v", "x": 1.01, "y": 1, "yanchor": "top"}


@dataclass(frozen=True, eq=False)
class Coloring:
    """By what the points of a map are colored.

    Attributes
    ----------
    values : (N,) cluster labels, -1 for the minority space; places of the predicted classes; confidence 0..1, None where
        unknown; an auxiliary variable, larger = more likely to fail; 1 for labeled inputs, else 0; loss of the labeled ones
        (above 0 failed), else None; places of the tags, or of a column's values, -1 for none; numbers, nan for none.
    names : of the classes, tags or values, untrusted text; needed for these.
    called : what a cluster is called. variable : name of the auxiliary variable or the numbers, untrusted text.
    """

    by: ColorBy
    values: Column
    names: Sequence[str] = ()
    called: str = "cluster"
    variable: str = ""


@dataclass(frozen=True, eq=False)
class MapMarks:
    """What is marked on a map.

    Attributes
    ----------
    faults, labeled, chosen : rows whose points get a frame, a square, a ring or a diamond, whatever their color.
    named : names, untrusted text, each with the positions of the points it stands among; written where no other one is.
    italic : those of the names that are slanted. contours : whether lines of equal density are drawn.
    """

    faults: ArrayLike = ()
    labeled: ArrayLike = ()
    chosen: ArrayLike = ()
    named: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    italic: Collection[str] = ()
    contours: bool = False


UNMARKED = MapMarks()
"""Nothing is marked."""


def cluster_map(
    points: ArrayLike,
    coloring: Coloring,
    *,
    dark: bool,
    rows: ArrayLike | None = None,
    hover: Sequence[str] | None = None,
    focus: NDArray[np.bool_] | None = None,
    pictured: bool = False,
    marks: MapMarks = UNMARKED,
    limit: int = POINT_LIMIT,
    height: int = 520,
) -> go.Figure:
    """One point per input; a point's ``customdata`` is its row, so that a click or a lasso gives rows.

    Parameters
    ----------
    points : (N, 2) places on the map.
    rows : (N,) rows of the points in the dataset; 0..N-1 where not given.
    hover : (N,) a further line for each point, untrusted text.
    focus : (N,) the points to look at; the others are faded. None for all.
    pictured : the page shows the input under the pointer itself, so that the chart has no labels of its own.
    limit : above that many points the crowded places are thinned and a shading shows where all of them are; labeled
        and failed inputs are the last to go.
    """
    flat = np.asarray(points, dtype=np.float32)
    if flat.size == 0:
        flat = flat.reshape(0, 2)
    if flat.ndim != 2 or flat.shape[1] != 2 or not np.isfinite(flat).all():
        raise BadInput(
            f"Expected two finite numbers per input, (N, 2), got shape {flat.shape}. Reduce the features to two."
        )
    place = np.arange(len(flat)) if rows is None else np.asarray(rows)
    drawing = MapDrawing(flat, place.astype(np.int32), hover, dark, focus, pictured)
    figure = blank()
    if coloring.by in SCALES:
        scale = SCALES[coloring.by](coloring.variable)
        kept = _kept(figure, drawing, np.zeros(len(flat), dtype=bool), limit)
        _add_scale(figure, drawing, scale, column(coloring.values, "values", len(flat)), kept)
    else:
        groups = _groups(coloring, len(flat), dark)
        kept = _kept(figure, drawing, np.any([g.members & g.front for g in groups], axis=0), limit)
        for group in groups:
            _add_group(figure, drawing, group, np.flatnonzero(group.members & kept))
    if marks.contours and len(flat):
        add_contours(figure, flat, dark=dark)
    for frame, framed in ((LABELED_FRAME, marks.labeled), (CHOSEN_FRAME, marks.chosen), (FAULT_FRAME, marks.faults)):
        _add_frames(figure, drawing, frame, np.flatnonzero(np.isin(place, np.asarray(framed, dtype=np.intp))))
    themed(figure, dark=dark, x_title="first map axis (no unit)", y_title="second map axis (no unit)", height=height)
    figure.update_layout(
        dragmode="lasso",
        legend={"itemsizing": "constant", **(BELOW if len(figure.data) <= FEW_GROUPS else BESIDE)},
        margin={"t": 12, "l": 28, "b": 32},
    )
    figure.update_xaxes(showticklabels=False, showgrid=False, showline=False)  # places have no unit
    figure.update_yaxes(showticklabels=False, showgrid=False, showline=False)
    for name in placed_names(flat, marks.named, height=height):
        _write(figure, name, dark, slanted=name.text in marks.italic)
    if not len(flat):
        return note(figure, "No inputs on the map yet: compute the features first.", dark=dark)
    if kept.sum() < len(flat):
        caption(figure, f"{commas(kept.sum())} of {commas(len(flat))} inputs drawn; the shading shows all", dark=dark)
    return figure


def _groups(coloring: Coloring, count: int, dark: bool) -> list[Group]:
    by, values, names = coloring.by, coloring.values, coloring.names
    if by == "cluster":
        return cluster_groups(values, count, dark=dark, called=coloring.called)
    if by == "predicted class":
        return class_groups(values, count, names, dark=dark)
    if by == "labeled":
        return labeled_groups(values, count, dark=dark)
    if by == "failed":
        return failed_groups(values, count)
    if by in ("tag", "column"):
        return tag_groups(values, count, names, dark=dark, none="no tag" if by == "tag" else "no value")
    raise BadInput(f"Expected a coloring among {', '.join(get_args(ColorBy))}, got {by!r:.60}. Choose one of these.")


def _kept(figure: go.Figure, drawing: MapDrawing, front: NDArray[np.bool_], limit: int) -> NDArray[np.bool_]:
    """Which points are drawn, (N,); where not all are, the shading is drawn under them."""
    count = len(drawing.points)
    if count > limit:
        add_shading(figure, drawing.points, dark=drawing.dark)
    if drawing.focus is not None:
        front = front | drawing.focus
    kept = np.zeros(count, dtype=bool)
    kept[thinned(drawing.points, limit, keep=front)] = True
    return kept


def _add_group(figure: go.Figure, drawing: MapDrawing, group: Group, positions: NDArray[np.intp]) -> None:
    if not positions.size:
        return
    crowded = len(drawing.points) > 5000 and not group.front
    line = {"width": 0 if crowded else 0.5, "color": shades(drawing.dark).background}
    figure.add_scattergl(
        **drawing.scatter(positions, "%{fullData.name}"),
        name=group.name,
        legendrank=1 + group.rank,
        marker={
            "color": group.color,
            "symbol": group.symbol,
            "size": group.size * SYMBOL_SCALE.get(group.symbol, 1) * (0.75 if crowded else 1),
            "opacity": drawing.faded(positions, min(group.opacity, 0.75) if crowded else group.opacity),
            "line": line,
        },
    )


@dataclass(frozen=True)
class Frame:
    """How points are framed: what for, by which open symbol, in which color, light or dark."""

    name: str
    symbol: str
    size: float
    colors: tuple[str, str]


FAULT_FRAME = Frame("faults found", "square-open", 13, (FAILED, FAILED))
LABELED_FRAME = Frame("labeled", "circle-open", 11, (shades(False).text, shades(True).text))
CHOSEN_FRAME = Frame("chosen", "diamond-open", 12, (shades(False).estimate, shades(True).estimate))


def _add_frames(figure: go.Figure, drawing: MapDrawing, frame: Frame, positions: NDArray[np.intp]) -> None:
    """Open symbols around points, so that the colors under them stay visible."""
    if positions.size:
        figure.add_scattergl(
            **drawing.scatter(positions, "%{fullData.name}"),
            name=frame.name,
            legendrank=FRAMES,
            marker={
                "color": frame.colors[drawing.dark],
                "symbol": frame.symbol,
                "size": frame.size,
                "line": {"width": 2 if frame is FAULT_FRAME else 1},
            },
        )


def _write(figure: go.Figure, name: PlacedName, dark: bool, *, slanted: bool) -> None:
    """A name at its place, on a translucent background."""
    colors, text = shades(dark), safe_text(name.text, limit=LONGEST_NAME)
    figure.add_annotation(
        text=f"<i>{text}</i>" if slanted else text,
        x=name.x,
        y=name.y,
        showarrow=False,
        bgcolor=colors.background,
        opacity=0.85,
        borderpad=2,
        font={"size": NAME_SIZE, "color": colors.text},
        captureevents=False,
    )


def _add_scale(
    figure: go.Figure, drawing: MapDrawing, scale: Scale, values: NDArray[np.float64], kept: NDArray[np.bool_]
) -> None:
    """Points shaded by a number: the more doubtful, the larger, the later drawn and the stronger in contrast."""
    colors = shades(drawing.dark)
    unknown = np.isnan(values)
    nothing = Group(f"{scale.name} unknown", unknown, UNLABELED, "circle", size=4)
    _add_group(figure, drawing, nothing, np.flatnonzero(unknown & kept))
    positions = np.flatnonzero(~unknown & kept)
    positions = positions[np.argsort(scale.doubt(values[positions]), kind="stable")]
    if not positions.size:
        return
    numbers = scale.factor * values[positions]
    low, high = scale.ends(numbers)
    doubt = np.clip((numbers - low) / max(high - low, 1e-300), 0, 1)  # (n,) 0..1
    ramp = colors.scale if scale.low_is_doubtful else colors.scale[::-1]
    figure.add_scattergl(
        **drawing.scatter(positions, f"{scale.title}: %{{marker.color:.4~g}}"),
        name="inputs",
        showlegend=False,
        marker={
            "color": numbers.astype(np.float32),
            "colorscale": [[k / (len(ramp) - 1), color] for k, color in enumerate(ramp)],
            "cmin": low,
            "cmax": high,
            "size": (4 + 4 * (1 - doubt if scale.low_is_doubtful else doubt)).astype(np.float32),
            "opacity": drawing.faded(positions, 0.9),
            "line": {"width": 0},
            "colorbar": {
                "title": {"text": scale.title, "side": "right", "font": {"color": colors.muted, "size": 13}},
                "tickfont": {"color": colors.muted},
                "thickness": 12,
                "outlinewidth": 0,
            },
        },
    )


MOST_PICTURES = 150
"""Pictures on a map at once: more of them would take the browser longer than a person waits, and show less."""

MOST_IN_VIEW = 1000
"""The most inputs in view that are shown as pictures; with more, too few would have one to represent the others."""


@dataclass(frozen=True)
class MapView:
    """What of a map is on the screen: the ends of both axes in the map's units, rising, and its size in pixels."""

    left: float
    right: float
    bottom: float
    top: float
    width: float
    height: float


def pictured_rows(
    points: NDArray[np.floating], view: MapView, *, side: float, first: NDArray[np.intp] | None = None
) -> NDArray[np.intp]:
    """Rows whose pictures, ``side`` pixels wide and high around their points, fit into the view beside each other.

    Parameters
    ----------
    points : (N, 2) places on the map, finite.
    side : in pixels, above 0.
    first : rows that are given room before all others, such as faults.

    Returns
    -------
    At most ``MOST_PICTURES`` rows, no two closer than ``side`` both across and down; none where more than ``MOST_IN_VIEW``
    inputs are in view. Where no two are that close and there are few, all that are in view.
    """
    x, y = points[:, 0], points[:, 1]
    inside = np.flatnonzero((x >= view.left) & (x <= view.right) & (y >= view.bottom) & (y <= view.top))
    if not 0 < len(inside) <= MOST_IN_VIEW:
        return inside[:0]
    if first is not None:
        inside = inside[np.argsort(~np.isin(inside, first), kind="stable")]
    scale = np.array([view.width / (view.right - view.left), view.height / (view.top - view.bottom)])
    places = points[inside] * scale
    taken = np.empty((MOST_PICTURES, 2))
    found: list[int] = []
    for row, place in zip(inside.tolist(), places, strict=True):
        if (np.abs(taken[: len(found)] - place).max(axis=1, initial=0.0) < side).any():
            continue
        taken[len(found)] = place
        found.append(row)
        if len(found) == MOST_PICTURES:
            break
    return np.sort(np.array(found, dtype=np.intp))


SIZE = 640
MOST_POINTS = 10_000
_SVG_MARGIN, _DOT = 12, 3.2


def map_svg(points: NDArray[np.floating], labels: NDArray[np.intp], names: Mapping[str, NDArray[np.intp]]) -> str:
    """The (N, 2) points as dots in the colors of their clusters, -1 in gray, with the names at their places.

    Above 10,000 points the crowded places are thinned. ``names`` : untrusted text, each with its points.
    """
    if not len(points):
        return ""
    low = points.min(axis=0)
    extent = points.max(axis=0) - low
    extent = np.where(extent > 0, extent, 1)

    def placed(places: NDArray[np.floating]) -> NDArray[np.floating]:
        scaled: NDArray[np.floating] = (places - low) / extent * (SIZE - 2 * _SVG_MARGIN) + _SVG_MARGIN
        scaled[..., 1] = SIZE - scaled[..., 1]
        return scaled

    shown = thinned(points, MOST_POINTS)
    parts = []
    for label in np.unique(labels[shown]).tolist():  # the minority space lies underneath
        color = shades(False).noise if label < 0 else hue(label, dark=False)
        dots = placed(points[shown[labels[shown] == label]])
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in dots.tolist())
        parts.append(f'<path d="{path}" stroke="{color}" stroke-width="{_DOT}" stroke-linecap="round" fill="none"/>')
    for name in placed_names(points, names, height=SIZE, width=SIZE):
        x, y = placed(np.array([name.x, name.y])).tolist()
        parts.append(
            f'<text x="{x:.1f}" y="{y + NAME_SIZE / 3:.1f}" text-anchor="middle" paint-order="stroke" stroke="#ffffff" '
            f'stroke-width="3" stroke-opacity="0.85">{escape(name.text)}</text>'
        )
    return (
        f'<svg viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" role="img" aria-label="Map of the inputs" '
        f'font-family="sans-serif" font-size="{NAME_SIZE}" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def inside(points: ArrayLike, corners: Sequence[tuple[float, float]]) -> NDArray[np.bool_]:
    """Which of the (N, 2) points lie in the polygon with these corners, (N,); one that crosses itself has holes.

    A ray from the point to the right crosses its border an odd number of times (Shimrat 1962, Algorithm 112).

    >>> inside([[0.5, 0.5], [2.0, 0.5]], [(0, 0), (1, 0), (1, 1), (0, 1)]).tolist()
    [True, False]
    """
    x, y = np.asarray(points, dtype=np.float64).T  # (N,) each
    border = np.asarray(corners, dtype=np.float64)
    found = np.zeros(len(x), dtype=bool)
    for (from_x, from_y), (to_x, to_y) in zip(border, np.roll(border, -1, axis=0), strict=True):
        if from_y == to_y:
            continue
        spans = (from_y > y) != (to_y > y)
        found ^= spans & (x < from_x + (y - from_y) * (to_x - from_x) / (to_y - from_y))
    return found
