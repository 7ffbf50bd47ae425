"""Classes that are named beside the cells: yes and no of a column whose name is a class of the other one."""

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.spellings import MARKS, folded
from testimate.tables.cells import Column, pa
from testimate.tables.column_names import words_of
from testimate.tables.first_cells import FEWEST_ROWS
from testimate.tables.roles import Roles

YES, NO = frozenset({"true", "yes", "y", "1"}), frozenset({"false", "no", "n", "0"})
"""What says that a row is of the class after which a column is named, or is not."""


def with_classes_of_names(roles: Roles) -> Roles:
    """Return the roles with classes for yes and no in the one of two columns that is named after a class of the other."""
    label, prediction = roles.label, roles.prediction
    if label is None or prediction is None:
        return roles
    if (named := _named_after(prediction, label)) is not None:
        return replace(roles, prediction=named)
    if (named := _named_after(label, prediction)) is not None:
        return replace(roles, label=named)
    return roles


def _named_after(flags: Column, classes: Column) -> Column | None:
    """A column of yes and no in the two classes of the other one; None where its name is not one of these."""
    words: list[str] = flags.words.to_pylist()
    said = [word for word in words if folded(word) not in MARKS - NO - YES]
    two = _classes(classes)
    if len(two) != 2 or not {*map(folded, said)} <= YES | NO or {*map(folded, two)} <= YES | NO:
        return None
    named = [word for word in two if folded(word) in words_of(flags.name)]
    if len(named) != 1:
        return None
    [of] = named
    other = next(word for word in two if word != of)
    texts = [word if word not in said else of if folded(word) in YES else other for word in words]
    return Column(flags.name, pa.chunked_array([pa.array(texts, pa.large_string()).take(pa.array(flags.places))]))


def _classes(column: Column) -> Sequence[str]:
    return [word for word in column.words.to_pylist() if folded(word) not in MARKS]


def check_classes_are_shared(label: Column, prediction: Column, known: NDArray[np.bool_]) -> None:
    """BadInput where no word of the known labels is a class of the predictions; a single one may be another class."""
    if known.sum() < FEWEST_ROWS or (label.has_numbers and prediction.has_numbers):
        return
    places = np.unique(label.places[known])
    words = label.words.to_pylist()
    true, said = [words[place] for place in places.tolist()], prediction.words.to_pylist()
    if not {*map(folded, true)}.isdisjoint(map(folded, said)) or not 1 < len(said) <= MOST_CLASSES >= len(true) > 1:
        return
    raise BadInput(
        f"The labels in {label.name!r:.60} are {_some(true)}, the predictions in {prediction.name!r:.60} {_some(said)}. "
        "Expected the same classes in both. Write them alike, or leave the labels out: "
        f"--column {quote(f'ignore={label.name}')}."
    )


MOST_CLASSES = 1000
"""Classes beyond which a column may hold something else, of which others tell."""


def _some(words: Sequence[str]) -> str:
    """The first of these words, for people."""
    more = f" and {len(words) - 2} more" if len(words) > 2 else ""
    return f"{', '.join(repr(word)[:40] for word in words[:2])}{more}"
