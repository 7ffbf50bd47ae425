"""The inputs on a flat map, WebGL, told apart by cluster, class, confidence, another number, labeled or failed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from testimate.charts.columns import Column, column
from testimate.charts.map_colours import (
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
from testimate.charts.map_density import add_contours, add_shading, thinned
from testimate.charts.map_names import LONGEST_NAME, NAME_SIZE, PlacedName, placed_names
from testimate.charts.palette import FAILED, SYMBOL_SCALE, UNLABELED, shades
from testimate.charts.theme import blank, caption, note, themed
from testimate.charts.untrusted import safe_text
from testimate.core.errors import BadInput
from testimate.core.words import spaced

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


ColourBy = Literal[
    "cluster", "predicted class", "confidence", "auxiliary variable", "labeled", "failed", "tag", "column", "number"
]


SCALES: Mapping[str, Callable[[str], Scale]] = {
    "confidence": lambda _: confidence_scale(),
    "auxiliary variable": variable_scale,
    "number": number_scale,
}
"""Colourings by a number, from its name."""


FRAMES = 0
"""Rank of the frames in the legend: before all groups."""

FEW_GROUPS = 14
"""Up to this many groups the legend is below the map, which keeps its width on narrow screens; else beside it."""

BELOW = {"orientation": "h", "x": 0, "y": -0.09, "yanchor": "top"}
BESIDE = {"orientation": "v", "x": 1.01, "y": 1, "yanchor": "top"}


def cluster_map(
    points: ArrayLike,
    values: Column,
    *,
    colour_by: ColourBy,
    dark: bool,
    names: Sequence[str] = (),
    rows: ArrayLike | None = None,
    hover: Sequence[str] | None = None,
    called: str = "cluster",
    variable: str = "",
    focus: NDArray[np.bool_] | None = None,
    pictured: bool = False,
    faults: ArrayLike = (),
    labeled: ArrayLike = (),
    chosen: ArrayLike = (),
    named: Mapping[str, NDArray[np.intp]] | None = None,
    contours: bool = False,
    axis_titles: tuple[str, str] = ("first map axis (no unit)", "second map axis (no unit)"),
    limit: int = POINT_LIMIT,
    height: int = 520,
) -> go.Figure:
    """One point per input; a point's ``customdata`` is its row, so that a click or a lasso gives rows.

    Parameters
    ----------
    points : (N, 2) places on the map.
    values : (N,) by ``colour_by``: cluster labels, -1 for the minority space; places of the predicted classes; confidence
        0..1, None where unknown; an auxiliary variable, larger = more likely to fail; 1 for labeled inputs, else 0; loss of
        the labeled ones (above 0 failed), else None; places of the tags, or of a column's values, -1 for none; numbers, nan
        for none.
    names : of the classes, tags or values, untrusted text; needed for these.
    rows : (N,) rows of the points in the dataset; 0..N-1 where not given.
    hover : (N,) a further line for each point, untrusted text.
    called : what a cluster is called. variable : name of the auxiliary variable or the numbers, untrusted text.
    focus : (N,) the points to look at; the others are faded. None for all.
    pictured : the page shows the input under the pointer itself, so that the chart has no labels of its own.
    faults, labeled, chosen : rows whose points get a frame, a square, a ring or a diamond, whatever their colour.
    named : names, untrusted text, each with the positions of the points it stands among; written where no other one is.
    contours : whether lines of equal density are drawn.
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
    if colour_by in SCALES:
        scale = SCALES[colour_by](variable)
        kept = _kept(figure, drawing, np.zeros(len(flat), dtype=bool), limit)
        _add_scale(figure, drawing, scale, column(values, "values", len(flat)), kept)
    else:
        groups = _groups(colour_by, values, names, len(flat), dark, called)
        kept = _kept(figure, drawing, np.any([g.members & g.front for g in groups], axis=0), limit)
        for group in groups:
            _add_group(figure, drawing, group, np.flatnonzero(group.members & kept))
    if contours and len(flat):
        add_contours(figure, flat, dark=dark)
    for frame, framed in ((LABELED_FRAME, labeled), (CHOSEN_FRAME, chosen), (FAULT_FRAME, faults)):
        _add_frames(figure, drawing, frame, np.flatnonzero(np.isin(place, np.asarray(framed, dtype=np.intp))))
    themed(figure, dark=dark, x_title=axis_titles[0], y_title=axis_titles[1], height=height)
    figure.update_layout(
        dragmode="lasso",
        legend={"itemsizing": "constant", **(BELOW if len(figure.data) <= FEW_GROUPS else BESIDE)},
        margin={"t": 12, "l": 28, "b": 32},
    )
    figure.update_xaxes(showticklabels=False, showgrid=False)  # places have no unit
    figure.update_yaxes(showticklabels=False, showgrid=False)
    for name in placed_names(flat, named or {}, height=height):
        _write(figure, name, dark)
    if not len(flat):
        return note(figure, "No inputs on the map yet: compute the features first.", dark=dark)
    if kept.sum() < len(flat):
        caption(figure, f"{spaced(kept.sum())} of {spaced(len(flat))} inputs drawn; the shading shows all", dark=dark)
    return figure


