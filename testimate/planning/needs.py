"""What techniques need of the inputs: how to get each argument, whether it is available, and what to do if not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from testimate.auxiliary import AUXILIARY, SLOW
from testimate.auxiliary.leak import leaks_truth
from testimate.comparison import compared_predictions
from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import DEFAULT_AUXILIARY, Need, Request, Selector
from testimate.selectors.optimum_allocation import memorized
from testimate.tables.score_names import direction_of, tells_failures
from testimate.tasks.boxes import EXPECTED_ERRORS

DISAGREEMENT, VOTES, COMBINED = "disagreement", "votes", "combined"
"""Auxiliary variables that other models' predictions give; the last one is the chance of failure they make together."""

HISTORY = "earlier-results"
"""The auxiliary variable that earlier models' results give: the chance of failure, with the model's own confidence if known."""

CRITERIA = "criteria together"
"""The auxiliary variable of outputs that several criteria are asked of; see ``planning.criteria.compromise``."""

JUDGES = "judges"
"""The auxiliary variable of outputs whose judges are columns of grades: one less the mean of their scores."""

CHANCES = frozenset({"confidence", COMBINED, HISTORY, JUDGES})
"""Auxiliary variables that lie in [0, 1] and mean a chance of failure; the others only order the inputs."""


@dataclass(frozen=True)
class NeedSpec:
    """One argument that a technique may need.

    Attributes
    ----------
    get : the argument, once ``available`` says that it is there; BadInput where the request names a score or layer that is not.
    available : whether these inputs have it, whatever the request names.
    missing : what is missing where they have not, to follow "needs".
    mend : what to do then, as a sentence.
    """

    get: Callable[[Inputs, Request], Any]
    available: Callable[[Inputs], bool] = lambda _: True
    missing: str = ""
    mend: str = "Choose another technique."


def score_named(inputs: Inputs, auxiliary: str) -> NDArray[np.float64]:
    """The auxiliary variable as chi, (N,), larger = more likely to fail; "name:lower" turns the column "name" round.

    Several, joined by "+", become the mean of each one scaled to 0..1 over these inputs. A column whose own name has a "+" is
    that column.
    """
    if "+" in auxiliary and auxiliary.removesuffix(":lower").removesuffix(":higher") not in inputs.scores:
        parts = [_score(inputs, name.strip()) for name in auxiliary.split("+")]
        return np.asarray(np.mean([_scaled(part) for part in parts], axis=0), dtype=np.float64)
    return _score(inputs, auxiliary)


