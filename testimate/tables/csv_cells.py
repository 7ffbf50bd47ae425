"""A CSV as the columns of a table: its cells, read by PyArrow as the text of the file says they are written."""

import csv
import io
import re
from dataclasses import replace
from functools import partial
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import commas, counted
from testimate.tables import limits
from testimate.tables.cells import Array, Cells, arrow_csv, check_cell_length, check_names, pa, pc, second_columns
from testimate.tables.csv import (
    BLOCK_BYTES,
    BYTES_OF_PLACE,
    FIRST_CHARACTERS,
    SAVE_AS,
    STRADDLING,
    WITH_COMMA,
    CsvText,
    csv_lines,
    in_utf8,
    lacks_name_of_rows,
    start_of,
    without_empty_end,
)
from testimate.tables.prompts import with_names_of_prompts
from testimate.tables.rules import FOUND, LONE
from testimate.tables.tool_cells import names_of_distribution


def with_points(column: Array) -> Array | None:
    """A column of numbers with their decimal commas turned into points; None where none has a comma or one is not a number."""
    if (
        not pc.any(pc.match_substring(column, ",")).as_py()
        or not pc.all(pc.match_substring_regex(column, WITH_COMMA)).as_py()
    ):
        return None
    return pc.replace_substring(column, ",", ".")


def read_csv(text: CsvText, *, latest: bool = True) -> Cells:
    """The columns of a CSV as unstripped text; lines without any cell are skipped.

    Excel's variants are read, too: the separator is the one that fits the first lines, and a comma inside a number is its
    decimal point if columns are not separated by commas. Text that is not UTF-8 is read as Windows-1252 if it can be.
    ``taken`` says so. ``latest`` : whether the last of the comments before the rows may be the header, and quotation marks
    may be letters, as they may since the rules ``FOUND``.

    Raises
    ------
    BadInput : no header, no rows, two columns of one name, ragged lines, characters in neither encoding, a quotation
        mark that is never closed, or more than the limits.
    """
    text = in_utf8(text)
    content = _without_bars(EMPTY_START.sub(b"", text.content))
    first = io.StringIO(content[:FIRST_CHARACTERS].decode("utf-8", "replace"), newline="")
    start = start_of(first, cut=len(content) > FIRST_CHARACTERS, commented=latest)
    content, separator = content[len(start.before.encode()) :].lstrip(b"\r\n"), start.separator
    names = without_empty_end(_header(content, separator), start.lines, separator)
    if lacks_name_of_rows(start.lines, separator):
        names = ["", *names]
    rows = max(content.count(b"\n") - 1, 0)
    limits.check_text_shape(rows, len(names))
    names = names_of_distribution(with_names_of_prompts(names))
    limits.check_free(rows, len(names), 2 * BLOCK_BYTES + len(content) + BYTES_OF_PLACE * rows * len(names))
    only_header = b"\n" not in content and b"\r" not in content
    try:
        table = None if only_header else _parse(content, len(names), separator)
        plain = latest and table is not None and _are_plain_lines(content, len(names), separator, table.num_rows)
        table = _parse(content, len(names), separator, quoted=False) if plain else table
    except BadInput as error:
        lines = _lines_of_text(content, text)
        if lines is None:
            raise
        return replace(lines, before=partial(_refused, error))
    if table is None or not table.num_rows:
        raise BadInput("The table has a header and no rows. Expected one row per input. Export it with its rows.")
    limits.check_text_shape(table.num_rows, len(names))
    limits.check_shape(table.num_rows, len(names))
    second = second_columns(names, table.column)
    check_names([name for place, name in enumerate(names) if place not in second])
    columns = {name: table.column(place) for place, name in enumerate(names) if place not in second}
    for name, column in columns.items():
        check_cell_length(name, column)
    if not plain:
        _check_quotes(content, columns)
    pointed = {} if separator == "," else _pointed(columns)
    written = replace(text.format, separator=separator, decimal_commas=tuple(pointed))
    repeated = tuple(dict.fromkeys(names[place] for place in second))
    above = start.titled or (start.commented and start.skipped > 0)
    notes = (f"Line {start.skipped + 1} is the header. What stands above is left out.",) if above else ()
    cells = Cells(columns | pointed, table.num_rows, written=written, format="CSV", notes=notes, repeated=repeated)
    if start.commented or plain:
        changes = (*(["header behind a mark"] if start.commented else []), *(["marks are letters"] if plain else []))
        return replace(cells, before=partial(read_csv, text, latest=False), since=FOUND, changes=changes)
    lines = _lines_of_text(content, text) if len(names) == 1 else None
    return cells if lines is None else replace(lines, before=lambda: cells)


EMPTY_START = re.compile(rb"\A(?:[ \t,;|\"]*\r?\n)+")
"""Lines without any cell before the header."""

BARS, RULE = re.compile(rb"[ \t]*\|(.*)\|[ \t]*"), re.compile(rb"[ \t]*\|[ \t:|-]+\|[ \t]*")
"""A line of a table in Markdown, and the one below its header."""


