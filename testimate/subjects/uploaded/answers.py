"""The task of a tester's own model and data, and the known answers in the form of that task."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Dataset, Model
from testimate.core.task import Task
from testimate.subjects.datasets.opened_dataset import OpenedDataset
from testimate.subjects.models.facts import ModelFacts
from testimate.tasks.classification import Classification, MultiLabel
from testimate.tasks.regression import Regression, SaidTolerance, regression

LOOKED_AT = 256
"""Inputs from which the spread of the predictions is estimated."""


def task_of(facts: ModelFacts, classes: tuple[str, ...], tolerance: SaidTolerance | None, top_k: int = 1) -> Task:
    """The task that follows from the model's output; BadInput where that is several numbers, or ``top_k`` is impossible.

    ``classes`` : in the order of the outputs. ``tolerance`` : of a regression. ``top_k`` : of a classification.
    """
    if top_k > 1 and (facts.output == "numbers" or facts.output.startswith("several")):
        raise BadInput(
            f"Top {top_k} was asked for, and the model says {facts.output}; expected one class per input, each with its "
            "probability. Leave it at 1, or say what the model's output means."
        )
    if facts.output == "numbers":
        if facts.widths["OUT"] != 1:
            raise BadInput(
                f"The model gives {facts.widths['OUT']} numbers per input; expected one, or the classes' "
                "probabilities. Export "
                "one output, or say what the outputs mean."
            )
        return regression(0.0 if tolerance is None else tolerance)
    return MultiLabel(classes) if facts.output.startswith("several") else Classification(classes, top_k)


def spread_of(model: Model, dataset: Dataset) -> float | None:
    """The standard deviation of a regression's predictions over some inputs.

    None if the inputs are not prepared for a model yet, such as texts without a way to split them into tokens.
    """
    rows = np.unique(np.linspace(0, len(dataset) - 1, min(LOOKED_AT, len(dataset))).astype(np.intp))
    layer = model.roles["OUT"]
    try:
        return float(np.std(model.run(dataset.batch(rows), [layer])[layer]))
    except BadInput:
        return None


def truth_of(opened: OpenedDataset, task: Task) -> NDArray[Any] | None:
    """The known answers in the task's form, (N,) or (N, C); None where some are unknown. BadInput where they do not fit."""
    answers = opened.truth
    if answers is None:
        return None
    if isinstance(task, Regression):
        if answers.ndim == 1 and opened.classes and _are_numbers(opened.classes):
            numbers: NDArray[Any] = np.array([float(word) for word in opened.classes])[answers]
            return numbers
        if answers.ndim == 1 and not opened.classes:
            return answers.astype(np.float64)
        raise _unfit("a number", "classes") if len(opened.classes) != 2 else _one_score(opened.classes)
    if not opened.classes:
        raise _unfit("classes", "numbers")
    if isinstance(task, MultiLabel):
        marked = answers if answers.ndim == 2 else np.eye(len(opened.classes), dtype=np.uint8)[answers]
        missing = len(task.classes) - marked.shape[1]
        return np.pad(marked, ((0, 0), (0, missing)))
    if answers.ndim == 2:
        raise _unfit("one class per input", "several")
    return answers


def classes_before_orders(named: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The classes of a subject that was added before the order of classes was stored.

    The dataset's names in its own order if their number fits, else numbers; BadInput otherwise.
    """
    if len(named) == count:
        return named
    if named == tuple(str(place) for place in range(min(len(named), count))):  # none, or the first numbers
        return tuple(str(place) for place in range(count))
    raise BadInput(
        f"The model distinguishes {count} classes and the dataset names {len(named)} ({', '.join(named)!s:.80}); "
        "expected the "
        "same number in the same order. Label the data with class numbers, or choose the dataset of this model."
    )


def _are_numbers(words: tuple[str, ...]) -> bool:
    return all(word.lstrip("-").isdecimal() for word in words)


def _one_score(classes: tuple[str, ...]) -> BadInput:
    return BadInput(
        f"The model predicts a number and the labels of the data are classes, {classes[0]!r:.60} and {classes[1]!r:.60}. Where "
        "the number is a score for two classes, say that the output means one probability or one logit (on the Subject page, "
        "under what the model means), or export the model with its sigmoid. Otherwise choose data whose labels are numbers."
    )


def _unfit(model: str, data: str) -> BadInput:
    return BadInput(
        f"The model says {model} and the labels of the data are {data}, so they do not belong together. Choose the data that "
        "belong to the model, or say what its output means."
    )
