"""CSV that spreadsheets open: no text in it leaves its cell or runs as a formula, wherever the spreadsheet splits lines.

A spreadsheet of a country with a decimal comma splits our lines at semicolons, whatever quotation marks stand around a comma;
others split at tabs, bars or line ends. So an apostrophe goes before what would be a formula at the beginning of any such part.
"""

import csv
import re
from collections.abc import Iterable
from typing import Any, TextIO

SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫"
"""What begins a formula, also in full and small width, which spreadsheets in Japanese and Chinese take for the plain ones."""

SEPARATORS = ";\t|\n\r\x0b\x0c\x85\u2028\u2029"
"""Where spreadsheets split a line although it is separated by commas; a comma is safe between quotation marks."""

_PASSED_OVER = '[\\s"\u200b-\u200f\u2060\ufeff]*'
_RUNS = re.compile(f"(^|[{SEPARATORS}])({_PASSED_OVER})(?='*[{SIGNS}])")
_QUOTED = re.compile(f"(^|[{SEPARATORS}])({_PASSED_OVER})'(?='*[{SIGNS}])")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def quoted(value: Any) -> Any:
    """Text with an apostrophe before each part that a spreadsheet would run; numbers and everything else as they are.

    >>> quoted("=1+1"), quoted("x;=1+1|calc"), quoted("-0.25"), quoted("-0.25 degrees")
    ("'=1+1", "x;'=1+1|calc", '-0.25', "'-0.25 degrees")
    """
    if not isinstance(value, str) or not _RUNS.search(value) or _NUMBER.fullmatch(value):
        return value
    return _RUNS.sub(r"\1\2'", value)


def unquoted(cell: str) -> str:
    """The text of which ``quoted`` made the cell.

    >>> unquoted("x;'=1+1"), unquoted("O'Neil")
    ('x;=1+1', "O'Neil")
    """
    return _QUOTED.sub(r"\1\2", cell) if "'" in cell else cell


class SpreadsheetWriter:
    """Writes the lines of a CSV as spreadsheets may open it; ``planning.spreadsheet_lines`` reads them back equal."""

    def __init__(self, file: TextIO) -> None:
        self._usual = csv.writer(file, lineterminator="\n")
        self._all_quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def writerow(self, cells: Iterable[Any]) -> None:
        """Writes one line; None is an empty cell."""
        line = [quoted(cell) for cell in cells]
        # Python quotes a carriage return only if lines end with one
        ends_line = any(isinstance(cell, str) and "\r" in cell for cell in line)
        (self._all_quoted if ends_line else self._usual).writerow(line)

    def writerows(self, lines: Iterable[Iterable[Any]]) -> None:
        """Writes one line after the other."""
        for line in lines:
            self.writerow(line)
