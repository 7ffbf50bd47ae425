"""A CSV or Parquet table as an operational set: the model gets the columns of numbers, a person sees all but the label."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.subjects.arrow import pa, pc
from testimate.subjects.cells import Cells, Column
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.answers import from_column
from testimate.subjects.datasets.number_dataset import NumberDataset
from testimate.subjects.datasets.opened_dataset import OpenedDataset
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.stored_array import StoredArray
from testimate.subjects.datasets.text_dataset import TextDataset, text_list
from testimate.subjects.table_roles import INDEX_NAMES
from testimate.subjects.table_rows import TableRows

LABEL_NAMES = ("label", "target", "class", "answer", "truth", "y", "category")
"""Names of the column with the true answers, the likeliest first."""

TEXT_NAMES = ("text", "sentence", "review", "content", "code", "source", "func", "function", "document", "comment")
"""Names of the column with the text, the likeliest first."""


@dataclass(frozen=True)
class TableColumns:
    """The columns by role: the one with the answers, those of numbers, those of words."""

    label: str | None
    numbers: tuple[str, ...]
    words: tuple[str, ...]


def find_name(names: tuple[str, ...], wanted: tuple[str, ...], asked: str | None = None) -> str | None:
    """The requested name, else the first wanted one, ignoring case; BadInput where the requested one is missing."""
    folded = {name.strip().casefold(): name for name in names}
    if asked is not None:
        if asked.strip().casefold() not in folded:
            raise BadInput(
                f"There is no column {asked!r:.60}; there are {', '.join(names)!s:.200}. Choose one of these."
            )
        return folded[asked.strip().casefold()]
    return next((folded[name] for name in wanted if name in folded), None)


def open_table(path: Path, cells: Cells, preprocessing: Preprocessing, label: str | None) -> OpenedDataset:
    """The table as a dataset, in the file's order.

    Every column of numbers is a feature, in the file's order, except the label and columns that only number the rows. A
    table without such columns and with a single column of words holds texts.

    Raises
    ------
    BadInput : there is nothing a model could take, or a feature is empty or not a number in some row.
    """
    limits.check_rows(cells.size)
    columns = sorted_columns(cells, find_name(tuple(cells.columns), LABEL_NAMES, label))
    known = None if columns.label is None else from_column(Column(columns.label, cells.columns[columns.label]))
    digest = fingerprint.of_file(path)
    others = () if columns.label is not None else (*columns.words, *columns.numbers)
    if not columns.numbers and len(columns.words) == 1:
        texts = Column(columns.words[0], cells.columns[columns.words[0]]).texts.to_pylist()
        return OpenedDataset(path.name, TextDataset(text_list(texts), preprocessing), known)
    if not columns.numbers:
        raise BadInput(
            f"The table's columns are {', '.join(map(repr, cells.columns))!s:.200}, none of numbers except the label; "
            "expected numbers a model can take, or one column of text. Export these."
        )
    shown = TableRows(cells.columns, [name for name in cells.columns if name != columns.label], cells.size, digest)
    dataset = NumberDataset(
        StoredArray(path.name, features_of(cells, columns.numbers), digest),
        preprocessing,
        shown.show,
        names=columns.numbers,
    )
    facts = [("features", ", ".join(columns.numbers))]
    if columns.words:
        facts.append(("shown but not given to the model", ", ".join(columns.words)))
    if cells.left_out:
        facts.append(("columns left out", ", ".join(cells.left_out)))
    return OpenedDataset(path.name, dataset, known, tuple(facts), columns=others)


def sorted_columns(cells: Cells, label: str | None) -> TableColumns:
    """The columns sorted by their cells, without those that only number the rows; ``label`` is a column's name."""
    numbers: list[str] = []
    words: list[str] = []
    for name, values in cells.columns.items():
        if name == label or re.sub("[^a-z0-9]", "", name.casefold()) in INDEX_NAMES:
            continue
        (numbers if pa.types.is_boolean(values.type) or Column(name, values).is_numeric else words).append(name)
    return TableColumns(label, tuple(numbers), tuple(words))


def features_of(cells: Cells, names: tuple[str, ...]) -> NDArray[np.float32]:
    """(N, d) numbers, truth values as 0 and 1."""
    table = np.empty((cells.size, len(names)), dtype=np.float32)
    for place, name in enumerate(names):
        values = cells.columns[name]
        if pa.types.is_boolean(values.type):
            values = pc.cast(values, pa.uint8())
        table[:, place] = Column(name, values).numbers()
    return table
