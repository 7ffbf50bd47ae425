"""Parts of a set by what is known of every input without a label: columns, traits, predicted classes, and labels for each."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.class_index import UNKNOWN
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.spellings import counted_names, folded
from testimate.core.task import Task
from testimate.core.words import commas, has_or_have, points
from testimate.estimators.expected_width import part_half_width
from testimate.estimators.labels_needed import check_half_width, labels_needed
from testimate.estimators.parts import ClassScores, LookedAt, class_scores, slice_estimates
from testimate.estimators.weights import FEWEST, PartEstimate
from testimate.selectors.base import ShuffledStrata
from testimate.selectors.following import EachPart
from testimate.structure.strata import interleave
from testimate.tasks.classification import Classification

MOST_VALUES = 1000
"""Most different values of a column of words, and most slices of crossed columns."""

FEW_NUMBERS = 20
"""Up to this many different numbers are values of their own; more of them are cut into bands."""

BANDS = 4
EMPTY = "(empty)"
MANY = (
    "Expect about 1 in 20 of these 95% intervals to miss. A group picked as the lowest looks worse than it is, and its "
    "interval allows for that."
)


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
            f"Column {column!r:.60} has {commas(count)} values. Expected one for each of the {commas(size)} inputs. "
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


@dataclass(frozen=True, eq=False)
class PartLabels:
    """The labels that parts of the set are judged by, and what intervals depend on besides.

    Attributes
    ----------
    technique : that drew them. loss_bound : the greatest loss there is; None where there is none.
    """

    design: Design
    verdicts: Sequence[Verdict]
    technique: str
    level: float = 0.95
    loss_bound: float | None = 1.0


def slices_of(groupings: Sequence[Grouping], labels: PartLabels, *, simultaneous: bool = False) -> tuple[Slice, ...]:
    """The slices of all groupings, in their order.

    ``simultaneous`` : the intervals of all slices shown hold together with the chance of one (Bonferroni). Else each holds by
    itself, and that of the lowest one of a grouping allows for being picked.
    A technique that claims no honest interval has counts alone.
    """
    if not groupings:
        return ()
    why, level = why_counts_only(labels.technique), labels.level

    def found(at: float, looked_at: LookedAt) -> list[Slice]:
        made = []
        for one in groupings:
            sizes = np.bincount(one.groups, minlength=len(one.values)).tolist()
            parts = slice_estimates(
                labels.design,
                labels.verdicts,
                one.groups,
                len(one.values),
                level=at,
                looked_at=looked_at,
                loss_bound=labels.loss_bound,
            )
            made += [
                Slice(one.column, value, size, PartEstimate(part.labeled, why=why) if why else part)
                for value, size, part in zip(one.values, sizes, parts, strict=True)
            ]
        return made

    alone = found(level, "one" if simultaneous else "lowest")
    shown = sum(one.estimate.low is not None for one in alone)
    return tuple(found(1 - (1 - level) / shown, "all")) if simultaneous and shown > 1 else tuple(alone)


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

    ``answers`` : row -> place of the true class, UNKNOWN where it is none of them, of every row with a loss. BadInput where an
    input does not have one class, or where somebody said that a prediction is wrong and not what is right.
    """
    if task.boxed:
        raise BadInput("Precision and recall of boxes are in the result itself, class by class. Leave --classes out.")
    if not task.one_class or predictions.ndim != 1:
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


def true_class(place: int, classes: Sequence[str]) -> str:
    """The name of the true class; of UNKNOWN what all labels outside the classes are called, never the name of a class.

    >>> true_class(0, ["cat"]), true_class(UNKNOWN, ["cat"]), true_class(UNKNOWN, ["none of these"])
    ('cat', 'none of these', 'none of the classes')
    """
    return classes[place] if place != UNKNOWN else Classification(tuple(classes)).outside


MOST_NAMED = 6
"""Names outside the classes that a row of a table tells."""


def outside_row(called: str, names: Sequence[str]) -> str:
    """The name of the row of labels that are none of the classes: how many they are, and the names given, "" of others.

    >>> outside_row("none of these", ["fox", "", "owl", "Fox"]), outside_row("none of these", [""])
    ('none of these: 4, fox 2, owl 1', 'none of these: 1')
    """
    found = counted_names(name for name in names if name and folded(name) != folded(called))
    listed = [f"{name:.40} {commas(count)}" for name, count in found[:MOST_NAMED]]
    more = [f"{commas(len(found) - MOST_NAMED)} more names"] if len(found) > MOST_NAMED else []
    return f"{called}: {', '.join([commas(len(names)), *listed, *more])}"


