"""Traits of inputs that are known without a label, each with the words that name it: "dark", "predicted 7"."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.planning.slices import EMPTY, FEW_NUMBERS, Grouping, grouping
from testimate.tasks.classification import Classification

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
    if isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1:
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
