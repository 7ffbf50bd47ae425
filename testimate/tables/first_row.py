"""The first lines of text: a header that is a row like those below it, and rows that belong to the header, as Orange writes."""

import re
from collections.abc import Sequence
from dataclasses import replace

from testimate.core.errors import ReadingUnclear
from testimate.core.reading import A_NAME, A_ROW, way_to_read
from testimate.core.spellings import MARKS, bare, folded
from testimate.core.words import commas
from testimate.tables.cells import Array, Cells, pa, pc
from testimate.tables.column_names import FILE_NAMES, OF_PREDICTIONS, TEXTS, TRUTHS
from testimate.tables.csv_cells import LINE, NO_HEADER
from testimate.tables.first_cells import FEWEST_ROWS, FILE_ENDING, TIME, FirstCells, looks_like_sentence
from testimate.tables.kinds import WORKBOOK
from testimate.tables.roles import INDEX_NAMES, ONE
from testimate.tables.rules import FOUND

FIRST_ROWS = 2_000
"""First rows that show whether a name is a cell."""

KNOWN = frozenset({*OF_PREDICTIONS, *TRUTHS, *FILE_NAMES, *TEXTS, *ONE, *INDEX_NAMES})
"""Names of columns, in lower-case letters and digits, which are no cells."""

NUMBER = re.compile(r"[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][-+]?[0-9]+)?")


def with_first_row(cells: Cells, rules: int) -> Cells:
    """Return a table of text with its header as the first row, where that is a row by what stands below it.

    By the rules ``FOUND`` a day or a time above others is a cell, too.

    Columns are called ``column 1``, ``column 2`` and so on then, a single one as that of lines. Whole numbers that count the
    columns are names.
    """
    sheet = rules >= FOUND and cells.format.startswith(WORKBOOK)
    if (cells.written is None and not sheet) or cells.size < FEWEST_ROWS:
        return cells
    if not _is_row(cells, times=rules >= FOUND):
        return replace(cells, notes=tuple(dict.fromkeys((*cells.notes, *_may_be_row(cells)))))
    return _with_names_as_row(cells)


def with_said_header(cells: Cells, said: str | None) -> Cells:
    """Return a table of one column whose name may be its first value, as a person says what it is.

    ReadingUnclear where nobody has: a row too few, and every vote is counted for another one.
    """
    names = [*cells.columns]
    if not _may_be_row(cells) or names[0] not in FirstCells("", cells.columns[names[0]].slice(0, FIRST_ROWS)).words:
        return cells
    if said is None:
        raise ReadingUnclear(
            "What is the first line?",
            f"The first line is {names[0]}, which stands below it, too. It may be a value, or the name of the column, as "
            "pandas writes it.",
            [
                way_to_read("header", A_ROW, f"the first of {commas(cells.size + 1)} values"),
                way_to_read("header", A_NAME, f"the name of {commas(cells.size)} values"),
            ],
        )
    plain = replace(cells, notes=tuple(note for note in cells.notes if note not in _may_be_row(cells)))
    return _with_names_as_row(plain) if said == A_ROW else plain


def _with_names_as_row(cells: Cells) -> Cells:
    pointed = cells.written.decimal_commas if cells.written is not None else ()
    columns = {
        (f"column {place}" if len(cells.columns) > 1 else LINE): _with_cell(
            name.replace(",", ".") if name in pointed else name, column
        )
        for place, (name, column) in enumerate(cells.columns.items(), 1)
    }
    return replace(
        cells,
        columns=columns,
        size=cells.size + 1,
        notes=(*cells.notes, NO_HEADER),
        changes=(*cells.changes, "lines without a header"),
    )


KINDS = frozenset({"continuous", "c", "discrete", "d", "string", "s", "time", "t"})
PARTS = frozenset({"", "class", "meta", "ignore", "i", "m"})
"""What stands in the two rows below Orange's header: the kind of a column, or its classes, and which part it has."""


def without_rows_of_header(cells: Cells, rules: int) -> Cells:
    """Return a table of text without the two rows below the header in which Orange says what each column is.

    Nor that one which names the columns further, as pandas writes those of several levels, and lines that repeat the header,
    by the rules ``FOUND``.
    """
    cells = _without_repeated_header(cells) if rules >= FOUND and cells.written is not None else cells
    if rules >= FOUND and cells.written is not None and _is_further_header(cells):
        return replace(
            cells,
            columns={name: column.slice(1) for name, column in cells.columns.items()},
            size=cells.size - 1,
            notes=(*cells.notes, "The row below the header names the columns further, and is no input."),
            changes=(*cells.changes, "rows of the header"),
        )
    if cells.written is None or cells.size < FEWEST_ROWS:
        return cells
    first = {name: [str(cell.as_py() or "") for cell in column.slice(0, 2)] for name, column in cells.columns.items()}
    kinds, parts = ([cell[row].strip() for cell in first.values()] for row in (0, 1))
    said = sum(kind in KINDS for kind in kinds)
    if not said or not {*parts} <= PARTS or not all(kind in KINDS or " " in kind for kind in kinds):
        return cells
    true = [name for name, part in zip(first, parts, strict=True) if part == "class"]
    return replace(
        cells,
        columns={name: column.slice(2) for name, column in cells.columns.items()},
        size=cells.size - 2,
        notes=(*cells.notes, "Two rows below the header say what each column is, as Orange writes them."),
        changes=(*cells.changes, "rows of the header"),
        truth=true[0] if len(true) == 1 else "",
    )


