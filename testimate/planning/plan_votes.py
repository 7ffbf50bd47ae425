"""Votes in a file, read for a plan: which input each is on, by row or by a key of the table, and empty cells of sets."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from testimate.core.errors import BadInput, ReadingUnclear, Way
from testimate.core.inputs import Inputs
from testimate.core.reading import ROW_NUMBER, Read, Reading, Tell, checked_read, way_to_read
from testimate.core.words import commas, counted
from testimate.planning.criteria import votes_of_criteria
from testimate.planning.known_labels import with_known
from testimate.planning.labels_outside import with_labels_outside
from testimate.planning.plan import Plan
from testimate.planning.table_columns import texts_of_table
from testimate.planning.votes import KINDS, ROW, Votes, check_line, own_key, vote_lines, votes_of_lines
from testimate.tasks.classification import NONE_OF_THEM, SEPARATORS, form_of_sets
from testimate.tasks.verdict import Criterion

PLACE = "place"
"""What is typed for votes whose rows count the table's rows from 0, whatever its columns are called."""

NAMES_INPUTS = (ROW_NUMBER, "file", "image", "audio")
"""Roles of columns whose cells may say which input a vote is on."""

NO_CLASS, SKIPPED = "none", "skipped"
"""What an empty label of a set is, as ``--read empty=`` names it."""


def read_plan_votes(
    path: Path,
    plan: Plan,
    table: Path | None,
    inputs: Inputs | None = None,
    *,
    key: str = "",
    read: Read = (),
    tell: Tell = warnings.warn,
    learned: Collection[str] = (),
) -> Votes:
    """The votes in a file on the inputs of a plan.

    Parameters
    ----------
    table : the plan's; None if it was not found, and then votes name rows. inputs : what it says; None if it was not found.
    key : the column of both files that says which input a vote is on; PLACE for rows counted from 0; "" to let the files
        decide. read : what empty labels are, and labels that are no class, where a person said so. tell : called with what
        was understood. learned : classes that a later version predicts and no tester could choose.

    Raises
    ------
    ReadingUnclear : rows fit both as places and as keys, empty labels may be empty sets, or a label nearly is a class.
    BadInput : no such column, or a key that the table lacks or has twice.
    """
    rows = frozenset(draw.row for draw in plan.draws)
    voted = VotedOn(plan.reading, rows, plan.design.size, plan.table, table, learned)
    if plan.criteria:
        return read_criteria_votes(path, voted, plan.criteria, key=key, tell=tell)
    return read_votes_on(path, voted, inputs, key=key, read=read, tell=tell)


@dataclass(frozen=True)
class VotedOn:
    """What votes are matched with.

    Attributes
    ----------
    reading : of the table. rows : that may have a vote, of ``size`` in all. name : of the table, as it was given.
    table : the file; None if it was not found. learned : see ``read_plan_votes``.
    """

    reading: Reading | None
    rows: frozenset[int]
    size: int
    name: str
    table: Path | None
    learned: Collection[str] = ()


def read_votes_on(
    path: Path, voted: VotedOn, inputs: Inputs | None, *, key: str = "", read: Read = (), tell: Tell = warnings.warn
) -> Votes:
    """The votes in a file on these rows; see ``read_plan_votes``."""
    header, lines = _matched_lines(path, voted, key, KINDS, tell)
    votes = votes_of_lines(path, header, lines)
    answers = dict(checked_read(read))
    votes = _with_empty_sets(votes, inputs, answers.get("empty", ""), path, tell)
    return with_labels_outside(votes, inputs, answers, path.name, tell, voted.learned)


