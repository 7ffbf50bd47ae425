"""Gini impurity of the predicted probabilities, DeepGini's score."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.auxiliary.softmax import score_rows


def gini(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """1 - sum p^2 of each input, (N,), from 0 to 1 - 1 / C; larger = more likely to fail.

    Feng et al., "DeepGini", ISSTA 2020. Summed as p (1 - p), without subtraction near 1, as ``confidence``.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> gini([[0.5, 0.5], [1.0, 0.0]])
    array([0.5, 0. ])
    """
    return score_rows(_gini_score, probabilities, logits)


def _gini_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others = rivals.sum(axis=1)
    top = 1.0 / (1.0 + others)
    rest = rivals * top[:, None]  # (n, C) probabilities, 0 at the most probable class
    score: NDArray[np.float64] = top * (others * top) + (rest * (1.0 - rest)).sum(axis=1)
    return score
