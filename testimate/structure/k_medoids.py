"""k-medoids: inputs chosen so that every other input is near one of them, one for each group."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from testimate.structure.ties import lowest_best

_ROUNDS = 20


def k_medoids(space: NDArray[Any], count: int, *, seed: int) -> NDArray[np.intp]:
    """Rows of ``count`` medoids of the (N, d) points, by Euclidean distance, rising.

    Started as in k-means++ (Arthur and Vassilvitskii 2007) and improved in turns (Park and Jun 2009): every input joins
    its nearest medoid, and every group takes the member with the smallest sum of distances to the others; until nothing
    changes, 20 times at most.
    """
    points, rng = space.astype(np.float64, copy=False), np.random.default_rng(seed)
    medoids = [int(rng.integers(len(points)))]
    nearest = cdist(points, points[medoids], "sqeuclidean")[:, 0]
    while len(medoids) < count:
        free = np.setdiff1d(np.arange(len(points)), medoids)
        weights = nearest[free]
        total = weights.sum()
        chosen = int(rng.choice(free, p=weights / total) if total > 0 else free[0])
        medoids.append(chosen)
        nearest = np.minimum(nearest, cdist(points, points[[chosen]], "sqeuclidean")[:, 0])
    found = np.sort(medoids)
    for _ in range(_ROUNDS):
        home = cdist(points, points[found]).argmin(axis=1)
        home[found] = np.arange(count)  # a copy of another medoid stays its own group
        better = found.copy()
        for group in range(count):
            members = np.flatnonzero(home == group)
            better[group] = members[lowest_best(-cdist(points[members], points[members]).sum(axis=1))]
        better = np.sort(better)
        if (better == found).all():
            break
        found = better
    return found.astype(np.intp)
