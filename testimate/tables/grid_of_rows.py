"""Rows that are a full grid: each input with each value of some columns, such as the models, the settings and the seeds."""

from collections.abc import Collection
from itertools import combinations
from math import prod

import numpy as np

from testimate.tables.cells import Cells, Column
from testimate.tables.column_names import OF_NUMBERS, words_of
from testimate.tables.evaluation_names import MOST_COLUMNS
from testimate.tables.first_cells import FEWEST_ROWS
from testimate.tables.pairs import ASKED
from testimate.tables.rows_of_input import SeveralRows

MOST_SIDES, MOST_VALUES = 8, 100
"""Columns among which the sides of a grid are looked for, and the values of a side."""


def rows_of_grid(cells: Cells, taken: Collection[str] = ()) -> SeveralRows | None:
    """Return how the rows belong to inputs if these are numbered, and the rows are each input with all values of the only
    columns that make a row of each, at least two; else None.

    ``taken`` : columns that say what is predicted, judged or true.
    """
    if cells.size < FEWEST_ROWS:
        return None
    free = [name for name in [*cells.columns][:MOST_COLUMNS] if name not in taken]
    keys = [name for name in free if ASKED & words_of(name) and OF_NUMBERS & words_of(name)]
    if len(keys) != 1:
        return None
    columns = [Column(name, cells.columns[name]) for name in [*keys, *(name for name in free if name not in keys)]]
    few = [one for one in columns if 2 <= len(one.words) <= MOST_VALUES and not one.is_empty.any()]
    if not few or few[0].name != keys[0]:
        return None
    key, sides = few[0], few[1 : 1 + MOST_SIDES]
    found = [
        some
        for count in range(2, len(sides) + 1)
        for some in combinations(sides, count)
        if len(key.words) * prod(len(one.words) for one in some) == cells.size and _differ_in_each_row((key, *some))
    ]
    if len(found) != 1:
        return None
    *first, last = [one.name for one in found[0]]
    return SeveralRows(key.name, f"{', '.join(first)} and {last}", len(key.words))


def _differ_in_each_row(columns: Collection[Column]) -> bool:
    """Whether no two rows have the same values in all of these columns."""
    rows = np.unique(np.stack([one.places for one in columns], axis=1), axis=0)
    return len(rows) == len(next(iter(columns)).places)
