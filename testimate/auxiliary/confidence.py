"""Inverted confidence: one minus the probability of the predicted class."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.auxiliary.softmax import score_rows


def confidence(probabilities: ArrayLike, logits: ArrayLike | None = None) -> NDArray[np.float64]:
    """1 - the largest probability of each input, (N,), from 0 to 1 - 1 / C; larger = more likely to fail.

    Summed over the other classes rather than subtracted from 1, so that it stays above 0 where the largest probability
    is 1 in floating point: down to 1e-38 from float32 softmax, to 1e-300 from logits.

    Parameters
    ----------
    probabilities : (N, C) rows summing to 1.
    logits : (N, C) what softmax was applied to, where known.

    Examples
    --------
    >>> confidence([[0.75, 0.25], [0.5, 0.5]])
    array([0.25, 0.5 ])
    >>> bool(confidence([[1.0, 0.0]], logits=[[100.0, 0.0]])[0] > 0)
    True
    """
    return score_rows(_confidence_score, probabilities, logits)


def _confidence_score(rivals: NDArray[np.float64]) -> NDArray[np.float64]:
    others = rivals.sum(axis=1)
    score: NDArray[np.float64] = others / (1.0 + others)  # 1 - p_top, p_top = 1 / (1 + others)
    return score
