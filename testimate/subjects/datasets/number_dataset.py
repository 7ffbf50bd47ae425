"""Rows of numbers as a dataset: the numeric columns of a table, or an array of any width."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown, series_of
from testimate.core.words import spaced
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.pixels import scaled
from testimate.subjects.datasets.preprocessing import Preprocessing, prepared_fingerprint
from testimate.subjects.datasets.row_checks import checked_row, checked_rows
from testimate.subjects.datasets.stored_array import StoredArray

ShowRow = Callable[[int], Shown]


class NumberDataset:
    """(N, width) or (N,) numbers prepared for a model.

    ``names`` : of the columns, if they have any. ``taken`` : places of those given to the model; None for all.
        ``show_row`` : what a person sees of a row; None for the numbers themselves. Unscaled whole numbers stay whole,
        because they may be the tokens of a text.
    """

    modality: Modality = "tabular"

    def __init__(
        self,
        stored: StoredArray,
        preprocessing: Preprocessing,
        show_row: ShowRow | None = None,
        *,
        names: tuple[str, ...] = (),
        taken: tuple[int, ...] | None = None,
    ) -> None:
        self._stored, self.preprocessing, self._show_row = stored, preprocessing, show_row
        self.names, self._columns = names, taken
        self.content_fingerprint = stored.fingerprint
        self.fingerprint = prepared_fingerprint(stored.fingerprint, preprocessing)
        if taken is not None:
            self.fingerprint = fingerprint.of_bytes(self.fingerprint.encode(), repr(taken).encode())

    def __len__(self) -> int:
        return len(self._stored.values)

    def with_preprocessing(self, preprocessing: Preprocessing) -> "NumberDataset":
        """The same rows with another preprocessing."""
        return NumberDataset(self._stored, preprocessing, self._show_row, names=self.names, taken=self._columns)

    def with_columns(self, wanted: Sequence[str]) -> "NumberDataset":
        """The same rows with the columns of these names in this order; BadInput where one is missing.

        Rows without column names stay as they are.
        """
        if not self.names or tuple(wanted) == self.names:
            return self
        lacking = [name for name in wanted if name not in self.names]
        if lacking:
            raise BadInput(
                f"The model takes the column {lacking[0]!r:.60}; the table has numbers in "
                f"{', '.join(self.names)!s:.200}. Name the columns as in the model's training."
            )
        taken = tuple(self.names.index(name) for name in wanted)
        return NumberDataset(self._stored, self.preprocessing, self._show_row, names=self.names, taken=taken)

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The numbers of these rows, (len(rows), width) float32, or int64 if they are whole and not scaled."""
        values = self._taken(checked_rows(rows, len(self)))
        if values.dtype.kind in "ui" and self.preprocessing.is_identity:
            return values.astype(np.int64)
        return scaled(values, self.preprocessing)

    def show(self, row: int) -> Shown:
        """The cells of the row without its answer, at most ``limits.SHOWN_CELLS``; many numbers without names as a line."""
        row = checked_row(row, len(self))
        if self._show_row is not None:
            shown = self._show_row(row)
            return Shown(modality="tabular", cells=shortened(shown.cells))
        taken = self._taken(np.array([row]))[0]
        if len(taken) >= limits.SERIES_FROM and not (taken.dtype.kind in "ui" and self.preprocessing.is_identity):
            return Shown(modality="tabular", series=series_of(taken[:, None]))
        numbers = taken[: limits.SHOWN_CELLS + 1]
        cells = [("row", str(row)), *((str(place), f"{number:.6g}") for place, number in enumerate(numbers.tolist()))]
        return Shown(modality="tabular", cells=shortened(tuple(cells), len(taken) + 1))

    def _taken(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The numbers of these rows, (n, width) also where the array is (N,)."""
        values = self._stored.rows(rows).reshape(len(rows), -1)
        return values if self._columns is None else values[:, list(self._columns)]


def shortened(cells: tuple[tuple[str, str], ...], count: int | None = None) -> tuple[tuple[str, str], ...]:
    """The first ``limits.SHOWN_CELLS`` cells and how many more of ``count`` there are."""
    more = (len(cells) if count is None else count) - limits.SHOWN_CELLS
    return cells if more <= 0 else (*cells[: limits.SHOWN_CELLS], ("more", f"{spaced(more)} cells are not shown"))
