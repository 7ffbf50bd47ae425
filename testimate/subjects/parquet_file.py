"""Opens Parquet files of unknown origin as a table, with its size checked from the footer before any cell is read."""

import json
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.subjects import limits
from testimate.subjects.arrow import pa
from testimate.subjects.cells import Cells, Embedded, check_names, listed_classes
from testimate.subjects.parquet_columns import ParquetColumns, ParquetPart, is_text, opened_part, readable
from testimate.subjects.parquet_pages import check_pages

FILES_AT_A_TIME = 16
"""Encoded pictures or sounds read at a time."""


def read_parquet(source: bytes | Path) -> Cells:
    """The columns of numbers, truth values or words, each read on demand.

    Lists and times are left out; files in cells are read one by one.

    Raises
    ------
    BadInput : damaged or truncated, no rows, two columns of one name, or more than the limits or the free memory.
    """
    with readable():
        part = opened_part(source)
        return cells_of_parts([part])


def cells_of_parts(parts: Sequence[ParquetPart]) -> Cells:
    """The files as one table; they have the same columns."""
    first = parts[0].file.schema_arrow
    check_names([name.strip() for name in first.names] + [*parts[0].keys])
    rows = sum(part.rows for part in parts)
    limits.check_shape(rows, len(first.names) + len(parts[0].keys))
    if not rows:
        raise BadInput("The table has columns and no rows; expected one row per input. Export it with its rows.")
    named = {one.name.strip(): one.name for one in first if _is_usable(one.type)}
    columns = ParquetColumns(parts, named)
    embedded = {one.name.strip(): one for one in first if holds_files(one.type)}
    files: dict[str, Embedded] = {
        name: FilesInParts([ParquetFiles(part, one) for part in parts], columns.ends) for name, one in embedded.items()
    }
    left_out = tuple(name.strip() for name in first.names if name.strip() not in {*named, *embedded})
    return Cells(columns, rows, left_out, files, class_names=listed_of(first))


class FilesInParts:
    """A column of pictures or sounds that spans several files."""

    def __init__(self, columns: Sequence[Embedded], ends: Any) -> None:
        self._columns, self._ends = columns, ends

    def _place(self, row: int) -> tuple[Embedded, int]:
        part = int(np.searchsorted(self._ends, row, side="right"))
        return self._columns[part], row - (int(self._ends[part - 1]) if part else 0)

    def read(self, row: int) -> bytes:
        """The bytes of a row; BadInput where there are none."""
        column, inside = self._place(row)
        return column.read(inside)

    def name(self, row: int) -> str:
        """The name of the row's file; empty if it is not given."""
        column, inside = self._place(row)
        return column.name(inside)


def listed_of(schema: Any) -> dict[str, tuple[str, ...]]:
    """The class names by column, as the datasets library writes them into the file."""
    return listed_classes(_features(schema))


def _features(schema: Any) -> object:
    """The datasets library's description of the columns, from the file's metadata; None if another program wrote the file."""
    try:
        read = json.loads((schema.metadata or {}).get(b"huggingface", b"null"))
    except (ValueError, RecursionError):
        return None
    info = read.get("info") if isinstance(read, dict) else None
    return info.get("features") if isinstance(info, dict) else None


def holds_files(kind: Any) -> bool:
    """Whether a column holds encoded files: bytes, or the datasets library's struct with bytes and a path."""
    if pa.types.is_struct(kind):
        return bool(kind.get_field_index("bytes") >= 0 and holds_files(kind.field("bytes").type))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


class ParquetFiles:
    """A column of encoded files, read on demand a few rows at a time."""

    def __init__(self, part: ParquetPart, field: Any) -> None:
        self._part, self._file, self._column, self._checked = part, part.file, field.name, False
        groups = self._file.metadata
        self._ends = np.cumsum([groups.row_group(place).num_rows for place in range(groups.num_row_groups)])
        self._held: tuple[int, list[Any]] = (0, [])  # the first row read last, and its files
        self._lock = threading.Lock()

    def read(self, row: int) -> bytes:
        """The bytes of a row; BadInput where there are none, for instance only a path to a file elsewhere."""
        cell = self._cell(row)
        content = cell.get("bytes") if isinstance(cell, dict) else cell
        if content is None:
            raise BadInput(
                f"Row {row} (counted from 0) of {self._column!r:.60} holds no file, or only a path elsewhere; expected "
                "its bytes. Save the table with the files embedded."
            )
        return bytes(content)

    def name(self, row: int) -> str:
        """The name of the row's file; empty if it is not given."""
        path = self._paths[row] if self._paths else None
        return path if isinstance(path, str) else ""

    @cached_property
    def _paths(self) -> list[Any]:
        """The paths of all rows, read without their bytes; none if the column holds only bytes, is damaged or too large."""
        paths = f"{self._column}.path"
        try:
            check_pages(self._part.reader, self._file.metadata, paths)
            batches = list(self._file.iter_batches(columns=[paths], use_threads=False))
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, UnicodeDecodeError, BadInput):
            return []
        return [cell["path"] for batch in batches if batch.num_columns for cell in batch.column(0).to_pylist()]

    def _check(self) -> None:
        """BadInput if the pages of the column would take too much memory; they are looked at once."""
        if not self._checked:
            check_pages(self._part.reader, self._file.metadata, self._column)
            self._checked = True

    def _cell(self, row: int) -> Any:
        with self._lock:
            start, held = self._held
            if not start <= row < start + len(held):
                self._held = start, held = self._read_around(row)
            return held[row - start]

    def _read_around(self, row: int) -> tuple[int, list[Any]]:
        """Some rows, this one among them, and the row of the first."""
        group = int(np.searchsorted(self._ends, row, side="right"))
        start = int(self._ends[group - 1]) if group else 0
        try:
            self._check()
            batches = self._file.iter_batches(
                batch_size=FILES_AT_A_TIME, row_groups=[group], columns=[self._column], use_threads=False
            )
            for batch in batches:
                if row < start + len(batch):
                    batch.validate(full=True)
                    return start, batch.column(0).to_pylist()
                start += len(batch)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, UnicodeDecodeError, IndexError) as error:
            raise BadInput(
                f"Row {row} (counted from 0) of {self._column!r:.60} is damaged ({(str(error).splitlines() or [''])[0]:.80}); "
                "expected a complete file. Copy or download the table again."
            ) from error
        raise BadInput(f"There is no row {row} in {self._column!r:.60}. Copy or download the table again.")


def _is_usable(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_usable(kind.value_type)
    tests = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, is_text)
    return any(test(kind) for test in tests)
