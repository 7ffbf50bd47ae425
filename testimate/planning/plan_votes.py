"""Votes in a file, read for a plan: which input each is on, by row or by a key of the table, and empty cells of sets."""

import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from testimate.core.errors import BadInput, ReadingUnclear, UnknownRow, Way
from testimate.core.inputs import Inputs
from testimate.core.reading import ROW_NUMBER, Read, Reading, Tell, checked_read, way_to_read
from testimate.core.words import commas, counted
from testimate.planning.criteria import votes_of_criteria
from testimate.planning.known_labels import with_known
from testimate.planning.labels_outside import with_labels_outside
from testimate.planning.plan import FILE, Plan
from testimate.planning.table_columns import texts_of_table
from testimate.planning.votes import CODES, KINDS, ROW, Votes, check_line, own_key, vote_lines, votes_of_lines
from testimate.tables.cells import Cells
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
    keys = {**plan.keys, **({FILE: plan.names} if plan.names else {})}
    voted = VotedOn(plan.reading, rows, plan.design.size, plan.table, table, {} if table else keys, learned)
    if plan.criteria:
        return read_criteria_votes(path, voted, plan.criteria, key=key, tell=tell)
    return read_votes_on(path, voted, inputs, key=key, read=read, tell=tell)


@dataclass(frozen=True)
class VotedOn:
    """What votes are matched with.

    Attributes
    ----------
    reading : of the table. rows : that may have a vote, of ``size`` in all. name : of the table, as it was given.
    table : the file or its columns; None if it was not found. keys : what numbers or names the rows, where that is known
        without the table. learned : see ``read_plan_votes``.
    """

    reading: Reading | None
    rows: frozenset[int]
    size: int
    name: str
    table: Path | Cells | None
    keys: Mapping[str, Mapping[int, str] | Sequence[str]] = field(default_factory=dict)
    learned: Collection[str] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns by which votes may match, in lower case; none where it is not known how the table was read."""
        if self.table is None or self.reading is None:
            return tuple(map(str.casefold, self.keys))
        return tuple(name.casefold() for name in (*self.keys, *self.reading.roles, *self.reading.left_out))

    @property
    def numbering(self) -> tuple[str, ...]:
        """Those of the columns that number or name the rows by what was understood, as the table writes them."""
        return self._with_roles(NAMES_INPUTS)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Those of them that number the rows."""
        return self._with_roles((ROW_NUMBER,))

    def _with_roles(self, wanted: Sequence[str]) -> tuple[str, ...]:
        roles = [] if self.table is None or self.reading is None else [*map(self.reading.with_role, wanted)]
        return tuple(dict.fromkeys((*self.keys, *(name for names in roles for name in names if name))))

    def texts(self, column: str) -> Mapping[int, str]:
        """The cells of a column by row; BadInput where there is none, or the table is not there."""
        known = next((cells for name, cells in self.keys.items() if name.casefold() == column.casefold()), None)
        if known is None:
            if self.table is None:
                raise BadInput(
                    f"The plan's table {self.name} was not found, and votes are matched by {column!r:.60}. Restore the table."
                )
            known = texts_of_table(self.table, column, self.size, Path(self.name).name)
        cells = known.items() if isinstance(known, Mapping) else enumerate(known)
        return {row: text.strip() for row, text in cells}

    def rows_by_key(self, column: str) -> dict[str, int] | None:
        """The row of each cell of a column; None where a cell occurs twice."""
        texts = self.texts(column)
        rows = {text: row for row, text in texts.items()}
        return rows if len(rows) == len(texts) else None


def votes_on_inputs(inputs: Inputs, table: Path | Cells | None, name: str = "") -> VotedOn:
    """What votes on any of these inputs are matched with. ``table`` : that they come from, called ``name``."""
    names = {} if inputs.names is None else {FILE: inputs.names}
    keys = {} if table is not None else {**inputs.keys, **names}
    return VotedOn(inputs.reading, frozenset(range(len(inputs))), len(inputs), name, table, keys)


