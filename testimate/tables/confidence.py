"""What a column of confidences holds: the chance of the predicted class, or what becomes that by one rule for all rows.

A most probable class of C has a chance of at least 1/C. Where the numbers contradict this they are something else: the
chance of class 1, per cent, or the logarithm of a chance.
"""

from dataclasses import dataclass
from math import lgamma, log
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import ReadingUnclear, Way
from testimate.core.reading import AS_THEY_ARE, way_to_read
from testimate.core.words import commas
from testimate.tables.cells import Column
from testimate.tables.column_names import CHANCES, SURE, words_of

PREDICTED, OF_SECOND, OF_FAILURE, PERCENT, LOGARITHM = "predicted", "second", "failure", "percent", "log"
"""The readings of a confidence, as ``--read confidence=`` names them."""

OF_ONE = "one"
"""The reading of chances of one of two classes, perhaps in percent, of which the predicted one follows."""

ROUNDING = 1e-3
"""How far a chance may lie beyond a bound because it was rounded in the file."""


@dataclass(frozen=True, eq=False)
class Confidence:
    """The chance of what was predicted, (N,), and what the column held.

    ``rule`` : the reading that was needed, of those of ``--read confidence=``; "" for numbers taken as they are.
    ``doubt`` : a sentence on what contradicts it; "" if nothing does. ``of`` : the class whose chance it is by OF_ONE.
    """

    values: NDArray[np.float64]
    rule: str = ""
    doubt: str = ""
    of: str = ""


def confidence_of(
    column: Column,
    predicted: NDArray[np.intp] | None,
    classes: tuple[str, ...],
    *,
    percent: bool,
    read: str = "",
    graded: bool = False,
    split: bool = False,
    parted: bool = False,
) -> Confidence:
    """The column as chances of what was predicted, by the one rule that all rows obey.

    Parameters
    ----------
    predicted : (N,) class places; None of a task without one class. classes : their names.
    percent : whether the cells say per cent. read : the reading that a person chose; "" if none did.
    graded : whether outputs are judged, so that the numbers may be a judge's grades.
    split : whether a chance by its name that parts two predicted classes at any number is that of the second.
    parted : whether one that parts them at a half is that of either class, and may be in percent.

    Raises
    ------
    ReadingUnclear : two rules fit, or none does. BadInput : a cell that is no number, or lies outside 0..1 after all.
    """
    values = column.numbers()
    if not read and parted and predicted is not None and (CHANCES & words_of(column.name) or len(values) >= FEWEST):
        shares = values / 100 if percent or values.max(initial=0) > 2 else values
        of = _class_from_a_half(shares, predicted, classes)
        if of and not (shares is values and of == classes[1]):  # which OF_SECOND says
            return Confidence(np.maximum(shares, 1 - shares), OF_ONE, of=of)
    if not read and parted and predicted is not None and _are_of_first(column.name, values, predicted, classes):
        return Confidence(np.where(predicted == 0, values, 1 - values), OF_ONE, of=classes[0])
    if not read:
        read = (
            PERCENT
            if percent
            else _rule_of(column.name, values, predicted, classes, graded=graded, split=split, parted=parted)
        )
    if read == PERCENT:
        return Confidence(_shares(column, values / 100), PERCENT)
    if read == LOGARITHM:
        return Confidence(_shares(column, np.exp(values)), LOGARITHM)
    values = column.numbers_between_0_and_1()
    if read == OF_FAILURE:
        return Confidence(1 - values, OF_FAILURE)
    if read == OF_SECOND and predicted is not None:
        return Confidence(np.where(predicted == 1, values, 1 - values), OF_SECOND)
    return Confidence(values, "", _doubt(column.name, values, predicted, classes))


