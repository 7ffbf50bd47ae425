"""Workbooks of unknown origin: the values of a sheet as they were saved; no formula and no macro is run."""

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import commas, counted
from testimate.tables import limits
from testimate.tables.archives import SHEETS, opened_zip, pieces_of_member
from testimate.tables.cells import Cells, check_names, pa, second_columns
from testimate.tables.column_names import CHANCES, SURE, in_english, is_predicted, words_of
from testimate.tables.evaluation_names import is_called_output
from testimate.tables.json_tables import cells_of_records, instead_of
from testimate.tables.kinds import WORKBOOK, ZIP
from testimate.tables.rules import FOUND, LATEST

MOST_SHEET_CELLS = 20_000_000
"""Cells of the rectangle that a sheet reaches over: the reader holds them all, the empty ones too."""

PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,3})([0-9]{1,7})["']""")
"""The place of a cell or a row, such as r="B7"."""

FORMULA = re.compile(rb"<(?:\w+:)?f[ >/]")
UNSAVED = re.compile(
    rb"<(?:\w+:)?c ([^>]*)>\s*<(?:\w+:)?f(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(<(?:\w+:)?v(?:\s*/>|></(?:\w+:)?v>)\s*)?</(?:\w+:)?c>"
)
"""A formula, and a cell of one without the value that it had when the workbook was saved: openpyxl writes an empty one, which
in a cell of text is the empty text."""

OF_TEXT = re.compile(rb"""\bt\s*=\s*["']str""")
"""What a cell says whose value is a text."""

SHEET = re.compile(rb"<(?:\w+:)?sheet ([^>]*)>")
RELATED = re.compile(rb"<(?:\w+:)?Relationship ([^>]*)>")
"""A sheet as the list of them names it, and the file that belongs to a number in that list (ECMA-376, parts 1 and 2)."""

HEADER_WITHIN = 10
"""First rows in which the header is looked for; a title may stand above it."""


@dataclass(frozen=True)
class Sheet:
    """The rows of a sheet below its header, its name, what a person should know of it, and names of several columns.

    ``before`` : the same as it was read before ``FOUND``, where that differs.
    """

    rows: list[Mapping[str, Any]]
    name: str
    notes: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    before: "Sheet | None" = None


FEWEST_IN_SHEET, MOSTLY = 10, 0.8
"""Keys from which on two sheets may be of the same rows, and the share of them that they share."""

MOST_OF_A_FOLDER = 1 << 20
"""First bytes of a locked workbook in which its parts are named."""


Unsaved = Mapping[int, set[int]]
"""The rows of cells whose formula has no saved value, by their column, both counted from 1."""


def cells_of_workbook(content: bytes, name: str) -> Cells:
    """Return the columns of the first sheet that has some; BadInput as ``read_workbook``."""
    sheet = read_workbook(content, name)
    if sheet.before is None:
        return _cells_of(sheet)
    return instead_of(_cells_of(sheet), partial(_cells_of, sheet.before), "merged cells and sums", since=FOUND)


def _cells_of(sheet: Sheet) -> Cells:
    cells = cells_of_records(sheet.rows, f"{WORKBOOK}, sheet {sheet.name!r:.60}")
    return replace(cells, notes=sheet.notes, repeated=sheet.repeated)


