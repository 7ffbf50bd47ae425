"""Everything a session's inputs can be sliced by: what the network says, columns of their table, tags and clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.planning.parts import (
    MOST_VALUES,
    Grouping,
    Trait,
    crossed,
    grouping_of_numbers,
    grouping_of_words,
    traits_of_column,
    traits_of_grouping,
    traits_of_inputs,
    traits_of_numbers,
)
from testimate.project.cluster_notes import called, notes_on
from testimate.project.cluster_settings import suited_settings
from testimate.project.project import Project
from testimate.session.session import Session
from testimate.tasks.classification import Classification

if TYPE_CHECKING:  # PyArrow, which the first input need not wait for
    from testimate.subjects.cells import Column

CLUSTER, FOLDER = "cluster", "folder"

Columns = Mapping[str, Callable[[], Grouping]]
"""By name, in the order they are offered; a call raises BadInput where the column groups nothing."""


def can_be_sliced(session: Session) -> bool:
    """Whether the session is about the whole set, and its accuracy a share."""
    return session.selector.design.size == len(session.inputs) and session.inputs.task.measure.is_share


def columns_of(project: Project, session: Session) -> Columns:
    """What every subject has, then the columns of its table that play no role, tags, and clusters once they are found.

    Nothing in them gives away an answer: a table's labels and outcomes are no columns to slice by.
    """
    return columns_of_subject(project, session.session_record.subject, session.inputs) if can_be_sliced(session) else {}


def columns_of_subject(project: Project, key: str, inputs: Inputs) -> Columns:
    """As ``columns_of``, for a subject on which no session was started."""
    found: dict[str, Callable[[], Grouping]] = {**of_predictions(inputs)}

    def add(name: str, made: Callable[[], Grouping], otherwise: str) -> None:
        found[name if name not in found else f"{name} ({otherwise})"] = made

    for name, column in project.columns.further(key).items():
        add(name, partial(_of_column, column), "column")
    for name, cells in project.columns.tags(key).items():
        add(name, partial(grouping_of_words, name, [str(one) for one in cells]), "tag")
    if folders := folders_of(inputs):
        add(FOLDER, partial(grouping_of_words, FOLDER, folders), "of the file")
    if (clusters := _clusters(project, key, inputs)) is not None:
        add(CLUSTER, lambda: clusters, "of the features")
    return found


def of_predictions(inputs: Inputs) -> Columns:
    """The predicted class, or bands of the predicted number, and bands of the confidence."""
    found: dict[str, Callable[[], Grouping]] = {}
    if isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1:
        found["predicted class"] = partial(_predicted, inputs, inputs.task.classes)
    elif inputs.task.numeric:
        numbers = np.asarray(inputs.predictions, dtype=np.float64)
        found["predicted number"] = partial(grouping_of_numbers, "predicted number", numbers)
    if inputs.confidence is not None:
        found["confidence"] = partial(grouping_of_numbers, "confidence", inputs.confidence.round(3))
    return found


def grouping_by(columns: Columns, first: str, second: str | None = None) -> Grouping:
    """The slices of one column, or the pairs of two; BadInput where it groups nothing."""
    one = columns[first]()
    return one if second is None or second == first else crossed(one, columns[second]())


def traits_of(project: Project, session: Session, descriptions: bool = True) -> list[Trait]:
    """The columns in which weak spots are searched for: the same ones, and simple descriptions of pictures, texts and sounds.

    Tags are left out: whoever made one may have seen labels, and parts made from labels cannot be measured by the same
    labels. So is a column that cannot be sliced by. ``descriptions`` : whether to look at each input for them, which
    may take minutes the first time.
    """
    key, inputs = session.session_record.subject, session.inputs
    if not can_be_sliced(session):
        return []
    found = traits_of_inputs(inputs)
    own, numeric, tags = of_predictions(inputs), project.columns.further(key), project.columns.tags(key)
    for name, made in columns_of(project, session).items():
        if name in own or name.removesuffix(" (tag)") in tags:
            continue
        column = numeric.get(name)
        if column is not None and column.is_numeric:
            found += traits_of_numbers(name, column.values)
            continue
        try:
            found += traits_of_grouping(made())
        except BadInput:
            continue
    for name, values in project.columns.descriptions(key).items() if descriptions else ():
        found += traits_of_column(name, values)
    return found


def _predicted(inputs: Inputs, classes: tuple[str, ...]) -> Grouping:
    groups = inputs.predictions.astype(np.intp)
    there = np.unique(groups)  # a class that is never predicted is no slice
    names = tuple(classes[place] for place in there.tolist())
    return Grouping("predicted class", names, np.searchsorted(there, groups).astype(np.intp))


def _of_column(column: Column) -> Grouping:
    if column.is_numeric:
        return grouping_of_numbers(column.name, column.values)
    return grouping_of_words(column.name, column.texts.to_pylist())


def folders_of(inputs: Inputs) -> list[str]:
    """The folders of files that lie in several, where these are not what the inputs are; else none."""
    if inputs.names is None or inputs.truth is not None:
        return []
    found = [name.rpartition("/")[0] for name in inputs.names]
    return found if 1 < len(set(found)) <= MOST_VALUES else []


def _clusters(project: Project, key: str, inputs: Inputs) -> Grouping | None:
    """The clusters where they are found already, by the names that notes give them; the minority space last."""
    if not inputs.features:
        return None
    try:
        view = project.clusters_if_found(key, suited_settings(inputs))
    except TestimateError:
        return None
    if view is None:
        return None
    notes = notes_on(view, project.cluster_notes.of(key))
    names = [called(view, card.number, notes).removeprefix("cluster ") for card in view.cards]
    groups = np.where(view.labels < 0, len(names), view.labels).astype(np.intp)
    return Grouping(CLUSTER, (*names, "minority space") if (view.labels < 0).any() else tuple(names), groups)
