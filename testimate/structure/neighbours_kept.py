"""How good a flat map is: how many of an input's nearest neighbours in the features are its nearest on the map."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.structure.near_neighbours import nearest_of

NEIGHBOURS = 15
ASKED = 2000
"""Inputs, drawn by a seed, whose neighbours are compared; the share is then accurate to within a percentage point."""


def neighbours_kept(
    space: NDArray[Any],
    points: NDArray[np.float64],
    *,
    seed: int,
    count: int = NEIGHBOURS,
    asked: int = ASKED,
    threads: int | None = None,
) -> float | None:
    """The mean share, 0..1, of an input's ``count`` nearest on the map that are among its ``count`` nearest in the features.

    Parameters
    ----------
    space : (N, d) features between which distances are computed. points : (N, 2) their places on the map.
    asked : most inputs whose neighbours are compared.

    Returns
    -------
    The share, or None with fewer inputs than two. Inputs at the same distance as the last neighbour count as
    neighbours, too. If there are at most ``count`` others, all are neighbours and the share is 1.

    Notes
    -----
    Venna and Kaski 2001 compare ranks instead (trustworthiness); the plain share matches how people use a map: they
    look at the points beside a point.
    """
    from scipy.spatial import KDTree

    size = len(space)
    if size < 2:
        return None
    count = min(count, size - 1)
    rows = np.arange(size)
    if size > asked:
        rows = np.sort(np.random.default_rng([seed, 0x6B65]).choice(size, asked, replace=False))
    _, apart = nearest_of(space, rows, count, threads=threads)
    reach = apart[:, -1] * (1 + 1e-9)
    beside = KDTree(points).query(points[rows], k=count + 1)[1]  # (rows, count + 1), itself among them or a copy of it
    own = beside == rows[:, None]
    own[~own.any(axis=1), -1] = True  # more copies than neighbours: it is any of them
    others = beside[~own].reshape(len(rows), count)
    lengths = np.linalg.norm(
        space[others].astype(np.float64) - space[rows, None].astype(np.float64), axis=2
    )  # (rows, count)
    return float((lengths <= reach[:, None]).mean())