def read_criteria_votes(
    path: Path, voted: VotedOn, criteria: Sequence[Criterion], *, key: str = "", tell: Tell = warnings.warn
) -> Votes:
    """The votes in a file with a column for each criterion, by its name; an empty cell is "cannot tell".

    A criterion without a column has no answers, which is said. BadInput where none has one, or a cell is none of its grades.
    """
    names = [one.name.casefold() for one in criteria]
    header, lines = _matched_lines(path, voted, key, names, tell)
    there = [name for name in names if name in header]
    if not there:
        raise BadInput(
            f"{path} has the columns {', '.join(header) or 'none'}. Expected row and a column for each criterion: "
            f"{', '.join(one.name for one in criteria)}. Rename columns."
        )
    if twice := next((name for name in there if header.count(name) > 1), ""):
        raise BadInput(f"{path} has the column {twice!r:.60} twice. Expected one. Remove the other.")
    for number, line in enumerate(lines, start=2):
        check_line(path, number, line, header)
    cells: dict[str, Mapping[int, str]] = {}
    for one, name in zip(criteria, names, strict=True):
        if name not in header:
            tell(f"{path.name} has no column {one.name!r:.60}, so its answers count as skipped.")
            continue
        at = (header.index(ROW), header.index(name))
        pairs = [[line[place] for place in at] for line in lines]
        cells[one.name] = votes_of_lines(path, (ROW, "label"), pairs).cells
    return votes_of_criteria(cells, criteria)


def _matched_lines(
    path: Path, voted: VotedOn, key: str, kinds: Sequence[str], tell: Tell
) -> tuple[list[str], list[list[str]]]:
    """The header and the lines of a file with the place of each input as its row. ``kinds`` : columns that hold votes."""
    header, lines = vote_lines(path, tell)
    column = key.strip().casefold() or _key_among(header, lines, voted, path, kinds)
    if column not in ("", PLACE):
        header, lines = _by_row(header, lines, column, _rows(voted, column), path)
        tell(f"{path.name}: votes are matched to the table's rows by {column!r:.60}.")
    elif column == "" and (other := _other_key(header, lines, voted)):
        tell(
            f"{path.name}: votes are matched to the table's rows by their place, from 0. By its {other!r:.60}: --key {other}"
        )
    return [*header], [[*line] for line in lines]


def read_known(
    path: Path, inputs: Inputs, table: Path | None, *, read: Read = (), tell: Tell = warnings.warn
) -> Inputs:
    """The inputs with the labels of a file, matched as votes are; see ``with_known``.

    ``table`` : that the inputs come from, for a file that names them by one of its columns.
    """
    name = "" if table is None else table.name
    voted = VotedOn(inputs.reading, frozenset(range(len(inputs))), len(inputs), name, table)
    return with_known(inputs, read_votes_on(path, voted, inputs, read=read, tell=tell), path.name)


def _key_among(
    header: Sequence[str], lines: Sequence[Sequence[str]], voted: VotedOn, path: Path, kinds: Sequence[str]
) -> str:
    """The column by which votes match, "" for their row; ReadingUnclear where rows may be places or keys."""
    reading = voted.reading
    if reading is None or voted.table is None:
        return ""
    names = {name.casefold() for name in (*reading.roles, *reading.left_out)}
    if ROW not in header:
        told = {name.casefold() for role in NAMES_INPUTS for name in reading.with_role(role)}
        found = [name for name in header if name not in kinds and name in names]
        return next((name for name in found if name in told), found[0] if len(found) == 1 else "")
    if ROW not in names or own_key(ROW) in header:  # an export's row is the place
        return ""
    rows, at = _rows(voted, ROW), header.index(ROW)
    drawn = voted.rows
    cells = [line[at].strip() for line in lines if len(line) == len(header)]
    places = {cell for cell in cells if cell.isdecimal() and int(cell) in drawn}
    keys = {cell for cell in cells if rows.get(cell) in drawn}
    by_place, by_key = len(places) == len({*cells}), len(keys) == len({*cells})
    if by_place and by_key and any(rows[cell] != int(cell) for cell in cells):
        raise ReadingUnclear(
            "What is a vote's row?",
            f"The table has a column 'row' of its own, which is not the place of its rows, and {path.name!r:.60} fits both.",
            [
                Way("the table's column 'row'", f"--key {ROW}", f'read={{"key": "{ROW}"}}', (("key", ROW),)),
                Way(
                    "the place in the table, from 0", f"--key {PLACE}", f'read={{"key": "{PLACE}"}}', (("key", PLACE),)
                ),
            ],
        )
    return ROW if by_key and not by_place else ""