def with_outside(classes: Sequence[str], places: Sequence[Any], row: str = "") -> tuple[tuple[str, ...], list[int]]:
    """The classes, behind them one row for what is none of them if there is any, and the place of each in these.

    ``row`` : what that is called, if otherwise than ``true_class`` does.

    >>> with_outside(["cat", "dog"], [1, UNKNOWN]), with_outside(["cat", "dog"], [1])
    ((('cat', 'dog', 'none of these'), [1, 2]), (('cat', 'dog'), [1]))
    """
    if UNKNOWN not in places:
        return tuple(classes), list(places)
    rows = (*classes, row or true_class(UNKNOWN, classes))
    return rows, [len(classes) if place == UNKNOWN else place for place in places]


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
                "true": true_class(cell.true, classes),
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
            f"Column {column!r:.60} has {commas(count)} different values. Expected at most {commas(MOST_VALUES)}, or numbers. "
            "Name a column that groups the inputs."
        )


def why_counts_only(technique: str) -> str:
    """Why there is no interval; empty where there is one."""
    from testimate.selectors import SELECTORS

    if technique not in SELECTORS or SELECTORS[technique].claims.honest_interval:
        return ""
    return f"{technique} has no honest interval at a fixed size"


LOW_SHARES = (0.1, 0.15, 0.2, 0.25, 1 / 3, 0.5)
"""Of the inputs in order of a number: where "up to" may cut, and "from" as far from the other end."""

MOST_OF_A_COLUMN = 60
"""Values of a column that are looked at, those with the most inputs."""

ENDS = {
    "brightness": ("dark", "bright"),
    "contrast": ("low-contrast", "high-contrast"),
    "sharpness": ("blurred", "sharp"),
    "pixels": ("small", "large"),
    "words": ("short", "long"),
    "seconds": ("short", "long"),
    "loudness": ("quiet", "loud"),
}
"""What simple descriptions are called at their low and their high end."""


@dataclass(frozen=True, eq=False)
class Trait:
    """What some of N inputs have in common.

    Attributes
    ----------
    column : what it is a value of; two traits of one column are never joined.
    words : an adjective where ``place`` is "before" the noun, else what follows it; untrusted text.
    note : the exact bounds of an adjective; "" where the words say all.
    has : (N,) which inputs have it.
    """

    column: str
    words: str
    place: Literal["before", "after"]
    note: str
    has: NDArray[np.bool_]


def in_words(traits: Sequence[Trait], noun: str = "inputs") -> str:
    """The inputs that have all of them.

    >>> none = np.zeros(1, dtype=bool)
    >>> dark = Trait("brightness", "dark", "before", "brightness up to 0.3", none)
    >>> in_words([Trait("predicted class", "predicted 7", "after", "", none), dark], "pictures")
    'dark pictures predicted 7 (brightness up to 0.3)'
    """
    before = [one.words for one in traits if one.place == "before"]
    after = [one.words for one in traits if one.place == "after"]
    notes = [one.note for one in traits if one.note]
    said = " ".join([*before, noun])
    said += f" {' and '.join(after)}" if after else ""
    return f"{said} ({', '.join(notes)})" if notes else said


def traits_of_inputs(inputs: Inputs) -> list[Trait]:
    """By what the network says: its predicted class, or number, and how sure it is."""
    found: list[Trait] = []
    if inputs.single_class:
        found += [
            Trait(
                "predicted class", f"predicted {inputs.task.classes[place]}", "after", "", inputs.predictions == place
            )
            for place in np.unique(inputs.predictions).tolist()
        ]
    elif inputs.task.numeric:
        found += traits_of_numbers("predicted number", np.asarray(inputs.predictions, dtype=np.float64))
    if inputs.confidence is not None:
        found += traits_of_numbers("confidence", inputs.confidence)
    return found


def traits_of_numbers(column: str, numbers: NDArray[np.float64]) -> list[Trait]:
    """Up to and from some of their quantiles, nan in none of them; (N,) numbers that hardly differ have none."""
    finite = np.isfinite(numbers)
    low, high = ENDS.get(column, ("", ""))
    if len(np.unique(numbers[finite])) < 2:
        return []
    found: dict[bytes, Trait] = {}
    for share, upwards in (*((one, False) for one in LOW_SHARES), *((1 - one, True) for one in LOW_SHARES)):
        cut = float(np.quantile(numbers[finite], share))
        has = finite & ((numbers >= cut) if upwards else (numbers <= cut))
        bound = f"{column} {'from' if upwards else 'up to'} {cut:.3g}"
        name = high if upwards else low
        trait = Trait(column, name, "before", bound, has) if name else Trait(column, f"with {bound}", "after", "", has)
        if has.sum() < finite.sum():
            found.setdefault(has.tobytes(), trait)
    return list(found.values())


