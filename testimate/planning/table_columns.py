"""The columns of a plan's table: as groups of inputs, and those that play no role."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.words import commas
from testimate.planning.parts import Grouping, crossed, grouping_of_numbers, grouping_of_words
from testimate.planning.plan import Plan, choices_of_plan
from testimate.subjects.box_table import is_detections
from testimate.subjects.read_columns import read_columns
from testimate.subjects.saved_table import read_table_folder
from testimate.tables.cells import Cells, Column
from testimate.tables.files import read_table_file
from testimate.tables.packed_cells import with_opened_cells
from testimate.tables.rules import LATEST


def groupings_of_table(table: Path, asked: Sequence[str], size: int) -> tuple[Grouping, ...]:
    """One grouping for each of ``asked``, a column or two with a comma between them, of a table with ``size`` rows.

    BadInput where the table has other rows, or no such column.
    """
    cells = _cells(table, size)
    return tuple(_grouping(cells, one) for one in asked)


def further_columns_of_table(table: Path, plan: Plan) -> dict[str, Any]:
    """The plan's columns that play no role, by name: (N,) numbers, or words; BadInput where the table has other rows.

    Of a detector's JSON or texts there is nothing beside its boxes.
    """
    boxed = plan.task == "boxes"
    if boxed and is_detections(table):
        return {}
    read = read_columns(_cells(table, plan.design.size), choices_of_plan(plan), plan.task, boxed=boxed)
    cells = read.cells
    found = {name: Column(name, cells.columns[name]) for name in read.roles.others if name in cells.columns}
    return {name: one.values if one.is_numeric else one.texts.to_pylist() for name, one in found.items()}


def texts_of_table(table: Path | Cells, column: str, size: int, called: str) -> list[str]:
    """The cells of a column of a table as texts, its name in upper or lower case alike; BadInput as ``groupings_of_table``."""
    cells = _cells(table, size) if isinstance(table, Path) else table
    name = next((name for name in cells.columns if name.casefold() == column.casefold()), None)
    if name is None:
        raise BadInput(
            f"There is no column {column!r:.60} in {called!r:.60}. It has {', '.join(cells.columns):.300}. Choose one of "
            "these."
        )
    return [text or "" for text in Column(name, cells.columns[name]).texts.to_pylist()]


def _cells(table: Path, size: int) -> Cells:
    if is_detections(table):
        raise BadInput(
            f"{table.name!r:.200} is what a detector wrote, which has no columns. Expected a table with a row for each of the "
            f"plan's {commas(size)} pictures, in their order. Name one with --table."
        )
    cells = (read_table_folder if table.is_dir() else read_table_file)(table)[0]
    if cells.size != size:  # lines without a header, or a row for each answer of a list
        cells = with_opened_cells(cells, LATEST)
    if cells.size != size:
        raise BadInput(
            f"{table.name!r:.200} has {commas(cells.size)} rows. Expected one for each of the plan's {commas(size)} "
            "inputs. Name the table that the plan was made from, or one with the same rows."
        )
    return cells


def _grouping(cells: Cells, asked: str) -> Grouping:
    by_name = {name.casefold(): name for name in cells.columns}
    if asked.strip().casefold() in by_name:
        return _of_column(cells, by_name[asked.strip().casefold()])
    parts = [one.strip().casefold() for one in asked.split(",")]
    missing = next((part for part in parts if part not in by_name), None)
    if missing is not None or len(parts) != 2:
        raise BadInput(
            f"There is no column {asked if missing is None else missing!r:.60} to slice by; the table has "
            f"{', '.join(cells.columns):.300}. Name one of these, or two with a comma between them."
        )
    return crossed(*(_of_column(cells, by_name[part]) for part in parts))


def _of_column(cells: Cells, name: str) -> Grouping:
    column = Column(name, cells.columns[name])
    if column.is_numeric:
        return grouping_of_numbers(name, column.values)
    return grouping_of_words(name, column.texts.to_pylist())