def _score(inputs: Inputs, auxiliary: str) -> NDArray[np.float64]:
    name, _, direction = auxiliary.partition(":")
    if direction not in ("", "lower", "higher"):
        raise BadInput(
            f"The auxiliary variable {auxiliary!r:.60} ends in {direction!r:.20}. Expected :lower or :higher. "
            "Write one of these."
        )
    scores = inputs.score(name)
    return -scores if direction == "lower" and name not in CHANCES else scores


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores on a scale from 0 to 1; 0 where they are all alike."""
    low, reach = scores.min() / 2, scores.max() / 2 - scores.min() / 2  # halved, or the widest range would overflow
    return (scores / 2 - low) / reach if reach > 0 else np.zeros_like(scores)


def classes_of(inputs: Inputs) -> NDArray[np.intp]:
    """The predicted class of each input, (N,), the most probable of several; BadInput where a task has no single one."""
    if not inputs.task.one_class:
        raise BadInput(
            f"A {inputs.task.kind} task has no predicted class; this technique needs one. Choose another technique."
        )
    predicted: NDArray[np.intp] = inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
    return predicted


def training_classes(inputs: Inputs) -> NDArray[np.intp]:
    """The predicted class of each training input, (M,), in the numbering of the operational inputs.

    Classes are the same where their names are; one that the operational set does not know gets a number of its own.
    """
    trained = _training(inputs)
    predicted = classes_of(trained)
    if trained.task.classes == inputs.task.classes:
        return predicted
    known = ClassIndex(inputs.task.classes)
    numbers = [known.get(name, len(known) + index) for index, name in enumerate(trained.task.classes)]
    return np.asarray(numbers, dtype=np.intp)[predicted]


def _training(inputs: Inputs) -> Inputs:
    if inputs.training is None:
        raise BadInput(f"There is no training data. {_GIVE_TRAINING}")
    return inputs.training


def _several_models(inputs: Inputs) -> bool:
    return inputs.compared_predictions is not None and inputs.task.one_class


def _own_score(score: str, missing: str, mend: str) -> NeedSpec:
    """An auxiliary variable that a technique names itself, whatever was chosen."""
    return NeedSpec(
        lambda inputs, _: inputs.scores[score], lambda inputs: score in inputs.scores, missing, f"Add {mend}."
    )


def _of_others(score: str) -> NeedSpec:
    """What other models say, for a request that follows them: its auxiliary variable is their combined chance."""
    return NeedSpec(
        lambda inputs, request: inputs.scores[score] if request.auxiliary == COMBINED else None,
        lambda inputs: bool(inputs.others) and score in inputs.scores,
        "other models' predictions",
        "Add them.",
    )


_GIVE_TRAINING = (
    "Give its table with --training, or choose a technique that does without it, such as ssoa-r-p, ssoa-c-p or "
    "severity-first."
)
_CONFIDENCE = "the confidence of each prediction"
_GROUPS = "a column that says which inputs belong together"
_EVERY_CLASS = ("the probability of every class", "columns p_0, p_1 and so on, one for each class")
_SEVERAL_MODELS = ("the predictions of several models", "Choose the models under Models, Compare.")

NEEDS: Mapping[str, NeedSpec] = {
    "size": NeedSpec(lambda inputs, _: len(inputs)),
    "predictions": NeedSpec(lambda inputs, _: inputs.predictions),
    "scores": NeedSpec(
        lambda inputs, request: score_named(inputs, request.auxiliary),
        lambda inputs: bool(inputs.scores),
        "an auxiliary variable, such as confidence",
        "Add a column named confidence, or another score.",
    ),
    "scores_are_chances": NeedSpec(lambda _, request: request.auxiliary in CHANCES),
    "features": NeedSpec(
        lambda inputs, request: inputs.feature(request.features),
        lambda inputs: bool(inputs.features),
        "the network's features",
        "Add them, or open the network with its dataset: a prediction table has none.",
    ),
    "confidence": NeedSpec(
        lambda inputs, _: inputs.confidence,
        lambda inputs: inputs.confidence is not None,
        _CONFIDENCE,
        "Add a column named confidence.",
    ),
    "training_losses": NeedSpec(
        lambda inputs, _: _training(inputs).losses,
        lambda inputs: inputs.training is not None and inputs.training.losses is not None,
        "the training data and its losses",
        f"{_GIVE_TRAINING} The table needs a column label or outcome.",
    ),
    "training_features": NeedSpec(
        lambda inputs, request: _training(inputs).feature(request.features),
        lambda inputs: inputs.training is not None and bool(inputs.training.features),
        "the network's features of the training data",
        _GIVE_TRAINING,
    ),
    "training_scores": NeedSpec(
        lambda inputs, request: score_named(_training(inputs), request.auxiliary),
        lambda inputs: inputs.training is not None,
        "the training data",
        _GIVE_TRAINING,
    ),
    "training_classes": NeedSpec(
        lambda inputs, _: training_classes(inputs),
        lambda inputs: inputs.training is not None,
        "the training data",
        _GIVE_TRAINING,
    ),
    "classes": NeedSpec(
        lambda inputs, _: classes_of(inputs),
        lambda inputs: inputs.task.one_class,
        "one predicted class for each input",
    ),
    "doubt": _own_score("confidence", _CONFIDENCE, "a column named confidence"),
    **{name: _own_score(name, *_EVERY_CLASS) for name in AUXILIARY if name != "confidence"},  # which is the doubt
    **{
        name: _own_score(name, variable.lacking, f"a column named {name}, or the network's features")
        for name, variable in SLOW.items()
    },
    "disagreement": _of_others(DISAGREEMENT),
    "votes": _of_others(VOTES),
    "history": NeedSpec(
        lambda inputs, request: inputs.scores[HISTORY] if request.auxiliary == HISTORY else None,
        lambda inputs: HISTORY in inputs.scores,
        "results of earlier models",
        "Add them with --history.",
    ),
    "labels": NeedSpec(lambda inputs, _: compared_predictions(inputs).labels, _several_models, *_SEVERAL_MODELS),
    "compared": NeedSpec(lambda inputs, _: compared_predictions(inputs), _several_models, *_SEVERAL_MODELS),
    "groups": NeedSpec(
        lambda inputs, _: inputs.groups,
        lambda inputs: inputs.groups is not None,
        _GROUPS,
        "Call it group, or say which it is: --column group=NAME. Techniques without groups in their name need none.",
    ),
}
"""Every argument there is, in the order in which what is missing is reported."""


def uses_of(technique: type[Selector]) -> tuple[Need, ...]:
    """What the technique takes where available and does without where it is not."""
    uses: tuple[Need, ...] = getattr(technique, "uses", ())
    return uses


def arguments_of(inputs: Inputs, technique: type[Selector], request: Request) -> dict[Need, Any]:
    """The constructor's arguments by need; None for what it can do without and is not there. BadInput where one is missing."""
    arguments: dict[Need, Any] = {}
    for need in technique.needs:
        spec = NEEDS[need]
        if not spec.available(inputs):
            raise BadInput(f"{technique.name} needs {spec.missing}, and there is none. {spec.mend}")
        arguments[need] = spec.get(inputs, request)
    # Which training inputs failed teaches by predicted class; where one of the two is missing the other is left out.
    taught = NEEDS["classes"].available(inputs) and NEEDS["training_losses"].available(inputs)
    for use in uses_of(technique):
        there = NEEDS[use].available(inputs) and (taught or not use.startswith("training_"))
        arguments[use] = NEEDS[use].get(inputs, request) if there else None
    return arguments


