"""What several models predict for the same inputs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.words import counted, is_or_are


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predicted classes of M models for N inputs.

    Attributes
    ----------
    models : their names, M of them, in the order of the columns.
    labels : (N, M) places in ``classes``.
    classes : every class that a model predicted or that was named, sorted; C of them.
    """

    models: tuple[str, ...]
    labels: NDArray[np.intp]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.models) < 2:
            raise too_few(self.models)
        if len(set(self.models)) < len(self.models):
            raise BadInput("Two models share a name, and nobody could tell which is which. Give each its own.")
        if self.labels.ndim != 2 or self.labels.shape[1] != len(self.models):
            raise BadInput(
                f"The predictions have the shape {self.labels.shape}. Expected (inputs, {len(self.models)}). Check them."
            )
        if len(self.labels) == 0:
            raise BadInput("There are no inputs; a comparison needs at least 1. Add rows.")

    @property
    def disputed(self) -> NDArray[np.intp]:
        """Rows on which not all models agree, (n,); the others say nothing about which model is better."""
        return np.flatnonzero((self.labels != self.labels[:, :1]).any(axis=1))


def predictions_of(columns: Mapping[str, Sequence[Any]], classes: Sequence[str] = ()) -> Predictions:
    """The predictions from one column of class names per model; ``classes`` names those that nobody predicts.

    Whole numbers written as 3, 3.0 or "3" are one class. Raises BadInput where a prediction is missing.

    >>> predictions_of({"a": [0, 1, 1], "b": ["0", "2", "1"]}).labels.tolist()
    [[0, 0], [1, 2], [1, 1]]
    """
    if len(columns) < 2:
        raise too_few(columns)
    named = {model: class_names(of, model) for model, of in columns.items()}
    lengths = {len(of) for of in named.values()}
    if len(lengths) > 1:
        raise BadInput(f"The models predict {sorted(lengths)} inputs; all need the same ones. Complete the columns.")
    known = sorted({name for of in named.values() for name in of} | set(classes), key=_by_number)
    index = ClassIndex(known)
    labels = np.array([index.indices(of) for of in named.values()], dtype=np.intp).T
    return Predictions(tuple(named), labels.reshape(-1, len(named)), tuple(known))


def too_few(models: Collection[str], left_out: Mapping[str, str] | None = None) -> BadInput:
    """The refusal of fewer than two models; ``left_out`` : why other columns are none."""
    why = "".join(f" {name!r:.40} is left out: {reason}." for name, reason in [*(left_out or {}).items()][:4])
    name_it = " Name a column with --model." if left_out else ""
    there = f"There {is_or_are(len(models))} {counted(len(models), 'model')}"
    return BadInput(f"{there}; a comparison needs at least 2. Add another column.{why}{name_it}")


def class_names(values: Sequence[Any], column: str) -> list[str]:
    """The classes of a column as text; BadInput names the first row that has none."""
    known: dict[Any, str] = {}
    names = []
    for row, value in enumerate(values):
        if value not in known:
            known[value] = _class_name(value, column, row)
        names.append(known[value])
    return names


def _class_name(value: Any, model: str, row: int) -> str:
    """The class as text; a missing one is refused."""
    if value is None or value != value or (isinstance(value, str) and not value.strip()):
        raise BadInput(
            f"The column {model!r:.60} has no prediction for row {row}; every model needs one for every input. "
            "Complete the column or drop the row from all of them."
        )
    text = str(value).strip()
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.0f}" if number.is_integer() else text


def _by_number(name: str) -> tuple[bool, float, str]:
    """Numbers by their size, then words by the alphabet."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name
