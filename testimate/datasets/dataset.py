"""A dataset as it was opened: its inputs, what is known about their answers, and the training set that came with it.

The true answers that come with a dataset: class places, several classes at once, or numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.reading import Reading
from testimate.core.subject import Dataset
from testimate.datasets import limits
from testimate.datasets.preprocessing import Preprocessing
from testimate.tables.cells import Column

ClassSource = Literal["numbers", "words", "folders"]
"""What the names of the classes are made from: numbers, words beside the inputs, or the names of their folders."""


@dataclass(frozen=True, eq=False)
class KnownAnswers:
    """The true answers a dataset came with, for all of its inputs or for some.

    Attributes
    ----------
    rows : (k,) those whose answer is known, ascending.
    answers : (k,) class places or numbers, or (k, C) zeros and ones where an input has several classes.
    classes : C names; none for numbers.
    source : what the names are made from.
    """

    rows: NDArray[np.intp]
    answers: NDArray[Any]
    classes: tuple[str, ...] = ()
    source: ClassSource = "numbers"


def alphabetical(*groups: Sequence[str | None]) -> tuple[str, ...]:
    """The classes of all groups in alphabetical order, the order in which Keras and torchvision number folders."""
    classes = sorted({word for group in groups for word in group if word is not None})
    if len(classes) > limits.MAX_CLASSES:
        raise limits.too_large("classes", len(classes), limits.MAX_CLASSES, "Check which column or folder names them.")
    return tuple(classes)


def from_words(
    words: Sequence[str | None], classes: tuple[str, ...], source: ClassSource = "words"
) -> KnownAnswers | None:
    """The places of the words among the classes; None in ``words`` is an unknown answer. None if all are unknown."""
    rows = [row for row, word in enumerate(words) if word is not None]
    answers = ClassIndex(classes).indices([word for word in words if word is not None])
    return KnownAnswers(np.array(rows, np.intp), answers, classes, source) if rows else None


def from_column(column: Column) -> KnownAnswers | None:
    """The answers in a table's column; empty cells are unknown.

    Whole numbers from 0 up are class places, other whole numbers and words are classes in sorted order. Numbers that are not
    all whole, or more than there may be classes, are the answers of a regression.
    """
    if column.is_not_finite.any():
        bad = int(np.flatnonzero(column.is_not_finite)[0])
        raise BadInput(
            f"Column {column.name!r:.60}, row {bad} (counted from 0) is {column.cell(bad)}. Expected labels, or empty "
            "cells where they are unknown. Correct it."
        )
    rows = np.flatnonzero(~column.is_empty)
    if not rows.size:
        return None
    if column.is_number[rows].all():
        return from_array(column.values[rows], rows=rows)
    texts = column.texts.to_pylist()
    words = [None if empty else text for text, empty in zip(texts, column.is_empty, strict=True)]
    return from_words(words, alphabetical(words))


def from_array(
    values: NDArray[Any], *, names: tuple[str, ...] = (), rows: NDArray[np.intp] | None = None
) -> KnownAnswers:
    """The answers in an array: (k,), (k, 1), or (k, C) zeros and ones.

    If each row has a single one, the rows are classes; other zeros and ones are several classes at once. Words are
    classes in alphabetical order, or in that of ``names``. Whole numbers are places among ``names``.

    >>> from_array(np.array([[0, 1], [1, 0]])).answers
    array([1, 0])
    """
    rows = np.arange(len(values), dtype=np.intp) if rows is None else rows
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 2:
        return _marked(values, names, rows)
    if values.ndim != 1:
        raise BadInput(
            f"The labels have shape {values.shape}. Expected one per input, (N,), or zeros and ones per class, (N, C). "
            "Reshape them."
        )
    if values.dtype.kind in "US":
        words = [text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text) for text in values.tolist()]
        known = from_words(words, names if set(words) <= set(names) else alphabetical(words))
        assert known is not None  # there is at least one word, and none is unknown
        return KnownAnswers(rows, known.answers, known.classes, known.source)
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise BadInput("The labels contain nan or infinity. Expected an answer per input. Leave these inputs out.")
    if (numbers % 1 != 0).any():
        return KnownAnswers(rows, numbers)
    return _places(numbers.astype(np.int64), names, rows)


def _places(whole: NDArray[np.int64], names: tuple[str, ...], rows: NDArray[np.intp]) -> KnownAnswers:
    if not names and max(int(whole.max()), len(np.unique(whole))) >= limits.MAX_CLASSES:
        return KnownAnswers(rows, whole.astype(np.float64))  # amounts, say
    if whole.min() < 0:
        kinds = np.unique(whole)
        _check_class_count(len(kinds))
        return KnownAnswers(rows, np.searchsorted(kinds, whole).astype(np.intp), tuple(str(kind) for kind in kinds))
    count = int(whole.max()) + 1
    _check_class_count(count)
    if names and count > len(names):
        raise BadInput(
            f"A label is class {count - 1} and there are {len(names)} class names. Expected a name for each. Add the "
            "names that are missing or correct the labels."
        )
    return KnownAnswers(rows, whole.astype(np.intp), names or tuple(str(place) for place in range(count)))


def _marked(values: NDArray[Any], names: tuple[str, ...], rows: NDArray[np.intp]) -> KnownAnswers:
    """The answers of (k, C) zeros and ones."""
    if values.dtype.kind not in "buif" or not np.isin(values, (0, 1)).all():
        raise BadInput(
            f"The labels have shape {values.shape} and are not only zeros and ones. Expected one answer per input, (N,), "
            "or zeros and ones per class. Export them so."
        )
    _check_class_count(values.shape[1])
    classes = names if len(names) == values.shape[1] else tuple(str(place) for place in range(values.shape[1]))
    if (values.sum(axis=1, dtype=np.int64) == 1).all():
        return KnownAnswers(rows, values.argmax(axis=1).astype(np.intp), classes)
    return KnownAnswers(rows, values.astype(np.uint8), classes)


def _check_class_count(count: int) -> None:
    if count > limits.MAX_CLASSES:
        raise limits.too_large("classes", count, limits.MAX_CLASSES, "Check which column or array contains the labels.")


class PreparedDataset(Dataset, Protocol):
    """A dataset whose batches are prepared for a model.

    ``fingerprint`` covers the content (by itself ``content_fingerprint``) and the preprocessing, because another one
    changes the model's answers.
    """

    content_fingerprint: str
    preprocessing: Preprocessing

    def with_preprocessing(self, preprocessing: Preprocessing) -> Self:
        """The same inputs with another preprocessing; nothing is read again."""
        ...


@dataclass(frozen=True, eq=False)
class OpenedDataset:
    """What a file or folder holds.

    Attributes
    ----------
    name : for people.
    dataset : the inputs, in the file's order.
    known : the answers that came with them, or None.
    facts : (name, value) pairs a tester may want to know, untrusted text.
    training : the inputs the model was trained on, if the file holds these, too.
    listed : the class names the file lists in the order of the outputs, even if no answer is known; empty if it lists
        none.
    left_out : files that could not be read and are not among the inputs.
    columns : columns that may hold the answers, in a table in which no name says so. words : the classes in those of them
        that may hold labels by their name and their cells. numbers : columns of numbers beside the labels.
    reading : how the file was read.
    """

    name: str
    dataset: PreparedDataset
    known: KnownAnswers | None = None
    facts: tuple[tuple[str, str], ...] = ()
    training: "OpenedDataset | None" = None
    listed: tuple[str, ...] = ()
    left_out: int = 0
    columns: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reading: Reading | None = None
    numbers: tuple[str, ...] = ()

    @property
    def truth(self) -> NDArray[Any] | None:
        """The answers of all inputs, (N,) or (N, C); None where one is unknown."""
        return self.known.answers if self.known is not None and len(self.known.rows) == len(self.dataset) else None

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, none where they are unknown."""
        return () if self.known is None else self.known.classes

    @property
    def fingerprint(self) -> str:
        """Of inputs, preprocessing, answers and class names, with those of the training set."""
        parts = [self.dataset.fingerprint.encode()]
        if self.known is not None:
            answers = fingerprint.of_array(self.known.answers)
            parts += [
                fingerprint.of_array(self.known.rows).encode(),
                answers.encode(),
                repr(self.known.classes).encode(),
            ]
        if self.training is not None:
            parts.append(self.training.fingerprint.encode())
        return fingerprint.of_bytes(*parts)

    def with_columns(self, names: Sequence[str]) -> "OpenedDataset":
        """The same rows and training set with the columns that a model takes; inputs without columns stay as they are."""
        take = getattr(self.dataset, "with_columns", None)
        if not names or take is None:
            return self
        training = None if self.training is None else self.training.with_columns(names)
        return replace(self, dataset=take(names), training=training)

    def with_doubts(self, sentences: Sequence[str]) -> "OpenedDataset":
        """The same dataset with more sentences on what is doubtful in how it was read."""
        if self.reading is None or not sentences:
            return self
        return replace(self, reading=replace(self.reading, doubtful=(*self.reading.doubtful, *sentences)))

    def with_preprocessing(self, preprocessing: Preprocessing) -> "OpenedDataset":
        """The same inputs and training set with another preprocessing."""
        training = None if self.training is None else self.training.with_preprocessing(preprocessing)
        return replace(self, dataset=self.dataset.with_preprocessing(preprocessing), training=training)