def traits_of_grouping(one: Grouping) -> list[Trait]:
    """Each of its values, those with the most inputs."""
    sizes = np.bincount(one.groups[one.groups >= 0], minlength=len(one.values))
    return [
        Trait(one.column, _with(one.column, one.values[place]), "after", "", one.groups == place)
        for place in np.argsort(-sizes, kind="stable")[:MOST_OF_A_COLUMN].tolist()
    ]


def traits_of_column(column: str, values: NDArray[Any] | Sequence[Any]) -> list[Trait]:
    """A column of numbers or of words, as it is known of every input."""
    array = np.asarray(values)
    if array.dtype.kind in "iuf" and len(np.unique(array)) > FEW_NUMBERS:
        return traits_of_numbers(column, array.astype(np.float64))
    return traits_of_grouping(grouping(column, values, len(values)))


def traits_of_columns(columns: Mapping[str, NDArray[Any] | Sequence[Any]]) -> list[Trait]:
    """Those of several columns; one of more than ``MOST_VALUES`` words, such as names of files, groups nothing."""
    found: list[Trait] = []
    for name, values in columns.items():
        with suppress(BadInput):
            found += traits_of_column(name, values)
    return found


def joined(traits: Iterable[Trait], size: int) -> NDArray[np.bool_]:
    """Which of N = ``size`` inputs have all of them, (N,)."""
    has = np.ones(size, dtype=bool)
    for one in traits:
        has &= one.has
    return has


def _with(column: str, value: str) -> str:
    if column == "language":
        return f"in {value}" if value != "no letters" else "without letters"
    return f"without {column}" if value == EMPTY else f"with {column} {value}"


MOST_PARTS = 1000
WORST = 0.5
"""The share of failures that needs the most labels."""

STEPS = 14
"""Halvings of the half-width that a number of labels reaches."""


@dataclass(frozen=True, eq=False)
class EachPartPlan:
    """Labels of each of G parts at which its interval is expected within +- ``half_width``.

    Attributes
    ----------
    grouping : the parts. half_width : 0..1. sizes, labels : (G,) inputs of each part, and labels in it.
    at_most : labels in all that would be enough however often each part fails.
    whole : how many parts have to be labeled whole. guessed : whether failures are guessed from the confidence.
    """

    grouping: Grouping
    half_width: float
    sizes: NDArray[np.intp]
    labels: NDArray[np.intp]
    at_most: int
    guessed: bool

    @property
    def total(self) -> int:
        """The number of labels over all parts."""
        return int(self.labels.sum())

    @property
    def whole(self) -> int:
        """How many parts have to be labeled whole."""
        return int((self.labels == self.sizes).sum())

    def words(self) -> str:
        """What it costs, and what that is based on."""
        count, all_of_them = len(self.sizes), int(self.sizes.sum())
        said = (
            f"Each of {commas(count)} parts by {self.grouping.column} to ±{points(self.half_width)} takes about "
            f"{commas(self.total)} labels"
        )
        if self.guessed and self.at_most > self.total:
            said += f" if the confidence is right, and at most {commas(self.at_most)} however often a part fails"
        said += f": {commas(int(self.labels.min()))} to {commas(int(self.labels.max()))} a part."
        if self.whole:
            said += f" {commas(self.whole)} of them {has_or_have(self.whole)} so few inputs that all are labeled."
        if 2 * self.total > all_of_them:
            said += f" That is more than half of all {commas(all_of_them)} inputs: ask for wider intervals, or for fewer parts."
        return said


def each_part_within(inputs: Inputs, grouping: Grouping, half_width: float, *, level: float = 0.95) -> EachPartPlan:
    """The plan for a half-width.

    A part's failures are guessed as the mean of 1 - confidence, moved toward one half as by one label more of each outcome
    among ten, so that a network that is too sure of itself does not get a handful of labels; without a confidence as one half.
    Each part has ``FEWEST`` labels at least, without which it has no number.

    Raises
    ------
    BadInput : a half-width not above 0, a task without right and wrong, or more than ``MOST_PARTS`` parts.
    """
    check_half_width(half_width)
    sizes = _checked(inputs, grouping)
    guesses = failure_by_part(inputs, grouping, sizes)
    guessed = inputs.confidence is not None and not inputs.task.numeric
    labels = _labels(half_width, sizes, guesses, level)
    most = _labels(half_width, sizes, np.full(len(sizes), WORST), level)
    return EachPartPlan(grouping, half_width, sizes, labels, int(most.sum()), guessed)


