"""Votes and orders line by line, from any kind of table; a CSV is read without the libraries of the others."""

from pathlib import Path

from testimate.core.reading import Tell
from testimate.tables.csv import spreadsheet_lines
from testimate.tables.kinds import START_BYTES, is_separated_text


def table_lines(source: Path | bytes, tell: Tell, *, name: str = "") -> list[list[str]]:
    """The cells of each line as text, the header first, of a file or of the content of one that is called ``name``.

    ``tell`` is called with what a CSV was taken for, unless it is UTF-8 with commas.

    Raises
    ------
    OSError, UnicodeDecodeError, csv.Error, BadInput : there is no such file, or it is no table.
    """
    content = source if isinstance(source, bytes) else source.read_bytes()
    called = source.name if isinstance(source, Path) else name
    if is_separated_text(content[:START_BYTES]):
        return spreadsheet_lines(content, tell, name=called)
    from testimate.tables.cells import Column
    from testimate.tables.files import read_cells

    cells = read_cells(content, called)
    columns = [Column(one, cells.columns[one]).texts.to_pylist() for one in cells.columns]
    return [[*cells.columns], *map(list, zip(*columns, strict=True))]
