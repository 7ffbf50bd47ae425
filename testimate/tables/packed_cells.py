"""Cells that hold more than one value: a class with the chances of all as JSON, a verdict before an output."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from testimate.tables.cells import Array, Cells, pa
from testimate.tables.chats import with_chats_in_parquet
from testimate.tables.parquet import ParquetColumns, is_text
from testimate.tables.prompts import OUTPUT, SUCCESS
from testimate.tables.records import MOST_IN_ALL, are_chances, columns_of_values
from testimate.tables.rules import ASKED, COUNTED, TOLD

VERDICT = re.compile(r"\[(PASS|FAIL|ERROR)\]\s*")
"""What promptfoo writes before an output in its CSV; behind [FAIL] stands a reason, and the output below a line."""

BRACES = re.compile(r"""\{[^{}:"']*\}""")
"""Words in braces, with commas between them."""

BELOW = "\n---\n"


def with_opened_cells(cells: Cells, rules: int) -> Cells:
    """Return a table with the chats and the answers in its cells in columns of their own; ``rules`` : as in ``content``."""
    cells = with_chats_in_parquet(cells) if rules >= ASKED else cells
    cells = _with_unpacked_cells(cells) if rules >= TOLD else cells
    return _with_lists_for_braces(cells) if rules >= COUNTED else cells


def _with_lists_for_braces(cells: Cells) -> Cells:
    """Return a table with sets such as {a, b}, as PostgreSQL writes arrays, as lists in JSON."""
    if isinstance(cells.columns, ParquetColumns):
        return cells
    found = {name: lists for name, column in cells.columns.items() if (lists := _lists_in_braces(column)) is not None}
    return replace(cells, columns={**cells.columns, **found}) if found else cells


def _lists_in_braces(column: Array) -> Array | None:
    """The cells of a column as lists in JSON if all are words in braces; else None."""
    if BRACES.fullmatch(_first_text(column)) is None:
        return None
    texts = [text or "" for text in column.to_pylist()]
    if not all(map(BRACES.fullmatch, texts)):
        return None
    names = [[name.strip() for name in text[1:-1].split(",") if name.strip()] for text in texts]
    return pa.chunked_array([pa.array(map(json.dumps, names), pa.large_string())])


def _with_unpacked_cells(cells: Cells) -> Cells:
    """Return a table with the values of such cells in columns of their own; Parquet, which has structs, is left as it is."""
    if isinstance(cells.columns, ParquetColumns):
        return cells
    judged = [
        name for name, column in cells.columns.items() if _first_text(column).startswith("[") and _verdicts(column)
    ]
    columns: dict[str, Array] = {}
    for name, column in cells.columns.items():
        if name in judged:
            columns |= _outputs(name, column)
        elif _first_text(column).startswith("{") and (answers := _answers(column)) is not None:
            columns |= columns_of_values(name, answers)
        else:
            columns[name] = column
    return cells if columns.keys() == cells.columns.keys() else replace(cells, columns=columns)


def _first_text(column: Array) -> str:
    return str(column[0].as_py() or "") if is_text(column.type) and len(column) else ""


def _answers(column: Array) -> list[Mapping[str, Any]] | None:
    """The objects of a column, each a class with its chances; None where a cell is no such object."""
    if _answer(_first_text(column)) is None:
        return None
    found = [_answer(text or "") for text in column.to_pylist()]
    answers = [one for one in found if one is not None]
    return answers if len(answers) == len(found) else None


def _answer(text: str) -> Mapping[str, Any] | None:
    """The object in a text, if it has a word and the chances of classes; else None."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, dict) or not any(isinstance(value, str) for value in held.values()):
        return None
    return held if any(map(_are_chances, held.values())) else None


def _are_chances(value: object) -> bool:
    """Whether this is an object with the chances of several classes, of which one is right."""
    return isinstance(value, dict) and are_chances([*value.values()]) and sum(value.values()) >= 2 - MOST_IN_ALL


def _verdicts(column: Array) -> bool:
    return all(text is not None and VERDICT.match(text) for text in column.to_pylist())


def _outputs(name: str, column: Array) -> dict[str, Array]:
    """The outputs of a column, and whether each passed, as two columns."""
    texts = column.to_pylist()
    outputs = [VERDICT.sub("", text, count=1).rpartition(BELOW)[2] for text in texts]
    passed = [text.startswith("[PASS]") for text in texts]
    return {
        name + OUTPUT: pa.chunked_array([pa.array(outputs, pa.large_string())]),
        name + SUCCESS: pa.chunked_array([pa.array(passed)]),
    }
