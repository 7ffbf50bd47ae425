"""The lines of a small CSV that a person filled in, as spreadsheets save it; whatever it was taken for, it says so."""

import io
import re
from pathlib import Path

from testimate.core.spreadsheet_cells import unquoted
from testimate.subjects.spreadsheet_text import (
    SEPARATORS,
    WITH_COMMA,
    Tell,
    csv_lines,
    from_utf16,
    from_windows_1252,
    read_as,
)


def spreadsheet_lines(source: Path | bytes, tell: Tell, *, name: str = "") -> list[list[str]]:
    """The cells of each line that has any, the header first, of a file or of the content of one that is called ``name``.

    UTF-8, UTF-16, or Windows-1252 where it may be; where the header has no comma and semicolons or tabs, these separate the
    columns, and a comma in a column of numbers is its decimal point. Apostrophes that ``SpreadsheetWriter`` added are left out.
    ``tell`` is called with what was taken, unless it is UTF-8 with commas.

    Raises
    ------
    OSError, UnicodeDecodeError, csv.Error, BadInput : there is no such file, or it is not text in these encodings, or
    not a CSV.
    """
    content = source if isinstance(source, bytes) else source.read_bytes()
    taken = []
    if (decoded := from_utf16(content)) is not None:
        content = decoded
        taken.append("text in UTF-16")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        windows = from_windows_1252(content)
        if windows is None:
            raise
        text = windows[0].decode()
        taken.append(f"text in Windows-1252 (such as {windows[1]!r})")
    first = text.lstrip("\r\n").split("\n", 1)[0]
    separator = next((one for one in SEPARATORS if "," not in first and one in first), ",")
    found = csv_lines(io.StringIO(text, newline=""), separator=separator, strict=True)
    lines = [[unquoted(cell) for cell in line] for line in found if line]
    if separator != ",":
        taken.append(f"columns separated by {SEPARATORS[separator]}")
        if columns := _pointed(lines):
            taken.append(f"decimal commas in {', '.join(columns)}")
    if taken:
        called = source.name if isinstance(source, Path) else name
        tell(read_as(called, taken))
    return lines


def _pointed(lines: list[list[str]]) -> list[str]:
    """Turns the decimal commas of columns of numbers into points; the names of these columns."""
    found = []
    for place, name in enumerate(lines[0] if lines else []):
        cells = [line[place] for line in lines[1:] if place < len(line)]
        if not any("," in cell for cell in cells) or not all(re.match(WITH_COMMA, cell) for cell in cells):
            continue
        found.append(name.strip())
        for line in lines[1:]:
            if place < len(line):
                line[place] = line[place].replace(",", ".")
    return found
