"""A model-assisted estimate as an option: what the network's outputs predict for every input, corrected by the labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.task import Measure
from testimate.estimators.difference import Interval, estimate_difference
from testimate.estimators.reused import estimate_with_learned_guesses
from testimate.planning.label_guesses import can_learn, label_guesses, tells_classes_apart
from testimate.planning.needs import CHANCES, COMBINED, default_auxiliary, score_named
from testimate.tasks.boxes import EXPECTED_ERRORS
from testimate.tasks.verdict import Judgement

Model = Literal["learned", "difference", "regression"]

MODELS: Mapping[Model, str] = {
    "learned": "chances of failing that the labels themselves teach",
    "difference": "the chances of failing as they are (difference estimate)",
    "regression": "a line through a score, fitted to the labels (regression estimate, GREG)",
}
"""The models available, by how they guess an input's loss."""


def model_title(model: Model, inputs: Inputs) -> str:
    """What the model is, for a list to choose from; of classes also where it is best.

    >>> from testimate.core.judgement import Judgement
    >>> import numpy as np
    >>> model_title("learned", Inputs("f", Judgement(), np.zeros(9, int)))
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

    >>> from testimate.core.classification import Classification
    >>> import numpy as np
    >>> bare = Inputs("f", Classification(("a", "b")), np.zeros(9, int), scores={"dsa": np.arange(9.0)})
    >>> assisting(bare, SimpleRandom((9,), 3))
    {'learned': 'dsa', 'regression': 'dsa'}
    """
    auxiliary = default_auxiliary(inputs)
    if auxiliary is None or not isinstance(design, SimpleRandom | Stratified):
        return {}
    found: dict[Model, str] = {"learned": auxiliary} if can_learn(inputs) else {}
    if auxiliary in CHANCES and inputs.task.kind != "regression":
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
    chances = name in CHANCES and inputs.task.kind != "regression"
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
    graded = isinstance(inputs.task, Judgement)
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
