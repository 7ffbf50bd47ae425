"""Cells as single programs write them: chances behind one name, labels and chances in one line, and lists of both."""

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from testimate.core.spellings import bare
from testimate.tables.cells import Array, Cells, Column, pa
from testimate.tables.column_names import CONFIDENCES
from testimate.tables.first_cells import FEWEST_ROWS
from testimate.tables.likeliest import CALLED_CLASSES, OF_CHANCES, OF_CLASSES, are_chances
from testimate.tables.parquet import ParquetColumns, is_text, pieces_of

OF_WEKA = ("inst#", "actual", "predicted", "error")
"""The first columns of WEKA's predictions as CSV."""

DISTRIBUTION = "distribution"
"""What WEKA's option -distribution calls the first of the columns of chances; the others have no name."""

UNKNOWN = re.compile(r"[0-9]+:\?")
"""What WEKA writes for a class that it does not know."""

STARRED = re.compile(r"(\*?)([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)")
"""A chance, with a star where it is that of the predicted class."""

BEFORE_LABEL = "__label__"
"""What fastText sets before a label."""

LABELED = re.compile(r"__label__(\S+)(?:\s+([0-9.]+(?:[eE][-+]?[0-9]+)?))?(?:\s+__label__\S+\s+[0-9.eE+-]+)*")
"""A line of fastText's predictions: labels with their chances, the likeliest first, or a label alone."""

MOST_IN_LIST = 10_000
"""Most characters of a list."""

LOOKED_AT = 100
"""First rows that show in most tables that a column holds something else."""


def names_of_distribution(names: Sequence[str]) -> list[str]:
    """Return the names of a header with numbered ones for the second and further columns of WEKA's distribution.

    >>> names_of_distribution(["predicted", "distribution", "", "", "age"])
    ['predicted', 'distribution', '', 'distribution 3', 'age']
    """
    found, place = [*names], 0
    for at, name in enumerate(names):
        place = 1 if name == DISTRIBUTION else place + 1 if place and not name else 0
        if place > 2:
            found[at] = f"{DISTRIBUTION} {place}"
    return found


def with_known_classes(cells: Cells) -> Cells:
    """Return WEKA's table without the marks of unknown classes, and with a column for the chance of each class."""
    if isinstance(cells.columns, ParquetColumns) or not {*OF_WEKA} <= {*cells.columns}:
        return cells
    actual = Column("actual", cells.columns["actual"])
    marks = [word for word in actual.words.to_pylist() if UNKNOWN.fullmatch(word)]
    if marks:
        texts = pa.array(["" if word in marks else word for word in actual.words.to_pylist()], pa.large_string())
        column = pa.chunked_array([texts.take(pa.array(actual.places))])
        cells = replace(
            cells, columns={**cells.columns, "actual": column}, changes=(*cells.changes, "unknown classes of WEKA")
        )
    return _with_distribution(cells)


def _with_distribution(cells: Cells) -> Cells:
    """Return a table with a column p_<class> for each column of WEKA's distribution; as it is where none is starred."""
    names = [*cells.columns]
    if DISTRIBUTION not in names:
        return cells
    first = names.index(DISTRIBUTION)
    last = next(
        (at for at in range(first + 1, len(names)) if names[at] and not names[at].startswith(f"{DISTRIBUTION} ")),
        len(names),
    )
    held = names[first:last]
    texts = [[str(text or "").strip() for text in cells.columns[name].to_pylist()] for name in held]
    found = [[STARRED.fullmatch(text) for text in column] for column in texts]
    if len(held) < 2 or any(match is None for column in found for match in column):
        return cells
    stars = np.array([[bool(match and match[1]) for match in column] for column in found])
    if (stars.sum(axis=0) != 1).any():
        return cells
    predicted = [str(word) for word in cells.columns["predicted"].to_pylist()]
    actual = [str(word) for word in cells.columns["actual"].to_pylist()]
    words = [{word for word, star in zip(predicted, row, strict=True) if star} for row in stars]
    if any(len(word) > 1 for word in words):
        return cells
    numbered = {word.partition(":")[0]: word for word in (*actual, *predicted) if word}
    classes = [next(iter(word), numbered.get(str(place), str(place))) for place, word in enumerate(words, 1)]
    chances = {
        f"p_{word}": pa.chunked_array([pa.array([float(match[2]) for match in column if match])])
        for word, column in zip(classes, found, strict=True)
    }
    if len(chances) < len(held):
        return cells
    rest = {name: column for name, column in cells.columns.items() if name not in held}
    note = f"The {len(held)} columns from {DISTRIBUTION!r} on are the chances of the classes, as WEKA writes them."
    return replace(
        cells, columns={**rest, **chances}, notes=(*cells.notes, note), changes=(*cells.changes, "WEKA's distribution")
    )


