"""What the pages of a Parquet column unpack to, by the header before each page, which is also what the reader allocates.

The footer only claims sizes, and a small file may contain a page of gigabytes. Source: the Parquet format's ``PageHeader`` in
Thrift's compact protocol (parquet-format, src/main/thrift/parquet.thrift).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import spaced

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
            raise _too_much(column, f"a part that unpacks to {spaced(page.unpacked)} bytes", f"at most {spaced(most)}")
        packed, unpacked = packed + page.packed, unpacked + page.unpacked
        if unpacked > max(UNPACKED_FREELY, MAX_RATIO * packed):
            raise _too_much(
                column,
                f"{spaced(packed)} bytes that unpack to {spaced(unpacked)} or more",
                f"at most {spaced(MAX_RATIO)} times as many",
            )
        if count >= MAX_PAGES:
            raise _too_much(column, f"more than {spaced(MAX_PAGES)} pages", "at most as many")


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
        "The Parquet file is damaged or cut off (a page without a header); expected a complete one. Copy or download it again."
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
