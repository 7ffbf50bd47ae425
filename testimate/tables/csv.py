"""Reads every CSV of unknown origin: tables, votes and texts; its encoding and separator are decided here alone.

A table is read into columns of text, packed by gzip or not, within limits; votes and texts are read line by line.
"""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Protocol

from testimate.core.errors import BadInput
from testimate.core.reading import PLAIN, SEPARATORS, UTF_16, WINDOWS_1252, Tell, TextFormat, read_as
from testimate.core.spreadsheet_cells import unquoted
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.kinds import is_separated_text

MARKS = {codecs.BOM_UTF16_LE: UTF_16, codecs.BOM_UTF16_BE: UTF_16}
"""First bytes that mark the encoding of the text; Excel's "Unicode text" begins with them."""

FIRST_LINES, FIRST_CHARACTERS = 100, 1 << 20
"""Lines of a CSV that decide its separator, and how much of them is looked at."""

LEAST_NUMBERED = 5
"""Lines from which on one cell more than the header in each is the row's name, not a slip."""

COMMENT = "#"
"""What lines before the header begin with that say something about the file."""

BEHIND_COMMENT = re.compile(rf"^{COMMENT}+[ \t]*")
"""What may stand before the header where it is the last of these lines, as in a table of gene variants."""

PLAIN_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?")

USUAL_SEPARATORS = (",", ";", "\t", "|")
"""Those that a file need not name; of two that fit as well the first is taken."""

QUOTED_NAMES = re.compile(r'"[^"]*"(?: "[^"]*")+ *(\r\n|\n|\r|$)')
"""A header as R writes it, in quotation marks and separated by spaces."""

NAMED_SEPARATOR = re.compile(rf'"?sep=([{"".join(SEPARATORS)}])"? *(\r\n|\n|\r|$)', re.IGNORECASE)
"""The line before the header by which Excel, and programs that write for it, name the separator."""

WITH_COMMA = r"^[\s\pZ]*[+-]?[0-9]*(,[0-9]+)?([eE][+-]?[0-9]+)?[\s\pZ]*$"
_WITH_COMMA = re.compile(WITH_COMMA.replace(r"\pZ", ""))  # here \s is any space of Unicode, in Arrow only of ASCII
"""A number as spreadsheets write it in countries with a decimal comma."""

NOT_ASCII = re.compile(r"[\w ]{0,12}[^\x00-\x7f][\w ]{0,12}")

BLOCK_BYTES = 8_000_000
"""Bytes of a CSV that are parsed at a time, unless a line is longer."""

STRADDLING = "straddling"
"""Part of Arrow's message for a line that does not fit into what is parsed at a time."""

SAVE_AS = "Save the table as CSV (UTF-8) or Parquet."

BYTES_OF_PLACE = 4
"""Where each cell ends in its column's text."""


@dataclass(frozen=True, eq=False)
class CsvText:
    """A CSV as bytes; what is known of its ``format``: the encoding it had. Its bytes are UTF-8 unless nothing marks them."""

    content: bytes
    format: TextFormat = PLAIN


class NotUtf8(BadInput):
    """Text that is not UTF-8."""


def by_mark(content: bytes) -> CsvText:
    """The text without the mark it begins with, in UTF-8 if that says UTF-16; BadInput where it is not UTF-16 after all.

    >>> by_mark("a,b".encode("utf-16"))
    CsvText(content=b'a,b', format=TextFormat(encoding='utf-16', separator=',', example='', decimal_commas=()))
    """
    encoding = MARKS.get(content[:2])
    if encoding is None:
        return CsvText(content.removeprefix(codecs.BOM_UTF8))  # Excel's and R's
    try:
        return CsvText(content.decode(encoding).encode(), TextFormat(encoding))
    except UnicodeDecodeError as error:
        raise BadInput(
            f"The file begins as text in UTF-16 and is damaged ({error.reason} at byte {error.start}). Expected a whole file. "
            "Save it again as CSV (UTF-8)."
        ) from error


def in_utf8(text: CsvText) -> CsvText:
    """The text in UTF-8: as it is, else as Windows-1252 if it can be; NotUtf8 where it is neither."""
    try:
        _check_utf8(text.content)
    except NotUtf8:
        example = windows_1252_example([text.content])
        if example is None:
            raise
        return CsvText(text.content.decode(WINDOWS_1252).encode(), TextFormat(WINDOWS_1252, example=example))
    return text