def _groups(
    colour_by: ColourBy, values: Column, names: Sequence[str], count: int, dark: bool, called: str
) -> list[Group]:
    if colour_by == "cluster":
        return cluster_groups(values, count, dark=dark, called=called)
    if colour_by == "predicted class":
        return class_groups(values, count, names, dark=dark)
    if colour_by == "labeled":
        return labeled_groups(values, count, dark=dark)
    if colour_by == "failed":
        return failed_groups(values, count)
    if colour_by in ("tag", "column"):
        return tag_groups(values, count, names, dark=dark, none="no tag" if colour_by == "tag" else "no value")
    raise BadInput(
        f"Expected a colouring among {', '.join(get_args(ColourBy))}, got {colour_by!r:.60}. Choose one of these."
    )


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
            "color": group.colour,
            "symbol": group.symbol,
            "size": group.size * SYMBOL_SCALE.get(group.symbol, 1) * (0.75 if crowded else 1),
            "opacity": drawing.faded(positions, min(group.opacity, 0.75) if crowded else group.opacity),
            "line": line,
        },
    )


@dataclass(frozen=True)
class Frame:
    """How points are framed: what for, by which open symbol, in which colour, light or dark."""

    name: str
    symbol: str
    size: float
    colours: tuple[str, str]


FAULT_FRAME = Frame("faults found", "square-open", 13, (FAILED, FAILED))
LABELED_FRAME = Frame("labeled", "circle-open", 11, (shades(False).text, shades(True).text))
CHOSEN_FRAME = Frame("chosen", "diamond-open", 12, (shades(False).estimate, shades(True).estimate))


def _add_frames(figure: go.Figure, drawing: MapDrawing, frame: Frame, positions: NDArray[np.intp]) -> None:
    """Open symbols around points, so that the colours under them stay visible."""
    if positions.size:
        figure.add_scattergl(
            **drawing.scatter(positions, "%{fullData.name}"),
            name=frame.name,
            legendrank=FRAMES,
            marker={
                "color": frame.colours[drawing.dark],
                "symbol": frame.symbol,
                "size": frame.size,
                "line": {"width": 2 if frame is FAULT_FRAME else 1},
            },
        )


def _write(figure: go.Figure, name: PlacedName, dark: bool) -> None:
    """A name at its place, on a translucent background."""
    colours = shades(dark)
    figure.add_annotation(
        text=safe_text(name.text, limit=LONGEST_NAME),
        x=name.x,
        y=name.y,
        showarrow=False,
        bgcolor=colours.background,
        opacity=0.85,
        borderpad=2,
        font={"size": NAME_SIZE, "color": colours.text},
        captureevents=False,
    )


def _add_scale(
    figure: go.Figure, drawing: MapDrawing, scale: Scale, values: NDArray[np.float64], kept: NDArray[np.bool_]
) -> None:
    """Points shaded by a number: the more doubtful, the larger, the later drawn and the stronger in contrast."""
    colours = shades(drawing.dark)
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
    ramp = colours.scale if scale.low_is_doubtful else colours.scale[::-1]
    figure.add_scattergl(
        **drawing.scatter(positions, f"{scale.title}: %{{marker.color:.4~g}}"),
        name="inputs",
        showlegend=False,
        marker={
            "color": numbers.astype(np.float32),
            "colorscale": [[k / (len(ramp) - 1), colour] for k, colour in enumerate(ramp)],
            "cmin": low,
            "cmax": high,
            "size": (4 + 4 * (1 - doubt if scale.low_is_doubtful else doubt)).astype(np.float32),
            "opacity": drawing.faded(positions, 0.9),
            "line": {"width": 0},
            "colorbar": {
                "title": {"text": scale.title, "side": "right", "font": {"color": colours.muted, "size": 13}},
                "tickfont": {"color": colours.muted},
                "thickness": 12,
                "outlinewidth": 0,
            },
        },
    )