@dataclass(frozen=True)
class Match:
    """The column of the votes and the one of the table, both in lower case, that say which input a vote is on."""

    votes: str
    table: str


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
    coded = header.index(CODES) if header.count(CODES) == 1 else None
    codes = {} if coded is None else {int(line[header.index(ROW)]): line[coded].strip() for line in lines}
    return replace(votes_of_criteria(cells, criteria), codes={row: cell for row, cell in codes.items() if cell})


def _matched_lines(
    path: Path, voted: VotedOn, key: str, kinds: Collection[str], tell: Tell
) -> tuple[list[str], list[list[str]]]:
    """The header and the lines of a file with the place of each input as its row. ``kinds`` : columns that hold votes."""
    return with_rows(*vote_lines(path, tell), voted, path, key=key, kinds=kinds, tell=tell)


def with_rows(
    header: Sequence[str],
    lines: Sequence[Sequence[str]],
    voted: VotedOn,
    path: Path,
    *,
    key: str,
    kinds: Collection[str],
    tell: Tell,
) -> tuple[list[str], list[list[str]]]:
    """Return the header and the lines with the place of each input as its row; see ``read_plan_votes``."""
    said = key.strip().casefold()
    match = None if said == PLACE else _said(said, header) if said else _match(header, lines, voted, path, kinds)
    if match is not None:
        header, lines = _by_row(header, lines, match, voted, path)
        tell(f"{path.name}: votes are matched to the table's rows by {match.table!r:.60}.")
    elif not said and (other := _other_key(header, lines, voted)):
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
    voted = votes_on_inputs(inputs, table, "" if table is None else table.name)
    return with_known(inputs, read_votes_on(path, voted, inputs, read=read, tell=tell), path.name)


def _said(key: str, header: Sequence[str]) -> Match:
    """The match by a key that a person named; votes may call it as exports do, or ``row``."""
    return Match(next((name for name in (key, own_key(key).casefold(), ROW) if name in header), key), key)


def _match(
    header: Sequence[str], lines: Sequence[Sequence[str]], voted: VotedOn, path: Path, kinds: Collection[str]
) -> Match | None:
    """The columns by which votes match, None for their row; ReadingUnclear where rows may be places or keys."""
    if ROW not in header:
        return _match_without_rows(header, lines, voted, path, kinds)
    if ROW not in voted.columns or own_key(ROW) in header:  # an export's row is the place
        return None
    rows, drawn = _rows(voted, ROW), voted.rows
    cells = _cells(header, lines, ROW)
    by_place = all(cell.isdecimal() and int(cell) in drawn for cell in cells)
    by_key = all(rows.get(cell) in drawn for cell in cells)
    if by_place and by_key and any(rows[cell] != int(cell) for cell in cells):
        raise ReadingUnclear(
            "What is a vote's row?",
            f"The table has a column 'row' of its own, which is not the place of its rows, and {path.name!r:.60} fits both.",
            [_way(ROW, "the table's column 'row'"), _way(PLACE, "the place in the table, from 0")],
        )
    return Match(ROW, ROW) if by_key and not by_place else None


def _match_without_rows(
    header: Sequence[str], lines: Sequence[Sequence[str]], voted: VotedOn, path: Path, kinds: Collection[str]
) -> Match | None:
    """The columns by which votes match that have no row; None where none does.

    Those of one name whose cells are all keys of the table, first what numbers or names its rows; else a column of
    another name with the keys of such a one. ReadingUnclear where two fit and name different inputs.
    """
    names = {own_key(name).casefold(): name for name in voted.columns} | {name: name for name in voted.columns}
    numbering = tuple(map(str.casefold, voted.numbering))
    asked = [name for name in header if name not in kinds]
    alike = sorted(
        (Match(name, names[name]) for name in asked if name in names), key=lambda one: one.table not in numbering
    )
    told = [one for one in alike if one.table in numbering]
    for matches in (told, [one for one in alike if one not in told], [Match(a, b) for a in asked for b in numbering]):
        found = {one: rows for one in matches if (rows := _voted_rows(one, header, lines, voted)) is not None}
        if len({*map(tuple, found.values())}) > 1:
            raise ReadingUnclear(
                "By which column are votes matched?",
                f"{path.name!r:.60} has the columns {', '.join(one.votes for one in found):.200}, which name different rows.",
                [_way(one.table, f"by {one.table!r:.60}") for one in found],
            )
        if found:
            return next(iter(found))
    return (told or alike)[0] if told or len(alike) == 1 else None


