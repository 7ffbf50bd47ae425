"""Reads an Arrow stream file of unknown origin message by message, mapped from disk and checked before it is used."""

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput
from testimate.subjects.arrow import pa
from testimate.subjects.datasets import limits
from testimate.subjects.datasets.watched_file import WatchedFile

RECORD_BATCH_COMPRESSION = 3
"""Place of the compression among the fields of a RecordBatch (Apache Arrow, format/Message.fbs)."""

MESSAGE_HEADER = 2
"""Place of the header among the fields of a Message, in the same file."""


class ArrowColumn:
    """One column of several batches, its cells found without joining them; ``kind`` is their Arrow type.

    ``files`` : those the batches are mapped from.
    """

    def __init__(self, parts: Sequence[Any], files: Sequence[WatchedFile]) -> None:
        self.files = files
        self._parts = [part for part in parts if len(part)]
        self._ends = np.cumsum([len(part) for part in self._parts])
        self.kind = parts[0].type

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def cell(self, row: int) -> Any:
        """The value of one row as plain Python; SubjectChanged where a file has changed."""
        for file in self.files:
            file.check()
        place = int(np.searchsorted(self._ends, row, side="right"))
        before = int(self._ends[place - 1]) if place else 0
        return self._parts[place][row - before].as_py()

    def joined(self) -> Any:
        """All cells as one Arrow array in chunks, not copied."""
        return pa.chunked_array(self._parts, type=self.kind)

    def field(self, name: str) -> "ArrowColumn":
        """The column of one field of a struct column."""
        return ArrowColumn([part.field(name) for part in self._parts], self.files)


def read_arrow_streams(paths: Sequence[Path], wanted: Callable[[Any], bool]) -> dict[str, ArrowColumn]:
    """The columns of the ``wanted`` types, of all files in a row; nothing is copied into memory.

    Raises
    ------
    BadInput : a file is damaged, compressed inside or uses dictionaries, columns differ, or there are more rows than
        the limit.
    """
    batches: list[Any] = []
    files = [WatchedFile(path) for path in paths]
    schema: Any = None
    try:
        for path in paths:
            found, some = _batches(path, limits.MAX_ROWS - sum(batch.num_rows for batch in batches), wanted)
            if schema is not None and not schema.equals(found):
                raise BadInput(
                    f"{path.name!r:.100} has different columns from the first file; expected the same in every file. "
                    "Save it again."
                )
            schema = found
            batches += some
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError, EOFError, StopIteration) as error:
        raise BadInput(
            f"The Arrow files are damaged or cut off ({(str(error).splitlines() or [''])[0]:.120}); expected a dataset "
            "as save_to_disk writes it. Save it again."
        ) from error
    if not sum(batch.num_rows for batch in batches):
        raise BadInput("The dataset has no inputs; expected at least one. Save it again.")
    usable = [field.name for field in schema if wanted(field.type)]
    if len(set(schema.names)) < len(schema.names):
        raise BadInput("Two columns share a name; expected each name once. Rename one and save the dataset again.")
    return {name: ArrowColumn([batch.column(name) for batch in batches], files) for name in usable}


def _batches(path: Path, most: int, wanted: Callable[[Any], bool]) -> tuple[Any, list[Any]]:
    """The schema and the batches of one file, each fully validated."""
    reader = pa.ipc.MessageReader.open_stream(pa.memory_map(str(path)))
    first = reader.read_next_message()
    if first.type != "schema":  # pyarrow would crash the whole process
        raise pa.ArrowInvalid("it does not begin with a schema")
    schema = pa.ipc.read_schema(first)
    batches: list[Any] = []
    rows = 0
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return schema, batches
        if message.type != "record batch" or _is_packed(bytes(message.metadata)):
            raise BadInput(
                f"{path.name!r:.100} is compressed or holds dictionaries, which save_to_disk does not write; expected "
                "a dataset as it writes it. Save it again."
            )
        batch = pa.ipc.read_record_batch(message, schema)
        rows += batch.num_rows
        if rows > most:
            raise limits.too_large("or more inputs", rows, limits.MAX_ROWS)
        for field, column in zip(schema, batch.columns, strict=True):
            if wanted(field.type):
                column.validate(full=True)
        batches.append(batch)


def _is_packed(metadata: bytes) -> bool:
    """Whether the buffers of a record batch are compressed: their unpacked size would be unknown.

    Read from the flat buffer of the message, which Arrow has verified by now.
    """
    (message,) = struct.unpack_from("<I", metadata, 0)
    header = _field(metadata, message, MESSAGE_HEADER)
    if not header:
        return True
    (offset,) = struct.unpack_from("<I", metadata, header)
    return bool(_field(metadata, header + offset, RECORD_BATCH_COMPRESSION))


def _field(buffer: bytes, table: int, place: int) -> int:
    """The offset of a field in a flat buffer's table, 0 if it is absent."""
    (back,) = struct.unpack_from("<i", buffer, table)
    (size,) = struct.unpack_from("<H", buffer, table - back)
    if 4 + 2 * place >= size:
        return 0
    (offset,) = struct.unpack_from("<H", buffer, table - back + 4 + 2 * place)
    return table + offset if offset else 0