def each_part_plan(
    inputs: Inputs, grouping: Grouping, *, half_width: float | None, budget: int | None, level: float = 0.95
) -> EachPartPlan:
    """The plan for a half-width or for a budget; BadInput where not exactly one of them is given."""
    if (half_width is None) == (budget is None):
        raise BadInput(
            "Parts of the same width need one of a half-width and a budget: how wide each interval may be, or how many labels "
            "there are. Give one of them."
        )
    if half_width is not None:
        return each_part_within(inputs, grouping, half_width, level=level)
    assert budget is not None
    return each_part_with(inputs, grouping, budget, level=level)


def each_part_with(inputs: Inputs, grouping: Grouping, budget: int, *, level: float = 0.95) -> EachPartPlan:
    """The plan with the smallest half-width that ``budget`` labels are expected to reach in every part.

    What is left over by whole numbers stays unused. BadInput where the budget is below ``FEWEST`` labels for each part.
    """
    sizes = _checked(inputs, grouping)
    least = int(np.minimum(sizes, FEWEST).sum())
    if budget < least:
        raise BadInput(
            f"{commas(budget)} labels were to measure {commas(len(sizes))} parts. Expected at least {commas(least)}, "
            f"{FEWEST} in each part. Raise the budget, or choose a column with fewer values."
        )
    narrow, wide = 0.0, 1.0
    for _ in range(STEPS):
        middle = (narrow + wide) / 2
        if each_part_within(inputs, grouping, middle, level=level).total > budget:
            narrow = middle
        else:
            wide = middle
    return each_part_within(inputs, grouping, wide, level=level)


def failure_by_part(inputs: Inputs, grouping: Grouping, sizes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Guessed share of failures in each part, (G,), in (0, 1/2]."""
    if inputs.confidence is None or inputs.task.numeric:
        return np.full(len(sizes), WORST)
    doubt = np.bincount(grouping.groups, 1 - inputs.confidence, len(sizes)) / sizes
    return np.asarray(np.minimum((FEWEST * doubt + 1) / (FEWEST + 2), WORST))


def each_part_request(plan: EachPartPlan, seed: int) -> Request:
    """The request of a session or plan; every prefix of its draws is near the parts' shares."""
    order = interleave(plan.labels)
    rows = ShuffledStrata(plan.grouping.groups, np.random.default_rng([seed, 0xEAC4])).deal(order)
    options = {
        "rows": rows.tolist(),
        "strata": order.tolist(),
        "sizes": plan.sizes.tolist(),
        "called": plan.grouping.column,
    }
    return Request(EachPart.name, plan.total, seed, options=options)


def _labels(half_width: float, sizes: NDArray[np.intp], failure: NDArray[np.float64], level: float) -> NDArray[np.intp]:
    """Labels of each part, (G,)."""

    def of(size: int, rate: float) -> int:
        found = labels_needed(
            half_width, lambda budgets: part_half_width(size, budgets, rate, level=level), least=1, most=size
        )
        return size if found is None else found

    known: dict[tuple[int, float], int] = {}
    pairs = list(zip(sizes.tolist(), failure.round(3).tolist(), strict=True))
    for pair in pairs:
        if pair not in known:
            known[pair] = of(*pair)
    return np.array([known[pair] for pair in pairs], dtype=np.intp)


def _checked(inputs: Inputs, grouping: Grouping) -> NDArray[np.intp]:
    """The sizes of the parts, (G,)."""
    if not inputs.task.measure.is_share:
        raise BadInput(
            f"The parts were to have intervals of {inputs.task.measure.title}, whose width cannot be predicted before "
            "there are labels. Expected right or wrong. Give a tolerance, by which numbers are right or wrong."
        )
    sizes = np.bincount(grouping.groups, minlength=len(grouping.values)).astype(np.intp)
    if not 1 <= len(sizes) <= MOST_PARTS or not sizes.all():
        raise BadInput(
            f"{grouping.column!r:.60} has {commas(len(sizes))} values. Expected 1 to {commas(MOST_PARTS)}, each of some input. "
            "Choose another column."
        )
    return sizes
