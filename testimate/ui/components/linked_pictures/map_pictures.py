"""Small pictures in place of the points of a map that one has zoomed into; those in view are sent when it changes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from testimate.charts.cluster_map import MapView
from testimate.core.bounded_json import check_plain
from testimate.core.subject import Shown
from testimate.ui.components.joined_modules import joined
from testimate.ui.components.linked_pictures.small_views import look_to_json
from testimate.ui.components.messages import arrival, is_number, refused

_HERE = Path(__file__).parent

PICTURE_SIDE = 30
"""Pixels of a picture's side on the map."""

_pictures_component = st.components.v2.component(
    "testimate.map_pictures",
    html='<div class="pictures" hidden aria-hidden="true"></div>',
    css=(_HERE / "linked_pictures.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "map_pictures.js"),
)


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
    plot : key of the chart; its points carry their row as customdata, and a picture takes its frame from its point's colour.
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
    edges = check_plain(sent, "message")
    if isinstance(edges, list) and len(edges) == 6 and all(map(is_number, edges)):
        left, right, bottom, top, width, height = numbers = [float(one) for one in edges]
        return MapView(*numbers) if left < right and bottom < top and width > 0 and height > 0 else None
    raise refused(repr(edges), "the part of the map in view")
