"""Turns a CSV as spreadsheets write it, in any encoding, into UTF-8; and says what its format was taken for."""

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from testimate.core.errors import BadInput
from testimate.tables import limits

Tell = Callable[[str], object]
"""Called with a sentence that a person should read."""

READ_AS = "read as"
"""The name of the fact about what a file's format was taken for."""

MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
"""First bytes that mark the encoding of the text; Excel's "Unicode text" begins with them."""

SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""Excel's separator of columns where the comma is the decimal point, and that of its "Unicode text"."""

WITH_COMMA = r"^\s*[+-]?[0-9]*(,[0-9]+)?([eE][+-]?[0-9]+)?\s*$"
"""A number as spreadsheets write it in countries with a decimal comma."""

NOT_ASCII = re.compile(r"[\w ]{0,12}[^\x00-\x7f][\w ]{0,12}")


class CsvLines(Protocol):
    """The lines of a CSV, as Python's reader gives them."""

    @property
    def line_num(self) -> int:
        """How many lines of the text were read."""
        ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


def csv_lines(
    lines: Iterable[str], *, strict: bool = False, separator: str = ",", skip_spaces: bool = False
) -> CsvLines:
    """The cells of each line of a CSV; csv.Error if one is longer than ``limits.MAX_CELL_LENGTH``.

    Python's own limit of 131,072 characters holds for a whole program, so it is lifted here, where all of them are read.
    """
    csv.field_size_limit(limits.MAX_CELL_LENGTH)
    return csv.reader(lines, strict=strict, delimiter=separator, skipinitialspace=skip_spaces)


def from_utf16(content: bytes) -> bytes | None:
    """The text in UTF-8 if its first bytes mark it as UTF-16, else None; BadInput where it is not UTF-16 after all.

    >>> from_utf16("a,b".encode("utf-16")), from_utf16(b"a,b")
    (b'a,b', None)
    """
    encoding = MARKS.get(content[:2])
    if encoding is None:
        return None
    try:
        return content.decode(encoding).encode()
    except UnicodeDecodeError as error:
        raise BadInput(
            f"The file begins as text in UTF-16 and is damaged ({error.reason} at byte {error.start}); expected a whole file. "
            "Save it again as CSV (UTF-8)."
        ) from error


def from_windows_1252(content: bytes) -> tuple[bytes, str] | None:
    """The text in UTF-8, and an example to judge it by, if it may be Windows-1252, Excel's plain "CSV"; else None.

    Nothing in such a file marks it. It is not taken for one if it also holds letters in UTF-8 (then it is damaged
    UTF-8), or a byte that Windows-1252 does not have.

    >>> text, example = from_windows_1252("stadt\\nKöln\\n".encode("cp1252"))
    >>> text.decode(), example
    ('stadt\\nKöln\\n', 'Köln')
    >>> from_windows_1252("Köln".encode() + b"\\xff")
    """
    if not content.decode("utf-8", "ignore").isascii():
        return None
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return None
    found = NOT_ASCII.search(text)
    return None if found is None else (text.encode(), found[0].strip())


def read_as(name: str, taken: Sequence[str]) -> str:
    """The sentence that says what a file was taken for.

    >>> read_as("votes.csv", ["text in UTF-16", "columns separated by tabs"]).partition(". ")[0]
    'votes.csv is read as text in UTF-16; columns separated by tabs'
    """
    return f"{name} is read as {'; '.join(taken)}. Where that is wrong, save it as CSV UTF-8 with commas."
