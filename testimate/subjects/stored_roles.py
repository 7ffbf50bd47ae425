"""The roles of a table's columns as its stored reading says: a table that was kept is read as then, whatever its cells would
say by the rules of today."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

from testimate.core.errors import BadInput
from testimate.core.reading import CHOSEN, EMPTY_COLUMN, ROW_NUMBER, UNSEEN, UNUSABLE, Reading
from testimate.subjects.box_table import BOXES
from testimate.subjects.table_choices import TableChoices
from testimate.tables.cells import Cells
from testimate.tables.content import ContentRoles, says_class_names
from testimate.tables.first_cells import FirstCells
from testimate.tables.roles import FILES, JUDGE, JUDGED, SCORE, SHOWN, Chosen, Roles, column_roles, roles_of
from testimate.tables.rules import LONE
from testimate.tables.scores import NO_NUMBER
from testimate.tables.telling import folders_tell

T = TypeVar("T")


def as_stored_or_now(read: Callable[[TableChoices], T], choices: TableChoices, same: Callable[[T], bool]) -> T:
    """What is read with the stored reading of these choices, if it is the ``same`` as then, else what is read by the rules.

    The rules ``FOUND`` grew while tables were stored by them: the cells may have been opened by those before.
    BadInput where a table without a stored reading, or one that was read otherwise, cannot be used.
    """
    if choices.stored is None:
        return read(choices)
    for tried in (choices, replace(choices, cells_by=LONE)):
        with suppress(BadInput):  # it has other columns than then
            found = read(tried)
            if same(found):
                return found
    return read(replace(choices, stored=None))


MOST_OPEN = 12
"""Roles of which each may have been given by its name or by the cells then."""


def changes_as_stored(changes: list[str], reading: Reading, is_stored: Callable[[list[str]], bool]) -> list[str]:
    """What was read otherwise than the names of the columns say, as it was when the reading was stored.

    A reading does not say which roles names alone would have given then; the fingerprint does. ``is_stored`` : whether
    these changes give the stored fingerprint; where none do, ``changes`` are as they are.
    """
    found = {name: one.role for name, one in reading.roles.items() if one.reason != CHOSEN}
    either = [
        f"{'show' if role == ROW_NUMBER else role}={name}"
        for name, role in found.items()
        if role not in (SCORE, SHOWN, JUDGE)
    ][:MOST_OPEN]
    rest = [one for one in changes if one not in either]
    for count in range(len(either) + 1):
        for some in combinations(either, count):
            if is_stored([*rest, *some]):
                return [*rest, *some]
    return changes


def have_same_roles(one: Reading | None, other: Reading | None) -> bool:
    """Whether two readings give the same roles to the same columns, and leave the same ones out."""
    if one is None or other is None:
        return one is other
    roles = [{name: column.role for name, column in reading.roles.items()} for reading in (one, other)]
    return roles[0] == roles[1] and {*one.left_out} == {*other.left_out}


def roles_as_stored(
    cells: Cells,
    reading: Reading,
    choices: TableChoices,
    *,
    verdicts: bool | None,
    passed_over: Sequence[str] = (),
    codes: Sequence[str] = (),
) -> ContentRoles:
    """What the cells said about the roles of columns when the reading was stored, besides the choices.

    ``verdicts``, ``passed_over`` : as ``roles_of`` takes them. ``codes`` : columns whose digits are words.
    """
    chosen = {column for _, column in choices.columns}
    free = {name: one for name, one in reading.roles.items() if name in cells.columns and name not in chosen}
    keys = tuple(name for name, one in free.items() if one.role == ROW_NUMBER)
    roles, alone = {one.role for one in free.values()}, is_lone_chance(reading)
    single = [
        ("prediction" if alone and one.role == "confidence" else one.role, name)
        for name, one in free.items()
        if one.role not in (ROW_NUMBER, SCORE, SHOWN, JUDGE, BOXES)
    ]

    def with_roles(found: Chosen) -> Chosen:
        """The choices with the columns to which names alone would not give their stored roles."""
        try:
            by_name = column_roles(
                cells,
                roles_of(
                    cells,
                    found,
                    probabilities_by_name=choices.probabilities_by_name,
                    verdicts=verdicts,
                    passed_over=passed_over,
                    keys=(*keys, *codes),
                    left_out=[*reading.left_out],
                    rules=choices.rules,
                ),
                found,
                (),
                rules=choices.rules,
            )
        except BadInput:  # names alone give none
            by_name = {}
        given = {name: one.role for name, one in by_name.items()}
        return (*found, *(pair for pair in single if given.get(pair[1]) != pair[0] and pair not in found))

    hidden = tuple(("ignore", name) for name in _hidden(reading) if name in cells.names and name not in chosen)
    found = with_roles((*with_roles(choices.columns), *hidden))  # with some of them, names say nothing about the others
    shown = tuple(("show", name) for name, one in free.items() if one.role == SHOWN and roles & {*JUDGED})
    return ContentRoles(
        (*found, *shown),
        {name: one.reason for name, one in free.items()},
        reading.left_out,
        keys,
        reading.doubtful,
        without_folders=tuple(_folders(cells, single)),
        unseen=tuple(name for name in keys if says_class_names(name) in reading.doubtful),
    )


def is_lone_chance(reading: Reading) -> bool:
    """Whether the confidence is what is predicted: the chance of a class."""
    return bool(reading.with_role("confidence")) and not any(map(reading.with_role, ("prediction", "outcome", *JUDGED)))


def with_stored_scores(roles: Roles, reading: Reading) -> Roles:
    """The roles with the scores of the stored reading, and those that had gaps then, as the only candidates."""
    scores = {
        name for name, one in reading.roles.items() if one.role == SCORE or (one.role == JUDGE and one.reason != CHOSEN)
    }
    scores |= {name for name, why in reading.left_out.items() if why.startswith(NO_NUMBER)}
    return replace(roles, candidates=tuple(name for name in roles.others if name in scores))


def _hidden(reading: Reading) -> Iterator[str]:
    """The columns that were hidden because of their cells."""
    for name, why in reading.left_out.items():
        if why not in (CHOSEN, UNUSABLE, UNSEEN, EMPTY_COLUMN) and not why.startswith(NO_NUMBER):
            yield name


def _folders(cells: Cells, found: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The names of files of which testers see no folder, since it tells what is predicted."""
    predicted = next((name for role, name in found if role == "prediction"), "")
    for role, name in found:
        if role in FILES and predicted in cells.columns and name in cells.columns:
            files, classes = (FirstCells(one, cells.columns[one]) for one in (name, predicted))
            if folders_tell(files, classes, by_any_name=True):
                yield name
