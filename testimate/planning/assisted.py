"""An estimate assisted by a model: what outputs predict of every input, or learn from labels, corrected by the labels."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_bytes
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.core.task import Measure
from testimate.estimators.difference import Interval, estimate_difference
from testimate.estimators.learned_guesses import estimate_with_learned_guesses
from testimate.planning.needs import (
    CHANCES,
    COMBINED,
    DISAGREEMENT,
    NEEDS,
    VOTES,
    arguments_of,
    classes_of,
    default_auxiliary,
    score_named,
    teaching,
)
from testimate.planning.other_models import with_others
from testimate.selectors.adaptive_rounds import HIGHEST, LOWEST, AdaptiveRounds
from testimate.selectors.round_guesses import Guesses, Numbers, guesses_of, of_inputs, usual_terms
from testimate.tasks.boxes import EXPECTED_ERRORS

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
    return AdaptiveRounds.claims.serves(inputs.task.kind) and bool(inputs.scores)


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


Model = Literal["learned", "difference", "regression"]

MODELS: Mapping[Model, str] = {
    "learned": "chances of failing that the labels themselves teach",
    "difference": "the chances of failing as they are (difference estimate)",
    "regression": "a line through a score, fitted to the labels (regression estimate, GREG)",
}
"""The models available, by how they guess an input's loss."""


def model_title(model: Model, inputs: Inputs) -> str:
    """What the model is, for a list to choose from; of classes also where it is best.

    >>> from testimate.tasks.verdict import Judgment
    >>> import numpy as np
    >>> model_title("learned", Inputs("f", Judgment(), np.zeros(9, int)))
    'chances of failing that the labels themselves teach'
    """
    best = ": best where whole classes may fail" if model == "learned" and tells_classes_apart(inputs) else ""
    return f"{MODELS[model]}{best}"


@dataclass(frozen=True)
class Assisted:
    """A model-assisted estimate beside the plain one.

    Attributes
    ----------
    estimate : model-assisted.
    model, auxiliary : what guessed, and from which variable.
    narrower : half-width of the plain ordinary interval less that of this one, in the unit of the loss; below 0 where this
        one is wider, None where one of them has no interval.
    words : both in sentences.
    """

    estimate: Estimate
    model: Model
    auxiliary: str
    narrower: float | None
    words: str


def assisting(inputs: Inputs, design: Design) -> dict[Model, str]:
    """The models that can assist the estimate of this design, each with its auxiliary variable; empty where none can.

    >>> from testimate.tasks.classification import Classification
    >>> import numpy as np
    >>> bare = Inputs("f", Classification(("a", "b")), np.zeros(9, int), scores={"dsa": np.arange(9.0)})
    >>> assisting(bare, SimpleRandom((9,), 3))
    {'learned': 'dsa', 'regression': 'dsa'}
    """
    auxiliary = default_auxiliary(inputs)
    if auxiliary is None or not isinstance(design, SimpleRandom | Stratified):
        return {}
    found: dict[Model, str] = {"learned": auxiliary} if can_learn(inputs) else {}
    if auxiliary in CHANCES and not inputs.task.numeric:
        found["difference"] = auxiliary
    return found | {"regression": auxiliary}


def why_unassisted(inputs: Inputs, design: Design) -> str:
    """Why no model can assist the estimate of this design, in one sentence; empty where one can."""
    if isinstance(design, Rounds):
        return "The estimate of adaptive rounds is already corrected by guesses that learn from the labels."
    if not isinstance(design, SimpleRandom | Stratified):
        return f"Model-assisted estimates are for simple random and stratified draws; these are {design.kind}."
    if default_auxiliary(inputs) is None:
        return "There is no confidence and no other score, so nothing guesses which inputs fail."
    return ""


