"""Pictures that belong to points of a map: a wall of them, those in place of points, the one under the pointer, and picks.

A click or a lasso on a map is taken without drawing the chart again. Where one has zoomed in, small pictures stand in place of
points; those in view are sent when it changes. The inputs near the pointer are sent in advance, to be shown at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import streamlit as st
from msgspec import Meta

from testimate.charts.cluster_map import MapView
from testimate.core.subject import Shown
from testimate.ui.components.component import arrival, component, plain, plain_row
from testimate.ui.components.linked_pictures.small_views import look_to_json

_component = component("picture_wall")


@dataclass(frozen=True)
class Hung:
    """One input on the wall.

    Attributes
    ----------
    row : its place in the dataset.
    shown : what a person sees of it.
    title : a few words about it; untrusted text.
    why : why it is here, in a few words, and ``more``, the full reason, shown on hover; untrusted text.
    mark : whether it is known to be wrong or right.
    """

    row: int
    shown: Shown
    title: str = ""
    why: str = ""
    more: str = ""
    mark: Literal["", "failed", "right"] = ""


def picture_wall(
    hung: Sequence[Hung], *, key: str, on_pick: Callable[[int], None], plot: str = "", size: int = 84, label: str = ""
) -> None:
    """Draws the wall; the number of columns depends on the width and on the kind of the inputs.

    ``on_pick`` is called with the row of an input that was clicked, before the script runs again. ``plot`` : key of the
    chart whose points carry the rows as customdata. ``size`` : width of a small picture in pixels. ``label`` : what the wall
    shows, for those who cannot see it.
    """
    rows = {one.row for one in hung}

    def pick(row: int) -> None:
        if row in rows:
            on_pick(row)

    items = [
        {
            "row": one.row,
            "look": look_to_json(one.shown),
            "title": one.title,
            "why": one.why,
            "more": one.more or one.why,
            "mark": one.mark,
        }
        for one in hung
    ]
    picked = arrival(key, "picked", plain_row, pick)
    _component(key=key, data={"items": items, "plot": plot, "size": size, "label": label}, on_picked_change=picked)


MOST_CORNERS = 10_000
"""Corners of a lasso; one drawn by hand has a few hundred."""

Corners = Annotated[
    list[tuple[float, float]],
    Meta(max_length=MOST_CORNERS, description=f"at most {MOST_CORNERS} corners of a lasso"),
]
Edges = Annotated[tuple[float, float, float, float, float, float], Meta(description="the part of the map in view")]

_picks_component = component("map_picks")


def map_picks(
    *,
    key: str,
    plot: str,
    marked: int | None,
    on_click: Callable[[int], None],
    on_lasso: Callable[[Sequence[tuple[float, float]]], None],
    count: int,
) -> None:
    """Listens to the chart ``plot``; only the fragment it is drawn in runs again.

    Parameters
    ----------
    plot : key of the chart; its points carry their row as customdata.
    marked : the row whose point has a ring; None for none.
    on_click : called with the row of a point that was clicked, before the script runs again.
    on_lasso : called with the corners (x, y) of a lasso or a box, in the chart's own units.
    count : number of inputs; clicks on other rows are dropped.
    """

    def click(row: int) -> None:
        if row < count:
            on_click(row)

    def lasso(corners: Sequence[tuple[float, float]]) -> None:
        if corners:
            on_lasso(corners)

    data: dict[str, Any] = {"plot": plot, "marked": marked}
    clicked, lassoed = arrival(key, "clicked", plain_row, click), arrival(key, "lassoed", corners_of, lasso)
    _picks_component(key=key, data=data, on_clicked_change=clicked, on_lassoed_change=lassoed)


def corners_of(sent: object) -> list[tuple[float, float]]:
    """The corners that a browser sent; none if they enclose nothing.

    BadInput if they are not pairs of finite numbers, or more than ``MOST_CORNERS``.

    >>> corners_of([[0, 0], [1, 0], [1, 1.5]]), corners_of([[0, 0]])
    ([(0.0, 0.0), (1.0, 0.0), (1.0, 1.5)], [])
    """
    corners = [(float(x), float(y)) for x, y in plain(Corners, sent)]
    return corners if len(corners) > 2 else []


PICTURE_SIDE = 30
"""Pixels of a picture's side on the map."""

_pictures_component = component("map_pictures")


def map_pictures(
    *,
    key: str,
    plot: str,
    name: str,
    on: bool,
    rows_in: Callable[[MapView], Sequence[int]],
    place: Callable[[int], tuple[float, float]],
    show: Callable[[int], Shown],
) -> None:
    """Shows inputs as pictures on the chart ``plot`` once it is zoomed into. Draw it in a fragment of its own.

    Parameters
    ----------
    plot : key of the chart; its points carry their row as customdata, and a picture takes its frame from its point's color.
    name : of what is shown; with a new name the browser asks again.
    on : whether there are any; if not, the browser asks for none.
    rows_in : the rows that have room in a view. place : the place of a row on the map. show : what a person sees of it;
        only inputs that are pictures are drawn.
    """
    asked = f"{key}: in view"

    def see(sent: MapView | None) -> None:
        if sent is not None:
            st.session_state[asked] = sent

    view = st.session_state.get(asked)
    pictures: list[dict[str, Any]] = []
    if on and isinstance(view, MapView):
        for row in rows_in(view):
            shown = show(row)
            if shown.image is not None:
                x, y = place(row)
                pictures.append({"row": row, "x": x, "y": y, **look_to_json(shown, side=2 * PICTURE_SIDE)})
    data = {"plot": plot, "name": name, "on": on, "side": PICTURE_SIDE, "pictures": pictures}
    _pictures_component(key=key, data=data, on_seen_change=arrival(key, "seen", view_of, see))


def view_of(sent: object) -> MapView | None:
    """The view that a browser sent; None if it has no area, as while a chart is drawn. BadInput if it is no view.

    >>> view_of([0, 2, -1, 1.5, 500, 400])
    MapView(left=0.0, right=2.0, bottom=-1.0, top=1.5, width=500.0, height=400.0)
    """
    view = MapView(*map(float, plain(Edges, sent)))
    return view if view.left < view.right and view.bottom < view.top and view.width > 0 and view.height > 0 else None


_pointer_component = component("map_pointer")


def map_pointer(
    *,
    key: str,
    plot: str,
    name: str,
    near: Callable[[int], Sequence[int]],
    show: Callable[[int], Shown],
    lines: Callable[[int], Sequence[str]],
    count: int,
) -> None:
    """Shows the input whose point of the chart ``plot`` is under the pointer. Draw it in a fragment of its own.

    Parameters
    ----------
    plot : key of the chart; its points carry their row as customdata.
    name : of what is shown; a new name makes the browser forget what it holds.
    near : the rows to send when one is asked for, itself among them.
    show, lines : what a person sees of a row, and the lines beside it, the first in bold; untrusted text.
    count : number of inputs; other rows are not asked for.
    """
    asked = f"{key}: asked"

    def ask(row: int) -> None:
        if row < count:
            st.session_state[asked] = row

    row = st.session_state.get(asked)
    looks: dict[str, Any] = {}
    if isinstance(row, int) and row < count:
        looks = {str(one): {**look_to_json(show(one)), "lines": list(lines(one))} for one in near(row)}
    _pointer_component(
        key=key,
        data={"plot": plot, "name": name, "looks": looks},
        on_asked_change=arrival(key, "asked", plain_row, ask),
    )


__all__ = ["PICTURE_SIDE", "Hung", "map_picks", "map_pictures", "map_pointer", "picture_wall"]
