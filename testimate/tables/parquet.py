"""Opens Parquet files of unknown origin as a table, with its size checked before any cell is read.

The columns of several files are joined into one table; each is read on demand and then released. The footer only claims sizes,
and a small file may contain a page of gigabytes; what a page unpacks to, and what the reader allocates, stands in the header
before it: ``PageHeader`` in Thrift's compact protocol (parquet-format, src/main/thrift/parquet.thrift).
"""

import json
import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.words import commas, first_line
from testimate.tables import limits
from testimate.tables.cells import (
    Array,
    Cells,
    Column,
    Embedded,
    check_cell_length,
    check_names,
    listed_classes,
    pa,
    parquet,
    pc,
)
from testimate.tables.likeliest import by_score
from testimate.tables.records import columns_of_values, is_list, parted, plain_values
from testimate.tables.rules import FOUND

MAX_DICTIONARY_BYTES = 64_000_000
"""Bytes of the distinct values in front of a part of a column; writers stop at about 1 MB and repeat the values instead."""

MAX_PAGE_BYTES = 512_000_000
"""Bytes of any other page, which some writers make of all rows of a part."""

MAX_RATIO, UNPACKED_FREELY = 200, 100_000_000
"""How many times its packed size a column of texts or files may unpack to, and the bytes from which on this counts."""

MAX_PAGES = 1_000_000
"""Pages of one column."""

HEADER_BYTES, MAX_HEADER_BYTES = 4_096, 16_000_000
"""Bytes read for a header at first, and if its statistics have long texts: as the reader does."""

MAX_NESTED = 20
"""Structs inside structs of a header."""

DICTIONARY = 2
"""The type of a page with distinct values."""


@dataclass(frozen=True)
class ParquetPage:
    """One page: its type, the bytes it takes in the file and those it unpacks to."""

    kind: int
    packed: int
    unpacked: int


def check_pages(reader: Any, metadata: Any, column: str) -> None:
    """BadInput if the pages of a column would take too much memory, found without unpacking any of them.

    ``reader`` : the open file of PyArrow. ``metadata`` : of its footer. ``column`` : by its name in the file.
    """
    packed = unpacked = 0
    for count, page in enumerate(pages_of(reader, metadata, column)):
        most = MAX_DICTIONARY_BYTES if page.kind == DICTIONARY else MAX_PAGE_BYTES
        if page.unpacked > most:
            raise _too_much(column, f"a part that unpacks to {commas(page.unpacked)} bytes", f"at most {commas(most)}")
        packed, unpacked = packed + page.packed, unpacked + page.unpacked
        if unpacked > max(UNPACKED_FREELY, MAX_RATIO * packed):
            raise _too_much(
                column,
                f"{commas(packed)} bytes that unpack to {commas(unpacked)} or more",
                f"at most {commas(MAX_RATIO)} times as many",
            )
        if count >= MAX_PAGES:
            raise _too_much(column, f"more than {commas(MAX_PAGES)} pages", "at most as many")


def _too_much(column: str, found: str, expected: str) -> BadInput:
    return BadInput(
        f"Column {column!r:.60} has {found}. Expected {expected}. Leave it out, or write the table again in "
        "smaller row groups and with dictionaries."
    )


def pages_of(reader: Any, metadata: Any, column: str) -> Iterator[ParquetPage]:
    """The pages of a column, in all row groups."""
    for place in range(metadata.num_row_groups):
        group = metadata.row_group(place)
        for chunk in map(group.column, range(group.num_columns)):
            if chunk.path_in_schema == column or chunk.path_in_schema.startswith(f"{column}."):
                first = chunk.dictionary_page_offset if chunk.has_dictionary_page else None
                start = min(first or chunk.data_page_offset, chunk.data_page_offset)
                yield from _pages_between(reader, start, start + chunk.total_compressed_size)


