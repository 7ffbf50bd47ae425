"""PREDICTIONS.csv: one row per input and one column per model with the class it predicts.

Which models predict the same for an input, without comparing every pair.
"""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.model_columns import ModelColumns, models_among
from testimate.comparison.predictions import Predictions, class_names, predictions_of, too_few
from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.errors import BadInput, ReadingUnclear, Way
from testimate.core.reading import Read, Tell, checked_read, read_as, way_to_read
from testimate.core.spellings import folded, respelled, unlike
from testimate.core.words import commas
from testimate.tables.files import file_bytes, read_cells
from testimate.tables.first_cells import FEWEST_ROWS


@dataclass(frozen=True, eq=False)
class PredictionsTable:
    """What the file says.

    Attributes
    ----------
    predictions : of its models.
    truth : (N,) true class places, UNKNOWN for a class that no model predicts; None where no column was named.
    true_names : (N,) the same as text; None likewise.
    shown : columns that are not models, to show to testers, by name.
    columns : which columns are models, and why others are not.
    """

    predictions: Predictions
    truth: NDArray[np.intp] | None
    true_names: tuple[str, ...] | None
    shown: dict[str, NDArray[Any]]
    columns: ModelColumns


def read_predictions(
    source: Path | bytes,
    *,
    name: str = "",
    truth: str | None = None,
    shown: Collection[str] = (),
    models: Collection[str] = (),
    ignored: Collection[str] = (),
    read: Read = (),
    by_content: bool = False,
    tell: Tell = warnings.warn,
) -> PredictionsTable:
    """Reads a CSV (gzipped or not) or Parquet file; every column is a model but ``truth`` and those ``shown``.

    True labels never add a class: the ranking is the same whether they are named or not.

    Parameters
    ----------
    models : the columns that are models, if not all are. ``ignored`` : columns that are none. ``by_content`` : whether the
        cells decide which are, where ``models`` does not say.
    read : what was said about names that are spelled in several ways.
    tell : called with what the file was taken for where it does not say so itself.

    Raises
    ------
    BadInput : a column is absent, a prediction is missing, a model shares no class with the others, or fewer than two are left.
    ReadingUnclear : models spell the same classes in several ways, or a column may be a model or the truth.
    """
    called = source.name if isinstance(source, Path) else name
    cells = read_cells(file_bytes(source), called)
    if cells.taken:
        tell(read_as(called, cells.taken))
    for wanted in (*(() if truth is None else (truth,)), *shown, *models, *ignored):
        if wanted not in cells.columns:
            known = ", ".join(cells.columns)
            raise BadInput(f"There is no column {wanted!r:.60}; there are {known:.200}. Name one of these.")
    others = {*shown, *ignored, *(() if truth is None else (truth,))}
    free = [column for column in cells.columns if column not in others]
    found = ModelColumns(tuple(models or free))
    if by_content and not models:
        found = models_among(cells, free, truth=truth is not None)
        if found.may_be_truth:
            raise _model_or_truth(found)
    if len(found.models) < 2:
        raise too_few(
            found.models, {**dict.fromkeys(cells.embedded, "it contains pictures or sounds"), **found.left_out}
        )
    named = {column: class_names(cells.columns[column].to_pylist(), column) for column in found.models}
    answer = dict(checked_read(read)).get("spelling")
    if by_content or models or answer:
        _check_shared(named)
        spellings = _spellings(named)
        if spellings and answer is None:
            raise _spelled(spellings)
        if answer == "same":
            named = {column: [spellings.get(word, word) for word in words] for column, words in named.items()}
    predictions = predictions_of(named)
    true_names = None if truth is None else tuple(class_names(cells.columns[truth].to_pylist(), truth))
    if true_names is not None and answer == "same":
        spellings = respelled({*true_names}, predictions.classes)
        true_names = tuple(spellings.get(word, word) for word in true_names)
    true = None if true_names is None else ClassIndex(predictions.classes).indices(true_names, UNKNOWN)
    return PredictionsTable(predictions, true, true_names, {column: cells.columns[column] for column in shown}, found)


def _check_shared(named: Mapping[str, Sequence[str]]) -> None:
    """BadInput where a model shares no class with the others; among few rows that may be chance."""
    if len(next(iter(named.values()))) < FEWEST_ROWS:
        return
    words = {name: {folded(word) for word in set(own)} for name, own in named.items()}
    for name, own in words.items():
        if not own & set[str]().union(*(other for one, other in words.items() if one != name)):
            raise BadInput(
                f"The column {name!r:.60} shares no class with the others: it contains {min(named[name])!r:.40}. Expected "
                f"the same names in all. Translate it, or leave it out: --ignore {quote(name)}"
            )


def _spellings(named: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The names of classes that are spelled otherwise by an earlier model, each with that spelling."""
    known: dict[str, str] = {}
    found: dict[str, str] = {}
    for own in named.values():
        for word in sorted(set(own)):
            first = known.setdefault(folded(word), word)
            if first != word:
                found[word] = first
    return found


def _model_or_truth(found: ModelColumns) -> ReadingUnclear:
    """The question whether a column is a model, as the others are, or holds the truth."""
    name, others = found.may_be_truth[0], [one for one in found.models if one not in found.may_be_truth]
    first = " and ".join(f"{one!r:.40}" for one in others[:2])
    why = "each other column agrees with it more than with any third, as models do with the truth"
    why = why if name == found.agreed_with else "it is not called as models are"
    return ReadingUnclear(
        f"What is {name!r:.40}?",
        f"The column {name!r:.60} contains the classes of {first}, and {why}.",
        [
            Way(f"{name} is the truth", f"--truth {quote(name)}", f"truth={name!r}", ()),
            Way(
                "all are models",
                " ".join(f"--model {quote(one)}" for one in found.models),
                f'columns={{"model": {[*found.models]}}}',
                (),
            ),
        ],
    )


def _spelled(spellings: Mapping[str, str]) -> ReadingUnclear:
    one, other = next(iter(spellings.items()))
    return ReadingUnclear(
        "Are these the same classes?",
        f"The models spell {commas(len(spellings))} classes in several ways, such as {one!r:.40} and {other!r:.40}"
        f"{unlike(one, other)}.",
        [
            way_to_read("spelling", "same", f"{one} is {other}"),
            way_to_read("spelling", "different", "they are different classes"),
        ],
    )


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
