"""Which points of a map lie inside a lasso."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
