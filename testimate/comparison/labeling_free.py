"""LaF: models ranked without a label, by how far each can be trusted where they disagree.

Guo et al.: Y. Guo, Q. Hu, M. Cordy, X. Xie, M. Papadakis, Y. Le Traon, Labeling-Free Comparison Testing of Deep Learning
Models. It takes the model of GLAD (J. Whitehill et al., Whose Vote Should Count More, NIPS 2009).
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from testimate.comparison.agreeing_models import AgreeingModels, agreeing_models
from testimate.comparison.predictions import Predictions
from testimate.core.progress import Progress, silent
from testimate.structure.cores import one_thread

SMALLEST_GAIN = 1e-5
"""The relative gain of Q below which the search ends (algorithm 1, line 21)."""

MOST_ROUNDS = 500

_SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "as defined": ("L-BFGS-B", {"maxiter": 20, "maxcor": 5, "gtol": 1e-2}),
    "as published": ("CG", {"maxiter": 25, "gtol": 1e-2}),
}


@dataclass(frozen=True, eq=False)
class LabelingFree:
    """What the models' disagreements show.

    Attributes
    ----------
    ability : (M,) larger is better; the paper's specialty.
    easiness : (n,) of the inputs on which the models disagree, on a log scale; the opposite of the paper's difficulty.
    rows : (n,) these inputs.
    right : (n, M) the chance that the model is right there, 0..1, given all predictions.
    rounds : steps of expectation and maximization it took.
    """

    ability: NDArray[np.float64]
    easiness: NDArray[np.float64]
    rows: NDArray[np.intp]
    right: NDArray[np.float64]
    rounds: int


def labeling_free(
    predictions: Predictions,
    *,
    variant: Literal["as defined", "as published"] = "as defined",
    progress: Progress = silent,
) -> LabelingFree:
    """Abilities by expectation and maximization; the same predictions give the same ones, to a tenth on another processor.

    Model j is right on input i with the chance sigmoid(ability_j exp(easiness_i)), and otherwise predicts any other class as
    likely. (The paper prints a product with the difficulty; GLAD, and the authors' program, use this.) Both have a normal
    prior around their start, the majority vote. Each maximization takes few steps, as the authors' program does: a
    complete one may end at another of the many maxima. ``variant="as published"`` takes its 25 steps of conjugate gradients
    instead of 20 of L-BFGS; abilities differ by a few hundredths.

    Where all models agree on every input there is nothing to tell them apart: all abilities are 1 then.

    Source: Guo et al., section 3 and algorithm 1.

    >>> same = Predictions(("a", "b"), np.array([[0, 0], [1, 1]]), ("0", "1"))
    >>> labeling_free(same).ability.tolist()
    [1.0, 1.0]
    """
    rows = predictions.disputed  # step 1: pruning
    labels = predictions.labels[rows]
    n, models = labels.shape
    if n == 0:
        return LabelingFree(np.ones(models), np.empty(0), rows, np.empty((0, models)), 0)
    groups = agreeing_models(labels)
    search = _Search(groups, len(predictions.classes))
    found = search.start  # step 2: initializing
    right = search.chances_right(found)
    gain, rounds = -search.loss(found, right)[0], 0
    method, options = _SEARCHES[variant]
    with one_thread():  # L-BFGS works on short vectors, on which threads only wait for each other
        while rounds < MOST_ROUNDS:  # step 3: optimizing
            found = minimize(search.loss, found, args=(right,), jac=True, method=method, options=options).x
            right = search.chances_right(found)
            before, gain, rounds = gain, -search.loss(found, right)[0], rounds + 1
            progress(rounds, MOST_ROUNDS, f"step {rounds}")
            if abs((gain - before) / before) <= SMALLEST_GAIN:
                break
    return LabelingFree(found[:models], found[models:], rows, right, rounds)


class _Search:
    """Q of the paper's equation 2 and what its two steps need, for abilities and easinesses in one array (M + n,)."""

    def __init__(self, groups: AgreeingModels, classes: int) -> None:
        self._groups = groups
        self._models = groups.group.shape[1]
        self._unseen = classes - groups.count  # classes that no model predicts for the input
        self._classes = max(classes, 2)
        self._log_others = np.log(self._classes - 1)
        together = groups.with_majority
        self.start: NDArray[np.float64] = np.concatenate([together.mean(axis=0), together.mean(axis=1)])

    def chances_right(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expectation: the chance that each model's class is the true one, (n, M), given all predictions.

        Only classes that a model predicts need their own term; the others share one.
        """
        ability, easiness = found[: self._models], found[self._models :]
        # log p(right) - log p(this wrong class), p(right) = sigmoid(ability exp(easiness))
        evidence = ability * np.exp(easiness)[:, None] + self._log_others
        of_group = self._groups.sums(evidence)  # (n, M)
        of_group[self._groups.size == 0] = -np.inf
        largest = np.maximum(of_group.max(axis=1), 0.0)
        weight = np.exp(of_group - largest[:, None])
        weight /= (weight.sum(axis=1) + self._unseen * np.exp(-largest))[:, None]
        return np.take_along_axis(weight, self._groups.group, axis=1)

    def loss(self, found: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """-Q and its gradient, given the chances that each prediction is right."""
        ability, easiness = found[: self._models], found[self._models :]
        scale = np.exp(easiness)[:, None]
        logit = ability * scale  # (n, M)
        small = np.exp(-np.abs(logit))
        chance = np.where(logit >= 0, 1.0, small) / (1 + small)  # sigmoid
        away = found - self.start
        log_likelihood = -(
            np.log1p(small).sum()
            + np.maximum(-logit, 0.0).sum()  # with the line above: -log sigmoid(logit)
            + ((1 - right) * (logit + self._log_others)).sum()
        )
        log_prior = -0.5 * (away @ away) - 0.5 * len(found) * np.log(2 * np.pi)
        log_class = -len(logit) * np.log(self._classes)
        slope = right - chance
        gradient = np.concatenate([(slope * scale).sum(axis=0), (slope * logit).sum(axis=1)]) - away
        return -float(log_likelihood + log_prior + log_class), -gradient
