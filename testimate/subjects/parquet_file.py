"""Reads a Parquet file of unknown origin into columns, its size judged from the footer before any cell is read."""

import json
import threading
from functools import cached_property
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.subjects import limits
from testimate.subjects.arrow import Array, pa, parquet, pc
from testimate.subjects.cells import Cells, check_cell_length, check_names, listed_classes

BATCH_ROWS = 16_384
"""Rows read at a time."""

FILES_AT_A_TIME = 16
"""Encoded files read at a time."""


def read_parquet(content: bytes) -> Cells:
    """The columns that can be numbers, truth values or words; lists and times are left out unread, and files that lie in
    cells are read when they are asked for.

    Raises
    ------
    BadInput : damaged or cut off, no rows, two columns of one name, or more than the limits.
    """
    try:
        schema = parquet.read_schema(pa.BufferReader(content))
        check_names([name.strip() for name in schema.names])
        usable = [field.name for field in schema if _is_usable(field.type)]
        # Equal texts stay one text in memory: a small file can claim a long text in each of a million rows.
        texts = [field.name for field in schema if _is_text(field.type)]
        file = parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts, page_checksum_verification=True)
        limits.check_shape(file.metadata.num_rows, file.metadata.num_columns)
        table = _read_counted(file, usable)
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"The Parquet file is damaged or cut off ({(str(error).splitlines() or [''])[0]:.120}); expected a complete "
            "one. Copy or download it again."
        ) from error
    if not table.num_rows:
        raise BadInput("The table has columns and no rows; expected one row per input. Export it with its rows.")
    columns = {name.strip(): _plain(table.column(name)) for name in usable}
    embedded = {field.name.strip(): ParquetFiles(file, field) for field in schema if holds_files(field.type)}
    left_out = tuple(name.strip() for name in schema.names if name not in usable and name.strip() not in embedded)
    return Cells(columns, table.num_rows, left_out, embedded, class_names=listed_classes(_features(schema)))


def _features(schema: Any) -> object:
    """What the datasets library says about the columns, in the metadata of the file; None where another program wrote it."""
    try:
        read = json.loads((schema.metadata or {}).get(b"huggingface", b"null"))
    except (ValueError, RecursionError):
        return None
    info = read.get("info") if isinstance(read, dict) else None
    return info.get("features") if isinstance(info, dict) else None


def holds_files(kind: Any) -> bool:
    """Whether a column holds encoded files: bytes, or as the datasets library writes them a struct with bytes and a path."""
    if pa.types.is_struct(kind):
        return bool(kind.get_field_index("bytes") >= 0 and holds_files(kind.field("bytes").type))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


class ParquetFiles:
    """A column of encoded files, a few rows of which are read at a time, when one of them is asked for."""

    def __init__(self, file: Any, field: Any) -> None:
        self._file, self._column = file, field.name
        groups = file.metadata
        self._ends = np.cumsum([groups.row_group(place).num_rows for place in range(groups.num_row_groups)])
        self._held: tuple[int, list[Any]] = (0, [])  # the row of the first, and what was read last
        self._lock = threading.Lock()

    def read(self, row: int) -> bytes:
        """The bytes of a row; BadInput where there are none, as where a path leads to a file elsewhere."""
        cell = self._cell(row)
        content = cell.get("bytes") if isinstance(cell, dict) else cell
        if content is None:
            raise BadInput(
                f"Row {row} (the first is 0) of {self._column!r:.60} holds no file, or only a path elsewhere; expected "
                "its bytes. Save the table with the files embedded."
            )
        return bytes(content)

    def name(self, row: int) -> str:
        """What the file was called; empty where it is not said."""
        path = self._paths[row] if self._paths else None
        return path if isinstance(path, str) else ""

    @cached_property
    def _paths(self) -> list[Any]:
        """The paths of all rows, read without their bytes; none where the column holds bytes alone or is damaged."""
        try:
            batches = list(self._file.iter_batches(columns=[f"{self._column}.path"], use_threads=False))
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            return []
        return [cell["path"] for batch in batches if batch.num_columns for cell in batch.column(0).to_pylist()]

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
            batches = self._file.iter_batches(
                batch_size=FILES_AT_A_TIME, row_groups=[group], columns=[self._column], use_threads=False
            )
            for batch in batches:
                if row < start + len(batch):
                    batch.validate(full=True)
                    return start, batch.column(0).to_pylist()
                start += len(batch)
        except (pa.ArrowException, OSError, UnicodeDecodeError, IndexError) as error:
            raise BadInput(
                f"Row {row} (the first is 0) of {self._column!r:.60} is damaged ({(str(error).splitlines() or [''])[0]:.80}); "
                "expected a complete file. Copy or download the table again."
            ) from error
        raise BadInput(f"There is no row {row} in {self._column!r:.60}. Copy or download the table again.")


def _read_counted(file: Any, names: list[str]) -> Any:
    """The columns, read some rows at a time with the bytes of their texts counted.

    What the footer says about its pages is not asked for: on a damaged footer that question ends the whole process.
    """
    batches, total = [], 0
    for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=names, use_threads=False):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if _is_text(column.type) and pa.types.is_dictionary(column.type):
                check_cell_length(name, column.dictionary)
                total += pc.sum(pc.take(pc.binary_length(column.dictionary), column.indices)).as_py() or 0
        if total > limits.MAX_UNPACKED_BYTES:
            raise limits.too_large("or more bytes of text", total, limits.MAX_UNPACKED_BYTES)
        batches.append(batch)
    return pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_usable(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_usable(kind.value_type)
    tests = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, _is_text)
    return any(test(kind) for test in tests)


def _plain(column: Array) -> Array:
    """The column without its dictionary."""
    if not pa.types.is_dictionary(column.type):
        return column
    return column.cast(pa.large_string() if _is_text(column.type) else column.type.value_type)