def with_labels_of_lines(cells: Cells) -> Cells:
    """Return the lines of fastText's predictions as two columns, the likeliest label and its chance; other tables unchanged."""
    if cells.written is None or len(cells.columns) != 1 or not next(iter(cells.columns)).startswith(BEFORE_LABEL):
        return cells
    [(name, column)] = cells.columns.items()
    lines = [name, *(str(text or "").strip() for text in column.to_pylist())]
    found = [LABELED.fullmatch(line) for line in lines]
    labels = [match[1] for match in found if match]
    chances = [match[2] for match in found if match and match[2]]
    if len(labels) < len(lines) or len(chances) not in (0, len(lines)):
        return cells
    columns: dict[str, Array] = {"prediction": pa.chunked_array([pa.array(labels, pa.large_string())])}
    if chances:  # fastText's are up to 1.00001
        columns["confidence"] = pa.chunked_array([pa.array([min(float(chance), 1.0) for chance in chances])])
    return replace(
        cells,
        columns=columns,
        size=len(lines),
        notes=(*cells.notes, f"Each line is a label of fastText, read without {BEFORE_LABEL!r}, and its chance."),
        changes=(*cells.changes, "labels of fastText"),
    )


def with_likeliest_of_lists(cells: Cells) -> Cells:
    """Return a table with the likeliest class and its chance where one column lists classes, and another their chances."""
    if isinstance(cells.columns, ParquetColumns) or cells.size < FEWEST_ROWS:
        return cells
    lists = {name: found for name in cells.columns if _has_role(name) and (found := _lists(cells, name)) is not None}
    chances = [
        name for name in lists if bare(name) in {*OF_CHANCES, *CONFIDENCES} and all(map(are_chances, lists[name]))
    ]
    if len(chances) != 1:
        return cells
    shares = lists.pop(chances[0])
    lengths = [*map(len, shares)]
    classes = [name for name in lists if name not in chances and [*map(len, lists[name])] == lengths]
    if not classes:
        return cells
    places = [one.index(max(one)) for one in shares]
    columns: dict[str, Any] = dict(cells.columns)
    for name in classes:
        words = [str(one[place]) for one, place in zip(lists[name], places, strict=True)]
        columns[name] = pa.chunked_array([pa.array(words, pa.large_string())])
    columns[chances[0]] = pa.chunked_array([pa.array([float(max(one)) for one in shares])])
    note = f"Of the classes listed in {classes[0]!r:.60} the one with the largest chance in {chances[0]!r:.60} is read."
    return replace(
        cells, columns=columns, notes=(*cells.notes, note), changes=(*cells.changes, "likeliest of listed classes")
    )


def _has_role(name: str) -> bool:
    return bare(name) in {*OF_CHANCES, *CONFIDENCES, *OF_CLASSES, *CALLED_CLASSES}


def _lists(cells: Cells, name: str) -> list[list[Any]] | None:
    """The lists of two or more in the cells of a column, as Python, JSON or NumPy write them; None where a cell is none."""
    first = next(pieces_of(cells.columns, name)).slice(0, LOOKED_AT)
    if not is_text(first.type) or not all(str(text or "").startswith("[") for text in first.to_pylist()):
        return None
    found = []
    for text in cells.columns[name].to_pylist():
        plain = re.sub(r"(?<=['\"\d.])\s+(?=[-+'\"\d.])", ", ", str(text or "").strip())
        try:
            one = ast.literal_eval(plain) if len(plain) <= MOST_IN_LIST else None
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
        if not isinstance(one, list) or len(one) < 2 or any(isinstance(value, list | dict | tuple) for value in one):
            return None
        found.append(one)
    return found
