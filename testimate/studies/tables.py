"""A study's rows as text: a Markdown table for people, CSV for programs."""

import io
from collections.abc import Sequence
from dataclasses import fields

from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.studies.study_row import StudyRow

COLUMNS = tuple(column.name for column in fields(StudyRow))
"""The columns of both tables, in order; the fields of the study JSON."""


def to_csv(rows: Sequence[StudyRow]) -> str:
    """CSV with a header and every field at full precision; a number that does not exist is an empty cell."""
    text = io.StringIO()
    writer = SpreadsheetWriter(text)
    writer.writerow(COLUMNS)
    for row in rows:
        record = row.to_json()
        writer.writerow(record[name] for name in COLUMNS)
    return text.getvalue()


def to_markdown(rows: Sequence[StudyRow]) -> str:
    """A Markdown table with every field, numbers to four significant digits; – where a number does not exist."""
    lines = [
        _line(COLUMNS),
        _line(["---" if name in ("technique", "auxiliary", "variant") else "---:" for name in COLUMNS]),
    ]
    for row in rows:
        record = row.to_json()
        lines.append(_line([_cell(record[name]) for name in COLUMNS]))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: str | float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):  # a column name is anybody's text
        return value.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    return f"{value:.4g}" if isinstance(value, float) else str(value)
