"""Neuron patterns: first the inputs whose neurons fire least as they do on training inputs of the predicted class."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.selector import Claims, Need, Option, check_options
from testimate.selectors.optimum_allocation import ByClass, by_class
from testimate.selectors.prioritizers import CHOSEN, ScoreOrder

BLOCK = 1 << 24  # numbers in one batch


class NeuronPattern(ScoreOrder):
    """All inputs by rising familiarity: how far they conform to the pattern of their predicted class.

    A neuron *fires* on an input when its value is above 0, as after a ReLU; one that is above 0 on every training input
    (a sigmoid) when its value is above its mean there. The pattern of a class holds the neurons that fire on at least
    the share ``typical`` of the training inputs rightly predicted as it, and those that fire on at most 1 - ``typical`` of
    them. Familiarity is the share of the pattern's neurons that behave on the input as in the pattern. Where the class
    has no such training input, or none of its neurons is typical, familiarity is 0: nothing like it was ever seen.

    Al-Qadasi et al. 2023 (sections IV and V-B) describe the algorithm as a pattern established in training and a score
    of how far an input conforms to it (FD+); no implementation of it is public, so when a neuron fires, which neurons
    make the pattern and how conformance is counted are this project's choice.

    Parameters
    ----------
    features, classes : (N, width) and (N,), of the inputs and their predicted classes.
    training_features, training_classes : (M, width) and (M,) of the training inputs.
    training_losses : (M,) where they are known; those above 0 are left out of the pattern.
    budget : n, 1..N.
    seed : whole number, for ties alone.
    typical : above 0.5 and at most 1.

    Source: Yan et al., "Test case prioritization with neuron valuation based pattern" (2022), as Al-Qadasi et al. 2023
    describe it.
    """

    name: ClassVar[str] = "neuron-pattern"
    title: ClassVar[str] = "Neuron patterns: least familiar first"
    needs: ClassVar[tuple[Need, ...]] = ("features", "classes", "training_features", "training_classes")
    uses: ClassVar[tuple[Need, ...]] = ("training_losses",)
    claims: ClassVar[Claims] = CHOSEN
    source: ClassVar[str] = "Yan et al., Test case prioritization with neuron valuation based pattern (2022)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("typical", 0.8, "Share of a class's training inputs a typical neuron fires on.", low=0.51, high=1.0),
    )
    measure: ClassVar[str] = "unfamiliarity"

    def __init__(
        self,
        features: ArrayLike,
        classes: ArrayLike,
        training_features: ArrayLike,
        training_classes: ArrayLike,
        training_losses: ArrayLike | None = None,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        typical: float = 0.8,
    ) -> None:
        check_options(self.options, typical=typical)
        known = by_class(features, classes, training_features, training_classes, training_losses)
        super().__init__(1 - familiarity(known, typical), budget=budget, seed=seed, variant=variant)


def familiarity(known: ByClass, typical: float) -> NDArray[np.float64]:
    """Share of the typical neurons of each input's class that behave on it as in training, (N,), 0..1."""
    thresholds = np.where(
        known.training.min(axis=0) > 0, known.training.mean(axis=0, dtype=np.float64), 0.0
    )  # (width,)
    found = np.zeros(len(known.features))
    for rows, trained in known:
        right = trained[~known.wrong[trained]]
        if not right.size:
            continue
        share = _firing(known.training, right, thresholds, np.ones(len(thresholds), dtype=np.bool_)).mean(axis=0)
        pattern = np.flatnonzero((share >= typical) | (share <= 1 - typical))
        if pattern.size:
            does = share[pattern] >= typical  # what each neuron of the pattern does
            agrees = _firing(known.features, rows, thresholds, pattern) == does
            found[rows] = agrees.mean(axis=1)
    return found


def _firing(
    features: NDArray[Any], rows: NDArray[np.intp], thresholds: NDArray[np.float64], columns: NDArray[Any]
) -> NDArray[np.bool_]:
    """Which of the neurons fire on which of the rows, (rows, columns)."""
    step = max(1, BLOCK // features.shape[1])
    limits = thresholds[columns]
    return np.concatenate([features[rows[top : top + step]][:, columns] > limits for top in range(0, len(rows), step)])