def windows_1252_example(pieces: Iterable[bytes]) -> str | None:
    """Letters to judge by if the text, in whole lines, may be Windows-1252, Excel's plain "CSV"; else None.

    Nothing in such a file marks it. It is not taken for one if it also holds letters in UTF-8 (then it is damaged
    UTF-8), or a byte that Windows-1252 does not have.

    >>> windows_1252_example(["stadt\\nKöln\\n".encode("cp1252")])
    'Köln'
    >>> windows_1252_example(["Köln".encode() + b"\\xff"])
    """
    example = None
    for piece in pieces:
        if piece.isascii():
            continue
        if not piece.decode("utf-8", "ignore").isascii():
            return None
        try:
            letters = NOT_ASCII.search(piece.decode(WINDOWS_1252))
        except UnicodeDecodeError:
            return None
        if example is None and letters is not None:
            example = letters[0].strip()
    return example


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


@dataclass(frozen=True, eq=False)
class _Start:
    """The first lines of a CSV from its header on, what stands before it, and the separator.

    ``before`` : a line that names the separator, comments, or a title. ``skipped`` : lines before the header.
    ``titled`` : whether a title is among them. ``commented`` : whether the header was the last of the comments.
    """

    lines: list[str]
    before: str
    separator: str
    skipped: int
    titled: bool = False
    commented: bool = False


def start_of(lines: Iterator[str], *, cut: bool = False, commented: bool = True) -> _Start:
    """The start of a CSV, no more of it taken than decides its separator; ``cut`` : whether ``lines`` break off somewhere.

    ``commented`` : whether the last comment may be the header.
    """
    first: list[str] = []
    length = skipped = 0
    named, whole = None, False
    while not whole and len(first) < FIRST_LINES and length < FIRST_CHARACTERS:
        line = next(lines, None)
        if line is None:
            whole = True
        elif (not first and named is None and (named := NAMED_SEPARATOR.match(line))) or (
            not first and not line.strip("\r\n")
        ):
            skipped += 1
        else:
            first.append(line)
            length += len(line)
    if named:
        return _Start(first, named[0], named[1], skipped)
    comments = _comments(first, whole=whole and not cut)
    if comments and commented and _is_header(first[comments - 1 :], whole=whole and not cut):
        header = BEHIND_COMMENT.sub("", first[comments - 1], count=1)
        mark = first[comments - 1].removesuffix(header)
        before, first = [*first[: comments - 1], mark], [header, *first[comments:]]
        separator = separator_of(first, whole=whole and not cut)
        return _Start(first, "".join(before), separator, skipped + comments - 1, commented=True)
    before, first = first[:comments], first[comments:]
    titles = 0 if comments else _titles(first, whole=whole and not cut)
    before, first = before + first[:titles], first[titles:]
    separator = separator_of(first, whole=whole and not cut)
    return _Start(first, "".join(before), separator, skipped + comments + titles, titled=titles > 0)


def _is_header(lines: Sequence[str], *, whole: bool) -> bool:
    """Whether the first of these lines, a comment, has as many cells as the others, and the next is no header: it holds a
    number, or a word that stands below it.

    >>> _is_header(["#gene\\tclass\\n", "LDLR\\tbenign\\n", "PTEN\\tbenign\\n", ""], whole=True)
    True
    >>> _is_header(["# by A, in B\\n", "gene,class\\n", "LDLR,benign\\n", ""], whole=True)
    False
    """
    width, separator = max((_width(lines, one, whole=whole), one) for one in USUAL_SEPARATORS)
    if not width:
        return False
    row, *below = (_cells_of(line, separator) for line in (lines if whole else lines[:-1])[1:] if line.strip())
    return any(
        PLAIN_NUMBER.fullmatch(cell) or (cell and cell in (other[place] for other in below))
        for place, cell in enumerate(row)
    )


MOST_TITLES, FEWEST_BELOW = 10, 5
"""Lines among which a title is looked for, and lines below it from which on these are a table."""


def _titles(lines: Sequence[str], *, whole: bool) -> int:
    """How many lines before the header have their first cell alone, as a title over a spreadsheet does.

    >>> _titles(["Pilot, March 2026;;\\n", ";;\\n", "id;ai;own\\n", *(f"{row};cat;dog\\n" for row in range(5))], whole=True)
    2
    """
    fitting = {separator: _width(lines, separator, whole=whole) for separator in USUAL_SEPARATORS} if lines else {}
    most = max(fitting.values(), default=0)
    found = {0: 0}
    if any(lacks_name_of_rows(lines, separator) for separator in fitting):
        return 0
    for separator in [one for one, width in fitting.items() if most < 2 or width == most]:
        try:
            first = [_cells_of(line, separator) for line in lines[: MOST_TITLES + 1]]
            at = next((place for place, row in enumerate(first) if sum(map(bool, row)) > 2), 0)
            below = [row for line in lines[at:] if (row := _cells_of(line, separator))] if at else []
        except csv.Error:
            continue
        below = below if whole else below[:-1]
        if len(below) <= FEWEST_BELOW or {*map(len, below)} != {len(below[0])} or not all(below[0]):
            continue
        if all(2 * sum(map(bool, row)) < len(below[0]) and row[:1] != [""] for row in first[:at] if any(row)):
            found[len(below[0])] = at
    return found[max(found)]