def read_workbook(content: bytes, name: str) -> Sheet:
    """Return the values of the first sheet that has some; BadInput where the workbook is damaged, locked or too large."""
    if "EncryptedPackage".encode("utf-16-le") in content[:MOST_OF_A_FOLDER] and not content.startswith(ZIP):
        raise BadInput(
            f"{name!r:.200} is locked by a password. Expected a workbook that opens without one. Save it without, or as CSV."
        )
    notes, unsaved = _check_sheets(content, name) if content.startswith(ZIP) else ([], {})
    import python_calamine as calamine

    try:
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(content))
        sheets = [one.name for one in book.sheets_metadata if one.typ == calamine.SheetTypeEnum.WorkSheet]
        filled = [one for one in map(book.get_sheet_by_name, sheets) if one.height > 1]
        if not filled and unsaved:
            raise _without_values(unsaved)
        if not filled:
            raise BadInput(
                f"{name!r:.200} is a workbook without rows. Expected a header and a row per input. Fill a sheet."
            )
        read = [
            (one.name, one.to_python(), one.merged_cell_ranges or [], one.start or (0, 0)) for one in _chosen(filled)
        ]
    except (calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(
            f"{name!r:.200} cannot be read as a workbook ({error!s:.80}). Expected .xlsx as Excel or LibreOffice saves it. "
            "Save it again, or as CSV."
        ) from None
    several = [*map(_sheet_name, filled)]
    found = _sheet(*read[0], [*notes, *_on_others(read[0][0], several)], unsaved.get(read[0][0], {}))
    others = [one for one in filled if one.name != read[0][0]][:MOST_SHEETS]
    found = replace(found, notes=(*found.notes, *filter(None, (_of_same_rows(found, one) for one in others))))
    for one in read[1:]:  # which was read before
        with suppress(BadInput):
            before = _sheet(*one, [*notes, *_on_others(one[0], several)], unsaved.get(one[0], {}))
            return replace(found, before=before.before or before)
    return found


FEWEST_OF_LARGEST = 10
"""How many times as tall as the first sheet another one has to be for the first to be a cover."""


def _chosen(filled: Sequence[Any]) -> list[Any]:
    """The sheet to read, and after it the first one, which was read before, if that is another.

    Of those that are no covers it is the first that has a column of what a model gave, by its name.
    """
    tallest = max(one.height for one in filled)
    large = [one for one in filled if FEWEST_OF_LARGEST * one.height >= tallest]
    answered = next((one for one in large[:MOST_SHEETS] if _has_answers(one)), large[0]) if large[1:] else large[0]
    return [answered] if answered is filled[0] else [answered, filled[0]]


def _has_answers(sheet: Any) -> bool:
    """Whether the header of a sheet has a name of what a model gave."""
    lines = sheet.to_python(nrows=HEADER_WITHIN + 1)
    names = [_name(cell) for cell in lines[_place_of_header(lines, below_numbers=True)]]
    return any(is_predicted(name) or is_called_output(name) for name in names if name)


def _sheet_name(sheet: Any) -> str:
    return str(sheet.name)


def _on_others(name: str, names: Sequence[str]) -> list[str]:
    """The sentence on the sheets that are not read; none where there is one sheet."""
    unread = ", ".join(repr(one) for one in names if one != name)
    return (
        [f"The sheet {name!r:.60} is read, and {unread:.160} is not. To read another, save it as CSV."]
        if unread
        else []
    )


def _sheet(
    name: str, lines: list[list[Any]], merged: list[Any], start: "Place", notes: list[str], unsaved: Unsaved
) -> Sheet:
    """The table of a sheet, with the value of merged cells in each of their rows and without sums below."""
    earlier = _table(lines, name, [*notes, *_on_merged(merged)], start, unsaved, sums=False)
    down, others = _filled_down(lines, merged, start)
    found = _table(down, name, [*notes, *_on_merged(others)], start, unsaved, sums=True)
    if found.rows == earlier.rows:
        return earlier
    noted = (*found.notes, MERGED_DOWN) if len(others) < len(merged) else found.notes
    return replace(found, notes=noted, before=earlier)


Place = tuple[int, int]

MERGED_DOWN = "The value of cells that are merged down a column counts in each of their rows."


def _on_merged(merged: Sequence[tuple[Place, Place]]) -> list[str]:
    """The sentence on merged cells whose value counts once; none without any."""
    places = ", ".join(f"{_cell(*first)}:{_cell(*last)}" for first, last in merged[:3])
    count = counted(len(merged), "merged cell")
    return [f"Of {count}, such as {places}, the value stands in the first row or column alone."] if merged else []


def _filled_down(
    lines: list[list[Any]], merged: Sequence[tuple[Place, Place]], start: Place
) -> tuple[list[list[Any]], list[tuple[Place, Place]]]:
    """The lines with the value of cells that are merged down one column in each of their rows, and the other merged cells."""
    filled, others = [[*line] for line in lines], []
    for first, last in merged:
        top, place = first[0] - start[0], first[1] - start[1]
        if first[1] != last[1] or not (0 <= top < len(lines) and 0 <= place < len(lines[top])):
            others.append((first, last))
            continue
        for line in filled[top : last[0] - start[0] + 1]:
            line[place] = lines[top][place]
    return filled, others


MOST_SHEETS = 20
"""Other sheets that are looked at."""


def _of_same_rows(read: Sheet, sheet: Any) -> str:
    """A sentence on another sheet that has further columns for the same keys, such as the truth; "" on any other."""
    try:
        other = _table(sheet.to_python(), sheet.name, [], sheet.start or (0, 0), {}, sums=True)
    except BadInput:
        return ""
    shared = [name for name in other.rows[0] if name in read.rows[0]] if other.rows and read.rows else []
    further = [name for name in other.rows[0] if name not in shared] if shared else []
    for name in shared:
        here, there = ({one.get(name) for one in rows} - {None} for rows in (read.rows, other.rows))
        keys = 2 * len(here) > len(read.rows) and len(here) >= FEWEST_IN_SHEET
        if further and keys and len(here & there) >= MOSTLY * len(here):
            columns = ", ".join(map(repr, further[:3]))
            return (
                f"{sheet.name!r:.60} has the same {name!r:.60} with {columns:.120}, which may be the truth. To use a column of "
                f"it, copy that into {read.name!r:.60}."
            )
    return ""


def _check_sheets(content: bytes, name: str) -> tuple[list[str], dict[str, Unsaved]]:
    """What the sheets' files hold of formulas, and the cells of each sheet whose formula has no saved value.

    BadInput where one reaches too far or unpacks to too much, or nothing says in which sheet or cell such a formula is.
    """
    formulas = total = 0
    unsaved: dict[str, dict[int, set[int]]] = {}
    parts: dict[str, bytes] = {}
    with opened_zip(content, name) as archive:
        for member in archive.infolist():
            rows = columns = 0
            rest = b""
            for piece in pieces_of_member(archive, member):
                total += len(piece)
                if total > limits.MAX_UNPACKED_BYTES:
                    raise limits.too_large("or more bytes when unpacked", total, limits.MAX_UNPACKED_BYTES)
                if member.filename in NAMING_SHEETS:
                    parts[member.filename] = parts.get(member.filename, b"") + piece
                if not member.filename.startswith(SHEETS):
                    continue
                text = rest + piece
                rest = text[-LONGEST_CELL:]
                for letters, digits in PLACE.findall(text):
                    rows = max(rows, int(digits))
                    columns = max(columns, _column(letters))
                if found := len(FORMULA.findall(piece)):
                    formulas += found
                    _note_unsaved(text, unsaved.setdefault(member.filename, {}))
            if rows * max(columns, 1) > MOST_SHEET_CELLS:
                raise BadInput(
                    f"A sheet reaches to row {commas(rows)} and column {commas(columns)}. Expected at most "
                    f"{commas(MOST_SHEET_CELLS)} cells. Delete the cells far out, or save the sheet as CSV."
                )
    unsaved = {member: cells for member, cells in unsaved.items() if cells}
    names = _names_of_sheets(parts)
    if any(member not in names or 0 in cells for member, cells in unsaved.items()):
        raise _without_values(unsaved)
    notes = ["Formulas are read as the values they had when the workbook was saved."] if formulas else []
    return notes, {names[member]: cells for member, cells in unsaved.items()}


def _without_values(unsaved: Mapping[str, Unsaved]) -> BadInput:
    count = sum(len(rows) for cells in unsaved.values() for rows in cells.values())
    return BadInput(
        f"The workbook has {counted(count, 'formula')} without a saved value. Expected values, since no formula is run "
        "here. Open it in Excel or LibreOffice and save it."
    )


def _note_unsaved(text: bytes, cells: dict[int, set[int]]) -> None:
    """Adds the places of the cells of formulas without a saved value; column 0 where a cell does not say its place."""
    for said, empty in UNSAVED.findall(text):
        if empty and OF_TEXT.search(said):
            continue
        place = PLACE.search(b" " + said)
        rows = cells.setdefault(0 if place is None else _column(place[1]), set())
        if len(rows) < MOST_NOTED:
            rows.add(len(rows) if place is None else int(place[2]))


MOST_NOTED = 100_000
"""Rows of a column whose formulas without values are noted."""

NAMING_SHEETS = ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
"""The files of a workbook that say which sheet is in which file."""


def _names_of_sheets(parts: Mapping[str, bytes]) -> dict[str, str]:
    """The names of the sheets by their files; without those that nothing names."""
    listed, related = (parts.get(part, b"") for part in NAMING_SHEETS)
    files = {_said(one, b"Id"): _said(one, b"Target") for one in RELATED.findall(related)}
    named = {files.get(_said(one, rb"\w+:id"), ""): _said(one, b"name") for one in SHEET.findall(listed)}
    return {f"xl/{path.removeprefix('/xl/')}": name for path, name in named.items() if path and name}


def _said(tag: bytes, attribute: bytes) -> str:
    """The value of an attribute of a tag; "" without it."""
    found = re.search(rb"(?:^|\s)" + attribute + rb"""\s*=\s*(?:"([^"]*)"|'([^']*)')""", tag)
    return "" if found is None else html.unescape((found[1] or found[2] or b"").decode("utf-8", "replace"))


LONGEST_CELL = 1 << 14
"""Bytes at the end of a piece that are looked at again with the next, since a cell may lie across."""


def _table(lines: list[list[Any]], name: str, notes: list[str], start: Place, unsaved: Unsaved, *, sums: bool) -> Sheet:
    """The rows below the header, which is the first line that is as filled as most.

    ``unsaved`` : cells without the value of their formula, whose columns are left out. ``sums`` : whether lines of sums below
    are left out, and names that only number the columns are no header above another one.
    """
    at = _place_of_header(lines, below_numbers=sums)
    if at:
        notes.append(f"Row {start[0] + at + 1} of the sheet is its header; what stands above is left out.")
    names = [_name(cell) or f"column {_letters(start[1] + place)}" for place, cell in enumerate(lines[at])]
    names = _with_groups(names, lines[at - 1]) if at else names
    below = lines[at + 1 :]
    if (end := _end_of_rows(below, sum(cell != "" for cell in lines[at]), sums=sums)) < len(below):
        notes.append(f"Below row {start[0] + at + 1 + end} of the sheet are remarks, which are left out.")
        below = below[:end]
    used = [place for place, cell in enumerate(lines[at]) if cell != "" or any(line[place] != "" for line in below)]
    first = start[0] + at + 1  # the header's row, counted from 1
    within = {place: unsaved.get(start[1] + place + 1, ()) for place in range(len(names))}
    empty = {place: sum(first <= row <= first + len(below) for row in rows) for place, rows in within.items() if rows}
    empty = {place: count for place, count in empty.items() if count}
    notes += _on_unsaved({names[place]: count for place, count in empty.items()})
    used = [place for place in used if place not in empty]
    limits.check_text_shape(len(below), len(used))
    called = [names[place] for place in used]
    second = second_columns(called, lambda at: pa.array([_name(line[used[at]]) for line in below], pa.large_string()))
    repeated = tuple(dict.fromkeys(called[place] for place in second))
    used = [place for at, place in enumerate(used) if at not in second]
    check_names([names[place] for place in used])
    rows: list[Mapping[str, Any]] = [
        {names[place]: _value(line[place]) for place in used} for line in below if any(cell != "" for cell in line)
    ]
    return Sheet(rows, name, tuple(notes), repeated)


def _on_unsaved(columns: Mapping[str, int]) -> list[str]:
    """The sentence on columns with so many formulas without a saved value, which are left out; none without any.

    BadInput where one is called what a model said, or how sure it was.
    """
    if not columns:
        return []
    them = ", ".join(map(repr, [*columns][:3])) + (", …" if len(columns) > 3 else "")
    several = len(columns) > 1
    has = f"The column{'s' if several else ''} {them!s:.160} {'have' if several else 'has'}"
    has = f"{has} {counted(sum(columns.values()), 'formula')} without a saved value"
    if any(is_predicted(name) or (SURE | CHANCES) & words_of(in_english(name, LATEST)) for name in columns):
        raise BadInput(
            f"{has}. Expected values, since no formula is run here. Open the workbook in Excel or LibreOffice and save it."
        )
    they = "are left out. To read them" if several else "is left out. To read it"
    return [f"{has} and {they}, save the workbook in Excel."]


NUMBERED = re.compile(r"column ?[0-9]+", re.IGNORECASE)
"""What Excel calls a column of a table without a header."""


def _place_of_header(lines: list[list[Any]], *, below_numbers: bool) -> int:
    """The first line that is as filled as most; ``below_numbers`` : or the next one where that numbers the columns alone."""
    filled = [sum(cell != "" for cell in line) for line in lines[:HEADER_WITHIN]]
    at = next((place for place, count in enumerate(filled) if 2 * count > max(filled)), 0)
    names = [_name(cell) for cell in lines[at]]
    numbered = below_numbers and len(names) > 1 and all(map(NUMBERED.fullmatch, names)) and at + 1 < len(lines)
    further = [_name(cell) for cell in lines[at + 1]] if numbered else []
    return at + 1 if all(further) and len({*further}) == len(names) and not any(map(NUMBER.fullmatch, further)) else at


NUMBER = re.compile(r"[-+]?[0-9.,]+")
"""A number, which names no column."""


def _with_groups(names: list[str], above: list[Any]) -> list[str]:
    """The names of columns, those of several with what stands above them, which holds as far as the next cell of that row."""
    often = Counter(map(str.casefold, names))
    if max(often.values()) < 2:
        return names
    groups, group = [], ""
    for cell in above:
        group = _name(cell) or group
        groups.append(group)
    return [
        f"{group} {name}" if often[name.casefold()] > 1 and group else name
        for name, group in zip(names, groups, strict=False)
    ]


MOST_SUMS = 5
"""Lines below an empty one that may be sums of the table: each has half of its cells at most."""


def _end_of_rows(lines: list[list[Any]], columns: int, *, sums: bool) -> int:
    """The lines before those at the end, below an empty one, of which each has one cell where the table has more.

    With ``sums`` also those before a few with half of the cells at most.
    """
    filled = [sum(cell != "" for cell in line) for line in lines]
    for most, few in ((1, len(lines)), (columns // 2, MOST_SUMS + 1))[: 2 if sums else 1]:
        end = len(lines)
        while end and len(lines) - end < few and filled[end - 1] <= most < columns - 1:
            end -= 1
        if end < len(lines) and not filled[end]:
            return end
    return len(lines)


def _name(cell: Any) -> str:
    return str(_value(cell) if _value(cell) is not None else "").strip()


def _value(cell: Any) -> Any:
    """A cell's value; a whole number without its point, a time as ISO 8601 writes it."""
    if cell == "" or cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1 << 53:
        return int(cell)
    return cell if isinstance(cell, str | bool | int | float) else str(cell)


def _column(letters: bytes) -> int:
    """The number of a column, from 1; 0 without letters."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _letters(place: int) -> str:
    """A column as a spreadsheet names it, counted from 0.

    >>> _letters(0), _letters(27)
    ('A', 'AB')
    """
    found, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        found = chr(65 + rest) + found
    return found


def _cell(row: int, column: int) -> str:
    return f"{_letters(column)}{row + 1}"
