"""Scores that come from elsewhere: whether they give the answers away, and what other models say about each input."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput, NotEnoughLabels

SUSPICIOUS = 0.995
"""AUC above which a score is taken to have been made from the answers."""

_NEIGHBORS = 10  # inputs of the same class from which an input's outcome is guessed
_FEWEST = 20  # failures, and inputs that passed, below which the AUC says nothing


@dataclass(frozen=True)
class Leak:
    """How well a score and the predicted class together tell failures from the rest.

    Attributes
    ----------
    auc : chance that a failed input is ranked above one that passed, 1/2..1; 1/2 = it carries no information.
    leaks : whether ``auc`` is above ``SUSPICIOUS``.
    warning : what to tell the tester; empty where nothing is wrong.
    """

    auc: float
    leaks: bool
    warning: str


def leaks_truth(score: ArrayLike, predictions: ArrayLike, losses: ArrayLike, *, name: str = "The score") -> Leak:
    """Whether a score, together with the predicted class, separates failures almost perfectly.

    No score that is computed from the network alone does so on a subject worth testing; one computed from the true
    labels does, for instance an LSA grouped by true instead of predicted class: it differs from what is usual for the
    predicted class just where the prediction is wrong. Such a score need not rise with failure, so its own AUC does not
    show it. So the outcome of each input is also guessed from the ten others of its predicted class with the nearest scores
    (from all that have the same score, where there are any), and the AUC is the larger of the score's own, in either
    direction, and that of these guesses.

    Parameters
    ----------
    score : (n,) finite.
    predictions : (n,) predicted classes.
    losses : (n,) known losses, above 0 = failed; it takes some 300 inputs to show a leak.
    name : of the score, for the warning.

    Raises
    ------
    NotEnoughLabels : fewer than 20 failures, or fewer than 20 inputs that passed.
    BadInput : arrays that do not fit together, numbers that are not finite.

    Examples
    --------
    >>> truth = np.arange(400) % 2
    >>> predictions = np.where(np.arange(400) % 8 < 2, 1 - truth, truth)
    >>> leaks_truth(truth * 7.0, predictions, predictions != truth).leaks
    True
    """
    values, failed = check_scores(score), check_scores(losses, "losses") > 0
    kinds = np.asarray(predictions)
    if not values.shape == failed.shape == kinds.shape:
        raise BadInput(
            f"There are {len(values)} scores, predictions of shape {kinds.shape} and {len(failed)} losses. Expected "
            "one of each per input. Pass the same inputs."
        )
    if min(failed.sum(), (~failed).sum()) < _FEWEST:
        raise NotEnoughLabels(
            f"{int(failed.sum())} of {len(failed)} known inputs failed. Expected {_FEWEST} that failed and {_FEWEST} "
            "that passed to say whether a score leaks. Label more."
        )
    alone = _auc(values, failed)
    auc = max(alone, 1 - alone, _auc(_guesses(values, kinds, failed), failed))
    leaks = auc > SUSPICIOUS
    warning = (
        f"{name} and the predicted class tell failures from passes almost perfectly (AUC {auc:.3f}): it was probably "
        "computed from the true labels, which a tester does not have. Leave it out."
    )
    return Leak(auc, leaks, warning if leaks else "")


def _guesses(values: NDArray[np.float64], kinds: NDArray[np.generic], failed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Each input's chance of failure, guessed from others of its class, (n,)."""
    guesses = np.empty(len(values))
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        rows = rows[np.argsort(values[rows], kind="stable")]
        failures, count = _of_neighbors(values[rows], failed[rows])
        guesses[rows] = (failures + failed.mean()) / (count + 1)  # with none, the failure rate of all
    return guesses


def _of_neighbors(
    values: NDArray[np.float64], failed: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Failures among the neighbors of each of n inputs in rising order of their score, and how many neighbors it has."""
    places = np.arange(len(values))
    steps = np.concatenate([np.arange(-_NEIGHBORS, 0), np.arange(1, _NEIGHBORS + 1)])
    others = places[:, None] + steps  # (n, 2 k)
    inside = (others >= 0) & (others < len(values))
    others = np.where(inside, others, 0)
    gaps = np.where(inside, np.abs(values[others] / 2 - values[:, None] / 2), np.inf)
    farthest = np.partition(gaps, _NEIGHBORS - 1, axis=1)[:, _NEIGHBORS - 1, None]
    near = inside & (gaps <= farthest)
    failures, count = (near & failed[others]).sum(axis=1), near.sum(axis=1)

    first, last = np.searchsorted(values, values, "left"), np.searchsorted(values, values, "right")
    sums = np.concatenate([[0], np.cumsum(failed)])
    equal = last - first - 1
    failures = np.where(equal > 0, sums[last] - sums[first] - failed, failures)
    return failures.astype(np.float64), np.where(equal > 0, equal, count).astype(np.float64)


def _auc(score: NDArray[np.float64], failed: NDArray[np.bool_]) -> float:
    """Mann and Whitney's U over its largest value; ties count one half."""
    passed, of_failures = np.sort(score[~failed]), score[failed]
    below = np.searchsorted(passed, of_failures, "left") + np.searchsorted(passed, of_failures, "right")
    return float(below.mean()) / (2 * len(passed))


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
