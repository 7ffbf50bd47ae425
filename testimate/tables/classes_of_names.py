"""Classes that are named beside the cells: yes and no of a column whose name is a class of the other one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.spellings import MARKS, folded
from testimate.tables import limits
from testimate.tables.cells import Cells, Column, pa
from testimate.tables.column_names import words_of
from testimate.tables.first_cells import FEWEST_ROWS
from testimate.tables.roles import Roles
from testimate.tasks.classification import form_of_sets, names_in_set

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


def with_numbered_labels(roles: Roles, cells: Cells) -> tuple[Roles, str]:
    """Return the roles with labels that number the classes in words, by a column that tells which number is which class, and
    that column's name; as they are, and "", where none does.

    It numbers the predictions one to one, or names the labels one to one and holds predicted classes.
    """
    label, prediction = roles.label, roles.prediction
    if label is None or prediction is None or prediction.has_numbers or not (label.has_numbers and label.is_whole):
        return roles, ""
    known = label.is_number & (label.values >= 0)
    if (
        not (known | label.is_empty | (label.values == -1)).all()
        or max(map(_count, (label, prediction))) > MOST_CLASSES
    ):
        return roles, ""
    for name in [*cells.columns][:MOST_LOOKED_AT]:
        words = (
            None if name in (label.name, prediction.name) else _words_by_number(cells, name, label, prediction, known)
        )
        if words is not None and {*np.unique(label.values[known]).tolist()} <= {*words}:
            texts = [words[number] if one else "" for number, one in zip(label.values.tolist(), known, strict=True)]
            column = Column(label.name, pa.chunked_array([pa.array(texts, pa.large_string())]))
            return replace(roles, label=column), name
    return roles, ""


MOST_LOOKED_AT = 1000
"""Columns that are looked at."""


def _count(column: Column) -> int:
    return len(column.words)


def _words_by_number(
    cells: Cells, name: str, label: Column, prediction: Column, known: NDArray[np.bool_]
) -> dict[float, str] | None:
    """The class of each number by a column that goes with the predictions or with the labels one to one."""
    one = Column(name, cells.columns[name])
    if _count(one) > MOST_CLASSES or (one.has_numbers and not one.has_numbers_alone):
        return None
    numbers, words, rows = (one, prediction, one.is_number) if one.has_numbers_alone else (label, one, known)
    places, values = words.places[rows], numbers.values[rows]
    found = np.unique(np.stack([values, places]), axis=1)
    if found.shape[1] < 2 or any(len(np.unique(side)) < found.shape[1] for side in found):
        return None
    names = [word.strip() for word in words.words.to_pylist()]
    if words is one and {*map(folded, names)}.isdisjoint(map(folded, prediction.words.to_pylist())):
        return None
    return {number: names[int(place)] for number, place in found.T.tolist()}


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


def check_sets_are_shared(label: Column, prediction: Column) -> None:
    """BadInput where hardly a row's label names a class of any predicted set, and hardly a label recurs."""
    if len(label.words) > MOST_CLASSES or len(prediction.words) > limits.MAX_CLASSES:
        return
    cells = [[word for word in one.words.to_pylist() if word.strip()] for one in (label, prediction)]
    of_labels, of_predictions = map(form_of_sets, cells)
    form, other = of_labels or of_predictions, of_predictions or of_labels
    if form is None or other is None:
        return
    true, said = (
        [names_in_set(cell, one.form) for cell in some] for some, one in zip(cells, (form, other), strict=True)
    )
    classes = {folded(name) for names in said for name in names}
    named = {cell for cell, names in zip(cells[0], true, strict=True) if classes & {*map(folded, names)}}
    rows = Counter(cell for cell in label.texts.to_pylist() if cell and cell.strip())
    known, shared = sum(rows.values()), sum(rows[cell] for cell in named)
    if known < FEWEST_ROWS or len(classes) < 2 or len(rows) < 2 or shared > BY_CHANCE * known:
        return
    if shared and 2 * len(rows) <= known:
        return  # classes that the model hardly ever predicts
    raise BadInput(
        f"The labels in {label.name!r:.60} are {_some([cell for cell in cells[0] if cell not in named])}, and the sets in "
        f"{prediction.name!r:.60} name {_some(sorted(classes))}. Expected the same classes in both. Write them alike, or "
        f"leave the labels out: --column {quote(f'ignore={label.name}')}."
    )


BY_CHANCE = 0.05
"""Share of rows in which a label that is something else may be spelled as a predicted class is."""

MOST_CLASSES = 1000
"""Classes beyond which a column may hold something else, of which others tell."""


def _some(words: Sequence[str]) -> str:
    """The first of these words, for people."""
    more = f" and {len(words) - 2} more" if len(words) > 2 else ""
    return f"{', '.join(repr(word)[:40] for word in words[:2])}{more}"
