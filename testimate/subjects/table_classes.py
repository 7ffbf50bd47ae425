"""Which classes a table has, by its words, its whole numbers or the columns of its probabilities."""

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.subjects import limits
from testimate.subjects.arrow import pa, pc
from testimate.subjects.cells import Column
from testimate.subjects.table_roles import Roles

PIECE = 1 << 20
"""Rows whose classes are looked up at a time."""


def whole_classes(given: list[Column], count: int | None) -> tuple[str, ...]:
    """The classes of whole numbers, in numeric order: 0 to C-1 if there are C probabilities or most of these numbers occur."""
    if count is not None:
        for column in given:
            bad = np.flatnonzero((column.values < 0) | (column.values >= count))
            if bad.size:
                raise BadInput(
                    f"Column {column.name!r}, row {bad[0]} (counted from 0) is class {column.values[bad[0]]:.0f}, and "
                    f"there are {count} columns of probabilities; expected classes from 0 to {count - 1}. Correct "
                    "the classes or add the missing columns."
                )
        return tuple(str(place) for place in range(count))
    values = all_numbers(given)
    if values[0] >= 0 and values[-1] < 2 * len(values):  # a class that never occurs may still be an answer
        values = np.arange(values[-1] + 1)
    check_class_count(len(values))
    return tuple(str(int(value)) for value in values)


def all_numbers(given: list[Column]) -> NDArray[np.float64]:
    """The distinct numbers of the columns, rising."""
    return np.unique(np.concatenate([column.distinct[0] for column in given]))


def named_classes(roles: Roles, given: list[Column]) -> tuple[str, ...]:
    """The classes that the columns of probabilities name, in that order, followed by true classes that have none."""
    known = set(roles.classes)
    more = {word for column in given for word in column.words.to_pylist()} - known
    check_class_count(len(known) + len(more))
    return (*roles.classes, *sorted(more))


def word_classes(given: list[Column], count: int | None) -> tuple[str, ...]:
    """The classes of words, sorted."""
    for column in given:
        if column.is_numeric and not column.is_whole:
            column.numbers()  # names the cell that is not a number
    if len({column.has_numbers for column in given}) == 2 and any(column.has_numbers_alone for column in given):
        raise BadInput(
            f"Columns {given[0].name!r} and {given[1].name!r} do not name the same classes: one holds numbers, the "
            "other words; expected the same names in both. Translate one of them."
        )
    check_class_count(max(len(column.words) for column in given))
    words = sorted({word for column in given for word in column.words.to_pylist()})
    check_class_count(len(words))
    if count is not None and len(words) != count:
        raise BadInput(
            f"There are {count} columns of probabilities and {len(words)} classes named in labels and predictions; "
            "expected the same number of both, p_0 for the first in sorted order. Number the classes from 0, or add or "
            "remove columns."
        )
    return tuple(words)


def check_class_count(count: int) -> None:
    """BadInput where there are more classes than the limit."""
    if count > limits.MAX_CLASSES:
        raise BadInput(
            f"Labels and predictions name {spaced(count)} classes; expected at most {spaced(limits.MAX_CLASSES)}. Use a column "
            "of classes, or write numbers with decimals where they are measurements."
        )


def places_of(column: Column, classes: tuple[str, ...], numeric: bool) -> NDArray[np.intp]:
    """The place of each cell's class, (N,)."""
    if numeric:
        values = np.array([int(name) for name in classes], dtype=np.float64)
        if np.array_equal(values, np.arange(len(values))):
            return column.values.astype(np.intp)
        return np.searchsorted(values, column.values).astype(np.intp)
    places = pc.index_in(column.words, value_set=pa.array(classes, pa.large_string()))
    of_word = np.asarray(places.to_numpy(zero_copy_only=False), dtype=np.intp)
    found = np.empty(len(column.places), dtype=np.intp)
    for top in range(0, len(found), PIECE):  # otherwise NumPy would widen the places, perhaps one byte each, to eight
        found[top : top + PIECE] = of_word[column.places[top : top + PIECE]]
    return found


def check_order(predictions: NDArray[np.intp], probabilities: NDArray[np.float64]) -> None:
    """BadInput where the columns of probabilities seem to be in another order than the sorted words."""
    agree = float((probabilities.argmax(axis=1) == predictions).mean())
    if agree < 0.5:
        raise BadInput(
            f"The most probable class is the predicted one in only {agree:.0%} of the rows; expected p_0 for the first "
            "class in sorted order, p_1 for the second and so on. Reorder the columns or number the classes."
        )
