"""Groups by k-means, for when density finds none."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from testimate.structure.one_thread import one_thread


def k_means_groups(space: NDArray[Any], *, seed: int, count: int = 10) -> NDArray[np.intp]:
    """Groups by k-means, (N,), 0.. without gaps: at most ``count`` of them and no more than inputs that differ."""
    state = int(np.random.default_rng(seed).integers(2**32))
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer different inputs than groups: those that are empty are dropped
        labels = KMeans(min(count, len(space)), n_init=10, random_state=state).fit_predict(space.astype(np.float64))
    numbered: NDArray[np.intp] = np.unique(labels, return_inverse=True)[1].astype(np.intp)
    return numbered