def _without_repeated_header(cells: Cells) -> Cells:
    """A table without the lines that are its header again, as where files were put one under the other."""
    if len(cells.columns) < FEWEST_REPEATED or any(NUMBER.fullmatch(name) for name in cells.columns):
        return cells  # the names may be values
    again = None
    for name, column in cells.columns.items():
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            return cells
        same = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), name.strip()), False)
        again = same if again is None else pc.and_(again, same)
        if not pc.any(again).as_py():
            return cells
    kept = pc.invert(again)
    size = int(pc.sum(kept).as_py() or 0)
    count = cells.size - size
    if not size or not count:
        return cells
    lines_are = (
        "1 line that is the header again was" if count == 1 else f"{commas(count)} lines that are the header again were"
    )
    rest = replace(
        cells,
        columns={name: column.filter(kept) for name, column in cells.columns.items()},
        size=size,
        notes=(*cells.notes, f"{lines_are} left out."),
        changes=(*cells.changes, "lines that repeat the header"),
    )
    return cells if _is_row(rest, times=True) else rest  # a header that stands among the others is a row as they are


FEWEST_REPEATED = 2
"""Columns from which on a line with all their names is no row."""


def _is_further_header(cells: Cells) -> bool:
    """Whether the first row holds a word above all numbers, and no cell that recurs below it.

    Numbers stand in two columns or more, or the word is the same in all columns.
    """
    if cells.size < FEWEST_FURTHER:
        return False
    said, numbers = list[str](), 0
    for name, column in cells.columns.items():
        word, below = str(column[0].as_py() or "").strip(), FirstCells(name, column.slice(1, FIRST_ROWS))
        if folded(word) in MARKS:
            if word or below.are_numbers:
                return False
            continue
        if word in below.words or NUMBER.fullmatch(word) or looks_like_sentence(word) or FILE_ENDING.search(word):
            return False
        said.append(word)
        numbers += below.are_numbers
    same = len(said) == len(cells.columns) > 1 and {*said} == {said[0]}
    return numbers > 1 or same


FEWEST_FURTHER = 5
"""Rows from which on one of words above numbers is a header."""


def _with_cell(cell: str, column: Array) -> Array:
    """The column with a cell before its first; in one piece with the next ones, of which the first piece tells the kind."""
    first, *others = column.chunks
    one = pa.array([cell]).cast(column.type)
    return pa.chunked_array([pa.concat_arrays([one, first]), *others], column.type)


def _is_row(cells: Cells, *, times: bool) -> bool:
    """Whether a name is a cell of its column, and no other name cannot be one."""
    names = [*cells.columns]
    counts = [name.lstrip("0") for name in names] in _counts(len(names))
    if not names or not all(names) or counts or {bare(name) for name in names if bare(name)} & KNOWN:
        return False
    first = {name: FirstCells(name, column.slice(0, FIRST_ROWS)) for name, column in cells.columns.items()}
    known = {name: times and (_is_time(name, one) or _is_spelled_alike(name, one)) for name, one in first.items()}
    found = [False if known[name] else _is_cell(name, one) for name, one in first.items()]
    found += [times and one.are_files and _is_in_folder(name, one) for name, one in first.items()]
    return None not in found and any(found)


def _is_in_folder(name: str, cells: FirstCells) -> bool:
    """Whether a name is that of a file in a folder, of the kind that nearly all cells below it name."""
    kind = FILE_ENDING.search(name)
    if kind is None or not re.search(r"[/\\]", name):
        return False
    return sum(word.endswith(kind[0]) for word in cells.filled) >= MOSTLY_ALIKE * len(cells.filled)


def _is_time(name: str, cells: FirstCells) -> bool:
    """Whether a name is a day or a time, as all cells below it are."""
    return TIME.match(name) is not None and all(TIME.match(word) for word in cells.filled[:FIRST_ROWS])


def _is_spelled_alike(name: str, cells: FirstCells) -> bool:
    """Whether a name is a number within letters as nearly all cells below it are, such as mp-27716 above mp-4730."""
    digits = re.compile("[0-9]+")
    spelled = digits.sub("0", name)
    if spelled == name or spelled == "0" or cells.are_numbers:
        return False
    return sum(digits.sub("0", word) == spelled for word in cells.filled) >= MOSTLY_ALIKE * len(cells.filled)


MOSTLY_ALIKE = 0.9
"""Share of the words of a column that are spelled as its name is, if that is one of them."""


def _may_be_row(cells: Cells) -> list[str]:
    """A sentence on the only name, if it may count the columns, as pandas writes it, and be a number like those below it."""
    names = [*cells.columns]
    if cells.written is None or cells.size < FEWEST_ROWS:
        return []
    if len(names) != 1 or not names[0].isdecimal() or [names[0].lstrip("0")] not in _counts(1):
        return []
    if not FirstCells("", cells.columns[names[0]].slice(0, FIRST_ROWS)).are_numbers:
        return []
    return [
        f"The first line, {names[0]}, is read as the name of the column, as pandas writes it. If it is the first of "
        f"{commas(cells.size + 1)} values, write a name in a line above it."
    ]


def _counts(count: int) -> Sequence[list[str]]:
    """The names that only count columns, from 0 and from 1, without zeros before them."""
    return [[str(place + first).lstrip("0") for place in range(count)] for first in (0, 1)]


def _is_cell(name: str, cells: FirstCells) -> bool | None:
    """Whether a name stands again below it, or is a number that counts nothing; None where it cannot be a cell."""
    if cells.are_numbers:
        return (name in cells.filled or not name.lstrip("+-").isdecimal()) if NUMBER.fullmatch(name) else None
    if cells.are_classes:
        return True if name in cells.filled else None
    if cells.are_files:
        return False if FILE_ENDING.search(name) else None
    return False if cells.are_sentences and looks_like_sentence(name) else None
