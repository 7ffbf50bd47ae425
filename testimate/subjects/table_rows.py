"""The rows of a table as a dataset: shows what a tester may see, and nothing that gives away the answer."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.subject import Modality, Shown
from testimate.subjects.arrow import Array, pa, pc
from testimate.subjects.parquet_columns import ParquetColumns


class RowMedia(Protocol):
    """The pictures, sounds or texts of the rows."""

    modality: Modality

    def show(self, row: int) -> Shown:
        """The content of a row; BadInput where it cannot be shown."""
        ...

    def name(self, row: int) -> str:
        """The owner's name for it; empty if it has none."""
        ...


class TableRows:
    """A dataset on which no model can be run; a person sees the content of its rows, or the cells that may be seen.

    ``columns`` : the table's, by name, N cells each. ``shown`` : those that may be seen; not prediction, label,
        outcome, confidence, probabilities or scores, because they would sway the tester. ``media`` : what is shown in
        their place.
    """

    def __init__(
        self,
        columns: Mapping[str, Array],
        shown: Sequence[str],
        size: int,
        fingerprint: str,
        media: RowMedia | None = None,
    ) -> None:
        self._columns, self._shown = columns, tuple(shown)
        self._size = size
        self.fingerprint = fingerprint
        self.media = media
        self.modality: Modality = "tabular" if media is None else media.modality

    def __len__(self) -> int:
        return self._size

    def batch(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Always BadInput: a table holds a model's answers, not its inputs."""
        raise BadInput(
            f"A prediction table has no inputs to run a model on, and {len(rows)} were asked for; expected a model "
            "and its dataset. Open these instead."
        )

    def show(self, row: int) -> Shown:
        """The content of the row, else its number and its cells; BadInput where there is no such row.

        For a missing or damaged file its name and the reason are shown, so that labeling can go on.
        """
        if not 0 <= row < self._size:
            raise BadInput(f"There is no row {row}; expected one from 0 to {self._size - 1}. Choose another.")
        cells = [("row", str(row))]
        if self.media is not None:
            try:
                return self.media.show(row)
            except BadInput as error:
                named = self.media.name(row)
                cells += [*([("file", named)] if named else []), ("not shown", str(error))]
                return Shown(modality="tabular", cells=tuple(cells))
        for name in self._shown:
            cells.append((name, self._text(name, row)))
        return Shown(modality="tabular", cells=tuple(cells))

    def _text(self, name: str, row: int) -> str:
        """The text of one cell, without spaces around it; only some rows of a file are read."""
        columns = self._columns
        cell = columns.around(name, row) if isinstance(columns, ParquetColumns) else columns[name][row]
        text = pc.cast(pa.array([cell.as_py()], cell.type), pa.large_string())[0].as_py()
        return "" if text is None else str(text).strip()
