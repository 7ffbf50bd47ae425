"""Arrow and Feather files of unknown origin, checked message by message before PyArrow reads them.

A message claims how long its buffers are when unpacked, and PyArrow would allocate whatever is claimed.
"""

import struct
from dataclasses import replace
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import first_line
from testimate.tables import limits
from testimate.tables.cells import Cells, pa
from testimate.tables.data_frame import parquet_of
from testimate.tables.kinds import ARROW, OLD_FEATHER
from testimate.tables.parquet import read_parquet

MESSAGE_HEADER, BUFFERS, RECORD_BATCH_COMPRESSION = 2, 2, 3
"""Places of the header among the fields of a Message, and of two fields in a RecordBatch (Apache Arrow, format/Message.fbs)."""

DICTIONARY_DATA = 1
"""Place of the RecordBatch in a DictionaryBatch, in the same file."""

BUFFER_BYTES, AS_IT_IS = 16, -1
"""Size of a buffer's entry, (offset, length); and the length before a buffer that is not packed after all."""

MARKED = 8
"""Bytes of the mark in front of the messages of a file; without the two that only fill up it stands at its end, too."""


def cells_of_arrow(content: bytes, name: str) -> Cells:
    """Return the columns of an Arrow or Feather file; BadInput where it is damaged or too large."""
    return replace(read_parquet(parquet_of(arrow_table(content, name))), format="Arrow")


def arrow_table(content: bytes, name: str) -> Any:
    """Return the table of PyArrow in an Arrow or Feather file, or a stream; BadInput where it is damaged or too large."""
    if content.startswith(OLD_FEATHER):
        raise BadInput(
            f"{name!r:.200} is Feather of version 1, which PyArrow no longer reads. Expected version 2. Save it again: "
            "frame.to_feather(...) in pandas."
        )
    stream = pa.py_buffer(content)[MARKED if content.startswith(ARROW) else 0 :]
    try:
        if content.startswith(ARROW) and not content.endswith(ARROW):
            raise pa.ArrowInvalid("its end is missing")
        _check_messages(stream)
        table = pa.ipc.open_stream(stream).read_all()
        table.validate(full=True)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, EOFError, struct.error, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(
            f"{name!r:.200} is an Arrow file that is damaged or cut off ({first_line(error):.100}). "
            "Expected a complete one. Copy or export it again."
        ) from error
    return table


def _check_messages(stream: Any) -> None:
    """BadInput where the buffers of all messages claim more bytes than the limit; ArrowException where one is damaged."""
    reader, total, first = pa.ipc.MessageReader.open_stream(stream), 0, True
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return
        if first and message.type != "schema":  # PyArrow would crash the whole process
            raise pa.ArrowInvalid("it does not begin with a schema")
        if not first:
            total += claimed_bytes(bytes(message.metadata), message.body, in_dictionary=message.type == "dictionary")
        first = False
        if total > limits.MAX_UNPACKED_BYTES:
            raise limits.too_large("or more bytes when unpacked", total, limits.MAX_UNPACKED_BYTES)


def claimed_bytes(metadata: bytes, body: Any, *, in_dictionary: bool = False) -> int:
    """Return how many bytes the buffers of a record batch take when they are unpacked, as they claim."""
    batch = _batch(metadata, in_dictionary=in_dictionary)
    if not batch or not flat_field(metadata, batch, RECORD_BATCH_COMPRESSION):
        return len(body or b"")
    vector = flat_field(metadata, batch, BUFFERS)
    if not vector:
        return 0
    (offset,) = struct.unpack_from("<I", metadata, vector)
    (count,) = struct.unpack_from("<I", metadata, vector + offset)
    held, total = memoryview(body) if body is not None else memoryview(b""), 0
    for place in range(count):
        start, length = struct.unpack_from("<qq", metadata, vector + offset + 4 + BUFFER_BYTES * place)
        if length:
            (claimed,) = struct.unpack_from("<q", held, start)
            total += length if claimed == AS_IT_IS else claimed
            if claimed < AS_IT_IS:
                raise pa.ArrowInvalid("a buffer claims a negative size")
    return total


def is_packed(metadata: bytes) -> bool:
    """Return whether the buffers of a record batch are compressed: their unpacked size is only claimed.

    Read from the flat buffer of the message, which Arrow has verified by now.
    """
    batch = _batch(metadata)
    return not batch or bool(flat_field(metadata, batch, RECORD_BATCH_COMPRESSION))


def _batch(metadata: bytes, *, in_dictionary: bool = False) -> int:
    """Where the RecordBatch of a message lies; 0 if there is none."""
    (message,) = struct.unpack_from("<I", metadata, 0)
    batch = _table_of(metadata, message, MESSAGE_HEADER)
    return _table_of(metadata, batch, DICTIONARY_DATA) if in_dictionary and batch else batch


def _table_of(buffer: bytes, table: int, place: int) -> int:
    """The offset of the table that a field points to, 0 if it is absent."""
    field = flat_field(buffer, table, place)
    if not field:
        return 0
    (offset,) = struct.unpack_from("<I", buffer, field)
    return int(field + offset)


def flat_field(buffer: bytes, table: int, place: int) -> int:
    """Return the offset of a field in a flat buffer's table, 0 if it is absent."""
    (back,) = struct.unpack_from("<i", buffer, table)
    (size,) = struct.unpack_from("<H", buffer, table - back)
    if 4 + 2 * place >= size:
        return 0
    (offset,) = struct.unpack_from("<H", buffer, table - back + 4 + 2 * place)
    return table + offset if offset else 0