def _without_bars(content: bytes) -> bytes:
    """A table in Markdown without the bars around its lines and the line below its header; any other text as it is."""
    lines = content[:FIRST_CHARACTERS].splitlines()
    if len(lines) < 2 or not (BARS.fullmatch(lines[0]) and RULE.fullmatch(lines[1])):
        return content
    found = [BARS.fullmatch(line) for line in content.splitlines() if line.strip()]
    if not all(found):
        return content
    return b"\n".join(match[1] for place, match in enumerate(found) if match and place != 1) + b"\n"


NO_HEADER = "The first line names no column: each line is a row."


LINE = "line"
"""The column of a text without a header."""

FEWEST_WORDS = 5
"""Words from which on a first line is a sentence, not a name."""


def _lines_of_text(content: bytes, text: CsvText) -> Cells | None:
    """The lines of a text of sentences, of which the first names no column; else None."""
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    sentences = sum(line.count(" ") >= FEWEST_WORDS - 1 for line in lines)
    prose = lines[0].count(" ") >= FEWEST_WORDS - 1 and 2 * sentences > len(lines) and not lines[0].startswith('"')
    if not prose:
        return None
    column = pa.chunked_array([pa.array(lines, pa.large_string())])
    check_cell_length(LINE, column)
    return Cells(
        {LINE: column},
        len(lines),
        written=text.format,
        format="lines of text",
        notes=(NO_HEADER,),
        since=LONE,
        changes=("lines without a header",),
    )


def _refused(error: BadInput) -> Cells:
    raise error


def _pointed(columns: dict[str, Array]) -> dict[str, Array]:
    """The columns of numbers that had decimal commas, with points."""
    found = {name: with_points(column) for name, column in columns.items()}
    return {name: points for name, points in found.items() if points is not None}


def _are_plain_lines(content: bytes, columns: int, separator: str, rows: int) -> bool:
    """Whether a quotation mark that is a letter has put lines between tabs together, each of which has all its cells."""
    if separator != "\t" or columns < 2 or b'"' not in content or rows >= content.count(b"\n") - 1:
        return False
    lines = (line for line in content.splitlines() if line)
    return all(line.count(b"\t") == columns - 1 for line in lines)


def _header(content: bytes, separator: str) -> list[str]:
    """The cells of the first line, without the spaces around them."""
    text = content[: limits.MAX_LINE_BYTES].decode("utf-8", errors="replace")
    try:
        names = [cell.strip() for cell in next(csv_lines(io.StringIO(text, newline=""), separator=separator), [])]
    except csv.Error as error:
        raise BadInput(f"The first line is not a header ({error}). Expected column names. {SAVE_AS}") from error
    if not any(names):
        raise BadInput("The table is empty. Expected a header and at least one row. Export it again.")
    return names


def _parse(content: bytes, columns: int, separator: str, *, quoted: bool = True) -> Any:
    """Every cell as text, so that one odd cell cannot decide what its column is.

    ``quoted`` : whether quotation marks stand around cells, and are none of their letters.
    """
    read = partial(_table, content, columns, separator, quoted=quoted)
    ragged: list[Any] = []
    try:
        try:
            table = read(ragged, min(BLOCK_BYTES, limits.MAX_LINE_BYTES))
        except pa.ArrowInvalid as error:
            if STRADDLING not in str(error):
                raise
            ragged.clear()
            table = read(ragged, limits.MAX_LINE_BYTES)
    except MemoryError:
        raise
    except pa.ArrowException as error:
        raise _why_unreadable(str(error)) from error
    if ragged:
        first = ragged[0]
        raise BadInput(
            f"Row {first.number - 2} (counted from 0) has {counted(first.actual_columns, 'cell')}. Expected "
            f"{first.expected_columns}, as many as the header. Correct it, or put cells with commas in quotation marks."
        )
    return table


def _table(content: bytes, columns: int, separator: str, ragged: list[Any], block: int, *, quoted: bool) -> Any:
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
        parse_options=arrow_csv.ParseOptions(
            delimiter=separator,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            invalid_row_handler=note,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False
        ),
    )


def _why_unreadable(message: str) -> BadInput:
    if STRADDLING in message:
        return BadInput(
            f"A line is longer than {commas(limits.MAX_LINE_BYTES)} bytes, or a quotation mark is never closed. Expected "
            f"one line per input. {SAVE_AS}"
        )
    return BadInput(
        f"This is not readable as CSV ({message:.200}). Expected lines of cells separated by commas. {SAVE_AS}"
    )


def _check_quotes(content: bytes, columns: dict[str, Array]) -> None:
    """BadInput where a quotation mark that is never closed has swallowed the rest of the file."""
    if content.count(b'"') % 2 == 0:
        return
    for name, column in columns.items():
        if "\n" in column[-1].as_py():
            raise BadInput(
                f'A quotation mark (") in column {name!r:.60} is opened and never closed. Expected two. Close or remove it.'
            )
