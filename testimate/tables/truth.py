"""The column of the truth beside the predictions: cells without a label, other spellings, and numbers that count from 1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import ReadingUnclear
from testimate.core.reading import AS_THEY_ARE, DIFFERENT, EXCHANGED, FROM_1, SAME, way_to_read
from testimate.core.spellings import MARKS, folded, look_alike, respelled, seen, unlike
from testimate.core.words import commas
from testimate.tables import limits
from testimate.tables.cells import Column, pa, pc
from testimate.tables.classes_of_names import check_classes_are_shared, check_sets_are_shared, with_classes_of_names
from testimate.tables.first_cells import FEWEST_ROWS, FirstCells, where_known
from testimate.tables.roles import Roles
from testimate.tasks.classification import form_of_sets, names_in_set

FIRST_ROWS = 1000
"""First rows that show in most tables that no classes are exchanged."""

FROM_1_CLEARLY = 0.1
"""By how much more of the labels are right where they count from 1, so that it is asked."""

BESIDE_CHANCE = 4.0
"""Standard errors beyond which classes seem exchanged."""


@dataclass(frozen=True, eq=False)
class ReadTruth:
    """The roles with the truth's column as it is read.

    ``known`` : (N,) the rows whose truth is known; None where all are, or none is. ``said`` : what was read, in a phrase;
    ``changes`` : the readings that changed cells, for the fingerprint.
    """

    roles: Roles
    known: NDArray[np.bool_] | None = None
    said: str = ""
    changes: tuple[str, ...] = ()


def read_truth(
    roles: Roles,
    read: Mapping[str, str],
    *,
    several: bool = False,
    alike: bool = True,
    mirrored: bool = True,
    shared: bool = True,
    sets_shared: bool = True,
    marked: bool = True,
) -> ReadTruth:
    """The truth's column in the spelling and numbering of the predictions, its unlabeled cells left out.

    ``read`` : the answers that were given, of "labels", "spelling" and "empty". ``several`` : whether cells are sets, of which
    an empty one is a label unless it was said to be skipped. ``alike`` : False for a table that was stored before letters of
    other alphabets were known. ``mirrored`` : False for one that was stored before exchanged classes were asked about.
    ``shared`` : False for one that was stored before labels were checked for the classes of the predictions,
    ``sets_shared`` before sets of labels were, ``marked`` before people's own marks of what is not labeled were known.

    Raises
    ------
    ReadingUnclear : labels that differ from the predictions in spelling alone, or by one in their numbering, classes that
        look alike, or that would be right more often exchanged. BadInput where labels and predictions share no class.
    """
    changes: list[str] = []
    if alike and (same := _in_one_spelling(roles, read.get("spelling", ""), several=several)) is not roles:
        roles = same
        changes.append("classes that look alike")
    label, prediction = roles.label, roles.prediction
    if shared and not several and (worded := with_classes_of_names(roles)) is not roles:
        roles = worded
        changes.append("yes and no are classes")
        label, prediction = roles.label, roles.prediction
    if label is not None and prediction is not None and several and sets_shared:
        check_sets_are_shared(label, prediction)
    if label is None or prediction is None or (several and read.get("empty") != "skipped"):
        return ReadTruth(roles, changes=tuple(changes))
    known = ~label.is_empty if several else _known(label, prediction, marked=marked)
    if not known.any():
        return ReadTruth(replace(roles, label=None), said="no label in any row", changes=(*changes, "no labels"))
    if not known.all():
        label = _filled(label, prediction, known)
        changes.append(f"labels of {known.sum()} rows")
    spelled = label if several else _respelled(label, prediction, read.get("spelling", ""), seen if alike else folded)
    if spelled is not label:
        label = spelled
        changes.append("labels respelled")
    if not several and _counts_from_1(label, prediction, known, read.get("labels", "")):
        label = Column(label.name, pa.chunked_array([pa.array((label.values - 1).astype(np.int64))]))
        changes.append("labels from 1")
    if shared and not several:
        check_classes_are_shared(label, prediction, known)
    if (
        mirrored
        and not several
        and (other := _exchanged(label, prediction, known, read.get("labels", ""))) is not label
    ):
        label = other
        changes.append("labels exchanged")
    said = "" if known.all() else f"known in {commas(int(known.sum()))} of {commas(len(known))} rows"
    return ReadTruth(replace(roles, label=label), None if known.all() else known, said, tuple(changes))


def graded_rows(roles: Roles) -> ReadTruth:
    """The roles of judged outputs with a grade in every row: some other where a row has none, which is left out later."""
    label = roles.label
    if label is None or not label.is_empty.any():
        return ReadTruth(roles)
    known = ~label.is_empty
    if not known.any():
        return ReadTruth(replace(roles, label=None), said="no grade in any row", changes=("no labels",))
    texts = label.texts.combine_chunks()
    filled = pc.if_else(pa.array(known), texts, texts[int(np.flatnonzero(known)[0])])
    said = f"known in {commas(int(known.sum()))} of {commas(len(known))} rows"
    changes = (f"labels of {known.sum()} rows",)
    return ReadTruth(replace(roles, label=Column(label.name, pa.chunked_array([filled]))), known, said, changes)


def _in_one_spelling(roles: Roles, read: str, *, several: bool) -> Roles:
    """The roles with classes that look alike spelled alike, where a person says that they are the same.

    ``read`` : the answer of "spelling". ``several`` : whether cells are sets. ReadingUnclear where nobody has said so.
    """
    given = {"prediction": roles.prediction, **({"label": roles.label} if several else {})}
    columns = {role: one for role, one in given.items() if one is not None and not one.has_numbers_alone}
    alike = look_alike(name for one in columns.values() for name in _names(one, several))
    if not alike or read == DIFFERENT:
        return roles
    if read != SAME:
        one, other = next(iter(alike.items()))
        name = next(iter(columns.values())).name
        raise ReadingUnclear(
            "Are these the same classes?",
            f"The column {name!r:.60} has {other!r:.40} and {one!r:.40}{unlike(one, other)}.",
            [
                way_to_read("spelling", SAME, "they are the same class"),
                way_to_read("spelling", DIFFERENT, "they are different classes"),
            ],
        )
    spelled = {role: _in_spelling(one, alike, several) for role, one in columns.items()}
    return replace(
        roles, prediction=spelled.get("prediction", roles.prediction), label=spelled.get("label", roles.label)
    )


def _names(column: Column, several: bool) -> list[str]:
    """The names in the cells of a column; none of more cells than a table may have classes."""
    if len(column.words) > limits.MAX_CLASSES:
        return []
    words: list[str] = column.words.to_pylist()
    form = form_of_sets(words) if several else None
    return words if form is None else [name for word in words for name in names_in_set(word, form.form)]


def _in_spelling(column: Column, alike: Mapping[str, str], several: bool) -> Column:
    """The column with these names in place of those that look like them."""

    def spelled(word: str) -> str:
        if not several:
            return alike.get(word, word)
        for one, other in alike.items():
            word = word.replace(one, other)
        return word

    texts = pa.array([spelled(word) for word in column.words.to_pylist()], pa.large_string())
    return Column(column.name, pa.chunked_array([texts.take(pa.array(column.places))]))


def _known(label: Column, prediction: Column, *, marked: bool) -> NDArray[np.bool_]:
    """Which cells hold a label, (N,): those that are no mark, or are a class that is predicted.

    ``marked`` : whether people's own marks, such as TBD, are some, too.
    """
    if marked:
        return where_known(FirstCells("", label.texts), FirstCells("", prediction.texts))
    if prediction.is_numeric and not prediction.is_whole:
        empty: NDArray[np.bool_] = ~(label.is_empty | label.is_not_finite)
        return empty
    words = label.words.to_pylist()
    predicted = {folded(word) for word in prediction.words.to_pylist()}
    marks = {word for word in words if word == "" or (folded(word) in MARKS and folded(word) not in predicted)}
    if label.has_numbers and bool((label.values[label.is_number] < -1).any()):
        marks = {word for word in marks if folded(word) != folded("-1")}  # a number among others below 0
    if not marks:
        return np.ones(len(label.places), dtype=np.bool_)
    is_label = np.array([word not in marks for word in words], dtype=np.bool_)
    found: NDArray[np.bool_] = is_label[label.places]
    return found


def _filled(label: Column, prediction: Column, known: NDArray[np.bool_]) -> Column:
    """The label with the prediction in the cells that hold none, so that it can be read; these rows are left out later."""
    texts = pc.if_else(pa.array(known), label.texts.combine_chunks(), prediction.texts.combine_chunks())
    return Column(label.name, pa.chunked_array([texts]))


def _respelled(label: Column, prediction: Column, read: str, key: Callable[[str], str]) -> Column:
    """The label in the spelling of the predictions, where a person says that they are the same classes."""
    if prediction.is_numeric and label.is_numeric:
        return label
    found = respelled(label.words.to_pylist(), prediction.words.to_pylist(), key)
    if not found or read == DIFFERENT:
        return label
    if read != SAME:
        one, other = next(iter(found.items()))
        raise ReadingUnclear(
            "Are these the same classes?",
            f"The column {label.name!r:.60} spells {commas(len(found))} of its classes otherwise than {prediction.name!r:.60}, "
            f"such as {one!r:.40} and {other!r:.40}{unlike(one, other)}.",
            [
                way_to_read("spelling", SAME, f"{one} is {other}"),
                way_to_read("spelling", DIFFERENT, "they are different classes"),
            ],
        )
    words = [found.get(word, word) for word in label.words.to_pylist()]
    texts = pa.array(words, pa.large_string()).take(pa.array(label.places))
    return Column(label.name, pa.chunked_array([texts]))


def _counts_from_1(label: Column, prediction: Column, known: NDArray[np.bool_], read: str) -> bool:
    """Whether the labels count from 1 and the predictions from 0; ReadingUnclear where that seems so."""
    both = (label, prediction)
    if read == AS_THEY_ARE or not all(one.has_numbers_alone and one.is_whole for one in both):
        return False
    if read == FROM_1:
        return True
    labels, predicted = label.values[known], prediction.values
    if len(labels) < FEWEST_ROWS or predicted.min() != 0 or labels.min() < 1 or labels.max() != predicted.max() + 1:
        return False
    if labels.max() == 1:
        return False  # the second of two classes, which was never predicted
    as_they_are, from_1 = (float((labels - less == predicted[known]).mean()) for less in (0, 1))
    if from_1 <= as_they_are + FROM_1_CLEARLY:
        return False
    raise ReadingUnclear(
        "Do the labels count from 1?",
        f"In {label.name!r:.60} the labels go from 1 to {labels.max():g}, the predictions from 0 to {predicted.max():g}. "
        f"One less, {from_1:.0%} of them are the prediction, as they are {as_they_are:.0%}.",
        [
            way_to_read("labels", FROM_1, "labels count from 1, predictions from 0"),
            way_to_read("labels", AS_THEY_ARE, "both count alike"),
        ],
    )


def _exchanged(label: Column, prediction: Column, known: NDArray[np.bool_], read: str) -> Column:
    """The label with its classes exchanged, where a person says so; ReadingUnclear where that seems to be meant.

    Two classes seem exchanged where they would be right more often then, by more than chance; more of them where each label
    stands beside one other class in every row.
    """
    words, classes = label.words.to_pylist(), prediction.words.to_pylist()
    if read in (AS_THEY_ARE, FROM_1) or len(classes) > limits.MAX_CLASSES or {*words} != {*classes} or len(words) < 2:
        return label
    place = {word: number for number, word in enumerate(words)}
    said = np.array([place[word] for word in classes], dtype=np.intp)[prediction.places]
    other = _other_classes(label.places[known], said[known], len(words))
    if other is None or known.sum() < FEWEST_ROWS:
        return label
    if read != EXCHANGED:
        right = float((label.places[known] == said[known]).mean())
        then = float((other[label.places[known]] == said[known]).mean())
        raise ReadingUnclear(
            "Are the classes exchanged?",
            f"The labels in {label.name!r:.60} are the predictions in {right:.0%} of the rows. With {words[0]!r:.40} for "
            f"{words[other[0]]!r:.40} they are in {then:.0%}.",
            [
                way_to_read("labels", EXCHANGED, "labels and predictions name the classes otherwise"),
                way_to_read("labels", AS_THEY_ARE, "the model is mostly wrong"),
            ],
        )
    texts = pa.array([words[number] for number in other.tolist()], pa.large_string()).take(pa.array(label.places))
    return Column(label.name, pa.chunked_array([texts]))


def _other_classes(true: NDArray[np.intp], said: NDArray[np.intp], count: int) -> NDArray[np.intp] | None:
    """The class for which each true one seems to stand, (C,); None where they seem to be what they are called."""
    if count == 2:
        seems = 2 * int((true != said).sum()) - len(true) > BESIDE_CHANCE * np.sqrt(len(true))
        return np.array([1, 0]) if seems else None
    for rows in (slice(0, FIRST_ROWS), slice(None)):  # most tables show in a few rows that they are no exchange
        pairs = np.unique(true[rows].astype(np.int64) * count + said[rows])
        one, other = np.divmod(pairs, count)
        if len({*one.tolist()}) < len(pairs) or len({*other.tolist()}) < len(pairs) or (one == other).all():
            return None
    return other if len(other) == count else None