def _cells_of(line: str, separator: str) -> list[str]:
    """The cells of a line, without the spaces around them."""
    return [cell.strip() for row in csv_lines([line], separator=separator) for cell in row]


def _comments(lines: Sequence[str], *, whole: bool) -> int:
    """How many of the first lines are comments: those from a # on, unless the first is a header as wide as all others."""
    count = next((place for place, line in enumerate(lines) if not line.startswith(COMMENT)), 0)
    if not count or any(_width(lines, separator, whole=whole) for separator in USUAL_SEPARATORS):
        return 0
    return count


@dataclass(frozen=True, eq=False)
class CsvRows:
    """The cells of each line of a CSV from its header on; ``skipped`` lines stood before it."""

    lines: CsvLines
    separator: str
    skipped: int

    @property
    def line_num(self) -> int:
        """How many lines of the text were read."""
        return self.skipped + self.lines.line_num

    def __iter__(self) -> Iterator[list[str]]:
        return iter(self.lines)

    def __next__(self) -> list[str]:
        return next(self.lines)


def csv_rows(lines: Iterable[str], *, strict: bool = False) -> CsvRows:
    """The cells of each line, separated by what the first lines show; a line that names the separator is left out."""
    rest = iter(lines)
    start = start_of(rest)
    cells = csv_lines(chain(start.lines, rest), strict=strict, separator=start.separator)
    return CsvRows(cells, start.separator, start.skipped)


def separator_of(lines: Sequence[str], *, whole: bool) -> str:
    """The separator by which the first lines of a CSV all have as many cells as the header; of several, that of most cells.

    If there is none, the header decides: semicolons or tabs where it has no comma outside quotation marks. ``whole`` :
    whether these are all lines; otherwise the last may be cut off within a quoted cell, and does not count.

    >>> separator_of(["label;share, %;note\\n", "cat;0,75;a\\n", "dog;0,5;b\\n"], whole=True)
    ';'
    >>> separator_of(["prediction,label\\n", "cat;dog,cat\\n"], whole=True)
    ','
    """
    widths = {separator: _width(lines, separator, whole=whole) for separator in USUAL_SEPARATORS}
    most = max(widths.values())
    if most > 1:
        return next(separator for separator, width in widths.items() if width == most)
    if lines and QUOTED_NAMES.match(lines[0]) and _width(lines, " ", whole=whole, numbered=True):
        return " "
    try:
        header = next(csv_lines(lines), [])
    except csv.Error:  # whoever reads on will say what is wrong
        return ","
    others = (separator for separator in USUAL_SEPARATORS[1:] if len(header) == 1 and separator in header[0].strip())
    return next(others, ",")


def _width(lines: Sequence[str], separator: str, *, whole: bool, numbered: bool = False) -> int:
    """How many cells each line has if these are separated so; 0 where lines differ, or fewer than two cells have a name.

    ``numbered`` : whether all lines but the header may begin with one more cell, the row's name, as R writes them.
    """
    try:
        rows = [cells for cells in csv_lines(lines, separator=separator) if cells]
    except csv.Error:
        return 0
    rows = rows if whole else rows[:-1]
    names = sum(bool(name.strip()) for name in rows[0]) if len(rows) > 1 else 0
    if numbered and len(rows) > 1 and len(rows[1]) == len(rows[0]) + 1:
        rows = rows[1:]
    return len(rows[0]) if names > 1 and len({len(cells) for cells in rows}) == 1 else 0


def lacks_name_of_rows(lines: Sequence[str], separator: str) -> bool:
    """Whether each of the first lines has one cell more than the header, the row's name, which R gives no name of its own."""
    try:
        header, *rows = [cells for cells in csv_lines(lines, separator=separator) if cells]
    except (csv.Error, ValueError):
        return False
    rows = rows[:-1] or rows  # the last may be cut off
    return (
        len(rows) >= LEAST_NUMBERED
        and {len(cells) for cells in rows} == {len(header) + 1}
        and len({cells[0] for cells in rows}) == len(rows)
    )