def _shares(column: Column, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values within 0..1; BadInput names the first cell of the column that is not."""
    return (
        np.clip(values, 0, 1)
        if values.size and values.min() >= -1e-6 and values.max() <= 1 + 1e-6
        else (column.numbers_between_0_and_1())
    )


def _rule_of(
    name: str,
    values: NDArray[np.float64],
    predicted: NDArray[np.intp] | None,
    classes: tuple[str, ...],
    *,
    graded: bool,
    split: bool,
    parted: bool,
) -> str:
    """The reading that all rows obey; ReadingUnclear where several fit. PREDICTED where the numbers are what they seem."""
    low, high, least = float(values.min()), float(values.max()), 1 / max(len(classes), 2) - ROUNDING
    if low == high and 0 <= low <= 1:
        return PREDICTED  # one number orders nothing, whatever it is
    if low >= 0 and high <= 1 + 1e-6:
        second = _of_which_class(name, values, predicted, classes, split=split, parted=parted)
        return second or _surer_or_not(name, values, predicted, classes)
    if low >= 0 and 2 < high <= 100 + 1e-6 and predicted is not None and low / 100 >= least:
        return PERCENT
    if high <= 1e-6 and predicted is not None and np.exp(low) >= least:
        return LOGARITHM
    if (low >= 0 and 2 < high <= 100) or high <= 0:
        rule, words = (PERCENT, "percent (0 to 100)") if high > 0 else (LOGARITHM, "the logarithm of a chance")
        against = "A chance goes from 0 to 1"
        if not graded:
            against = f"As {words}, some are too low for the likeliest of {len(classes)} classes"
        raise ReadingUnclear(
            f"What is the column {name!r:.60}?",
            f"The column {name!r:.60} goes from {low:g} to {high:g}. {against}.",
            [
                *([_way_to_use(name, "judge", "a judge's grades")] if graded and high > 0 else []),
                way_to_read("confidence", rule, words),
                _way_to_use(name, "ignore", "no confidence"),
            ],
        )
    return PREDICTED


def _way_to_use(name: str, role: str, words: str) -> Way:
    """The reading that gives the column another role."""
    return Way(
        words, f"--column {quote(f'{role}={name}')}", f'columns={{"{role}": {name!r}}}', (("columns", (role, name)),)
    )


def _of_which_class(
    name: str,
    values: NDArray[np.float64],
    predicted: NDArray[np.intp] | None,
    classes: tuple[str, ...],
    *,
    split: bool,
    parted: bool,
) -> str:
    """Of two classes, whether these are chances of the second; "" where nothing says so."""
    if predicted is None or len(classes) != 2:
        return ""
    second = predicted == 1
    if not second.any() or second.all():
        return ""
    highest_of_first, lowest_of_second = float(values[~second].max()), float(values[second].min())
    if values.min() >= 0.5 - ROUNDING or highest_of_first > lowest_of_second + ROUNDING or len(values) < FEWEST:
        return ""
    at_a_half = highest_of_first <= 0.5 + ROUNDING and lowest_of_second >= 0.5 - ROUNDING
    if at_a_half or (split and CHANCES & words_of(name)) or (parted and _part(name, second)):
        return OF_SECOND
    raise ReadingUnclear(
        f"Which class is {name!r:.60} the chance of?",
        f"The column {name!r:.60} is at most {highest_of_first:.4g} where {classes[0]!r:.40} is predicted and at least "
        f"{lowest_of_second:.4g} where {classes[1]!r:.40} is, so it may be the chance of {classes[1]!r:.40}.",
        [
            way_to_read("confidence", OF_SECOND, f"the chance of {classes[1]!r:.40}"),
            way_to_read("confidence", PREDICTED, "the chance of the predicted class"),
        ],
    )


def _are_of_first(
    name: str, values: NDArray[np.float64], predicted: NDArray[np.intp], classes: tuple[str, ...]
) -> bool:
    """Whether shares, some below a half, are all larger where the first of two classes is predicted, and not by chance."""
    first = predicted == 0
    if (
        len(classes) != 2
        or not first.any()
        or first.all()
        or not 0 <= values.min() < 0.5 - ROUNDING
        or values.max() > 1
    ):
        return False
    return bool(values[first].min() >= values[~first].max()) and _part(name, first)


def _part(name: str, second: NDArray[np.bool_]) -> bool:
    """Whether numbers that part two classes, of which these rows have one, do so by no chance, and no name denies it.

    Those that are called how sure the model is are to be the chance of the predicted class, which they are not then.
    """
    if SURE & words_of(name):
        return False
    ways = lgamma(len(second) + 1) - lgamma(int(second.sum()) + 1) - lgamma(int((~second).sum()) + 1)
    return ways > log(1 / BY_CHANCE)


BY_CHANCE = 1e-4
"""How likely it may be that numbers part two classes by chance."""


def _class_from_a_half(shares: NDArray[np.float64], predicted: NDArray[np.intp], classes: tuple[str, ...]) -> str:
    """Of two classes the one that is predicted from a half on, below which the other one is; "" where neither is."""
    if len(classes) != 2 or len(shares) < FEWEST_PARTED or not (shares.min() >= 0 and shares.max() <= 1):
        return ""
    for place in (0, 1):
        own, other = shares[predicted == place], shares[predicted != place]
        if own.size and other.size and own.min() >= 0.5 - ROUNDING and other.max() <= 0.5 + ROUNDING < own.max():
            return classes[place] if other.min() < 0.5 - ROUNDING else ""
    return ""


def _surer_or_not(
    name: str, values: NDArray[np.float64], predicted: NDArray[np.intp] | None, classes: tuple[str, ...]
) -> str:
    """Whether the numbers are confidences; ReadingUnclear where most are too small for that."""
    if predicted is None or len(classes) < 2 or len(values) < FEWEST:
        return PREDICTED
    below = int((values < 1 / len(classes) - ROUNDING).sum())
    if below < MOST * len(values):
        return PREDICTED
    raise ReadingUnclear(
        f"Is {name!r:.60} how sure the model is?",
        f"The column {name!r:.60} is below 1/{len(classes)} in {commas(below)} of {commas(len(values))} rows, which the most "
        f"probable of {len(classes)} classes cannot be, so it may be the chance of a failure.",
        [
            way_to_read("confidence", OF_FAILURE, "the chance that the prediction is wrong"),
            way_to_read("confidence", PREDICTED, "the chance of the predicted class"),
        ],
    )


def against_chances(
    predicted: NDArray[np.intp], probabilities: NDArray[np.float64], name: str, *, read: str = ""
) -> str:
    """The sentence on rows whose predicted class is not the most probable one; "" where there is none.

    ``name`` : of the predictions' column. ``read`` : AS_THEY_ARE where a person says that the predictions count.
    Raises ReadingUnclear where there are many, so that the two columns may not belong together.
    """
    own = probabilities[np.arange(len(predicted)), predicted]
    against = int((probabilities.max(axis=1) - own > ROUNDING).sum())
    if not against:
        return ""
    found = f"In {commas(against)} of {commas(len(predicted))} rows {name!r:.60} is not the most probable class."
    if read == AS_THEY_ARE or len(predicted) < FEWEST or against <= MOST_AGAINST * len(predicted):
        return f"{found} The prediction counts."
    raise ReadingUnclear(
        "What is predicted?",
        found,
        [
            way_to_read("chances", AS_THEY_ARE, f"what {name} says"),
            Way(
                "the most probable class",
                f"--column {quote(f'ignore={name}')}",
                f'columns={{"ignore": {name!r}}}',
                (("columns", ("ignore", name)),),
            ),
        ],
    )


MOST_AGAINST = 0.1
"""The share of rows with another class more probable, beyond which it is asked what is predicted."""

FEWEST_PARTED = 4
"""Rows from which on chances by their name say by what they part which class they are of."""

FEWEST, MOST = 10, 2 / 3
"""Rows below which a pattern may be chance, and the share of the rows beyond which it is none."""


def _doubt(name: str, values: NDArray[np.float64], predicted: NDArray[np.intp] | None, classes: tuple[str, ...]) -> str:
    if predicted is None or len(classes) < 2:
        return ""
    below = int((values < 1 / len(classes) - ROUNDING).sum())
    if not below:
        return ""
    return (
        f"{name!r:.60} is below 1/{len(classes)} in {commas(below)} of {commas(len(values))} rows, which the most probable "
        f"of {len(classes)} classes cannot be. It is read as a confidence all the same."
    )


MEANINGS = {
    "": "chance of the predicted class",
    OF_SECOND: "chance of {second}, read as the chance of the predicted class",
    OF_FAILURE: "chance of a failure, read as the chance of the predicted class",
    PERCENT: "percent, read as the chance of the predicted class",
    OF_ONE: "chance of {of}, read as the chance of the predicted class",
    LOGARITHM: "logarithm of a chance, read as the chance of the predicted class",
}
"""What a column of confidences is, by its rule."""


def meaning(found: Confidence, classes: tuple[str, ...], *, graded: bool = False) -> str:
    """What the column is and which chances it gives, for people. ``graded`` : whether outputs are judged.

    >>> meaning(Confidence(np.array([0.5, 0.75])), ("a", "b"))
    'chance of the predicted class, 0.50 to 0.75'
    """
    words = MEANINGS[found.rule].replace("the predicted class", "a right output" if graded else "the predicted class")
    words = words.format(second=repr(classes[1])[:60] if len(classes) == 2 else "", of=repr(found.of)[:60])
    return f"{words}, {found.values.min():.2f} to {found.values.max():.2f}"
