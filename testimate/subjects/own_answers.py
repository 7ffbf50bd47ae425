"""What an answer is for a tester's own model and data, and the answers known of them in that form."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Dataset, Model
from testimate.core.task import Classification, MultiLabel, Regression, Task
from testimate.subjects.datasets.opened import OpenedDataset
from testimate.subjects.models.facts import ModelFacts

LOOKED_AT = 256
"""Inputs whose predictions tell how far they spread."""


def own_task(facts: ModelFacts, named: tuple[str, ...], tolerance: float | None) -> Task:
    """The task that the model's output makes; BadInput where the dataset's class names do not fit it.

    ``tolerance`` : of a regression.
    """
    if facts.output == "numbers":
        if facts.widths["OUT"] != 1:
            raise BadInput(
                f"The model says {facts.widths['OUT']} numbers per input; needed is one, or the classes' probabilities. Export "
                "one output, or say what the outputs mean."
            )
        return Regression(tolerance=0.0 if tolerance is None else tolerance)
    classes = _class_names(named, facts.classes)
    return MultiLabel(classes) if facts.output.startswith("several") else Classification(classes)


def spread_of(model: Model, dataset: Dataset) -> float | None:
    """The standard deviation of a regression's predictions over some inputs.

    None where the inputs are not prepared for a model yet, such as texts that nobody said how to cut into tokens.
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
        raise _unfit("a number", "classes")
    if not opened.classes:
        raise _unfit("classes", "numbers")
    if isinstance(task, MultiLabel):
        marked = answers if answers.ndim == 2 else np.eye(len(opened.classes), dtype=np.uint8)[answers]
        missing = len(task.classes) - marked.shape[1]
        return np.pad(marked, ((0, 0), (0, missing)))
    if answers.ndim == 2:
        raise _unfit("one class per input", "several")
    return answers


def _class_names(named: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The dataset's class names where they are the model's, else numbers; BadInput where they cannot be brought together."""
    if len(named) == count:
        return named
    if named == tuple(str(place) for place in range(min(len(named), count))):  # none, or the first of the numbers
        return tuple(str(place) for place in range(count))
    raise BadInput(
        f"The model tells {count} classes apart and the dataset names {len(named)} ({', '.join(named)!s:.80}); needed is the "
        "same number in the same order. Label the data with class numbers, or choose the dataset of this model."
    )


def _are_numbers(words: tuple[str, ...]) -> bool:
    return all(word.lstrip("-").isdecimal() for word in words)


def _unfit(model: str, data: str) -> BadInput:
    return BadInput(
        f"The model says {model} and the labels of the data are {data}; needed is the same of both. Choose the data that "
        "belong to the model, or say what its output means."
    )
