"""Guesses of where a model fails, from its confidence and other models' predictions, taught by what labels there are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs, OtherModel
from testimate.planning.label_guesses import LabelGuesses
from testimate.planning.needs import COMBINED, DISAGREEMENT, VOTES, classes_of
from testimate.planning.other_models import with_others
from testimate.selectors.round_guesses import usual_terms


class VersionGuesses(LabelGuesses):
    """Chances of failure of one model, for ``estimate_with_learned_guesses``.

    The fit is that of adaptive rounds: ridge-logistic in the model's doubt, the others' disagreement and votes, and the
    predicted class, under two beliefs, that the others know more of the failures than the model does and that they know next
    to nothing; the labels choose. Without confidence and without others there is nothing to learn from but the class.

    Parameters
    ----------
    inputs : of the model; what others say about it is left aside.
    others : other models, such as the version before. A copy of the model, or of one of them, says nothing and is left out.
    """

    def __init__(self, inputs: Inputs, others: Sequence[OtherModel]) -> None:
        own = replace(inputs, others=(), scores={k: v for k, v in inputs.scores.items() if k == "confidence"})
        different = list({one.fingerprint: one for one in others if not says_the_same(own, one)}.values())
        seen = with_others(own, different)
        classes = classes_of(own)
        given: dict[str, NDArray[Any]] = {"classes": classes} if np.ptp(classes) > 0 else {}
        for name, score in (("doubt", "confidence"), ("disagreement", DISAGREEMENT), ("votes", VOTES)):
            if score in seen.scores and (different or name != "doubt"):
                given[name] = seen.scores[score]
        chances = seen.scores.get(COMBINED if different else "confidence")
        scores = np.full(len(own), 0.1) if chances is None else chances
        super().__init__(scores, given, usual_terms(given, scores_are_chances=True), scores_are_chances=True)


def says_the_same(inputs: Inputs, other: OtherModel) -> bool:
    """Whether another model predicts the same on every input, as surely: then it is the same, or a copy."""
    if not np.array_equal(inputs.predictions, other.predictions):
        return False
    own, its = inputs.confidence, other.confidence
    return own is None or its is None or bool(np.allclose(own, its, atol=1e-6))
