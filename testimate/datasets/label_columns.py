"""Which columns beside the inputs of a dataset may hold their labels."""

from collections.abc import Sequence

from testimate.core.spellings import bare
from testimate.tables.cells import Cells, Column
from testimate.tables.column_evidence import FIRST_ROWS
from testimate.tables.column_names import (
    OF_GROUPS,
    OF_PARTS,
    OF_PREDICTIONS,
    PREDICTING,
    WHO_LABELED,
    in_english,
    words_of,
)
from testimate.tables.first_cells import FirstCells
from testimate.tables.rules import LATEST

MOST_COLUMNS = 200
"""Columns of a table that are looked at."""


def is_predicted(name: str) -> bool:
    """Whether a column is named as predictions are."""
    called = in_english(name, LATEST)
    return bare(called) in OF_PREDICTIONS or bool(PREDICTING & words_of(called))


def may_be_labels(names: Sequence[str]) -> list[str]:
    """The first names without those of predictions, groups, splits or who labeled."""
    free = [name for name in names[:MOST_COLUMNS] if not is_predicted(name)]
    return [name for name in free if not (OF_PARTS | OF_GROUPS | WHO_LABELED) & words_of(in_english(name, LATEST))]


def words_of_labels(cells: Cells, others: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the classes in each column that may hold labels by its name and its cells.

    None does that is called a prediction, a group, a split or who labeled.
    """
    free = may_be_labels(others)
    first = {name: FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS), strict=True) for name in free}
    classes = [name for name, one in first.items() if one.are_classes]
    return {name: tuple(filter(None, Column(name, cells.columns[name]).words.to_pylist())) for name in classes}