def assisted_estimate(
    inputs: Inputs,
    design: Design,
    verdicts: Sequence[Verdict],
    plain: Estimate,
    *,
    model: Model,
    auxiliary: str | None = None,
    interval: Interval = "ordinary",
    loss_bound: float | None = 1.0,
) -> Assisted:
    """The estimate assisted by a model of the losses, at the level of the plain one.

    Parameters
    ----------
    plain : the design's own estimate of the same verdicts.
    model, auxiliary : see ``assisting``; without an auxiliary variable the one named there.

    Raises
    ------
    BadInput : the design or the outputs allow no such model, or the difference estimate is asked for with a score that
    is not a chance.
    NotEnoughLabels : a stratum without a label; for a regression also labels to which no line can be fitted.
    """
    models = assisting(inputs, design)
    if not models:
        raise BadInput(
            f"A model-assisted estimate was asked for. {why_unassisted(inputs, design)} Take the plain estimate."
        )
    name = auxiliary or models["regression"]
    chances = name in CHANCES and not inputs.task.numeric
    if model == "difference" and not chances:
        raise BadInput(
            f"The difference estimate was asked for with {name!r:.60}; it needs chances of failing, such as "
            "1 - confidence for classes. Take the regression, which fits a line to the labels."
        )
    if model == "learned":
        guesses = label_guesses(inputs, name)
        found = estimate_with_learned_guesses(
            design, verdicts, guesses.learn, level=plain.level, conservative=interval == "conservative"
        )
    else:
        found = estimate_difference(
            design,
            verdicts,
            score_named(inputs, name),
            model=model,
            interval=interval,
            level=plain.level,
            loss_bound=loss_bound,
        )
    narrower = None if plain.half_width is None or found.half_width is None else plain.half_width - found.half_width
    words = f"{_model_words(model, name, inputs)} {_gain_words(plain, found, inputs.task.measure)}"
    return Assisted(found, model, name, narrower, words)


def _model_words(model: Model, auxiliary: str, inputs: Inputs) -> str:
    graded = inputs.task.graded
    if model == "learned":
        by_class = ", class by class" if tells_classes_apart(inputs) else ""
        guess = "The guessed loss of each output" if graded else "Each input is guessed to fail with a chance that"
        return (
            f"{guess} starts from {_named(auxiliary)} and learns from nine tenths of the labels{by_class}; the other tenth "
            "corrects the guesses, each tenth in turn, which leaves the estimate unbiased however wrong they are."
        )
    if model == "difference":
        guess = "The loss of each output is guessed as" if graded else "Each input is guessed to fail with the chance"
        return (
            f"{guess} {_named(auxiliary)}; the mean of these guesses is corrected by what the labels show, which leaves it "
            "unbiased however wrong they are."
        )
    return (
        f"A line through {_named(auxiliary)}, fitted to the labels, guesses the loss of every input; the mean of these "
        "guesses is corrected by what the labels show, with a bias that vanishes as labels grow."
    )


def _named(auxiliary: str) -> str:
    """What the guesses follow, for a sentence."""
    if auxiliary == COMBINED:
        return "combined from what other models say"
    if auxiliary == EXPECTED_ERRORS:
        return "the number of errors expected from the scores of the boxes"
    return f"1 - {auxiliary}" if auxiliary in CHANCES else auxiliary


def _gain_words(plain: Estimate, found: Estimate, measure: Measure) -> str:
    """How much narrower or wider it makes the interval."""
    if plain.half_width is None or found.half_width is None:
        return "One of the two estimates has no interval yet, so they cannot be compared."
    gain = plain.half_width - found.half_width
    if measure.is_share:
        by, now, before = (f"{100 * share:.2f}" for share in (abs(gain), found.half_width, plain.half_width))
        by = f"{by} points"
    else:
        by, now, before = f"{abs(gain):.3g}", f"{found.half_width:.3g}", f"{plain.half_width:.3g}"
    if float(by.split()[0]) == 0:
        return f"It gains nothing here: its interval is as wide as the plain one, ±{now}."
    if gain <= 0:
        return f"It gains nothing here: its interval is {by} wider on each side, ±{now} instead of ±{before}."
    return f"Its interval is {by} narrower on each side: ±{now} instead of ±{before}."


class VersionGuesses(LabelGuesses):
    """Chances of failure of one model, for ``estimate_with_learned_guesses``.

    The fit is that of adaptive rounds: ridge-logistic in the model's doubt, the others' disagreement and votes, and the
    predicted class, under two beliefs, that the others know more of the failures than the model does and that they know next
    to nothing; the labels choose. Without confidence and without others there is nothing to learn from but the class.

    Parameters
    ----------
    inputs : of the model; what others say about it is left aside.
    others : other models, such as the version before. A copy of the model, or of one of them, says nothing and is left out.

    Attributes
    ----------
    knows_others : whether some are left.
    """

    def __init__(self, inputs: Inputs, others: Sequence[OtherModel]) -> None:
        own = replace(inputs, others=(), scores={k: v for k, v in inputs.scores.items() if k == "confidence"})
        different = list({one.fingerprint: one for one in others if not says_the_same(own, one)}.values())
        self.knows_others = bool(different)
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
