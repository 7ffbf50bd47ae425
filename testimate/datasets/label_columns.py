"""Which columns beside the inputs of a dataset may hold their labels."""

from collections.abc import Sequence

from testimate.tables.cells import Cells, Column
from testimate.tables.column_evidence import FIRST_ROWS
from testimate.tables.column_names import (
    CHANCES,
    OF_GROUPS,
    OF_PARTS,
    SHORT_TRUE,
    SURE,
    TRUE,
    WHO_LABELED,
    in_english,
    is_predicted,
    words_of,
)
from testimate.tables.few_rows_evidence import OF_KEYS
from testimate.tables.first_cells import FirstCells
from testimate.tables.lone_evidence import OF_CLASSES
from testimate.tables.rules import LATEST

MOST_COLUMNS = 200
"""Columns of a table that are looked at."""


def may_be_labels(names: Sequence[str]) -> list[str]:
    """The first names without those of predictions, chances, weights, keys, groups, splits or who labeled."""
    free = [name for name in names[:MOST_COLUMNS] if not is_predicted(name)]
    return [name for name in free if not _says_another(words_of(in_english(name, LATEST)))]


def _says_another(words: set[str]) -> bool:
    """Whether a name is that of something other than labels; class_id is one of numbered classes."""
    key = bool(OF_KEYS & words) and not (OF_CLASSES | TRUE | SHORT_TRUE) & words
    weights = "weights" in words or {"sample", "weight"} <= words
    return key or weights or bool((OF_PARTS | OF_GROUPS | WHO_LABELED | CHANCES | SURE) & words)


def words_of_labels(cells: Cells, others: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the classes in each column that may hold labels by its name and its cells.

    None does that is called a prediction, a group, a split or who labeled.
    """
    free = may_be_labels(others)
    first = {name: FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS), strict=True) for name in free}
    classes = [name for name, one in first.items() if one.are_classes]
    return {name: tuple(filter(None, Column(name, cells.columns[name]).words.to_pylist())) for name in classes}
