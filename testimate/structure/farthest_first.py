"""Farthest-first order: each next input is the one farthest from all picked so far."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.structure.orders import lowest_best

_ROWS = 16_384  # rows read at a time: 11 MB at a width of 84


def farthest_first(points: NDArray[Any], count: int, *, start: int) -> NDArray[np.intp]:
    """The first ``count`` rows of the max-min order that begins with ``start``, none twice.

    Parameters
    ----------
    points : (N, d) where the Euclidean distance is meant.
    count : 1 to N.
    start : row that comes first, 0..N-1.

    Returns
    -------
    (count,) rows in the order they were picked; of equally far rows the lowest comes first.

    Raises
    ------
    BadInput : a point is not finite, or count or start is outside its range.

    Notes
    -----
    Adaptive random testing (Chen, Leung and Mak 2004) with every input as a candidate, as PACE uses it in its minority
    space (Chen et al. 2020, section 3.4). Each pick computes one column of distances, block by block; memory is a few
    numbers per input and a few megabytes, besides the points, which may be in a file.

    Examples
    --------
    >>> farthest_first(np.array([[0.0], [1.0], [9.0], [5.0]]), 3, start=0)
    array([0, 2, 3])
    """
    space = check_features(points, "points")
    size = len(space)
    if not 1 <= count <= size:
        raise BadInput(
            f"{count} points are wanted; expected a number from 1 to {size}, as many as there are. Change it."
        )
    if not 0 <= start < size:
        raise BadInput(f"The first row is {start}; expected a row from 0 to {size - 1}. Choose one of these.")
    order = np.empty(count, dtype=np.intp)
    order[0] = start
    nearest = np.full(size, np.inf)  # (N,) squared distance to the nearest row picked
    scale = 0.0
    for position in range(1, count):
        last = order[position - 1]
        distances = _from_one(space, int(last))
        scale = max(scale, float(distances.max()))
        np.minimum(nearest, distances, out=nearest)
        nearest[last] = -np.inf  # never again
        order[position] = lowest_best(nearest, 1e-12 * scale)
    return order


def _from_one(space: NDArray[Any], row: int) -> NDArray[np.float64]:
    """Squared distances of all points from one, (N,)."""
    centre = space[row : row + 1].astype(np.float64)
    distances = np.empty(len(space))
    for top in range(0, len(space), _ROWS):
        block = space[top : top + _ROWS].astype(np.float64, copy=False)
        distances[top : top + _ROWS] = cdist(block, centre, "sqeuclidean")[:, 0]
    return distances
