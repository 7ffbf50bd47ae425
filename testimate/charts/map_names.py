"""Places for the names of groups on a map: among their own points, none over another."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
