"""Models ranked without labels by how often each is right, where each errs in a way of its own: Dawid and Skene's estimate."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import logsumexp

from testimate.comparison.predictions import Predictions
from testimate.core.progress import Progress, silent

Floats = NDArray[np.float64]

LENT = 1.0
"""Inputs that each row of a confusion matrix is lent, spread evenly, so that no answer is impossible."""

ROUNDS, SMALLEST_CHANGE = 200, 1e-6


def dawid_skene_accuracy(predictions: Predictions, *, progress: Progress = silent) -> Floats:
    """The share of all inputs that each model gets right by Dawid and Skene's estimate, (M,) in 0..1; larger is better.

    Expectation and maximization from the shares of votes: each input has a chance of every class that some model predicts,
    each model a confusion matrix. Inputs with the same predictions are one, so the work grows with the different ones.
    Deterministic.

    >>> votes = Predictions(("a", "b", "c"), np.array([[0, 0, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0]]), ("0", "1"))
    >>> [round(float(share), 1) for share in dawid_skene_accuracy(votes)]
    [0.9, 0.9, 0.5]

    Source: A. P. Dawid, A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm (1979).
    """
    patterns, counts = np.unique(predictions.labels, axis=0, return_counts=True)  # (U, M), (U,)
    said, places = np.unique(patterns, return_inverse=True)
    votes = places.reshape(patterns.shape).T  # (M, U), places among the C classes that are predicted
    classes, every = len(said), np.arange(len(patterns))
    one_hot = [csr_array((np.ones(len(every)), (own, every)), shape=(classes, len(every))) for own in votes]
    belief = np.mean([own.toarray().T for own in one_hot], axis=0)  # (U, C)
    for number in range(ROUNDS):
        progress(number, ROUNDS, "weighing models by their confusions")
        weighed = belief * counts[:, None]
        share = weighed.sum(axis=0) + LENT / classes
        log_belief = np.tile(np.log(share / share.sum()), (len(every), 1))
        for own, votes_of in zip(one_hot, votes, strict=True):
            confusion = (own @ weighed).T + LENT / classes  # (true, said)
            log_belief += np.log(confusion / confusion.sum(axis=1, keepdims=True))[:, votes_of].T
        found = np.exp(log_belief - logsumexp(log_belief, axis=1, keepdims=True))
        change = float((np.abs(found - belief).mean(axis=1) * counts).sum() / counts.sum())
        belief = found
        if change < SMALLEST_CHANGE:
            break
    return np.array([(belief[every, own] * counts).sum() / counts.sum() for own in votes])
