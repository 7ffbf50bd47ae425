"""What the map can be coloured by: what the network says, tags, scores, and every column of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from testimate.charts.cluster_map import ColourBy
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.planning.parts import EMPTY, FEW_NUMBERS, Grouping, grouping_of_numbers, grouping_of_words
from testimate.project.cluster_review import folders_of
from testimate.project.clusters import ClusterView
from testimate.session.session import Session
from testimate.tasks.classification import Classification
from testimate.ui.current_project import project
from testimate.ui.input_walls import losses_known

if TYPE_CHECKING:  # loads PyArrow, which a page without a table does not need
    from testimate.tables.cells import Column

GLOSH = "outlier score (GLOSH)"
WITNESS = "said too little by the prototypes (witness)"
TRUE, NUMBER, FOLDER = "true class", "predicted number", "folder of the file"
TAG, COLUMN = "tag: ", "column: "

Tags = Mapping[str, NDArray[np.object_]]


@dataclass(frozen=True, eq=False)
class Colouring:
    """A value for each input, (N,), as ``cluster_map`` takes it, and the names it counts through."""

    by: ColourBy
    values: NDArray[Any]
    names: tuple[str, ...] = ()


Colourings = Mapping[str, Callable[[], Colouring]]
"""By name, in the order they are offered; a call raises BadInput where a column has too many different words."""


def colourings(view: ClusterView, subject: Subject, inputs: Inputs, session: Session | None, tags: Tags) -> Colourings:
    """All that these inputs allow; the true class only if ``inputs`` hold the truth."""
    losses = losses_known(inputs, session)
    found: dict[str, Callable[[], Colouring]] = {"cluster": lambda: Colouring("cluster", view.labels)}
    classes = inputs.task.classes if isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1 else None
    confidence, truth = inputs.confidence, inputs.truth
    if classes is not None:
        found["predicted class"] = lambda: Colouring("predicted class", inputs.predictions, classes)
        if truth is not None:
            found[TRUE] = lambda: Colouring("column", np.asarray(truth, dtype=np.intp), classes)
    elif inputs.task.numeric:
        found[NUMBER] = lambda: Colouring("number", np.asarray(inputs.predictions, dtype=np.float64))
    if confidence is not None:
        found["confidence"] = lambda: Colouring("confidence", confidence)
    found["labeled"] = lambda: Colouring("labeled", np.isfinite(losses).astype(np.intp))
    found["failed"] = lambda: Colouring("failed", losses)
    for name, cells in tags.items():
        found[TAG + name] = lambda cells=cells: _words("tag", TAG, [str(one) for one in cells])  # type: ignore[misc]  # mypy cannot type a default that binds
    for name, column in project().columns.further(subject.key).items():
        found[COLUMN + name] = lambda column=column: of_column(column)  # type: ignore[misc]  # mypy cannot type a default that binds
    if folders := folders_of(inputs):
        found[FOLDER] = lambda: _words("column", FOLDER, folders)
    found[GLOSH] = lambda: Colouring("auxiliary variable", view.clustering.glosh)
    found[WITNESS] = lambda: Colouring("auxiliary variable", view.witness)
    for name in inputs.scores:
        if name != "confidence":
            found[name] = lambda name=name: Colouring("auxiliary variable", inputs.score(name))  # type: ignore[misc]  # mypy cannot type a default that binds
    return found


def of_column(column: Column) -> Colouring:
    """A column of a table: a few numbers and all words are groups, more numbers a scale."""
    if not column.is_numeric:
        return _words("column", column.name, column.texts.to_pylist())
    numbers = np.asarray(column.values, dtype=np.float64)
    if len(np.unique(numbers[np.isfinite(numbers)])) > FEW_NUMBERS:
        return Colouring("number", np.where(np.isfinite(numbers), numbers, np.nan))
    return _groups("column", grouping_of_numbers(column.name, numbers))


def _words(by: ColourBy, name: str, words: list[str]) -> Colouring:
    return _groups(by, grouping_of_words(name, words))


def _groups(by: ColourBy, found: Grouping) -> Colouring:
    """The groups; inputs without a value are -1."""
    names = [one for one in found.values if one != EMPTY]
    place = np.array([names.index(one) if one != EMPTY else -1 for one in found.values], dtype=np.intp)
    return Colouring(by, place[found.groups], tuple(names))
