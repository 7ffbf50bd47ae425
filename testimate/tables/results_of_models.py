"""Results of earlier models in columns: right or wrong or a grade in each row, a column for each model."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import EarlierResults
from testimate.core.task import Task
from testimate.tables.cells import Cells, Column
from testimate.tasks.verdict import grade_in_words, read_judge


def history_of_columns(cells: Cells, columns: Sequence[str], task: Task) -> EarlierResults | None:
    """Return the results in these columns, row for row; None without any. BadInput where a cell is no result."""
    if not columns:
        return None
    losses = []
    for name in columns:
        if name not in cells.columns:
            raise BadInput(
                f"The column {name!r:.60} contains no numbers or words. Expected an earlier model's results. Leave it out."
            )
        losses.append(_losses(Column(name, cells.columns[name]), task))
    return EarlierResults(", ".join(columns), np.column_stack(losses))


def _losses(column: Column, task: Task) -> NDArray[np.float64]:
    """Return the loss of each row, (N,), 0 right to 1 wrong and nan for a blank; of a grade its share below the best one."""
    if column.is_numeric:
        values = np.where(column.is_number, column.values, np.nan)
        read = read_judge(column.name, values, task.grades) if task.graded else None
        if read is not None:
            return np.asarray(1 - read.scores)
        off = np.flatnonzero(np.isfinite(values) & (values != np.clip(values, 0, 1)))
        if not off.size and not task.graded:
            return np.asarray(1 - values)
        row = int(off[0]) if off.size else 0
    else:
        said = np.array([grade_in_words(word) for word in column.words.to_pylist()])[column.places]
        right, wrong = said == "right", said == "wrong"
        strange = np.flatnonzero(~(right | wrong | column.is_empty))
        if not strange.size:
            return np.where(right, 0.0, np.where(wrong, 1.0, np.nan))
        row = int(strange[0])
    expected = "right or wrong, 1 or 0, or a grade of the scale" if task.graded else "right or wrong, or 1 or 0"
    raise BadInput(
        f"Column {column.name!r:.60}, row {row} (counted from 0) is {column.cell(row)}. Expected an earlier model's result, "
        f"{expected}. Correct it, or remove the column."
    )
