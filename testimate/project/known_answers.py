"""Inputs whose answers are known before a session: by the dataset, by labels brought along, or by earlier sessions."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from testimate.core.inputs import Inputs
from testimate.project.kept_labels import standing_labels
from testimate.project.project import Project
from testimate.tasks.boxes import Boxes
from testimate.tasks.classification import Classification


def available_known_answers(project: Project, key: str, inputs: Inputs) -> dict[int, Any]:
    """The answer of each input of the subject that is known, as a tester gives it, by row.

    Where the truth of all inputs is known it is used, without showing it to the tester; otherwise the labels kept for
    the same
    inputs, from whatever session or file, if they are classes.
    """
    task = inputs.task
    if inputs.truth is not None and isinstance(task, Boxes):
        return {row: list(one) for row, one in enumerate(inputs.truth)}  # as events hold it
    if inputs.truth is not None:
        answers = [_as_given(one) for one in np.asarray(inputs.truth)]
        return dict(enumerate(answers))
    if not isinstance(task, Classification):
        return {}
    places = {name: place for place, name in enumerate(task.classes)}
    labels = standing_labels(project.known_labels.of(project.dataset_of(key)))
    return {
        row: places[one.answer]
        for row, one in labels.items()
        if one.answer is not None and one.answer in places and row < len(inputs)
    }


def _as_given(answer: Any) -> Any:
    """The answer as an event holds it: a place, a number, or the places of the classes present."""
    if np.ndim(answer):
        return np.flatnonzero(answer).tolist()
    return np.asarray(answer).item()


def chosen_known_answers(
    known: Mapping[int, Any], count: int, seed: int, drawn: Collection[int] = ()
) -> tuple[tuple[int, Any], ...]:
    """``count`` of the known answers, or all there are, in a random order by the seed; rows ``drawn`` are left out."""
    rows = sorted(set(known) - set(drawn))
    mixed = np.random.default_rng([seed, 0x4B1]).permutation(rows)[: max(count, 0)]
    return tuple((int(row), known[int(row)]) for row in mixed)