def _other_key(header: Sequence[str], lines: Sequence[Sequence[str]], voted: VotedOn) -> str:
    """A column of the table that numbers its rows otherwise than by place, and has the rows of these votes; "" without one."""
    if voted.reading is None or voted.table is None or ROW not in header:
        return ""
    at = header.index(ROW)
    cells = {line[at].strip() for line in lines if len(line) == len(header)}
    for name in voted.reading.with_role(ROW_NUMBER):
        if own_key(name).casefold() in header:  # an export has both
            continue
        keys = [text.strip() for text in texts_of_table(voted.table, name, voted.size)]
        rows = {text: row for row, text in enumerate(keys)}
        if len(rows) == len(keys) and cells <= rows.keys() and any(str(rows[cell]) != cell for cell in cells):
            return name
    return ""


def _rows(voted: VotedOn, column: str) -> dict[str, int]:
    """The row of each key of the table; BadInput where a key occurs twice."""
    table = voted.table
    if table is None:
        raise BadInput(
            f"The plan's table {voted.name} was not found, and votes are matched by {column!r:.60}. Restore the table."
        )
    keys = [text.strip() for text in texts_of_table(table, column, voted.size)]
    rows = {text: row for row, text in enumerate(keys)}
    if len(rows) < len(keys):
        twice = next(text for row, text in enumerate(keys) if rows[text] != row)
        raise BadInput(
            f"The column {column!r:.60} of {table.name!r:.60} has {twice!r:.40} in several rows. Expected a key that occurs "
            "once. Name another with --key."
        )
    return rows


def _by_row(
    header: Sequence[str], lines: Sequence[Sequence[str]], column: str, rows: dict[str, int], path: Path
) -> tuple[list[str], list[list[str]]]:
    """The header and the lines with the row in place of the key; BadInput where the table has no such key."""
    if column not in header and ROW not in header:
        raise BadInput(
            f"There is no column {column!r:.60} in {path}. It has {', '.join(header)!s:.200}. Choose one of these, or "
            "leave --key out."
        )
    at = header.index(column if column in header else ROW)
    kept = [place for place, name in enumerate(header) if place != at and name != ROW]
    found = []
    for number, line in enumerate(lines, start=2):
        check_line(path, number, line, header)
        row = rows.get(line[at].strip())
        if row is None:
            raise BadInput(
                f"Line {number} of {path} has the {column} {line[at]!r:.40}, which the table lacks. Expected one of its "
                f"{commas(len(rows))} keys. Correct it, or match votes by their place: --key {PLACE}."
            )
        found.append([str(row), *(line[place] for place in kept)])
    return [ROW, *(header[place] for place in kept)], found


def _with_empty_sets(votes: Votes, inputs: Inputs | None, read: str, path: Path, tell: Tell) -> Votes:
    """The votes with the empty set in empty cells, where these are labels that name no class.

    Testimate's own files say "none" for that, separate names by ";" and leave "cannot tell" empty.
    """
    cells = votes.cells
    empty = [row for row, cell in cells.items() if cell == ""]
    if not empty or votes.kind != "label" or inputs is None or not inputs.task.several or read == SKIPPED:
        return votes
    if read != NO_CLASS:
        if any(cell.strip().casefold() == NONE_OF_THEM for cell in cells.values()):
            return votes
        if not (np.asarray(inputs.predictions).sum(axis=1) == 0).any():
            return votes  # the table itself knows no empty set
        form = form_of_sets({*cells.values()})
        if form is None or form.form == SEPARATORS[0]:
            raise ReadingUnclear(
                "What is an empty label?",
                f"{path.name!r:.60} has {counted(len(empty), 'empty label')}, which may name no class or be open.",
                [
                    way_to_read("empty", NO_CLASS, "no class is present"),
                    way_to_read("empty", SKIPPED, "cannot tell"),
                ],
            )
        tell(
            f"{path.name}: {counted(len(empty), 'empty label')} name no class. If they are open instead: --read "
            f"empty={SKIPPED}"
        )
    return replace(votes, cells={row: cell or NONE_OF_THEM for row, cell in cells.items()})
