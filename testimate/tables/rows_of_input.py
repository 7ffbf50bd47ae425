"""Which rows of a table are of one input, and what tells them apart: an epoch, a judge, a system."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.tables.cells import Cells, Column
from testimate.tables.column_names import word_set, words_of
from testimate.tables.evaluation_names import INPUT_KEYS, MOST_COLUMNS
from testimate.tables.evaluation_records import OF_RECORD
from testimate.tables.first_cells import TIME, FirstCells, say_the_same
from testimate.tables.rules import FOUND, LATEST
from testimate.tables.score_names import path_end

SEVERAL_BY = (
    "epoch",
    "filter",
    "annotator",
    "repeat",
    "seed",
    "run",
    "train_trial_index",
    "provider.id",
    "judge",
    "turn",
)
"""Names of what tells the rows of one input apart."""


@dataclass(frozen=True)
class SeveralRows:
    """Several rows of one input: the column of its key, the column that tells its rows apart, and the number of inputs."""

    key: str
    by: str
    inputs: int


def several_rows(cells: Cells, given: str | None = None) -> SeveralRows | None:
    """Return how the rows belong to inputs if an input has several; else None. ``given`` : the column of inputs, if known."""
    ends = {path_end(name): name for name in cells.columns}
    by = next((ends[name] for name in SEVERAL_BY if name in ends), "")
    keys = [ends[name] for name in INPUT_KEYS if name in ends]
    for name in (*keys, *([given] if given is not None and given in cells.columns else [])):
        column = Column(name, cells.columns[name])
        distinct = len(column.words)
        if (
            by
            and not column.is_empty.any()
            and distinct < cells.size
            and 2 * distinct > cells.size / len(_words(cells, by))
        ):
            return SeveralRows(name, by, distinct)
    return None


MOST_SYSTEMS, MOST_TRIES = 20, 10_000
"""Rows of one input that may be of a system each, and those that may be tries, which a column numbers."""


def rows_of_systems(
    cells: Cells, taken: Collection[str], given: str | None = None, *, true: str | None = None, rules: int = LATEST
) -> SeveralRows | None:
    """Return how the rows belong to inputs if each input has as many, one for each word of the only other column that fits,
    or of several that say the same.

    ``taken`` : columns that say what is predicted, true or sure. ``given`` : the column of inputs, if known. Beside a key by
    its own name alone numbers are no systems but, say, the slices of a patient. ``true`` : the column of the truth, which is
    one for a date that is a key. ``rules`` : since ``FOUND`` rows of one input have one question, and dates may be keys.
    """
    asked = (
        None if given is None or rules < FOUND or given not in cells.columns else Column(given, cells.columns[given])
    )
    free = [name for name in [*cells.columns][:MOST_COLUMNS] if name not in taken]
    sure = [name for name in free if path_end(name) in (*INPUT_KEYS, "qid", "uid", "key") or name == given]
    keys = [*sure, *(name for name in free if name not in sure and "id" in words_of(name))]
    keys += [name for name in free if name not in keys and rules >= FOUND and _dates_tell(cells, name, true)]
    others = [name for name in free if name not in keys]
    systems = [
        name for name in keys if rules >= FOUND and path_end(name) == "key"
    ]  # of lists under keys: a model's, say
    for name in keys if others or systems else ():
        if 2 * len(cells.columns[name].unique()) > cells.size:  # each row has a key of its own, as in most tables
            continue
        places = Column(name, cells.columns[name]).places
        inputs = int(places.max()) + 1
        rows, rest = divmod(cells.size, inputs)
        uneven = (
            rules >= FOUND and name == OF_RECORD and bool(systems)
        )  # of records under keys, which not each system has
        most = MOST_SYSTEMS if rules < FOUND else MOST_TRIES
        if (not uneven and (rest or not 2 <= rows <= most)) or (asked is not None and len(asked.words) > inputs):
            continue
        if inputs < 2 and rules >= FOUND:
            continue
        among = [*others, *(one for one in systems if one != name)]
        columns = [Column(other, cells.columns[other]) for other in among]
        pairs = [one for one in columns if _are_pairs(places, one.places)]
        told = [one.name for one in pairs if len(one.words) == rows]
        told = told or [one.name for one in pairs if uneven and one.name in systems and len(one.words) <= MOST_SYSTEMS]
        answers = None if true is None or true not in cells.columns else Column(true, cells.columns[true]).places
        alike = answers is None or _go_with(places, answers)
        if not told and rules >= FOUND and (both := _told_by_two(places, columns, rows, nested=alike)):
            return SeveralRows(name, both, inputs)
        if rows > MOST_SYSTEMS:
            told = [one for one in told if FirstCells(one, cells.columns[one]).number_classes]
        told = [one for one in told if name in sure or not Column(one, cells.columns[one]).has_numbers_alone]
        if told and all(
            say_the_same(*(FirstCells(one, cells.columns[one]) for one in (told[0], other))) for other in told
        ):
            if name in systems and answers is not None and not alike:
                other = Column(told[0], cells.columns[told[0]])
                if _go_with(other.places, answers):  # under each key stand all inputs, which have one truth each
                    return SeveralRows(told[0], name, len(other.words))
            return SeveralRows(name, told[0], inputs)
    return _rows_of_named_systems(cells, free) if rules >= FOUND else None


CALLED_SYSTEMS = word_set("""
    model models system method algorithm estimator classifier regressor forecaster learner engine approach
