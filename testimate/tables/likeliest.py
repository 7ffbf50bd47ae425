"""The class that a model found likeliest, of a list of classes with their scores or of two lists, classes and chances."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from testimate.core.spellings import bare
from testimate.tables.cells import Array, Cells
from testimate.tables.column_names import CONFIDENCES, OF_PREDICTIONS, PEOPLE, words_of
from testimate.tables.rules import PAIRED

CALLED_CLASSES = frozenset(
    {"label", "class", "classname", "classlabel", "category", "categoryname", "tag", "tagname", "intent"}
)
"""Names of the class among the fields of an entry."""

NAMES = frozenset({"name", "displayname", "description", "id"})
"""Further such names in a list that is called as predictions or classes are, or beside chances that are called so: other lists
name what they measure."""

LISTS = frozenset({"classes", "labels", "categories", "concepts", "tags", "classifications", "intents"})
"""Names of such lists besides those of predictions."""

SCORES = frozenset({"confidence", "p", "likelihood", *CONFIDENCES})
"""Names of the score of an entry."""

PARTS = frozenset(
    (
        *("start", "end", "offset", "span", "word", "text", "value", "content"),
        *("box", "bbox", "bounding", "mask", "polygon", "points", "xmin"),
    )
)
"""Words in the names of fields by which an entry is a part of the input."""

LIKELIEST = "\1"
"""What tells the columns of the likeliest entry from those of the first, until the table is made."""


def likeliest_class(field: str, entries: Sequence[Any]) -> Mapping[str, Any] | None:
    """Return the entry with the largest score of a list of classes with scores; None where it is no such list.

    ``field`` : the name of the list.

    >>> likeliest_class("output", [{"label": "cat", "score": 0.2}, {"label": "owl", "score": 0.8}])["label"]
    'owl'
    >>> likeliest_class("scores", [{"name": "fluency", "score": 0.2}, {"name": "style", "score": 0.8}])
    """
    if not all(isinstance(one, Mapping) for one in entries):
        return None
    filled = [{name: value for name, value in one.items() if isinstance(name, str)} for one in entries]
    fields = [{bare(name): name for name, value in one.items() if value is not None} for one in filled]
    shared = set(fields[0]).intersection(*fields)
    scores = shared & SCORES
    named = bare(field) in OF_PREDICTIONS | LISTS or not any("score" in name for name in scores)
    names = [name for name in fields[0] if name in shared & (CALLED_CLASSES | (NAMES if named else frozenset()))]
    if not names or len(scores) != 1 or any((PARTS | PEOPLE) & words_of(str(name)) for one in entries for name in one):
        return None
    [score] = scores
    values = [_number(one[known[score]]) for one, known in zip(entries, fields, strict=True)]
    classes = [str(one[known[names[0]]]) for one, known in zip(entries, fields, strict=True)]
    plain = not any(value and isinstance(value, Mapping | list | tuple) for one in entries for value in one.values())
    if not plain or len({*classes}) < len(classes) or any(math.isnan(value) for value in values):
        return None
    likeliest: Mapping[str, Any] = entries[values.index(max(values))]
    return likeliest


def _number(value: Any) -> float:
    """A number, perhaps as text; not a number for anything else."""
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan


def by_score(first: Cells, columns: Mapping[str, Array], found: Collection[str]) -> Cells:
    """Return a table with these columns, those ``found`` of the likeliest entries; before, it was the ``first``."""
    if not found:
        return first
    notes = (*first.notes, note_on({name.rpartition("[0]")[0] for name in found}))
    changes = (*first.changes, "lists by score")
    return replace(first, columns=columns, notes=notes, changes=changes, before=lambda: first, since=PAIRED)


def note_on(lists: Collection[str]) -> str:
    """Return the sentence on lists of classes with scores."""
    return f"Of the classes in {' and '.join(map(repr, sorted(lists)))!s:.120} the one with the largest score is read."


OF_CHANCES = frozenset({"scores", "confidences", "probabilities", "probs"})
OF_CLASSES = frozenset({"labels", "classes", "displaynames", "names", "categories", "ids"})
"""Names of a list of chances, and of the lists of classes beside it, in lower-case letters."""


def with_likeliest_class(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record with the likeliest class and its chance in place of the lists of all classes and their chances.

    >>> with_likeliest_class({"id": 7, "labels": ["cat", "owl"], "scores": [0.2, 0.8]})
    {'id': 7, 'labels': ['owl'], 'scores': [0.8]}
    """
    lists = [name for name, value in record.items() if isinstance(value, list)]
    chances = [name for name in lists if bare(name) in OF_CHANCES and are_chances(record[name])]
    if len(chances) != 1:
        return record
    values = record[chances[0]]
    classes = [name for name in lists if bare(name) in OF_CLASSES and _are_as_many_words(record[name], len(values))]
    if not classes:
        return record
    at = values.index(max(values))
    return {**record, **{name: [record[name][at]] for name in (*chances, *classes)}}


MOST_IN_ALL = 1.02
"""Sum of chances of which one class alone is right, rounded as they are."""


def are_chances(values: Any) -> bool:
    """Whether these may be the chances of several classes, of which one is right."""
    numbers = isinstance(values, list) and len(values) > 1 and all(isinstance(one, int | float) for one in values)
    return numbers and min(values) >= 0 and sum(values) <= MOST_IN_ALL


def _are_as_many_words(values: Any, count: int) -> bool:
    return isinstance(values, list) and len(values) == count and all(isinstance(one, str) for one in values)
