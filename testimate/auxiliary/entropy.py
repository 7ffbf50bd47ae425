"""Entropy of the predicted probabilities, as a share of the largest possible."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.auxiliary.softmax import score_rows


def entropy(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """-sum p log p of each input, divided by log C, (N,), 0..1; larger = more likely to fail.

    Shannon 1948. The division changes no order; it makes scores of models with different numbers of classes comparable.
    Every term is summed above 0, as in ``confidence``.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> entropy([[0.5, 0.5], [1.0, 0.0]])
    array([1., 0.])
    """
    return score_rows(_entropy_score, probabilities, logits)


def _entropy_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others = rivals.sum(axis=1)
    # With p_j = r_j p_top and log p_top = -log(1 + others): H = log(1 + others) + sum p_j (-log r_j)
    gaps = -np.log(np.where(rivals > 0, rivals, 1.0))
    nats = np.log1p(others) + (rivals * gaps).sum(axis=1) / (1.0 + others)
    score: NDArray[np.float64] = np.minimum(nats / np.log(rivals.shape[1]), 1.0)
    return score
