"""CSV that spreadsheets open: no text in it leaves its cell or runs as a formula, wherever the spreadsheet splits lines.

A spreadsheet of a country with a decimal comma splits our lines at semicolons, whatever quotation marks stand around a comma;
others split at tabs, bars or line ends. So an apostrophe goes before what would be a formula at the beginning of any such part.
"""

import csv
import io
import re
from collections.abc import Iterable
from typing import Any, TextIO

SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫"
"""What begins a formula, also in full and small width, which spreadsheets in Japanese and Chinese take for the plain ones."""

SEPARATORS = ";\t|\n\r\x0b\x0c\x85\u2028\u2029"
"""Where spreadsheets split a line although it is separated by commas; a comma is safe between quotation marks."""

_GAP = f'[{SEPARATORS}\\s"\u200b-\u200f\u2060\ufeff]'
# whole gaps, each tried once: a text may have a million line ends
_BEFORE_SIGN = re.compile(f"(\\A{_GAP}*+|(?<!{_GAP}){_GAP}++)(?='*+[{SIGNS}])")
_BEFORE_QUOTED = re.compile(f"(\\A{_GAP}*+|(?<!{_GAP}){_GAP}++)'(?='*+[{SIGNS}])")
_SPLITS = re.compile(f"[{SEPARATORS}]")
_SIGN = re.compile(f"[{SIGNS}]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def quoted(value: Any) -> Any:
    """Text with an apostrophe before each part that a spreadsheet would run; numbers and everything else as they are.

    >>> quoted("=1+1"), quoted("x;=1+1|calc"), quoted("-0.25"), quoted("-0.25 degrees")
    ("'=1+1", "x;'=1+1|calc", '-0.25', "'-0.25 degrees")
    """
    if not isinstance(value, str) or not _SIGN.search(value) or _NUMBER.fullmatch(value):
        return value
    return _BEFORE_SIGN.sub(lambda gap: f"{gap[1]}'" if _begins_part(gap) else gap[0], value)


def unquoted(cell: str) -> str:
    """The text of which ``quoted`` made the cell.

    >>> unquoted("x;'=1+1"), unquoted("O'Neil")
    ('x;=1+1', "O'Neil")
    """
    if "'" not in cell:
        return cell
    return _BEFORE_QUOTED.sub(lambda gap: gap[1] if _begins_part(gap) else gap[0], cell)


def _begins_part(gap: re.Match[str]) -> bool:
    """Whether what follows the gap begins the cell, or a part of it where a spreadsheet splits."""
    return gap.start() == 0 or _SPLITS.search(gap[1]) is not None


def plain_csv(lines: Iterable[Iterable[Any]]) -> str:
    """Lines as a CSV for programs, the texts in it as they are; what people open is written by ``SpreadsheetWriter``.

    >>> plain_csv([["name", "count"], ["a, b", 2]])
    'name,count\\n"a, b",2\\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


class SpreadsheetWriter:
    """Writes the lines of a CSV as spreadsheets may open it; ``tables.csv.spreadsheet_lines`` reads them back equal."""

    def __init__(self, file: TextIO) -> None:
        self._usual = csv.writer(file, lineterminator="\n")
        self._all_quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def writerow(self, cells: Iterable[Any]) -> None:
        """Writes one line; None is an empty cell."""
        line = [quoted(cell) if type(cell) is str else cell for cell in cells]
        for cell in line:
            if type(cell) is str and "\r" in cell:  # Python quotes a carriage return only if lines end with one
                self._all_quoted.writerow(line)
                return
        self._usual.writerow(line)

    def writerows(self, lines: Iterable[Iterable[Any]]) -> None:
        """Writes one line after the other."""
        for line in lines:
            self.writerow(line)
