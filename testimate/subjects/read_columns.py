"""The columns of a prediction table with their roles, before its answers are read."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput, ReadingUnclear, Way
from testimate.core.reading import A_CLASS, FAILURES, FIRST_IN_LIST, Reading, checked_read, way_to_read
from testimate.core.task import TaskKind
from testimate.core.words import commas, counted
from testimate.subjects.box_table import BOXES
from testimate.subjects.stored_roles import is_lone_chance, roles_as_stored, with_stored_scores
from testimate.subjects.table_choices import TableChoices
from testimate.tables.answers import LOOKED_AT, MANY_CLASSES, way_of_task, written_sets
from testimate.tables.cells import Cells, Column, check_one_column_each, pa, pc
from testimate.tables.confidence import OF_SECOND
from testimate.tables.content import ContentRoles, roles_by_content
from testimate.tables.evaluation_names import INPUT_KEYS
from testimate.tables.first_cells import FEWEST_ROWS
from testimate.tables.first_row import with_said_header
from testimate.tables.grid_of_rows import rows_of_grid
from testimate.tables.lone_evidence import ONLY_ANSWERS
from testimate.tables.numbers import Spelled, plainly_written
from testimate.tables.one_chance import as_one_chance
from testimate.tables.packed_cells import with_first_of_lists, with_opened_cells
from testimate.tables.paired_evidence import NOTHING_ELSE
from testimate.tables.parquet import is_text
from testimate.tables.role_questions import grouped_numbers
from testimate.tables.roles import Roles, is_index_name, roles_of
from testimate.tables.rows_of_input import rows_of_systems, several_rows
from testimate.tables.rules import ASKED, BY_CONTENT, FOUND, LONE
from testimate.tables.score_names import path_end
from testimate.tasks import TASKS
from testimate.tasks.classification import SEPARATORS, MultiLabel
from testimate.tasks.regression import SaidTolerance


@dataclass(frozen=True, eq=False)
class ReadColumns:
    """A table's columns as they are read, before its answers are.

    ``changes`` : what was read otherwise than the names of the columns say, for the fingerprint.
    """

    cells: Cells
    roles: Roles
    content: ContentRoles
    spelled: Spelled
    read: Mapping[str, str]
    by_content: bool
    changes: tuple[str, ...] = ()


def read_columns(cells: Cells, choices: TableChoices, task: TaskKind | None, *, boxed: bool = False) -> ReadColumns:
    """The columns with their roles, by the rules of the choices.

    Raises ReadingUnclear where two columns fit one role, or two readings the numbers of one, and BadInput as ``roles_of`` does.
    """
    read = dict(checked_read(choices.read))
    if choices.stored is not None and is_lone_chance(choices.stored):
        read.setdefault("prediction", "chance")
    verdicts = None if task is None and not boxed else task == "verdict"
    opened_by = choices.rules if choices.cells_by is None else choices.cells_by
    cells = with_opened_cells(cells, opened_by)
    cells = with_said_header(cells, read.get("header")) if opened_by >= FOUND else cells
    if read.get("lists") == FIRST_IN_LIST:
        cells = with_first_of_lists(cells, dict(choices.columns).get("prediction", ""))
    found = _with_roles(cells, choices, read, verdicts=verdicts, boxed=boxed)
    asking = choices.stored is None  # what was stored was asked about then
    whole = choices.rules < LONE or boxed or has_sets(found.roles, task, every=True)
    whole = whole or not (asking or "unpredicted" in read)
    if asking and choices.rules >= FOUND and task is None and not boxed and "unpredicted" not in read:
        check_empty_answers(found.roles)
    filled = cells if whole else with_all_predicted(cells, found.roles, read, task)
    if not boxed and read.get("unpredicted") == A_CLASS:
        filled = with_empty_class(cells, found.roles)
    if filled is cells:
        return found
    said, true = found.roles.prediction, found.roles.label
    numbered: list[str] = []
    if said is not None and true is not None and not is_text(cells.columns[true.name].type):
        numbered = [said.name, true.name]  # beside them is a class that is no number
    return _with_roles(filled, choices, read, verdicts=verdicts, boxed=boxed, numbered=numbered)


def _with_roles(
    cells: Cells,
    choices: TableChoices,
    read: Mapping[str, str],
    *,
    verdicts: bool | None,
    boxed: bool,
    numbered: Collection[str] = (),
) -> ReadColumns:
    """The columns of a table whose cells are opened; ``numbered`` : those of classes whose numbers are words."""
    spelled, content, passed_over = Spelled(cells), ContentRoles(choices.columns), (BOXES,) if boxed else ()
    if choices.rules >= BY_CONTENT:
        spelled = plainly_written(
            cells,
            read.get("numbers", ""),
            latest=choices.rules >= ASKED,
            units=choices.rules >= FOUND and choices.cells_by is None,
        )
        spelled = replace(spelled, codes=spelled.codes | {*numbered}) if choices.rules >= FOUND else spelled
        content = (
            roles_by_content(
                spelled.cells,
                choices.columns,
                verdicts=verdicts,
                boxed=boxed,
                codes=spelled.codes,
                rules=choices.rules,
                chance=read.get("prediction") == "chance",
            )
            if choices.stored is None
            else roles_as_stored(
                spelled.cells,
                choices.stored,
                choices,
                verdicts=verdicts,
                passed_over=passed_over,
                codes=[*spelled.codes],
            )
        )
    roles = roles_of(
        spelled.cells,
        content.columns,
        probabilities_by_name=choices.probabilities_by_name,
        verdicts=verdicts,
        passed_over=passed_over,
        keys=(*content.keys, *spelled.codes),
        left_out=_left_out(choices),
        rules=choices.rules,
    )
    roles = roles if choices.stored is None else with_stored_scores(roles, choices.stored)
    if choices.rules >= FOUND and choices.cells_by is None:
        spelled = _with_texts_as_written(spelled, cells, roles, choices.stored)
    used = [one for one in (roles.prediction, roles.label, roles.confidence) if one is not None]
    check_one_column_each(cells, _needed(roles))
    judged = roles.judged.get("output", "") if choices.rules >= FOUND else ""
    for name in (*(column.name for column in used), judged):
        if name in spelled.either:
            raise grouped_numbers(name, spelled.either[name])
    coded = bool(spelled.codes & {column.name for column in used})
    if coded:
        prediction, label = (
            None if one is None else Column(one.name, spelled.cells.columns[one.name], codes=True)
            for one in (roles.prediction, roles.label)
        )
        roles = replace(roles, prediction=prediction, label=label)
    found = [f"{role}={column}" for role, column in content.columns if (role, column) not in choices.columns]
    keys = [f"no score {name}" for name in content.keys if not is_index_name(name, choices.rules)]
    changes = (*cells.changes, *found, *keys, *spelled.meanings, *(["digits are words"] if coded else []))
    return ReadColumns(spelled.cells, roles, content, spelled, read, choices.rules >= BY_CONTENT, changes)


def _with_texts_as_written(spelled: Spelled, cells: Cells, roles: Roles, stored: Reading | None) -> Spelled:
    """The table with the texts of judged outputs as they are written, with the units of their numbers.

    ``stored`` : the reading of a kept table; the meaning that it has for a column of numbers stays.
    """
    said = {} if stored is None else {name: one.meaning for name, one in stored.roles.items()}
    plain = [name for name, meaning in spelled.meanings.items() if meaning not in said.get(name, "")]
    written = {name: cells.columns[name] for name in roles.judged.values() if name in plain}
    if not written:
        return spelled
    meanings = {name: said for name, said in spelled.meanings.items() if name not in written}
    columns = {**spelled.cells.columns, **written}
    return replace(spelled, cells=replace(spelled.cells, columns=columns), meanings=meanings)


def _left_out(choices: TableChoices) -> list[str]:
    """The columns that a person left out, and those without a role in the stored reading."""
    chosen = [name for role, name in choices.columns if role == "ignore"] if choices.rules >= FOUND else []
    return chosen if choices.stored is None else [*chosen, *choices.stored.left_out]


def _needed(roles: Roles) -> list[str]:
    """The columns whose roles decide what is tested, and what testers see of it."""
    answers = [one.name for one in (roles.prediction, roles.label, roles.outcome, roles.confidence) if one is not None]
    inputs = [name for name in (roles.text, roles.group, *(roles.file or ("",))[1:]) if name]
    return [*answers, *inputs, *roles.probabilities, *roles.judged.values(), *roles.judges, *roles.show]


def has_sets(roles: Roles, task: TaskKind | None, *, every: bool) -> bool:
    """Whether the cells are sets of classes, or may be."""
    if task is not None or roles.prediction is None or roles.prediction.has_numbers_alone:
        return task is not None and TASKS[task].several
    return written_sets(roles.prediction, roles.label, every=every) is not None


def check_empty_answers(roles: Roles) -> None:
    """ReadingUnclear where empty cells are labels, and answers, too: neither is missing, and each matches the other.

    Sets of classes need no question, and rows that are empty to the end of the table are none of it.
    """
    said, true = roles.prediction, roles.label
    if said is None or true is None or roles.outcome is not None or said.has_numbers or true.has_numbers:
        return
    both = true.is_empty & said.is_empty
    filled = np.flatnonzero(~both)
    among = both[: filled[-1]] if filled.size else both[:0]
    if among.sum() < FEWEST_ROWS or written_sets(said, true, every=True) is not None:
        return
    texts = (("output", said.name), ("reference", true.name))
    held = any(mark in word for one in (said, true) for word in one.words.to_pylist() for mark in SEPARATORS)
    raise ReadingUnclear(
        "What is an empty cell?",
        f"The columns {true.name!r:.60} and {said.name!r:.60} are both empty in {commas(int(both.sum()))} of "
        f"{counted(len(both), 'row')}, so that an empty cell may be a right answer.",
        [
            *([way_of_task(MultiLabel.kind)] if held else []),
            *([way_to_read("unpredicted", A_CLASS, f"a class, {EMPTY}")] if 2 * len(said.words) <= len(both) else []),
            Way(
                "texts that people judge, of which some are empty",
                " ".join(f"--column {quote(f'{role}={name}')}" for role, name in texts),
                f"columns={dict(texts)}",
                tuple(("columns", pair) for pair in texts),
            ),
        ],
    )


MOST_UNPREDICTED = 0.1
"""The share of rows without a prediction beyond which the table is refused."""

NO_PREDICTION = "no prediction"
"""The class of rows without a prediction, where these are failures."""


def with_all_predicted(cells: Cells, roles: Roles, read: Mapping[str, str], task: TaskKind | None) -> Cells:
    """The table with a class in the few rows that lack one, where a person says that these are failures.

    ReadingUnclear where nobody has said so. Rows without a predicted number stay as they are, and are refused.
    """
    said = roles.prediction
    most = max(MOST_UNPREDICTED * cells.size, min(cells.size / 2, FEWEST_ROWS - 1))  # a few of a small table, too
    if said is None or said.name not in cells.columns or not 0 < said.is_empty.sum() <= most:
        return cells
    if said.has_numbers and (task == "regression" or not said.is_whole or len(said.words) > MANY_CLASSES):
        return cells
    if read.get("unpredicted") == A_CLASS:
        return cells
    if read.get("unpredicted") == FAILURES:
        words = pc.if_else(pa.array(said.is_empty), NO_PREDICTION, said.texts)
        return replace(cells, columns={**cells.columns, said.name: words}, changes=(*cells.changes, "no predictions"))
    raise ReadingUnclear(
        "What is a row without a prediction?",
        f"The column {said.name!r:.60} is empty in {commas(int(said.is_empty.sum()))} of {counted(cells.size, 'row')}. Remove "
        "these rows, or let them count.",
        [way_to_read("unpredicted", FAILURES, "a failure: no class was predicted")],
    )


EMPTY = "nothing"
"""The class of empty cells, where these are answers."""


def with_empty_class(cells: Cells, roles: Roles) -> Cells:
    """The table with a class in the empty cells of predictions and labels of words."""
    columns = [one for one in (roles.prediction, roles.label) if one is not None and one.name in cells.columns]
    columns = [one for one in columns if one.is_empty.any() and not one.has_numbers]
    filled = {one.name: pc.if_else(pa.array(one.is_empty), EMPTY, one.texts) for one in columns}
    return (
        replace(cells, columns={**cells.columns, **filled}, changes=(*cells.changes, "empty is a class"))
        if filled
        else cells
    )


def check_rows_are_alike(columns: ReadColumns, rules: int) -> None:
    """ReadingUnclear where rows lack the output and hold other columns instead, which no row with an output has."""
    cells, output = columns.cells, columns.roles.judged.get("output")
    if rules < FOUND or output is None or output not in cells.columns or columns.read.get("unpredicted") == FAILURES:
        return
    empty = Column(output, cells.columns[output]).is_empty
    if not 0 < empty.sum() < cells.size:
        return
    instead = [name for name in cells.columns if name != output and _is_instead(cells, name, empty)]
    if len(instead) < FEWEST_INSTEAD:
        return
    raise ReadingUnclear(
        "What is a row without an output?",
        f"The column {output!r:.60} is empty in {commas(int(empty.sum()))} of {counted(cells.size, 'row')}, which hold "
        f"{instead[0]!r:.60} instead, as no other row does. Keep the rows of one kind in a table, or let them count.",
        [way_to_read("unpredicted", FAILURES, "an empty output, which people judge")],
    )


FEWEST_INSTEAD = 2
"""Columns of other rows that make these another kind; a single one may say why there is no output."""


def _is_instead(cells: Cells, name: str, empty: NDArray[np.bool_]) -> bool:
    """Whether a column is filled in most of these rows, and in no other."""
    some = np.flatnonzero(empty)[:LOOKED_AT]
    if 2 * int(Column(name, cells.columns[name].take(pa.array(some))).is_empty.sum()) >= len(some):
        return False
    return not (~Column(name, cells.columns[name]).is_empty)[~empty].any()


def key_of_several_rows(columns: ReadColumns, *, judged: bool, rules: int) -> str | None:
    """The column by which rows of one input are drawn together, where a person says so; None where each row is an input.

    ``judged`` : whether outputs are judged; several systems may have given an answer to each input.
    ReadingUnclear where inputs have several rows and nobody has said what these are.
    """
    cells, roles, read = columns.cells, columns.roles, columns.read
    used = [one.name for one in (roles.prediction, roles.label, roles.outcome, roles.confidence) if one is not None]
    given = roles.judged.get("input")
    several = several_rows(cells, given) if judged else None
    if several is None and rules >= LONE:
        taken = [*used, *(name for name in roles.judged.values() if name != given)]
        several = rows_of_systems(
            cells, taken, given, true=None if roles.label is None else roles.label.name, rules=rules
        )
    if several is None and judged and rules >= FOUND:
        several = rows_of_grid(cells, [*used, *roles.judged.values()])
    if several is None or roles.group is not None or read.get("rows") == EACH:
        return None
    if read.get("rows") == TOGETHER:
        return several.key
    raise ReadingUnclear(
        "What is a row?",
        f"The {commas(cells.size)} rows are of {commas(several.inputs)} inputs by {several.key!r:.60}, told apart by "
        f"{several.by!r:.60}.",
        [
            way_to_read("rows", TOGETHER, "rows of one input belong together and are drawn together"),
            way_to_read("rows", EACH, "each row is an input of its own"),
        ],
    )


def repeated_keys(columns: ReadColumns, rules: int) -> str:
    """A sentence where rows of judged outputs have the same key or question, and nothing tells them apart; "" elsewhere."""
    cells, roles = columns.cells, columns.roles
    asked = roles.judged.get("input")
    if roles.group is not None or columns.read.get("rows") or (asked is not None and rules < FOUND):
        return ""
    named = [name for name in roles.show if path_end(name) in INPUT_KEYS] if asked is None else [asked]
    keys = [name for name in named if name in cells.columns]
    inputs = len(Column(keys[0], cells.columns[keys[0]]).words) if keys else cells.size
    nearly_empty = bool(keys) and 2 * Column(keys[0], cells.columns[keys[0]]).is_empty.sum() > cells.size
    if inputs > MOST_DISTINCT * cells.size or nearly_empty:
        return ""
    return (
        f"The {commas(cells.size)} rows are of {commas(inputs)} inputs by {keys[0]!r:.60}. To draw those of one input "
        f"together: --column {quote(f'group={keys[0]}')} --technique srs-groups."
    )


def repeated_inputs(columns: ReadColumns) -> tuple[str | None, str]:
    """The column by which rows of one file or text are drawn together, where a person says so, and a sentence on such rows.

    BadInput where that is said and each row is of another.
    """
    cells, roles, read = columns.cells, columns.roles, columns.read
    name = roles.file[1] if roles.file is not None else roles.text
    inputs = 0
    if name is not None and name in cells.columns and roles.group is None:
        inputs = len(Column(name, cells.columns[name].slice(0, LOOKED_AT)).words)
    rows, said = min(cells.size, LOOKED_AT), read.get("rows", "")
    if not inputs or inputs > MOST_DISTINCT * rows:
        if said == TOGETHER:
            raise BadInput(
                f"There is one row for each input among {commas(rows)} rows. Expected several, which are drawn together. Leave "
                "--read rows out, or name the column of a group: --column group=NAME."
            )
        return None, ""
    if said:
        return (name if said == TOGETHER else None), ""
    return None, (
        f"{'The' if rows == cells.size else 'The first'} {commas(rows)} rows are of {commas(inputs)} inputs by {name!r:.60}. "
        f"To draw those of one input together: --read rows={TOGETHER}."
    )


MOST_DISTINCT = 0.9
"""Share of the rows up to which distinct files or texts say that inputs have several rows."""


TOGETHER, EACH = "together", "each"
"""What rows of one input are."""


def as_chances(columns: ReadColumns, task: TaskKind | None, tolerance: SaidTolerance | None, rules: int) -> ReadColumns:
    """The columns with predictions from 0 to 1 read as chances of one class, where a person or their name says so.

    ReadingUnclear where they may be that, or numbers to be met.
    """
    if task == "regression" or tolerance is not None or columns.roles.outcome is not None:
        return columns
    prediction, reasons = columns.roles.prediction, columns.content.reasons
    why = None if prediction is None else reasons.get(prediction.name)
    lone = why == ONLY_ANSWERS or (why == NOTHING_ELSE and rules >= LONE)
    found = as_one_chance(columns.roles, columns.read.get("prediction"), asked=task is None, lone=lone, rules=rules)
    if found is None:
        return columns
    read = {**columns.read, "confidence": OF_SECOND} if found.of_second else columns.read
    content = replace(columns.content, doubts=(*columns.content.doubts, *filter(None, [found.said])))
    changes = (*columns.changes, "chances of class 1")
    return replace(columns, roles=found.roles, read=read, content=content, changes=changes)