def _way(key: str, words: str) -> Way:
    return Way(words, f"--key {key}", f'read={{"key": "{key}"}}', (("key", key),))


def _cells(header: Sequence[str], lines: Sequence[Sequence[str]], name: str) -> list[str]:
    """The cells of a column, without lines that are broken, which are refused later."""
    at = header.index(name)
    return [line[at].strip() for line in lines if len(line) == len(header)]


def _voted_rows(
    match: Match, header: Sequence[str], lines: Sequence[Sequence[str]], voted: VotedOn
) -> list[int] | None:
    """The row of each vote by this match; None where a cell is no key of the table."""
    rows, cells = voted.rows_by_key(match.table), _cells(header, lines, match.votes)
    return [rows[cell] for cell in cells] if rows and all(cell in rows for cell in cells) else None


def _other_key(header: Sequence[str], lines: Sequence[Sequence[str]], voted: VotedOn) -> str:
    """A column of the table that numbers its rows otherwise than by place, and has the rows of these votes; "" without one."""
    if ROW not in header:
        return ""
    cells = {*_cells(header, lines, ROW)}
    for name in voted.numbers:
        if own_key(name).casefold() in header:  # an export has both
            continue
        rows = voted.rows_by_key(name)
        if rows is not None and cells <= rows.keys() and any(str(rows[cell]) != cell for cell in cells):
            return name
    return ""


def _rows(voted: VotedOn, column: str) -> dict[str, int]:
    """The row of each key of the table; BadInput where a key occurs twice."""
    rows = voted.rows_by_key(column)
    if rows is None:
        twice = next(text for text, count in Counter(voted.texts(column).values()).items() if count > 1)
        raise BadInput(
            f"The column {column!r:.60} of {Path(voted.name).name!r:.60} has {twice!r:.40} in several rows. Expected a key "
            "that occurs once. Name another with --key."
        )
    return rows


def _by_row(
    header: Sequence[str], lines: Sequence[Sequence[str]], match: Match, voted: VotedOn, path: Path
) -> tuple[list[str], list[list[str]]]:
    """The header and the lines with the row in place of the key.

    BadInput where the table has no such key, UnknownRow where it is that of a row that the plan did not pick.
    """
    rows = _rows(voted, match.table)
    if match.votes not in header:
        raise BadInput(
            f"There is no column {match.votes!r:.60} in {path}. It has {', '.join(header)!s:.200}. Choose one of these, or "
            "leave --key out."
        )
    at = header.index(match.votes)
    kept = [place for place, name in enumerate(header) if place != at and name != ROW]
    found = []
    for number, line in enumerate(lines, start=2):
        check_line(path, number, line, header)
        row = rows.get(line[at].strip())
        if row is None:
            raise BadInput(
                f"Line {number} of {path} has the {match.table} {line[at]!r:.40}, which the table lacks. Expected one of its "
                f"{commas(len(rows))} keys. Correct it, or match votes by their place: --key {PLACE}."
            )
        if row not in voted.rows:
            raise UnknownRow(
                f"{match.table} {line[at].strip()!r:.40}, row {row}, has an answer, but the plan did not pick it. Expected "
                "only rows of the plan, whose chance is known. Remove that row."
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