def learns_from_nothing(inputs: Inputs, technique: type[Selector]) -> str:
    """A sentence where the technique learns from training losses and these show hardly a mistake; else ""."""
    if "training_losses" not in technique.needs or inputs.training is None or inputs.training.losses is None:
        return ""
    return memorized(inputs.training.losses, getattr(technique, "instead", "rrs"))


TEACHES: tuple[Need, ...] = ("doubt", "disagreement", "votes", "dsa", "lsa", "classes")
"""What a technique may learn from besides the score it is given."""

_LEAKING: WeakKeyDictionary[Inputs, dict[str, bool]] = WeakKeyDictionary()  # asked in each campaign of a study


def teaching(inputs: Inputs, technique: type[Selector], request: Request) -> list[str]:
    """Which of ``TEACHES`` the technique takes and the inputs have, but for scores that give the known answers away."""
    found = []
    for name in TEACHES:
        there = name in uses_of(technique) and NEEDS[name].available(inputs)
        if not there or (found_here := NEEDS[name].get(inputs, request)) is None or _gives_away(inputs, name):
            continue
        if name != "classes" or np.ptp(found_here) > 0:  # one class alone teaches nothing
            found.append(str(name))
    return found


def _gives_away(inputs: Inputs, score: str) -> bool:
    """Whether a score that may have come in a column was made from the answers, as far as they are known."""
    if score not in SLOW or inputs.losses is None or not NEEDS["classes"].available(inputs):
        return False
    known = _LEAKING.setdefault(inputs, {})
    if score not in known:
        try:
            known[score] = leaks_truth(inputs.scores[score], classes_of(inputs), inputs.losses).leaks
        except NotEnoughLabels:
            known[score] = False
    return known[score]


def possible(inputs: Inputs, technique: type[Selector]) -> str:
    """Why this technique cannot run on these inputs, in one sentence; empty where it can."""
    if not technique.claims.serves(inputs.task.kind):
        return f"It is not for {inputs.task.kind} tasks."
    for need, spec in NEEDS.items():
        if need in technique.needs and not spec.available(inputs):
            return f"It needs {spec.missing}, and there is none."
    return ""


def default_auxiliary(inputs: Inputs) -> str | None:
    """The auxiliary variable to start from: what earlier models got wrong, else what other models say, else confidence.

    Without these it is lsa, else the first that tells.

    For a detector, the number of errors expected from its boxes' scores (decision 181). None where none is known to be larger
    where a failure is likelier: a score may as well be larger where an output is good, or be an age.
    """
    of_others: tuple[str, ...] = (COMBINED, DISAGREEMENT) if inputs.others else ()
    for name in (CRITERIA, HISTORY, *of_others, EXPECTED_ERRORS, "confidence", JUDGES, "lsa"):
        if name in inputs.scores:
            return name
    return next((name for name in inputs.scores if tells_failures(name)), None)


def score_words(auxiliary: str) -> str:
    """A chosen score and the direction in which it is used, for people.

    >>> score_words("faithfulness:lower"), score_words("confidence")
    ("'faithfulness', smaller values first", "'confidence', the least sure first")
    """
    name, _, direction = auxiliary.partition(":")
    if name == CRITERIA:
        return "what the judges of all criteria leave open"
    if name in CHANCES:
        return f"{name!r:.60}, the least sure first"
    return f"{name!r:.60}, {'smaller' if direction == 'lower' else 'larger'} values first"


def undirected_scores(inputs: Inputs) -> str:
    """A sentence on scores that are not used because nobody knows in which direction they tell failures; "" if none is."""
    if default_auxiliary(inputs) is not None or not inputs.scores:
        return ""
    name = next(iter(inputs.scores))
    better = direction_of(name)
    if better:
        return f"{name!r:.60} says how good an output is. To use it: --auxiliary {name}:lower."
    return (
        f"Nobody knows whether a large {name!r:.60} means a likelier failure. To use it: --auxiliary {name} where it does, "
        f"--auxiliary {name}:lower where a small one does."
    )


def usual_auxiliary(inputs: Inputs) -> str:
    """The auxiliary variable of a plan or order that names none: what earlier or other models, or criteria, say."""
    told = inputs.others or {HISTORY, CRITERIA, JUDGES} & {*inputs.scores}
    return (default_auxiliary(inputs) if told else None) or DEFAULT_AUXILIARY
