"""A study's rows on disk, one line of JSON each, so that a study that was stopped goes on where it was."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.studies.cell import Cell
from testimate.studies.study_row import StudyRow

DRAWING = 2
"""Changes when the same seed draws otherwise, so that rows of before are not taken for those of now."""


class KeptRows:
    """Rows by what they were run with: a line is ``{"key": ..., "row": ...}``, the key a digest of everything that counts.

    Parameters
    ----------
    file : where they are kept; None keeps nothing. What was cut off at its end, by a kill or a full disk, is dropped.
    inputs, repetitions, seed, level : of the study; part of the key.

    Raises
    ------
    BadInput : a line of the file is not a row of a study.
    """

    def __init__(self, file: Path | None, inputs: Inputs, *, repetitions: int, seed: int, level: float) -> None:
        self._file = file
        self._study = json.dumps([DRAWING, inputs.fingerprint, repr(inputs.task), repetitions, seed, level])
        self._inputs = inputs
        self._rows: dict[str, StudyRow] = dict(_read(file)) if file is not None and file.exists() else {}
        self._whole = False  # only who writes cuts off: another may read while a row is being written

    def row(self, cell: Cell) -> StudyRow | None:
        """The row of this cell, or None where it is not there."""
        return self._rows.get(self._key(cell)) if self._file is not None else None

    def add(self, cell: Cell, row: StudyRow) -> None:
        """Writes a row, at once."""
        if self._file is None:
            return
        if not self._whole and self._file.exists():
            _drop_what_was_cut_off(self._file)
        self._whole = True
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": self._key(cell), "row": row.to_json()}, allow_nan=False) + "\n")

    def _key(self, cell: Cell) -> str:
        """Digest of the study, the cell, the losses and the auxiliary variable."""
        name = (cell.auxiliary or "").partition(":")[0]
        arrays = [self._inputs.losses, self._inputs.scores.get(name)]
        contents = [fingerprint.of_array(np.asarray(array)) for array in arrays if array is not None]
        parts = [self._study, json.dumps(asdict(cell), default=str), *contents]
        return fingerprint.of_bytes(*(part.encode() for part in parts))


def _drop_what_was_cut_off(file: Path) -> None:
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with file.open("r+b") as open_file:
            open_file.truncate(whole)


def _read(file: Path) -> list[tuple[str, StudyRow]]:
    found = []
    whole = file.read_text(encoding="utf-8", errors="replace").rpartition("\n")[0]
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = json.loads(line)
            found.append((str(record["key"]), StudyRow(**record["row"])))
        except (ValueError, KeyError, TypeError):
            raise BadInput(
                f"Line {number} of {file.name} is not a row of a study; expected a file that a study wrote. "
                "Name another file, or remove this one."
            ) from None
    return found
