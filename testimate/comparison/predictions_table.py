"""PREDICTIONS.csv: one row per input and one column per model with the class it predicts.

Which models predict the same for an input, without comparing every pair.
"""

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.predictions import Predictions, class_names, predictions_of
from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.errors import BadInput
from testimate.core.reading import Tell, read_as
from testimate.tables.files import file_bytes, read_cells

USUAL_TRUTHS = ("label", "truth", "true label", "y", "target")
"""Names under which people keep true labels, in lower case."""


@dataclass(frozen=True, eq=False)
class PredictionsTable:
    """What the file says.

    Attributes
    ----------
    predictions : of its models.
    truth : (N,) true class places, UNKNOWN for a class that no model predicts; None where no column was named.
    true_names : (N,) the same as text; None likewise.
    shown : columns that are not models, to show to testers, by name.
    """

    predictions: Predictions
    truth: NDArray[np.intp] | None
    true_names: tuple[str, ...] | None
    shown: dict[str, NDArray[Any]]


def read_predictions(
    source: Path | bytes,
    *,
    name: str = "",
    truth: str | None = None,
    shown: Collection[str] = (),
    tell: Tell = warnings.warn,
) -> PredictionsTable:
    """Reads a CSV (gzipped or not) or Parquet file; every column is a model but ``truth`` and those ``shown``.

    True labels never add a class: the ranking is the same whether they are named or not. Raises BadInput where a column is
    absent, a prediction is missing, or fewer than two models are left.
    ``tell`` is called with what the file was taken for where it does not say so itself.
    """
    called = source.name if isinstance(source, Path) else name
    cells = read_cells(file_bytes(source), called)
    if cells.taken:
        tell(read_as(called, cells.taken))
    for wanted in (*(() if truth is None else (truth,)), *shown):
        if wanted not in cells.columns:
            known = ", ".join(cells.columns)
            raise BadInput(f"There is no column {wanted!r:.60}; there are {known:.200}. Name one of these.")
    models = {
        column: values.to_pylist()
        for column, values in cells.columns.items()
        if column != truth and column not in shown
    }
    predictions = predictions_of(models)
    true_names = None if truth is None else tuple(class_names(cells.columns[truth].to_pylist(), truth))
    true = None if true_names is None else ClassIndex(predictions.classes).indices(true_names, UNKNOWN)
    return PredictionsTable(predictions, true, true_names, {column: cells.columns[column] for column in shown})


def looks_like_truth(models: Collection[str]) -> str | None:
    """The model whose column, by its name, seems to hold the true labels; None where there is none."""
    return next((model for model in models if model.strip().casefold() in USUAL_TRUTHS), None)


@dataclass(frozen=True, eq=False)
class AgreeingModels:
    """For each input the models in groups that predict the same class.

    Attributes
    ----------
    group : (n, M) the group of each model, 0.. by rising class.
    size : (n, M) models in each group; 0 for groups that are not there.
    count : (n,) groups, which is distinct predictions.
    """

    group: NDArray[np.intp]
    size: NDArray[np.intp]
    count: NDArray[np.intp]

    @property
    def majority(self) -> NDArray[np.intp]:
        """The largest group of each input, that of the lowest class where two are as large; (n,)."""
        largest: NDArray[np.intp] = self.size.argmax(axis=1)
        return largest

    @property
    def with_majority(self) -> NDArray[np.bool_]:
        """Which models are in the largest group; (n, M)."""
        together: NDArray[np.bool_] = self.group == self.majority[:, None]
        return together

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of ``values`` (n, M) over the models of each group; (n, M), 0 for groups that are not there."""
        n, models = self.group.shape
        places = (np.arange(n)[:, None] * models + self.group).ravel()
        found = np.bincount(places, weights=values.ravel(), minlength=n * models).astype(np.float64, copy=False)
        return found.reshape(n, models)


def agreeing_models(labels: NDArray[np.intp]) -> AgreeingModels:
    """The groups, from predicted classes (n, M).

    >>> found = agreeing_models(np.array([[3, 1, 3], [2, 2, 2]]))
    >>> found.group.tolist(), found.size.tolist(), found.count.tolist()
    ([[1, 0, 1], [0, 0, 0]], [[1, 2, 0], [3, 0, 0]], [2, 1])
    """
    n, models = labels.shape
    order = np.argsort(labels, axis=1, kind="stable")
    ordered = np.take_along_axis(labels, order, axis=1)
    new = np.zeros((n, models), dtype=np.intp)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    numbered = new.cumsum(axis=1)
    group = np.empty((n, models), dtype=np.intp)
    np.put_along_axis(group, order, numbered, axis=1)
    places = (np.arange(n)[:, None] * models + group).ravel()
    size = np.bincount(places, minlength=n * models).reshape(n, models)
    return AgreeingModels(group, size, numbered[:, -1] + 1)