def without_empty_end(names: list[str], lines: Sequence[str], separator: str) -> list[str]:
    """The names of a header without the empty ones at its end where each of the first lines has no cell below them.

    >>> without_empty_end(["file", "class", ""], ["file,class,", "1.png,cat", "2.png,dog"], ",")
    ['file', 'class']
    """
    filled = names[: max((place for place, name in enumerate(names, start=1) if name), default=0)]
    try:
        rows = [cells for cells in csv_lines(lines, separator=separator) if cells][1:] if filled != names else []
    except csv.Error:
        return names
    rows = rows[:-1] or rows  # the last may be cut off
    return filled if rows and {len(cells) for cells in rows} == {len(filled)} else names


def spreadsheet_lines(source: Path | bytes, tell: Tell, *, name: str = "") -> list[list[str]]:
    """The cells of each line that has any, the header first, of a file or of the content of one that is called ``name``.

    Encoding, separator and decimal commas are decided as for a table. Apostrophes that ``SpreadsheetWriter`` added are left
    out. ``tell`` is called with what was taken, unless it is UTF-8 with commas.

    Raises
    ------
    OSError, UnicodeDecodeError, csv.Error, BadInput : there is no such file, or it is not text in these encodings, or
    not a CSV.
    """
    content = source if isinstance(source, bytes) else source.read_bytes()
    try:
        text = in_utf8(by_mark(content))
    except NotUtf8:
        content.decode("utf-8-sig")  # callers name the byte
        raise
    rows = csv_rows(io.StringIO(text.content.decode(), newline=""), strict=True)
    lines = [[unquoted(cell) for cell in line] for line in rows if line]
    taken = list(replace(text.format, separator=rows.separator).in_words())
    if rows.separator != "," and (columns := _give_points(lines)):
        taken.append(f"decimal commas in {', '.join(columns)}")
    if taken:
        tell(read_as(source.name if isinstance(source, Path) else name, taken))
    return lines


def _give_points(lines: list[list[str]]) -> tuple[str, ...]:
    """Turns the decimal commas of columns of numbers into points; the names of these columns."""
    found = []
    for place, name in enumerate(lines[0] if lines else []):
        filled = [line for line in lines[1:] if place < len(line)]
        cells = [line[place] for line in filled]
        if not any("," in cell for cell in cells) or not all(_WITH_COMMA.match(cell) for cell in cells):
            continue
        found.append(name.strip())
        for line, cell in zip(filled, cells, strict=True):
            line[place] = cell.replace(",", ".")
    return tuple(found)


def unpack(content: bytes) -> bytes:
    """The content of a gzip file, every limit counted piece by piece as it unpacks; BadInput beyond them.

    Those of lines hold where it is text in lines of cells.
    """
    pieces: list[bytes] = []
    total = lines = line_bytes = columns = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            while piece := stream.read(1 << 20):
                total += len(piece)
                _check_unfolded(total)
                if is_separated_text(pieces[0] if pieces else piece):
                    columns = columns or piece.split(b"\n", 1)[0].count(b",") + 1
                    lines += piece.count(b"\n")
                    line_bytes = len(piece) - piece.rindex(b"\n") if b"\n" in piece else line_bytes + len(piece)
                    _check_line(line_bytes)
                    limits.check_text_shape(max(lines - 1, 0), columns)
                pieces.append(piece)
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise BadInput(
            "The gzip file is damaged or cut off. Expected a complete one. Copy or download it again."
        ) from error
    return b"".join(pieces)


def _check_unfolded(total: int) -> None:
    if total > limits.MAX_UNPACKED_BYTES:
        raise BadInput(
            f"The file unpacks to more than {commas(limits.MAX_UNPACKED_BYTES)} bytes. Expected at most that many. "
            "Leave out columns, split it, or save it as Parquet."
        )


def _check_line(line_bytes: int) -> None:
    if line_bytes > limits.MAX_LINE_BYTES:
        raise BadInput(
            f"A line of the file is longer than {commas(limits.MAX_LINE_BYTES)} bytes. Expected one line per input. {SAVE_AS}"
        )


def _check_utf8(content: bytes) -> None:
    """NotUtf8 where the text is not UTF-8: Arrow would also print a traceback of its own for a ragged line."""
    decoder, piece = codecs.getincrementaldecoder("utf-8")(), 1 << 20  # the text is never held a second time
    for start in range(0, len(content), piece):
        before = len(decoder.getstate()[0])
        try:
            decoder.decode(content[start : start + piece], final=start + piece >= len(content))
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, start - before + error.start) + 1
            raise NotUtf8(
                f"Line {line} contains characters that are not UTF-8. Expected text in UTF-8. {SAVE_AS}"
            ) from error
