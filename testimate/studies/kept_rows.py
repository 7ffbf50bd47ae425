"""A study's rows on disk, one line of JSON each, so that a stopped study can resume."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core import fingerprint
from testimate.core.errors import BadInput
from testimate.core.files import replace_file
from testimate.core.inputs import Inputs
from testimate.studies.campaign import Campaign
from testimate.studies.cell import Cell
from testimate.studies.study_row import StudyRow

DRAWING = 2
"""Changed whenever the same seed gives other draws, so that old rows are not taken for new ones."""


class KeptRows:
    """Rows by what they were run with: a line is ``{"key": ..., "row": ...}``, the key a digest of everything that counts.

    Until a row is whole, its campaigns are kept in lines of their own, ``{"key": ..., "campaigns": {repetition: ...}}``.

    Parameters
    ----------
    file : where they are kept; None keeps nothing. An incomplete last line, after a kill or on a full disk, is dropped.
    inputs, repetitions, seed, level : of the study; part of the key.

    Raises
    ------
    BadInput : a line of the file is not a row of a study.
    """

    def __init__(self, file: Path | None, inputs: Inputs, *, repetitions: int, seed: int, level: float) -> None:
        self._file = file
        self._study = json.dumps([DRAWING, inputs.fingerprint, repr(inputs.task), repetitions, seed, level])
        self._inputs = inputs
        self._rows: dict[str, StudyRow] = {}
        self._campaigns: dict[str, dict[int, Campaign]] = {}
        if file is not None and file.exists():
            self._read(file)
        self._whole = False  # only a writer truncates: a reader may come while a row is being written

    def row(self, cell: Cell) -> StudyRow | None:
        """The row of this cell, or None where it is not there."""
        return self._rows.get(self._key(cell)) if self._file is not None else None

    def campaigns(self, cell: Cell) -> dict[int, Campaign]:
        """The stored campaigns of this cell, by repetition."""
        return dict(self._campaigns.get(self._key(cell), {})) if self._file is not None else {}

    def add(self, cell: Cell, row: StudyRow) -> None:
        """Writes a row at once, in place of its campaigns."""
        key = self._key(cell)
        self._write({"key": key, "row": row.to_json()})
        if self._file is not None and self._campaigns.pop(key, None) is not None:
            lines = self._file.read_text(encoding="utf-8").splitlines(keepends=True)
            others = [line for line in lines if not ('"campaigns"' in line and json.loads(line)["key"] == key)]
            replace_file(self._file, "".join(others).encode())

    def add_campaigns(self, cell: Cell, campaigns: Mapping[int, Campaign]) -> None:
        """Writes some campaigns of a row that is not whole yet, by repetition, at once."""
        key = self._key(cell)
        self._campaigns.setdefault(key, {}).update(campaigns)
        self._write({"key": key, "campaigns": {str(place): asdict(one) for place, one in campaigns.items()}})

    def _write(self, record: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        if not self._whole and self._file.exists():
            _drop_what_was_cut_off(self._file)
        self._whole = True
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(record, allow_nan=False) + "\n")

    def _read(self, file: Path) -> None:
        whole = file.read_text(encoding="utf-8", errors="replace").rpartition("\n")[0]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                record = json.loads(line)
                key = str(record["key"])
                if "campaigns" in record:
                    read = {int(place): _campaign(one) for place, one in record["campaigns"].items()}
                    self._campaigns.setdefault(key, {}).update(read)
                else:
                    self._rows[key] = StudyRow(**record["row"])
            except (ValueError, KeyError, TypeError, AttributeError):
                raise BadInput(
                    f"Line {number} of {file.name} is not a row of a study; expected a file that a study wrote. "
                    "Name another file, or remove this one."
                ) from None

    def _key(self, cell: Cell) -> str:
        """Digest of the study, the cell, the losses and the auxiliary variable."""
        name = (cell.auxiliary or "").partition(":")[0]
        arrays = [self._inputs.losses, self._inputs.scores.get(name)]
        contents = [fingerprint.of_array(np.asarray(array)) for array in arrays if array is not None]
        parts = [self._study, json.dumps(asdict(cell), default=str), *contents]
        return fingerprint.of_bytes(*(part.encode() for part in parts))


def _campaign(stored: Mapping[str, Any]) -> Campaign:
    return Campaign(**{**stored, "rows": tuple(map(int, stored["rows"]))})


def _drop_what_was_cut_off(file: Path) -> None:
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with file.open("r+b") as open_file:
            open_file.truncate(whole)