def _pages_between(reader: Any, start: int, end: int) -> Iterator[ParquetPage]:
    while start < end:
        fields, length = _header(reader, start)
        kind, unpacked, packed = (fields.get(number, -1) for number in (1, 2, 3))
        if kind < 0 or unpacked < 0 or packed < 0:
            raise _damaged()
        yield ParquetPage(kind, length + packed, unpacked)
        start += length + packed


def _header(reader: Any, start: int) -> tuple[dict[int, int], int]:
    """The whole numbers of the header there, by the number of their field, and its length."""
    for most in (HEADER_BYTES, MAX_HEADER_BYTES):
        cursor = _Cursor(bytes(reader.read_at(most, start)))
        try:
            return cursor.struct(), cursor.at
        except IndexError:  # longer than what was read
            continue
    raise _damaged()


def _damaged() -> BadInput:
    return BadInput(
        "The Parquet file is damaged or cut off (a page without a header). Expected a complete one. Copy or download it again."
    )


class _Cursor:
    """Reads a record in Thrift's compact protocol; IndexError at the end of the bytes."""

    def __init__(self, data: bytes) -> None:
        self._data, self.at = data, 0

    def struct(self, depth: int = 0) -> dict[int, int]:
        """The whole numbers of a struct, by the number of their field; everything else is passed over."""
        if depth > MAX_NESTED:
            raise _damaged()
        found: dict[int, int] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._whole()
            if kind & 15 in (4, 5, 6):  # whole numbers of 16, 32 and 64 bits
                found[number] = self._whole()
            elif kind & 15 not in (1, 2):  # a truth value is in the type itself
                self._pass_over(kind & 15, depth)
        return found

    def _pass_over(self, kind: int, depth: int) -> None:
        if kind in (1, 2, 3):
            self._byte()
        elif kind in (4, 5, 6):
            self._whole()
        elif kind == 7:  # a number of 64 bits with a point
            self._skip(8)
        elif kind == 8:  # text or bytes
            self._skip(self._unsigned())
        elif kind in (9, 10):  # a list or a set
            self._pass_over_list(depth)
        elif kind == 12:
            self.struct(depth + 1)
        else:  # a map is in no header
            raise _damaged()

    def _pass_over_list(self, depth: int) -> None:
        begin = self._byte()
        count = begin >> 4 if begin >> 4 < 15 else self._unsigned()
        if count > len(self._data) or depth > MAX_NESTED:
            raise _damaged()
        for _ in range(count):
            self._pass_over(begin & 15, depth + 1)

    def _skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self._data):
            raise IndexError

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise _damaged()

    def _whole(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


# Read when needed, so that no number of rows is refused: decision 169.
BATCH_ROWS = 65_536
"""Rows read at a time."""

READ_BYTES = 1 << 20
"""Bytes of a column read at a time; by default PyArrow would hold all its row groups until the end."""

MOST_WORDS = 50_000
"""Distinct words of a column that are numbered while it is read; beyond, each piece keeps its own."""

State = tuple[int, int, int, int]
"""Identifies an unchanged file: the disk's and the file's number, its size, and when it was last written."""


@dataclass(frozen=True, eq=False)
class ParquetPart:
    """One file of a table.

    ``file`` : pyarrow's ParquetFile. ``reader`` : pyarrow's open file below it. ``keys`` : values for all its rows from
        the names of its folders, as in ``day=3``. ``path`` and ``state`` : where it is, and its state when it was opened;
        None for a file in memory.
    """

    file: Any
    reader: Any
    keys: Mapping[str, str] = field(default_factory=dict)
    path: Path | None = None
    state: State | None = None

    @property
    def rows(self) -> int:
        """The number of its rows, from its footer."""
        return int(self.file.metadata.num_rows)


def opened_part(source: bytes | Path | BinaryIO, keys: Mapping[str, str] | None = None) -> ParquetPart:
    """The file, with only its footer read. ArrowException and OSError where it is damaged.

    Equal texts stay one text in memory: a small file can claim a long text in each of a million rows.
    """
    path, state = (source, state_of(source)) if isinstance(source, Path) else (None, None)
    reader = pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(str(source))
    schema = parquet.read_schema(reader)
    reader.seek(0)
    texts = [one.name for one in schema if is_text(one.type)]
    texts += [path for one in schema if is_nested(one.type) for path in _leaves(reader, one.name)]
    reader.seek(0)
    file = parquet.ParquetFile(
        reader, read_dictionary=texts, page_checksum_verification=True, pre_buffer=False, buffer_size=READ_BYTES
    )
    return ParquetPart(file, reader, keys or {}, path, state)


def state_of(path: Path) -> State:
    """The present state of the file."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class ParquetColumns(Mapping[str, Array]):
    """Columns by name; a column is read on each lookup and not kept; equal texts are held once.

    Parameters
    ----------
    parts : files with the same columns, in order.
    named : the name in the files by the name of the column, for columns of numbers, truth values or words.
    made : further columns, in memory: those made of lists and structs.
    """

    def __init__(
        self, parts: Sequence[ParquetPart], named: Mapping[str, str], made: Mapping[str, Array] | None = None
    ) -> None:
        self._parts, self._named, self._made = tuple(parts), dict(named), dict(made or {})
        self._schema = self._parts[0].file.schema_arrow  # each access makes another one of all columns
        keys = dict.fromkeys(key for part in parts for key in part.keys)
        self._keys = tuple(keys)
        self.ends: Any = np.cumsum([part.rows for part in parts])
        self._lock = threading.Lock()
        self._checked: set[tuple[int, str]] = set()  # part and name of columns whose pages are known to fit
        self._held: tuple[str, int, int, Any] | None = None  # name, part, first row and cells that were shown last

    def __len__(self) -> int:
        return len(self._named) + len(self._keys) + len(self._made)

    def __iter__(self) -> Iterator[str]:
        yield from self._named
        yield from self._keys
        yield from self._made

    def __contains__(self, name: object) -> bool:
        return name in self._named or name in self._keys or name in self._made

    def __getitem__(self, name: str) -> Array:
        if name not in self:
            raise KeyError(name)
        if name in self._made:
            return self._made[name]
        kind = self.kind(name)
        if is_text(kind):
            return self._coded(name)
        if pa.types.is_floating(kind) or pa.types.is_integer(kind):
            return self._numbers(name, kind)
        return pa.chunked_array(list(self.pieces(name)), type=kind)

    def _numbers(self, name: str, kind: Any) -> Array:
        """A column of numbers, filled piece by piece, so that it is in memory only once."""
        numbers = np.empty(int(self.ends[-1]), dtype=kind.to_pandas_dtype())
        pieces, start = self.pieces(name), 0
        for piece in pieces:
            if piece.null_count:  # an empty cell has no number
                return pa.chunked_array([_in_place(numbers[:start], kind), piece, *pieces], type=kind)
            numbers[start : start + len(piece)] = piece.to_numpy()
            start += len(piece)
        return pa.chunked_array([_in_place(numbers, kind)], type=kind)

    def _coded(self, name: str) -> Array:
        """A column of words, each held once: rows hold the word's number, in one byte if there are few words."""
        codes = np.empty(int(self.ends[-1]), dtype=np.int8)
        known: dict[Any, int] = {}
        pieces, start = self.pieces(name), 0
        for piece in pieces:
            if piece.null_count or len(piece.dictionary) > MOST_WORDS or len(known) > MOST_WORDS:
                read = pa.DictionaryArray.from_arrays(pa.array(codes[:start].astype(np.int32)), _words(known))
                return pa.chunked_array([read, piece, *pieces], type=self.kind(name))
            own = np.array(
                [known.setdefault(word, len(known)) for word in piece.dictionary.to_pylist()], dtype=np.int32
            )
            if len(known) > np.iinfo(codes.dtype).max:
                codes = codes.astype(np.int16 if len(known) <= np.iinfo(np.int16).max else np.int32)
            codes[start : start + len(piece)] = own[piece.indices.to_numpy()]
            start += len(piece)
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(_in_place(codes, pa.from_numpy_dtype(codes.dtype)), _words(known))]
        )

    def without_made(self) -> "ParquetColumns":
        """Return the columns of the files alone, without those made of lists and structs, and without times."""
        schema = self._schema
        named = {name: own for name, own in self._named.items() if not _is_time(schema.field(own).type)}
        return ParquetColumns(self._parts, named)

    def opened(self, names: Collection[str], made: Mapping[str, Array]) -> "ParquetColumns":
        """Return these columns with those made of some in their place."""
        named = {name: own for name, own in self._named.items() if name not in names}
        rest = {name: column for name, column in self._made.items() if name not in names}
        return ParquetColumns(self._parts, named, {**rest, **made})

    def kind(self, name: str) -> Any:
        """The Arrow type of the column, known without reading a cell."""
        if name in self._keys:
            return pa.dictionary(pa.int32(), pa.string())
        if name in self._made:
            return self._made[name].type
        kind = self._schema.field(self._named[name]).type
        if is_text(kind) or _is_time(kind):
            return pa.dictionary(pa.int32(), pa.string())
        return kind.value_type if pa.types.is_dictionary(kind) else kind

    def pieces(self, name: str) -> Iterator[Array]:
        """The column some rows at a time, each piece checked; BadInput where it is damaged or too long."""
        if name in self._made:
            yield from self._made[name].chunks
            return
        total, kind = 0, self.kind(name)
        for place in range(len(self._parts)):
            for piece in self._of_part(place, name):
                if is_text(kind):
                    check_cell_length(name, piece.dictionary)
                    total += pc.sum(pc.take(pc.binary_length(piece.dictionary), piece.indices)).as_py() or 0
                    if total > limits.MAX_UNPACKED_BYTES and not self._repeats(piece):
                        raise limits.too_large("or more bytes of text", total, limits.MAX_UNPACKED_BYTES)
                yield piece

    @staticmethod
    def _repeats(piece: Any) -> bool:
        """Whether the texts are few and short, such as class names, so that a row can hold the number of its text."""
        return len(piece.dictionary) < limits.MAX_CLASSES and piece.dictionary.nbytes < limits.MAX_WORD_BYTES

    def around(self, name: str, row: int) -> Any:
        """One cell; some rows around it are held until another column or place is read."""
        if name in self._made:
            return self._made[name][row]
        place = int(np.searchsorted(self.ends, row, side="right"))
        inside = row - (int(self.ends[place - 1]) if place else 0)
        held = self._held
        if held is None or held[:2] != (name, place) or not held[2] <= inside < held[2] + len(held[3]):
            start = 0
            for piece in self._of_part(place, name):
                if inside < start + len(piece):
                    held = self._held = (name, place, start, piece)
                    break
                start += len(piece)
            else:
                raise BadInput(
                    f"There is no row {row} in {name!r:.60}. Expected as many as the file says. Copy or download it again."
                )
        return held[3][inside - held[2]]

    def _of_part(self, place: int, name: str) -> Iterator[Array]:
        part = self._parts[place]
        if name in self._keys:
            yield pa.DictionaryArray.from_arrays(pa.array(np.zeros(part.rows, np.int32)), [part.keys[name]])
            return
        found, own, kind = 0, self._named[name], self.kind(name)
        with self._lock, readable(part):
            if part.path is not None and part.state != state_of(part.path):
                raise SubjectChanged(
                    f"{part.path.name!r:.200} has changed since it was opened. Expected the same file until the work is done. "
                    "Begin again once it is written."
                )
            if is_text(kind) and (place, name) not in self._checked:
                check_pages(part.reader, part.file.metadata, own)
                self._checked.add((place, name))
            for batch in part.file.iter_batches(batch_size=BATCH_ROWS, columns=[own], use_threads=False):
                piece = batch.column(0)
                piece.validate(full=True)
                found += len(piece)
                if found > part.rows:
                    break
                yield (
                    _time_in_words(piece) if _is_time(piece.type) else piece if piece.type == kind else piece.cast(kind)
                )
        if found != part.rows:
            raise BadInput(
                f"The Parquet file has {found} rows of {name!r:.60}. Expected {part.rows}, as its header says. Copy "
                "or download it again."
            )


