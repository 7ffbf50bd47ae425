"""The visible part of a map: which of its inputs have room to be shown as pictures."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
