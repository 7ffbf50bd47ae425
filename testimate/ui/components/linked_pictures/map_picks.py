"""Takes clicks and lassos on a map, and rings the point that was clicked: the chart itself is not drawn again."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from testimate.ui.components.joined_modules import joined

_HERE = Path(__file__).parent

MOST_CORNERS = 10_000
"""Corners of a lasso; one drawn by hand has a few hundred."""

_component = st.components.v2.component(
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

    def click() -> None:
        row = st.session_state[key].get("clicked")
        if isinstance(row, int) and not isinstance(row, bool) and 0 <= row < count:
            on_click(row)

    def lasso() -> None:
        corners = corners_of(st.session_state[key].get("lassoed"))
        if corners:
            on_lasso(corners)

    data: dict[str, Any] = {"plot": plot, "marked": marked}
    _component(key=key, data=data, on_clicked_change=click, on_lassoed_change=lasso)


def corners_of(sent: object) -> list[tuple[float, float]]:
    """The corners that a browser sent; none where they are not pairs of numbers.

    >>> corners_of([[0, 0], [1, 0], [1, 1.5]]), corners_of([[0, "x"]]), corners_of("lasso")
    ([(0.0, 0.0), (1.0, 0.0), (1.0, 1.5)], [], [])
    """
    if not isinstance(sent, list) or not 3 <= len(sent) <= MOST_CORNERS:
        return []
    try:
        return [(float(x), float(y)) for x, y in sent]
    except (TypeError, ValueError, OverflowError):
        return []
