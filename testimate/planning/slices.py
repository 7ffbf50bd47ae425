"""Slices of a set by what is known of every input: columns of a table, crossed with each other, and predicted classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.task import Task
from testimate.core.words import spaced
from testimate.estimators.parts import ClassScores, class_scores, slice_estimates
from testimate.estimators.weights import PartEstimate
from testimate.tasks.boxes import Boxes
from testimate.tasks.classification import Classification

MOST_VALUES = 1000
"""Most different values of a column of words, and most slices of crossed columns."""

FEW_NUMBERS = 20
"""Up to this many different numbers are values of their own; more of them are cut into bands."""

BANDS = 4
EMPTY = "(empty)"
MANY = "Of many 95 % intervals one in twenty misses, and a slice picked as the lowest looks worse than it is."


@dataclass(frozen=True, eq=False)
class Grouping:
    """Every input's slice: ``groups`` (N,) places in ``values``, the names of the slices."""

    column: str
    values: tuple[str, ...]
    groups: NDArray[np.intp]


@dataclass(frozen=True)
class Slice:
    """What the labels say about the inputs with ``value`` in ``column``: ``size`` of all N inputs."""

    column: str
    value: str
    size: int
    estimate: PartEstimate

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; numbers are null where ``why`` says what is missing."""
        found = self.estimate
        return {
            "column": self.column,
            "value": self.value,
            "size": self.size,
            "labeled": found.labeled,
            "accuracy": found.value,
            "low": found.low,
            "high": found.high,
            "why": found.why,
        }


def grouping_of_words(column: str, words: Sequence[str]) -> Grouping:
    """A slice for each word, in the order of the alphabet, the empty ones together.

    BadInput where there are more than ``MOST_VALUES``.

    >>> made = grouping_of_words("light", ["night", "day", "", "night"])
    >>> made.values, made.groups.tolist()
    (('(empty)', 'day', 'night'), [2, 1, 0, 2])
    """
    stripped = [
        word.strip() or EMPTY for word in words
    ]  # not in an array, where each word takes the room of the longest
    found = sorted(set(stripped))
    _check_count(column, len(found))
    places = {word: place for place, word in enumerate(found)}
    return Grouping(column, tuple(found), np.array([places[word] for word in stripped], dtype=np.intp))


def grouping_of_numbers(column: str, numbers: NDArray[np.float64]) -> Grouping:
    """A slice for each of a few numbers (N,), else bands with about as many inputs in each; nan and infinite ones together.

    >>> grouping_of_numbers("age", np.array([1.0, 2.0, np.nan, 1.0])).values
    ('1', '2', '(empty)')
    >>> grouping_of_numbers("age", np.arange(100.0)).values
    ('0 to 24', '25 to 49', '50 to 74', '75 to 99')
    >>> grouping_of_numbers("age", np.array([*np.arange(60.0), *[60.0] * 20])).values
    ('0 to 19', '20 to 39', '40 to 59', '60')
    """
    finite = np.isfinite(numbers)
    different = np.unique(numbers[finite])
    if len(different) <= FEW_NUMBERS:
        values = [f"{one:.6g}" for one in different.tolist()]
        groups = np.searchsorted(different, np.where(finite, numbers, 0.0)).astype(np.intp)
        if len(set(values)) < len(values):
            values = [repr(one) for one in different.tolist()]
    else:
        cuts = np.unique(np.quantile(numbers[finite], np.arange(1, BANDS) / BANDS))
        groups = np.searchsorted(cuts, np.where(finite, numbers, 0.0), side="left").astype(np.intp)
        inside = [numbers[finite & (groups == place)] for place in range(len(cuts) + 1)]
        kept = [place for place, of in enumerate(inside) if of.size]
        values = [_band(inside[place]) for place in kept]
        groups = np.searchsorted(kept, groups).astype(np.intp)
    if not finite.all():
        groups[~finite] = len(values)
        values = [*values, EMPTY]
    return Grouping(column, tuple(values), groups)


def _band(numbers: NDArray[np.float64]) -> str:
    """From its least to its greatest number; of one number alone, that."""
    least, greatest = f"{numbers.min():.6g}", f"{numbers.max():.6g}"
    return least if least == greatest else f"{least} to {greatest}"


def grouping(column: str, values: Sequence[Any] | NDArray[Any], size: int) -> Grouping:
    """The slices by N values of any kind, numbers or what can be written; BadInput where there are not ``size`` of them.

    >>> grouping("light", ["night", None, "day"], 3).values
    ('(empty)', 'day', 'night')
    """
    check_size(column, len(values), size)
    array = np.asarray(values)
    if array.dtype.kind in "iuf":
        return grouping_of_numbers(column, array.astype(np.float64))
    return grouping_of_words(column, ["" if one is None or one != one else str(one) for one in values])


def check_size(column: str, count: int, size: int) -> None:
    """BadInput where a column has not one value for each of N = ``size`` inputs."""
    if count != size:
        raise BadInput(
            f"Column {column!r:.60} has {spaced(count)} values; expected one for each of the {spaced(size)} inputs. "
            "Pass the column of the table that the plan was made from."
        )


def crossed(first: Grouping, second: Grouping) -> Grouping:
    """The pairs of values that occur.

    >>> light = grouping_of_words("light", ["night", "day", "night"])
    >>> crossed(light, grouping_of_words("road", ["wet", "wet", "dry"])).values
    ('day, wet', 'night, dry', 'night, wet')
    """
    column = f"{first.column}, {second.column}"
    pairs, groups = np.unique(first.groups * len(second.values) + second.groups, return_inverse=True)
    _check_count(column, len(pairs))
    values = tuple(
        f"{first.values[pair // len(second.values)]}, {second.values[pair % len(second.values)]}"
        for pair in pairs.tolist()
    )
    return Grouping(column, values, groups.astype(np.intp))


def slices_of(
    groupings: Sequence[Grouping],
    design: Design,
    verdicts: Sequence[Verdict],
    *,
    technique: str,
    level: float = 0.95,
    simultaneous: bool = False,
    loss_bound: float | None = 1.0,
) -> tuple[Slice, ...]:
    """The slices of all groupings, in their order.

    ``simultaneous`` : the intervals of all slices shown hold together with chance ``level`` (Bonferroni).
    A technique that claims no honest interval has counts alone.
    """
    if not groupings:
        return ()
    why = why_counts_only(technique)

    def found(at: float) -> list[Slice]:
        made = []
        for one in groupings:
            sizes = np.bincount(one.groups, minlength=len(one.values)).tolist()
            parts = slice_estimates(design, verdicts, one.groups, len(one.values), level=at, loss_bound=loss_bound)
            made += [
                Slice(one.column, value, size, PartEstimate(part.labeled, why=why) if why else part)
                for value, size, part in zip(one.values, sizes, parts, strict=True)
            ]
        return made

    alone = found(level)
    shown = sum(one.estimate.low is not None for one in alone)
    return tuple(found(1 - (1 - level) / shown)) if simultaneous and shown > 1 else tuple(alone)


def scores_of_classes(
    task: Task,
    predictions: NDArray[Any],
    design: Design,
    verdicts: Sequence[Verdict],
    answers: Mapping[int, Any],
    *,
    technique: str,
    level: float = 0.95,
    simultaneous: bool = False,
) -> ClassScores:
    """Precision, recall, F1 and the confusion of all inputs.

    ``answers`` : row -> place of the true class, of every row with a loss. BadInput where an input does not have one class,
    or where somebody said that a prediction is wrong and not what is right.
    """
    if isinstance(task, Boxes):
        raise BadInput("Precision and recall of boxes are in the result itself, class by class. Leave --classes out.")
    if not isinstance(task, Classification) or predictions.ndim != 1:
        raise BadInput(
            "Precision and recall need one class for each input; here an input has none, several or a number. "
            "Leave --classes out."
        )
    why = why_counts_only(technique)
    if why:
        raise BadInput(f"There are no scores of classes: {why}. Leave --classes out, or select with another technique.")
    said = predictions[[one.draw.row for one in verdicts]].astype(np.intp)
    unknown = next((one.draw.row for one in verdicts if one.loss is not None and one.draw.row not in answers), None)
    if unknown is not None:
        raise BadInput(
            f"Of row {unknown} it is known whether it failed, not its class; recall needs the true class of every label. Give "
            "votes with the column label."
        )
    true = np.array([0 if one.loss is None else answers[one.draw.row] for one in verdicts], dtype=np.intp)
    return class_scores(design, verdicts, said, true, len(task.classes), level=level, simultaneous=simultaneous)


def classes_to_json(scores: ClassScores, classes: Sequence[str]) -> dict[str, Any]:
    """``classes``, ``macro``, ``micro`` and ``confusion`` as plain JSON values."""

    def of(part: PartEstimate) -> dict[str, Any]:
        return {
            "value": part.value,
            "low": part.low,
            "high": part.high,
            "labeled": part.labeled,
            "why": part.why,
        }

    def score(one: Any) -> dict[str, Any]:
        return {"precision": of(one.precision), "recall": of(one.recall), "f1": of(one.f1)}

    return {
        "classes": [{"class": name, **score(one)} for name, one in zip(classes, scores.classes, strict=True)],
        "macro": score(scores.macro),
        "micro": score(scores.micro),
        "confusion": [
            {
                "true": classes[cell.true],
                "predicted": classes[cell.predicted],
                "share": cell.share.value,
                "low": cell.share.low,
                "high": cell.share.high,
            }
            for cell in scores.confusion
        ],
    }


def _check_count(column: str, count: int) -> None:
    if count > MOST_VALUES:
        raise BadInput(
            f"Column {column!r:.60} has {spaced(count)} different values; expected at most {spaced(MOST_VALUES)}, or numbers. "
            "Name a column that groups the inputs."
        )


def why_counts_only(technique: str) -> str:
    """Why there is no interval; empty where there is one."""
    from testimate.selectors import SELECTORS

    if technique not in SELECTORS or SELECTORS[technique].claims.honest_interval:
        return ""
    return f"{technique} has no honest interval at a fixed size"