""")
"""Words in the name of a column that says which system a row is of."""


MOST_ALONE = 1.5
"""Systems of an input on average, below which most inputs have one row."""


def _rows_of_named_systems(cells: Cells, free: Sequence[str]) -> SeveralRows | None:
    """How the rows belong to inputs that keys, days or times name, where a column named so names the system of each.

    Not every system need have a row for each input. What else is no measured number goes with the input.
    """
    columns = {name: Column(name, cells.columns[name]) for name in free}
    called = [
        one for name, one in columns.items() if words_of(name) & CALLED_SYSTEMS and 2 <= len(one.words) <= MOST_SYSTEMS
    ]
    called = [one for one in called if not one.has_numbers_alone]
    keys = [one for one in columns.values() if one not in called and _names_input(one)]
    rest = [one for one in columns.values() if one not in called and one not in keys]
    rest = [one for one in rest if not one.has_numbers or (one.has_numbers_alone and one.is_whole)]
    for system in called if len(called) == 1 else ():
        for key in sorted(keys, key=lambda one: -len(one.words)):
            for further in [None, *(one for one in keys if one is not key)]:
                places = key.places.astype(np.int64)
                if further is not None:
                    places = np.unique(places * (len(further.words) + 1) + further.places, return_inverse=True)[1]
                inputs = len(np.unique(places))
                if not (inputs >= 2 and MOST_ALONE * inputs <= cells.size and _are_pairs(places, system.places)):
                    continue
                if all(_go_with(places, one.places) for one in rest):
                    by = system.name if further is None else f"{system.name} and {further.name}"
                    return SeveralRows(key.name, by, len(key.words))
    return None


def _names_input(column: Column) -> bool:
    """Whether a column holds keys by its name, or days or times."""
    return path_end(column.name) in INPUT_KEYS or "id" in words_of(column.name) or _are_times(column)


def _are_times(column: Column) -> bool:
    some = column.words[:LOOKED_AT].to_pylist()
    return bool(some) and all(TIME.match(word) for word in some)


LOOKED_AT = 100
"""Distinct cells of a column that are looked at."""


def _dates_tell(cells: Cells, name: str, true: str | None) -> bool:
    """Whether a column holds dates or times of which each has one true answer, and not all the same."""
    if true is None or not {name, true} <= {*cells.columns} or not FirstCells(name, cells.columns[name]).name_things:
        return False
    dates, answers = (Column(one, cells.columns[one]) for one in (name, true))
    return len(answers.words) > 1 and _go_with(dates.places, answers.places)


def _go_with(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether each value of the first has one of the second."""
    pairs = one.astype(np.int64) * (int(other.max()) + 1) + other
    return len(np.unique(pairs)) == len(np.unique(one))


def _told_by_two(places: NDArray[Any], columns: Sequence[Column], rows: int, *, nested: bool) -> str:
    """The only two columns of words that together tell the rows of each input apart, as a model and a criterion; else "".

    ``nested`` : or as a model and a variant that is its own.
    """
    few = [one for one in columns if 2 <= len(one.words) < rows and not one.has_numbers_alone]
    found = []
    for place, one in enumerate(few):
        for other in few[place + 1 :]:
            if len(one.words) * len(other.words) != rows and not nested:
                continue
            both = one.places.astype(np.int64) * len(other.words) + other.places
            same = len(np.unique(both)) == rows and _are_pairs(places, both)
            found += [f"{one.name} and {other.name}"] if same else []
    return found[0] if len(found) == 1 else ""


def _are_pairs(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether no two rows have the same two values."""
    pairs = one.astype(np.int64) * (int(other.max()) + 1) + other
    return len(np.unique(pairs)) == len(pairs)


def _words(cells: Cells, name: str) -> list[str]:
    found: list[str] = Column(name, cells.columns[name]).words.to_pylist()
    return found or [""]
