"""Reads a Parquet file of unknown origin into columns, its size judged from the footer before any cell is read."""

from typing import Any

from testimate.core.errors import BadInput
from testimate.subjects import limits
from testimate.subjects.arrow import Array, pa, parquet, pc
from testimate.subjects.cells import Cells, check_cell_length, check_names

BATCH_ROWS = 16_384
"""Rows read at a time."""


def read_parquet(content: bytes) -> Cells:
    """The columns that can be numbers, truth values or words; lists, times and blobs are left out unread.

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
    left_out = tuple(name.strip() for name in schema.names if name not in usable)
    return Cells(columns=columns, size=table.num_rows, left_out=left_out)


def _read_counted(file: Any, names: list[str]) -> Any:
    """The columns, read some rows at a time with the bytes of their texts counted.

    What the footer says of its pages is not asked for: on a damaged footer that question ends the whole process.
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
