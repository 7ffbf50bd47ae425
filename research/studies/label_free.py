"""Rankings of models without a label besides LaF, to be measured beside it: hard and soft votes, and agreement on the line."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtri

Floats = NDArray[np.float64]

LENT = 1.0
"""Inputs that each row of a confusion matrix is lent, spread evenly, so that no class is impossible."""

ROUNDS, SMALLEST_CHANGE = 200, 1e-6


def soft_votes(chances: Floats) -> Floats:
    """Score (M,) of each model: the mean, over the inputs, of what all models together give the class it predicts.

    ``chances`` : (M, N, C) predicted probabilities. Together: their mean over the models.
    """
    together = chances.mean(axis=0)
    return _given_to_own(chances.argmax(axis=2), together)


def dawid_skene(votes: Floats) -> Floats:
    """Score (M,): the chance that a model is right, by Dawid and Skene's expectation and maximization, mean over the inputs.

    ``votes`` : (M, N, C), one-hot for hard votes; a model's probabilities for soft ones, where each class is a vote of that
    weight. Every model has a confusion matrix of its own; the start is the mean vote.

    Source: A. P. Dawid, A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm (1979).
    """
    classes = votes.shape[2]
    belief = votes.mean(axis=0)  # (N, C)
    for _ in range(ROUNDS):
        share = belief.sum(axis=0) + LENT / classes
        confusion = np.stack([belief.T @ own for own in votes]) + LENT / classes  # (M, true, said)
        confusion /= confusion.sum(axis=2, keepdims=True)
        pairs = zip(votes, np.log(confusion), strict=True)
        log_belief = np.log(share / share.sum()) + sum(own @ of_true.T for own, of_true in pairs)
        found = np.exp(log_belief - logsumexp(log_belief, axis=1, keepdims=True))
        change = float(np.abs(found - belief).mean())
        belief = found
        if change < SMALLEST_CHANGE:
            break
    return _given_to_own(votes.argmax(axis=2), belief)


def one_coin(votes: Floats) -> Floats:
    """Score (M,): as ``dawid_skene`` with one number per model, its accuracy, and wrong votes spread evenly."""
    classes = votes.shape[2]
    said = votes.argmax(axis=2)
    hard = np.eye(classes)[said]  # (M, N, C)
    belief = hard.mean(axis=0)
    accuracy: Floats = np.full(len(votes), 0.5)
    for _ in range(ROUNDS):
        before = accuracy
        accuracy = (_given_to_own(said, belief) * said.shape[1] + 0.5 * LENT) / (said.shape[1] + LENT)
        log_belief = np.einsum("mnc,m->nc", hard, np.log(accuracy * (classes - 1) / (1 - accuracy)))
        belief = np.exp(log_belief - logsumexp(log_belief, axis=1, keepdims=True))
        if np.abs(accuracy - before).max() < SMALLEST_CHANGE:
            break
    return accuracy


def mean_confidence(chances: Floats) -> Floats:
    """Score (M,): how sure each model is on average."""
    sure: Floats = chances.max(axis=2).mean(axis=1)
    return sure


def agreement_on_the_line(labels: NDArray[np.intp], before: NDArray[np.intp], accuracy_before: Floats) -> Floats:
    """Accuracy (M,) expected on these inputs, from agreements on both sets and the accuracies on the earlier, labeled one.

    Agreements of pairs of models lie on a line between both sets, on the probit scale, and accuracies on the same line; each
    model's accuracy follows from the pairs it is in (ALine-D).

    labels, before : (M, N) predicted classes on these inputs and on those whose accuracies (M,) are known.

    Source: C. Baek, Y. Jiang, A. Raghunathan, Z. Kolter, Agreement-on-the-Line (NeurIPS 2022), section 4.
    """
    count = len(labels)
    pairs = [(one, other) for one in range(count) for other in range(one)]
    now = _probit([(labels[one] == labels[other]).mean() for one, other in pairs])
    then = _probit([(before[one] == before[other]).mean() for one, other in pairs])
    slope = np.polyfit(then, now, 1)[0]
    known = _probit(accuracy_before)
    members = np.zeros((len(pairs), count))
    for row, (one, other) in enumerate(pairs):
        members[row, [one, other]] = 0.5
    right = now + slope * (members @ known - then)
    found: Floats = np.linalg.lstsq(members, right, rcond=None)[0]
    return found


def _given_to_own(said: NDArray[np.intp], belief: Floats) -> Floats:
    """Mean belief (N, C) in what each model said, (M, N); (M,)."""
    return np.array([belief[np.arange(len(belief)), own].mean() for own in said])


def _probit(shares: object) -> Floats:
    return np.asarray(ndtri(np.clip(np.asarray(shares, dtype=np.float64), 1e-4, 1 - 1e-4)))
