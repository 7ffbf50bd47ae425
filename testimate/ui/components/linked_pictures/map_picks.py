"""Takes clicks and lassos on a map, and rings the point that was clicked: the chart itself is not drawn again."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from testimate.core.bounded_json import check_plain
from testimate.ui.components.joined_modules import joined
from testimate.ui.components.messages import arrival, is_number, plain_row, refused

_HERE = Path(__file__).parent

MOST_CORNERS = 10_000
"""Corners of a lasso; one drawn by hand has a few hundred."""

_picks_component = st.components.v2.component(
    "testimate.map_picks",
    html='<div class="ring marked" hidden role="img"></div>',
    css=(_HERE / "linked_pictures.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "map_picks.js"),
)


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
    corners = check_plain(sent, "message")
    several = isinstance(corners, list) and len(corners) <= MOST_CORNERS
    if several and all(isinstance(one, list) and len(one) == 2 and all(map(is_number, one)) for one in corners):
        return [(float(x), float(y)) for x, y in corners] if len(corners) > 2 else []
    raise refused(repr(corners), f"at most {MOST_CORNERS} corners of a lasso")
