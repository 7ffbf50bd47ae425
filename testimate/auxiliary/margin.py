"""Inverted margin: one minus the lead of the most probable class over the second."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.auxiliary.softmax import score_rows


def margin(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """1 - (p_1 - p_2) of each input, p_1 and p_2 its two largest probabilities, (N,), 0..1; larger = likelier to fail.

    Scheffer, Decomain and Wrobel 2001. Without subtraction, as ``confidence``.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> margin([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]])
    array([0.75, 1.  ])
    """
    return score_rows(_margin_score, probabilities, logits)


def _margin_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others, second = rivals.sum(axis=1), rivals.max(axis=1)
    score: NDArray[np.float64] = (others + second) / (1.0 + others)  # p_1 = 1 / (1 + others), p_2 = second p_1
    return score
