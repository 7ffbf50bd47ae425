"""Groups by k-means, for features in which density finds no clusters."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.progress import Progress, silent
from testimate.structure.cores import one_thread


def k_means_groups(
    space: NDArray[Any],
    *,
    seed: int,
    count: int = 10,
    starts: int = 10,
    rounds: int = 300,
    dtype: type = np.float64,
    progress: Progress = silent,
) -> NDArray[np.intp]:
    """Groups by k-means, (N,), 0.. without gaps: at most ``count`` of them, and no more than there are distinct inputs.

    The best of ``starts`` runs of at most ``rounds`` rounds each; float32 halves time and memory. ``progress`` : called
    before each run; raises to stop.
    """
    from sklearn.cluster import KMeans  # a second to load; a list of techniques must not wait

    state = np.random.RandomState(int(np.random.default_rng(seed).integers(2**32)))
    groups = min(count, len(space))
    points: NDArray[Any] = space.astype(dtype, copy=False)
    best, least = np.zeros(len(space), dtype=np.intp), np.inf
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with fewer distinct inputs than groups some are empty
        for start in range(starts):  # one by one, as scikit-learn does for n_init: each can take minutes
            progress(start, starts, "grouping by k-means")
            found = KMeans(groups, n_init=1, max_iter=rounds, random_state=state).fit(points)
            if found.inertia_ < least and not (start and _same(best, found.labels_)):
                best, least = found.labels_, found.inertia_
    numbered: NDArray[np.intp] = np.unique(best, return_inverse=True)[1].astype(np.intp)
    return numbered


def _same(one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]]) -> bool:
    """Whether two groupings differ only in the numbers of their groups; a rounding error must not exchange those."""
    pairs = len(np.unique(np.stack([one, other], axis=1), axis=0))
    return pairs == len(np.unique(one)) == len(np.unique(other))
