"""Guesses, learned from labels, of which inputs fail: what adaptive rounds learn, for estimates of any other list."""

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.fingerprint import of_bytes
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.needs import CHANCES, NEEDS, arguments_of, classes_of, teaching
from testimate.selectors.adaptive_rounds import HIGHEST, LOWEST, AdaptiveRounds
from testimate.selectors.round_guesses import Guesses, Numbers, guesses_of, of_inputs, usual_terms

Floats = NDArray[np.float64]


class LabelGuesses:
    """Chances of failure of all N inputs, for ``estimate_with_learned_guesses``.

    The fit is that of adaptive rounds: ridge-logistic, under several beliefs among which the labels choose.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail. given : what else is known, by name, each (N,). numbers : prior of each term
        (see ``usual_terms``).
    """

    def __init__(
        self, scores: Floats, given: Mapping[str, NDArray[Any]], numbers: Numbers, *, scores_are_chances: bool
    ) -> None:
        self._scores, self._given, self._numbers, self._are_chances = scores, given, numbers, scores_are_chances
        self._fit = self._begun()
        self._taught: dict[str, Guesses] = {}

    def _begun(self) -> Guesses:
        order = np.arange(self._scores.size)
        return guesses_of(self._scores, order, self._given, self._numbers, scores_are_chances=self._are_chances)

    @cached_property
    def chances(self) -> Floats:
        """Chance of failure of each input before any label, (N,)."""
        return self._of(self._begun())

    def learn(self, rows: NDArray[np.intp], losses: Floats) -> Floats:
        """Chance of failure of each input, (N,), as k labels (``rows``, ``losses`` from 0 to 1) tell.

        The same labels are learned from once: an accuracy, a difference and its bounds ask for the very same parts of them.
        """
        if not rows.size:
            return self.chances
        labels = of_bytes(rows.tobytes(), losses.tobytes())
        if labels not in self._taught:
            self._fit.learn(rows, losses)
            self._taught[labels] = copy(self._fit)  # a few weights of its own; what is known of the inputs is shared
        return self._of(self._taught[labels])

    def _of(self, fit: Guesses) -> Floats:
        return np.clip(fit.chances(np.arange(self._scores.size)), LOWEST, HIGHEST)


def can_learn(inputs: Inputs) -> bool:
    """Whether labels of these inputs can teach which of them fail: classes, right or wrong, with a score."""
    return inputs.task.kind in AdaptiveRounds.claims.tasks and bool(inputs.scores)


def tells_classes_apart(inputs: Inputs) -> bool:
    """Whether each predicted class has a weight of its own: judged outputs and boxes have no classes, and one needs none."""
    return NEEDS["classes"].available(inputs) and bool(np.ptp(classes_of(inputs)) > 0)


def label_guesses(inputs: Inputs, auxiliary: str) -> LabelGuesses:
    """What adaptive rounds that follow this auxiliary variable would learn from labels of these inputs.

    That is its own weight, one for each predicted class, DSA and LSA where they are there and do not give the answers away,
    and with "combined" what other models say.
    """
    request = Request(AdaptiveRounds.name, 1, 0, auxiliary=auxiliary)
    arguments = arguments_of(inputs, AdaptiveRounds, request)
    taught = teaching(inputs, AdaptiveRounds, request)
    available = {str(name): value for name, value in arguments.items() if name in taught}
    given = {name: of_inputs(name, value, len(inputs)) for name, value in available.items()}
    chances = auxiliary in CHANCES
    numbers = usual_terms(given, scores_are_chances=chances)
    return LabelGuesses(np.asarray(arguments["scores"], dtype=np.float64), given, numbers, scores_are_chances=chances)
