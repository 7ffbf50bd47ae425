"""Groups by k-means, for features in which density finds no clusters."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.structure.one_thread import one_thread


def k_means_groups(
    space: NDArray[Any], *, seed: int, count: int = 10, starts: int = 10, rounds: int = 300, dtype: type = np.float64
) -> NDArray[np.intp]:
    """Groups by k-means, (N,), 0.. without gaps: at most ``count`` of them, and no more than there are distinct inputs.

    The best of ``starts`` runs of at most ``rounds`` rounds each; float32 halves time and memory.
    """
    from sklearn.cluster import KMeans  # a second to load; a list of techniques must not wait

    state = int(np.random.default_rng(seed).integers(2**32))
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with fewer distinct inputs than groups some are empty
        means = KMeans(min(count, len(space)), n_init=starts, max_iter=rounds, random_state=state)
        labels = means.fit_predict(space.astype(dtype, copy=False))
    numbered: NDArray[np.intp] = np.unique(labels, return_inverse=True)[1].astype(np.intp)
    return numbered