def _in_place(numbers: NDArray[Any], kind: Any) -> Any:
    """The numbers as an Arrow array without a copy; ``pa.array`` would copy them."""
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])


def _words(known: Mapping[Any, int]) -> Any:
    return pa.array(list(known), pa.string())


@contextmanager
def readable(part: ParquetPart | None = None) -> Iterator[None]:
    """Turns the errors of reading a damaged file into BadInput."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        named = "" if part is None or part.path is None else f" {part.path.name!r:.200}"
        raise BadInput(
            f"The Parquet file{named} is damaged or cut off ({first_line(error):.120}). Expected a complete "
            "one. Copy or download it again."
        ) from error


def pieces_of(columns: Mapping[str, Array], name: str) -> Iterator[Array]:
    """A column some rows at a time, from memory or from a file; a piece without rows only where there is no other."""
    nothing = None
    for piece in columns.pieces(name) if isinstance(columns, ParquetColumns) else columns[name].chunks:
        nothing = piece if nothing is None or len(piece) else nothing
        if len(piece):
            yield piece
    if nothing is not None and not len(nothing):
        yield nothing


FEWEST_FIRST = 1000
"""Rows of a column that every rule which looks at the first ones takes, at least."""


def first_column(cells: Cells, name: str, rows: int) -> Column:
    """The first cells of a column; those of a table of few rows are kept, because many rules look at them.

    ``rows`` : how many, ``FEWEST_FIRST`` or more.
    """
    if name in cells.looked_at:
        return cells.looked_at[name]
    piece = next(pieces_of(cells.columns, name)).slice(0, rows)
    column = Column(name, pa.chunked_array([piece]))
    if len(piece) < FEWEST_FIRST:
        cells.looked_at[name] = column
    return column


def is_text(kind: Any) -> bool:
    """Whether a column holds words, whether as a dictionary or as plain text."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


