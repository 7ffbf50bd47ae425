"""A tester's request and what is known of the inputs become the selector that draws them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Need, Option, Request, Selector
from testimate.core.task import Classification
from testimate.plans.comparing import COMPARING, build_comparing
from testimate.selectors import SELECTORS

CHANCES = frozenset({"confidence"})
"""Auxiliary variables that lie in [0, 1] and mean a chance of failure; the others only order the inputs."""


def build(inputs: Inputs, request: Request) -> Selector:
    """The selector that the request asks for, over these inputs.

    The same inputs and request give the same draws. A ``variant`` that the technique does not know leaves it at its only
    definition. Raises BadInput for an unknown technique, option, auxiliary variable or layer, for a task the technique is
    not for, and for a budget outside 1..N.
    """
    if request.technique in COMPARING:
        return build_comparing(inputs, request, lambda chosen: checked_options(chosen, request.options))
    technique = SELECTORS[request.technique]
    make: Callable[..., Selector] = technique
    if inputs.task.kind not in technique.claims.tasks:
        raise BadInput(
            f"{technique.name} is for {', '.join(technique.claims.tasks)} and this is a {inputs.task.kind} task. "
            "Choose another technique, such as srs."
        )
    arguments: dict[str, Any] = {}
    for need in technique.needs:
        match need:
            case "size":
                arguments[need] = len(inputs)
            case "scores":
                arguments[need] = score_named(inputs, request.auxiliary)
            case "scores_are_chances":
                arguments[need] = request.auxiliary in CHANCES
            case "confidence":
                arguments[need] = confidence_of(inputs)
            case "features":
                arguments[need] = inputs.feature(request.features)
            case "predictions":
                arguments[need] = inputs.predictions
            case "training_scores":
                arguments[need] = score_named(training_of(inputs), request.auxiliary)
            case "training_losses":
                arguments[need] = training_losses(inputs)
            case "training_features":
                arguments[need] = training_of(inputs).feature(request.features)
            case "classes" | "training_classes":
                arguments[need] = classes_of(inputs) if need == "classes" else training_classes(inputs)
            case "doubt" | "gini" | "entropy" | "margin" | "dsa" | "lsa":
                arguments[need] = own_score(inputs, need)
    for use in uses_of(technique):
        arguments[use] = _where_at_hand(inputs, use)
    variant = request.variant if request.variant in technique.variants else None
    options = checked_options(technique, request.options)
    if inputs.task.kind == "regression" and any(option.name == "negative" for option in technique.options):
        options.setdefault("negative", "shift")  # min-max would change the distribution; DeepSample, section 3.3
    return make(**arguments, budget=request.budget, seed=request.seed, variant=variant, **options)


def score_named(inputs: Inputs, auxiliary: str) -> NDArray[np.float64]:
    """The auxiliary variable as chi, (N,), larger = more likely to fail; "name:lower" turns the column "name" round."""
    name, _, direction = auxiliary.partition(":")
    if direction not in ("", "lower", "higher"):
        raise BadInput(
            f"The auxiliary variable {auxiliary!r:.60} ends in {direction!r:.20}; known are :lower and :higher."
        )
    scores = inputs.score(name)
    return -scores if direction == "lower" and name not in CHANCES else scores


def confidence_of(inputs: Inputs) -> NDArray[np.float64]:
    """The probability of the predicted class, (N,); BadInput where the inputs have none."""
    if inputs.confidence is None:
        raise BadInput(
            "There is no confidence for these inputs; this technique needs it. Add a column named confidence."
        )
    return inputs.confidence


def training_of(inputs: Inputs) -> Inputs:
    """The training inputs; BadInput where they are not at hand."""
    if inputs.training is None:
        raise BadInput(
            "The training data is not at hand; this technique learns from it. Give its table with --training, or choose a "
            "technique that does without, such as ssoa-r-p, ssoa-c-p or severity-first."
        )
    return inputs.training


def training_losses(inputs: Inputs) -> NDArray[np.float64]:
    """The losses of the training inputs, (M,); BadInput where they are not known."""
    losses = training_of(inputs).losses
    if losses is None:
        raise BadInput(
            "The losses of the training data are not known; this technique needs them. Add a column label or outcome to "
            "its table."
        )
    return losses


def uses_of(technique: type[Selector]) -> tuple[Need, ...]:
    """What the technique takes where it is at hand and does without where it is not."""
    uses: tuple[Need, ...] = getattr(technique, "uses", ())
    return uses


def _where_at_hand(inputs: Inputs, use: Need) -> NDArray[Any] | None:
    """That argument of a technique that can do without it; None where it is not at hand."""
    classes = isinstance(inputs.task, Classification)
    trained = inputs.training is not None and inputs.training.losses is not None
    match use:
        case "dsa" | "lsa" | "confidence":
            return inputs.confidence if use == "confidence" else inputs.scores.get(use)
        case "classes":
            return classes_of(inputs) if classes else None
        case "training_classes" | "training_losses" if classes and trained:
            return training_classes(inputs) if use == "training_classes" else training_losses(inputs)
    return None


OWN_SCORES = {
    "doubt": "the confidence of each prediction. Add a column named confidence",
    "gini": "the probability of every class. Add a column p_0, p_1 and so on for each",
    "entropy": "the probability of every class. Add a column p_0, p_1 and so on for each",
    "margin": "the probability of every class. Add a column p_0, p_1 and so on for each",
    "dsa": "surprise scores. Add a column named dsa, or the network's features",
    "lsa": "surprise scores. Add a column named lsa, or the network's features",
}
"""Auxiliary variables that techniques name themselves: what has to be at hand, and what to do where it is not."""


def own_score(inputs: Inputs, name: str) -> NDArray[np.float64]:
    """The auxiliary variable that a technique names itself, (N,); BadInput where it is not at hand."""
    score = inputs.scores.get("confidence" if name == "doubt" else name)
    if score is None:
        raise BadInput(f"There is no {name} of these inputs; this technique needs {OWN_SCORES[name]}.")
    return score


def classes_of(inputs: Inputs) -> NDArray[np.intp]:
    """The predicted class of each input, (N,), the most probable of several; BadInput where a task has no single one."""
    if not isinstance(inputs.task, Classification):
        raise BadInput(
            f"A {inputs.task.kind} task has no predicted class; this technique needs one. Choose another technique."
        )
    predicted: NDArray[np.intp] = inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
    return predicted


def training_classes(inputs: Inputs) -> NDArray[np.intp]:
    """The predicted class of each training input, (M,), in the numbering of the operational inputs.

    Classes are the same where their names are; one that the operational set does not know gets a number of its own.
    """
    trained = training_of(inputs)
    predicted = classes_of(trained)
    assert isinstance(inputs.task, Classification)
    assert isinstance(trained.task, Classification)
    if trained.task.classes == inputs.task.classes:
        return predicted
    places = {name: place for place, name in enumerate(inputs.task.classes)}
    numbers = [places.get(name, len(places) + place) for place, name in enumerate(trained.task.classes)]
    return np.asarray(numbers, dtype=np.intp)[predicted]


def default_auxiliary(inputs: Inputs) -> str | None:
    """The auxiliary variable to start from: confidence, else lsa, else the first at hand; None where there is none."""
    for name in ("confidence", "lsa", *inputs.scores):
        if name in inputs.scores:
            return name
    return None


def possible(inputs: Inputs, technique: type[Selector]) -> str:
    """Why this technique cannot run on these inputs, in one sentence; empty where it can."""
    if inputs.task.kind not in technique.claims.tasks:
        return f"It is not for {inputs.task.kind} tasks."
    if "scores" in technique.needs and not inputs.scores:
        return "It needs an auxiliary variable, such as confidence, and there is none."
    if "features" in technique.needs and not inputs.features:
        return "It needs the network's features, and a prediction table has none."
    if "confidence" in technique.needs and inputs.confidence is None:
        return "It needs the confidence of each prediction, and there is none."
    if "training_losses" in technique.needs and (inputs.training is None or inputs.training.losses is None):
        return "It needs the training data and its losses, and there is none."
    if "training_features" in technique.needs and (inputs.training is None or not inputs.training.features):
        return "It needs the network's features of the training data, and there are none."
    for need in technique.needs:
        if need in OWN_SCORES and ("confidence" if need == "doubt" else need) not in inputs.scores:
            return f"It needs {OWN_SCORES[need].partition('.')[0]}, and there is none."
    return ""


def checked_options(technique: type[Selector], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options in the types of their defaults; text is parsed. BadInput names the options there are, or the bounds."""
    known = {option.name: option for option in technique.options}
    checked = {}
    for name, value in options.items():
        if name not in known:
            there_are = ", ".join(known) or "none"
            raise BadInput(
                f"{technique.name} has no option {name!r:.60}; it has {there_are}. Leave it out or rename it."
            )
        checked[name] = _checked(known[name], value)
    return checked


def _checked(option: Option, value: Any) -> Any:
    """One option's value, parsed and held against its choices and bounds."""
    wanted = type(option.default)
    try:
        if isinstance(value, str) and wanted is bool:
            value = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
        elif isinstance(value, str) and wanted in (int, float):
            value = wanted(value)
        elif wanted is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
    except (KeyError, ValueError):
        pass
    if option.choices and value not in option.choices:
        allowed = ", ".join(map(str, option.choices))
        raise BadInput(f"The option {option.name} is {value!r:.60}; allowed are {allowed}. Choose one of these.")
    if option.default is not None and type(value) is not wanted:
        raise BadInput(
            f"The option {option.name} is {value!r:.60}; needed is a value like {option.default!r}. Change it."
        )
    if isinstance(value, int | float) and (
        (option.low is not None and value < option.low) or (option.high is not None and value > option.high)
    ):
        low = "any" if option.low is None else option.low
        high = "any" if option.high is None else option.high
        raise BadInput(f"The option {option.name} is {value}; it must lie between {low} and {high}. Change it.")
    return value
