"""The rows of a prediction table as a dataset: what a tester may see of them, and nothing that gives away the answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.subjects.arrow import Array, pa, pc


class TableRows:
    """A dataset whose inputs stay with their owner; only the table's other columns can be shown.

    ``columns`` : those that may be seen, by name, N cells each; prediction, label, outcome, confidence and
    probabilities do not belong among them, for they would sway the tester.
    """

    modality: Modality = "tabular"

    def __init__(self, columns: dict[str, Array], size: int, fingerprint: str) -> None:
        self._columns = columns
        self._size = size
        self.fingerprint = fingerprint

    def __len__(self) -> int:
        return self._size

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Always BadInput: a table holds what a model said, not what it was given."""
        raise BadInput(
            f"A prediction table has no inputs to run a model on, and {len(rows)} were asked for; expected a model "
            "and its dataset. Open these instead."
        )

    def show(self, row: int) -> Shown:
        """The row's number and its cells; BadInput where there is no such row."""
        if not 0 <= row < self._size:
            raise BadInput(f"There is no row {row}; expected one from 0 to {self._size - 1}. Choose another.")
        cells = [("row", str(row))]
        for name, column in self._columns.items():
            text = pc.cast(column[row], pa.large_string()).as_py()
            cells.append((name, "" if text is None else text.strip()))
        return Shown(modality="tabular", cells=tuple(cells))
