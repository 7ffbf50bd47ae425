"""Ranks of scores, ties included."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata


def places_of(scores: ArrayLike) -> NDArray[np.intp]:
    """The rank of each score, (..., M), 1 for the largest of a row; tied ones share the best of their ranks.

    >>> places_of([0.5, 0.9, 0.5]).tolist()
    [2, 1, 2]
    """
    ranks: NDArray[Any] = rankdata(-np.asarray(scores, dtype=np.float64), method="min", axis=-1)
    return ranks.astype(np.intp)
