"""PREDICTIONS.csv: one row per input and one column per model with the class it predicts.

Which models predict the same for an input, without comparing every pair.
"""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.predictions import Predictions, class_names, predictions_of, too_few
from testimate.core.class_index import UNKNOWN, ClassIndex
from testimate.core.errors import BadInput, ReadingUnclear
from testimate.core.reading import Read, Tell, checked_read, read_as, way_to_read
from testimate.core.spellings import bare, folded, respelled, unlike
from testimate.core.words import commas
from testimate.tables.cells import Cells
from testimate.tables.column_evidence import FIRST_ROWS
from testimate.tables.column_names import TRUTHS, in_english
from testimate.tables.files import file_bytes, read_cells
from testimate.tables.first_cells import FEWEST_ROWS, FirstCells
from testimate.tables.roles import is_index_name

USUAL_TRUTHS = frozenset({"label", "y", *TRUTHS})
"""Names under which people keep true labels, in lower-case letters and digits."""


@dataclass(frozen=True)
class ModelColumns:
    """Which columns are models, in the order of the file, and why others are ``left_out``.

    ``truths`` : those of them that seem to hold the truth. ``spellings`` : names of classes of one model that another spells
    otherwise, each with that spelling.
    """

    models: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    truths: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)

    def in_words(self, size: int) -> str:
        """Return what was understood, in one line, and how the truth would be named."""
        models = ", ".join(f"`{name:.60}`" for name in self.models[:MOST_NAMED])
        rest = f" and {commas(len(self.models) - MOST_NAMED)} more" if len(self.models) > MOST_NAMED else ""
        out = ", ".join(f"`{name:.60}` ({why})" for name, why in self.left_out.items())
        line = f"{commas(size)} rows: {commas(len(self.models))} models {models}{rest}{f' · left out: {out}' if out else ''}"
        suspects = (
            f"{name!r:.60} looks like the true labels but is ranked as a model. If so, run again with --truth {quote(name)}"
            for name in self.truths
        )
        return "\n".join((line, *suspects))


MOST_NAMED = 6
"""Models that are named in a sentence; the others are counted."""


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
    ReadingUnclear : models spell the same classes in several ways.
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
    found = models_among(cells, free) if by_content and not models else ModelColumns(tuple(models or free))
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


def models_among(cells: Cells, names: Sequence[str]) -> ModelColumns:
    """Which of these columns are models: those whose cells are the others' classes.

    Keys, names of files, texts and measurements are left out, and so is a column that shares no class with the others or has
    the name of the truth.
    """
    left_out: dict[str, str] = {}
    words: dict[str, set[str]] = {}
    for name in names:
        first = FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS))
        reason = _no_model(first)
        if reason:
            left_out[name] = reason
        else:
            words[name] = {folded(word) for word in first.filled}
    truths = tuple(name for name in words if _names_truth(name) and _shared(words, name))
    for name in truths:
        left_out[name] = "its name is that of the truth"
    models = [name for name in words if name not in truths]
    if len(models) > 2:
        apart = [name for name in models if not _shared({one: words[one] for one in models}, name)]
        left_out |= dict.fromkeys(apart, "its cells are not the others' classes")
        models = [name for name in models if name not in apart]
    return ModelColumns(tuple(models), left_out, truths)


def _names_truth(name: str) -> bool:
    """Whether a column has the usual name of the truth, in any language whose words are known."""
    called = in_english(name).split()
    return not USUAL_TRUTHS.isdisjoint({bare(" ".join(called)), bare(" ".join(reversed(called)))})


def _no_model(first: FirstCells) -> str:
    """Why a column predicts no classes; "" where it may."""
    if first.size < FEWEST_ROWS:
        return ""
    if first.number_rows or is_index_name(first.column.name):
        return "it numbers the rows"
    if first.are_files:
        return "it names files"
    if first.are_numbers and not first.are_whole:
        return "it contains numbers with decimals"
    return "it differs in nearly every row" if 2 * len(first.filled) > first.size else ""


def _shared(words: Mapping[str, set[str]], name: str) -> bool:
    """Whether at least half of the classes of a column, or of all others together, are those of the others."""
    others = set[str]().union(*(own for one, own in words.items() if one != name))
    common = len(words[name] & others)
    return 2 * common >= min(len(words[name]), len(others) or 1)


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
