"""What other models of the same task say about each input: how many disagree, how surely, and the chance of failure from it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

LEAST_SURE, MOST_SURE = -3.0, 7.0
"""Another model's log-odds are clipped to these bounds: confidence beyond them is not trusted."""

WITH_BOTH = (0.16, 0.32, 0.77, 0.35)
"""Intercept and weights of the doubt, the disagreement and the votes in the log-odds of a failure: means of ten networks."""

WITHOUT_VOTES = (-1.02, 0.38, 2.86)
"""The same where the other models have no confidences."""

USUAL_DOUBT = -4.0
"""The doubt assumed where the tested model gives no confidence: about the mean over the networks measured."""


def disagreement(differs: ArrayLike) -> Array:
    """a, the share of the other models that predict something other than the tested one, (N,) from 0 to 1.

    ``differs`` : (N, k) whether each of k other models does.
    """
    return np.asarray(np.mean(np.asarray(differs, dtype=np.float64), axis=1))


def votes(differs: ArrayLike, confidence: ArrayLike) -> Array:
    """v, the mean over k other models of +-logit(confidence), (N,); + where the model disagrees, - where it agrees.

    ``confidence`` : (N, k) from 0 to 1, each model's probability of what it predicts itself.

    >>> votes([[True], [False]], [[0.5], [1.0]])
    array([ 0., -7.])
    """
    sure = np.clip(np.asarray(confidence, dtype=np.float64), 1e-9, 1 - 1e-9)
    weight = np.clip(np.log(sure / (1 - sure)), LEAST_SURE, MOST_SURE)
    return np.asarray(np.where(differs, weight, -weight).mean(axis=1))


def combined(doubt: Array | None, disagreed: Array, voted: Array | None) -> Array:
    """The chance of failure before any label, (N,) in (0, 1), logistic in what the models say.

    Parameters
    ----------
    doubt : (N,) chance of failure by the tested model's own word, 1 - confidence; None where it has no confidence.
    disagreed, voted : (N,) as ``disagreement`` and ``votes`` give them; no votes where the others have no confidences.

    >>> combined(np.array([0.1, 0.1]), np.array([0.0, 1.0]), None).round(2)
    array([0.14, 0.73])
    """
    if doubt is None:
        x = np.full(disagreed.size, USUAL_DOUBT)
    else:
        clipped = np.clip(doubt, 1e-4, 1 - 1e-4)
        x = np.log(clipped / (1 - clipped))
    if voted is None:
        intercept, of_doubt, of_disagreement = WITHOUT_VOTES
        odds = intercept + of_doubt * x + of_disagreement * disagreed
    else:
        intercept, of_doubt, of_disagreement, of_votes = WITH_BOTH
        odds = intercept + of_doubt * x + of_disagreement * disagreed + of_votes * voted
    return np.asarray(1 / (1 + np.exp(-odds)))