FILES_AT_A_TIME = 16
"""Encoded pictures or sounds read at a time."""


def cells_of_parquet(content: bytes, _: str) -> Cells:
    """Return the columns of a file's content; BadInput as ``read_parquet``."""
    return read_parquet(content)


def read_parquet(source: bytes | Path) -> Cells:
    """The columns of numbers, truth values or words, each read on demand.

    Lists and structs are columns by the path of their fields, read at once; times are words by the rules ``FOUND``; files in
    cells are read one by one.

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
        raise BadInput("The table has columns and no rows. Expected one row per input. Export it with its rows.")
    named = {one.name.strip(): one.name for one in first if _is_usable(one.type)}
    found = {one.name: columns_of_lists(parts, one.name) for one in first if is_nested(one.type)}
    taken = {name.strip().casefold() for name in (*(name for name in first.names if name not in found), *parts[0].keys)}
    made = {
        path: column for columns in found.values() for path, column in columns.items() if path.casefold() not in taken
    }
    made, likeliest = parted(made)
    columns = ParquetColumns(parts, named, made)
    embedded = {one.name.strip(): one for one in first if holds_files(one.type)}
    files: dict[str, Embedded] = {
        name: FilesInParts([ParquetFiles(part, one) for part in parts], columns.ends) for name, one in embedded.items()
    }
    left_out = tuple(
        name.strip() for name in first.names if name.strip() not in {*named, *embedded} and not found.get(name)
    )
    cells = Cells(columns, rows, left_out, files, class_names=listed_of(first), format="Parquet")
    cells = by_score(cells, ParquetColumns(parts, named, {**made, **likeliest}), likeliest)
    known = {one.name.strip(): one.name for one in first if _is_usable(one.type) or _is_time(one.type)}
    return (
        cells if len(known) == len(named) else _with_times(cells, ParquetColumns(parts, known, {**made, **likeliest}))
    )


def _with_times(cells: Cells, columns: ParquetColumns) -> Cells:
    """The table with its times as words; before, they were left out."""
    left_out = tuple(name for name in cells.left_out if name not in columns)
    changes = (*cells.changes, "times as words")
    return replace(cells, columns=columns, left_out=left_out, changes=changes, before=lambda: cells, since=FOUND)


MAX_NESTED_BYTES, MAX_NESTED_VALUES = 400_000_000, 20_000_000
"""Bytes of text and values in a column of lists or structs, which is read at once. A larger one is left out."""


def is_nested(kind: Any) -> bool:
    """Whether a column holds lists or structs, which are no files."""
    return (is_list(kind) or bool(pa.types.is_struct(kind))) and not holds_files(kind)


def _leaves(reader: Any, name: str) -> list[str]:
    """The paths of what lies in a column of lists or structs."""
    reader.seek(0)
    schema = parquet.read_metadata(reader).schema
    return [path for path in (schema.column(place).path for place in range(len(schema))) if path.startswith(f"{name}.")]


def columns_of_lists(parts: Sequence[ParquetPart], name: str) -> dict[str, Array]:
    """Return a column of lists or structs as columns by path; none if it is damaged or too large."""
    values = sum(
        chunk.num_values
        for part in parts
        for group in map(part.file.metadata.row_group, range(part.file.metadata.num_row_groups))
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema.startswith(f"{name}.")
    )
    if values > MAX_NESTED_VALUES:
        return {}
    try:
        return columns_of_values(name.strip(), _nested_cells(parts, name))
    except BadInput:
        return {}


def _nested_cells(parts: Sequence[ParquetPart], name: str) -> Iterator[Any]:
    """The cells of a column of lists or structs as plain values; BadInput where they would take too much memory."""
    total = 0
    for part in parts:
        with readable(part):
            check_pages(part.reader, part.file.metadata, name)
            for batch in part.file.iter_batches(batch_size=1024, columns=[name], use_threads=False):
                batch.validate(full=True)
                total += _text_bytes(batch.column(0))
                if total > MAX_NESTED_BYTES:
                    raise limits.too_large(f"or more bytes of text in {name!r:.60}", total, MAX_NESTED_BYTES)
                yield from plain_values(batch.column(0))


def _text_bytes(array: Any) -> int:
    """The bytes of all texts in an array of lists or structs, each as often as it occurs."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return pc.sum(pc.take(pc.binary_length(array.dictionary), array.indices)).as_py() or 0
    if pa.types.is_struct(kind):
        return sum(map(_text_bytes, array.flatten()))
    if pa.types.is_map(kind):
        return _text_bytes(array.keys) + _text_bytes(array.items)
    return _text_bytes(array.flatten()) if is_list(kind) else 0


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
                f"Row {row} (counted from 0) of {self._column!r:.60} contains no file, or only a path elsewhere. Expected "
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
                f"Row {row} (counted from 0) of {self._column!r:.60} is damaged ({first_line(error):.80}). "
                "Expected a complete file. Copy or download the table again."
            ) from error
        raise BadInput(
            f"There is no row {row} in {self._column!r:.60}. Expected as many as the file says. Copy or download it again."
        )


def _is_usable(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_usable(kind.value_type)
    tests = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, is_text)
    return any(test(kind) for test in tests)


def _is_time(kind: Any) -> bool:
    """Whether a column holds days or times."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind))


def _time_in_words(piece: Any) -> Any:
    """Days and times as words, each held once; those of a zone in UTC, and "" for one that no calendar has."""
    if pa.types.is_timestamp(piece.type):
        piece = piece.cast(pa.int64()).cast(pa.timestamp(piece.type.unit))
    words = piece.dictionary_encode()
    try:
        written = pc.cast(words.dictionary, pa.string())
    except pa.ArrowException:
        written = pa.array([_written(one) for one in words.dictionary], pa.string())
    return pa.DictionaryArray.from_arrays(words.indices, pc.replace_substring_regex(written, r"\.0+$", ""))


def _written(time: Any) -> str:
    try:
        return str(pc.cast(time, pa.string()).as_py())
    except pa.ArrowException:
        return ""
