"""Reads a CSV of unknown origin, packed by gzip or not, into columns of text, within limits."""

import codecs
import csv
import gzip
import io
import zlib
from dataclasses import replace
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import counted, spaced
from testimate.tables import limits
from testimate.tables.cells import Array, Cells, arrow_csv, check_cell_length, check_names, pa, pc
from testimate.tables.spreadsheet_text import SEPARATORS, WITH_COMMA, csv_lines, from_windows_1252

BLOCK_BYTES = 8_000_000
"""Bytes of a CSV that are parsed at a time, unless a line is longer."""

STRADDLING = "straddling"
"""Part of Arrow's message for a line that does not fit into what is parsed at a time."""

SAVE_AS = "Save the table as CSV (UTF-8) or Parquet."

BYTES_OF_PLACE = 4
"""Where each cell ends in its column's text."""


def unpack(content: bytes) -> bytes:
    """The text inside a gzip file, every limit counted piece by piece as it unpacks; BadInput beyond them."""
    pieces: list[bytes] = []
    total = lines = line_bytes = columns = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            while piece := stream.read(1 << 20):
                columns = columns or piece.split(b"\n", 1)[0].count(b",") + 1
                total, lines = total + len(piece), lines + piece.count(b"\n")
                line_bytes = len(piece) - piece.rindex(b"\n") if b"\n" in piece else line_bytes + len(piece)
                _check_unfolded(total, line_bytes)
                limits.check_text_shape(max(lines - 1, 0), columns)
                pieces.append(piece)
    except (zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise BadInput(
            "The gzip file is damaged or cut off; expected a complete one. Copy or download it again."
        ) from error
    return b"".join(pieces)


def _check_unfolded(total: int, line_bytes: int) -> None:
    if total > limits.MAX_UNPACKED_BYTES:
        raise BadInput(
            f"The file unpacks to more than {spaced(limits.MAX_UNPACKED_BYTES)} bytes; expected at most that many. "
            "Leave out columns, split it, or save it as Parquet."
        )
    if line_bytes > limits.MAX_LINE_BYTES:
        raise BadInput(
            f"A line of the file is longer than {spaced(limits.MAX_LINE_BYTES)} bytes; expected one line per input. {SAVE_AS}"
        )


def read_csv(content: bytes) -> Cells:
    """The columns of a CSV as unstripped text; lines without any cell are skipped.

    Excel's variants are read, too: if the header has semicolons or tabs and no comma, these separate the columns, and a
    comma inside a number is its decimal point. Text that is not UTF-8 is read as Windows-1252 if it can be. ``taken``
    says so.

    Raises
    ------
    BadInput : no header, no rows, two columns of one name, ragged lines, characters in neither encoding, a quotation
        mark that is never closed, or more than the limits.
    """
    try:
        return _read(content)
    except NotUtf8:
        windows = from_windows_1252(content)
        if windows is None:
            raise
    decoded, example = windows
    cells = _read(decoded)
    return replace(cells, taken=(f"text in Windows-1252 (such as {example!r})", *cells.taken))


class NotUtf8(BadInput):
    """A table whose text is not UTF-8."""


def _read(content: bytes) -> Cells:
    """The columns of a CSV in UTF-8; NotUtf8 where it is not."""
    content = content.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")  # the byte order mark is Excel's and R's
    _check_utf8(content)
    names, separator = _header(content, ","), ","
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        separator = ";" if ";" in names[0] else "\t"
        names = _header(content, separator)
    check_names(names)
    rows = max(content.count(b"\n") - 1, 0)
    limits.check_text_shape(rows, len(names))
    limits.check_free(rows, len(names), 2 * BLOCK_BYTES + len(content) + BYTES_OF_PLACE * rows * len(names))
    only_header = b"\n" not in content and b"\r" not in content
    table = None if only_header else _parse(content, len(names), separator)
    if table is None or not table.num_rows:
        raise BadInput("The table has a header and no rows; expected one row per input. Export it with its rows.")
    limits.check_text_shape(table.num_rows, len(names))
    limits.check_shape(table.num_rows, len(names))
    columns = dict(zip(names, table.columns, strict=True))
    for name, column in columns.items():
        check_cell_length(name, column)
    _check_quotes(content, columns)
    if separator == ",":
        return Cells(columns=columns, size=table.num_rows)
    taken = f"columns separated by {SEPARATORS[separator]}"
    pointed = {name: points for name, column in columns.items() if (points := _with_points(column)) is not None}
    if pointed:
        taken += f", decimal commas in {', '.join(repr(name) for name in pointed)!s:.120}"
    return Cells(columns=columns | pointed, size=table.num_rows, taken=(taken,))


def _with_points(column: Array) -> Array | None:
    """A column of numbers with their decimal commas turned into points; None where none has a comma or one is not a number."""
    if (
        not pc.any(pc.match_substring(column, ",")).as_py()
        or not pc.all(pc.match_substring_regex(column, WITH_COMMA)).as_py()
    ):
        return None
    return pc.replace_substring(column, ",", ".")


def _header(content: bytes, separator: str) -> list[str]:
    """The cells of the first line, without the spaces around them."""
    text = content[: limits.MAX_LINE_BYTES].decode("utf-8", errors="replace")
    try:
        names = [cell.strip() for cell in next(csv_lines(io.StringIO(text, newline=""), separator=separator), [])]
    except csv.Error as error:
        raise BadInput(f"The first line is not a header ({error}); expected column names. {SAVE_AS}") from error
    if not any(names):
        raise BadInput("The table is empty; expected a header and at least one row. Export it again.")
    return names


def _parse(content: bytes, columns: int, separator: str) -> Any:
    """Every cell as text, so that one odd cell cannot decide what its column is."""
    ragged: list[Any] = []
    try:
        try:
            table = _table(content, columns, separator, ragged, min(BLOCK_BYTES, limits.MAX_LINE_BYTES))
        except pa.ArrowInvalid as error:
            if STRADDLING not in str(error):
                raise
            ragged.clear()
            table = _table(content, columns, separator, ragged, limits.MAX_LINE_BYTES)
    except MemoryError:
        raise
    except pa.ArrowException as error:
        raise _why_unreadable(str(error)) from error
    if ragged:
        first = ragged[0]
        raise BadInput(
            f"Row {first.number - 2} (counted from 0) has {counted(first.actual_columns, 'cell')}; expected "
            f"{first.expected_columns}, as many as the header. Correct it, or put cells with commas in quotation marks."
        )
    return table


def _table(content: bytes, columns: int, separator: str, ragged: list[Any], block: int) -> Any:
    """The cells as PyArrow reads them, ``block`` bytes at a time; lines with more or fewer cells go to ``ragged``."""
    places = [str(place) for place in range(columns)]

    def note(line: Any) -> str:
        ragged.append(line)
        return "skip"

    return arrow_csv.read_csv(
        pa.BufferReader(content),
        read_options=arrow_csv.ReadOptions(
            use_threads=False,  # ragged lines are numbered only then
            column_names=places,
            skip_rows_after_names=1,
            block_size=block,
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True, invalid_row_handler=note),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False
        ),
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
                f"Line {line} holds characters that are not UTF-8; expected text in UTF-8. {SAVE_AS}"
            ) from error


def _why_unreadable(message: str) -> BadInput:
    if STRADDLING in message:
        return BadInput(
            f"A line is longer than {spaced(limits.MAX_LINE_BYTES)} bytes, or a quotation mark is never closed; expected "
            f"one line per input. {SAVE_AS}"
        )
    return BadInput(
        f"This is not readable as CSV ({message:.200}); expected lines of cells separated by commas. {SAVE_AS}"
    )


def _check_quotes(content: bytes, columns: dict[str, Array]) -> None:
    """BadInput where a quotation mark that is never closed has swallowed the rest of the file."""
    if content.count(b'"') % 2 == 0:
        return
    for name, column in columns.items():
        if "\n" in column[-1].as_py():
            raise BadInput(
                f'A quotation mark (") in column {name!r:.60} is opened and never closed. Close or remove it.'
            )
