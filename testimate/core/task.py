"""What every task offers: it turns (prediction, answer) into a loss, and says when a loss counts as a failure.

What the accuracy of a task is called and how it is written: a share in percent, or 1 - mean squared error.

Predictions and answers as arrays of one row per input, refused with a sentence where they are not.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.words import (
    UP,
    decimal,
    decimal_ends,
    number,
    number_ends,
    percent,
    percent_ends,
    percent_range,
    points,
)


class Measure(Protocol):
    """How one kind of accuracy reads. Numbers are rounded, the ends of an interval outwards; see ``rounding``.

    Attributes
    ----------
    title : on a tile or an axis, "Accuracy".
    noun : inside a sentence, "the accuracy".
    true_noun : its known value, "true accuracy".
    is_share : whether it is a share of the inputs, between 0 and 1.
    right : of a share, what the inputs in it are, "classified right".
    factor : what a chart multiplies it by, 100 for percent.
    """

    is_share: ClassVar[bool]
    factor: ClassVar[float]

    @property
    def title(self) -> str: ...  # noqa: D102 - above
    @property
    def noun(self) -> str: ...  # noqa: D102 - above
    @property
    def true_noun(self) -> str: ...  # noqa: D102 - above
    @property
    def right(self) -> str: ...  # noqa: D102 - above

    def value(self, value: float, digits: int = 1) -> str:
        """The accuracy inside a sentence; ``digits`` after the point of a percentage, here and below."""
        ...

    def ends(self, low: float, high: float, digits: int = 1) -> tuple[str, str]:
        """Both ends of an interval inside a sentence."""
        ...

    def difference(self, value: float, digits: int = 1) -> str:
        """A difference of two accuracies."""
        ...

    def half_width(self, value: float, digits: int = 1) -> str:
        """Half the width of an interval, rounded up."""
        ...

    def brief(self, value: float) -> str:
        """The accuracy on a tile, which has room for few digits."""
        ...

    def brief_range(self, low: float, high: float) -> str:
        """Both ends of an interval on a tile."""
        ...

    def interval(self, level: str) -> str:
        """What the interval at a size fixed in advance is called, where ``level`` is "95 %"."""
        ...


@dataclass(frozen=True)
class ShareRight:
    """The share of inputs that are right, in percent; differences are in points, since "%" would mean a share of a share.

    >>> share = ShareRight()
    >>> share.value(0.9161), share.ends(0.88151, 0.93449), share.difference(0.084), share.half_width(0.0204)
    ('91.6 %', ('88.1 %', '93.5 %'), '8.4 points', '2.1 points')
    """

    title: str = "Accuracy"
    noun: str = "the accuracy"
    true_noun: str = "true accuracy"
    right: str = "classified right"
    is_share: ClassVar[bool] = True
    factor: ClassVar[float] = 100.0

    def value(self, value: float, digits: int = 1) -> str:
        """The share in percent, "91.6 %"."""
        return percent(value, digits, space=" ")

    def ends(self, low: float, high: float, digits: int = 1) -> tuple[str, str]:
        """Both ends in percent, each with its sign."""
        return percent_ends(low, high, digits)

    def difference(self, value: float, digits: int = 1) -> str:
        """In percentage points, "8.4 points"."""
        return points(value, digits)

    def half_width(self, value: float, digits: int = 1) -> str:
        """In percentage points, rounded up."""
        return points(value, digits, outwards=True)

    def brief(self, value: float) -> str:
        """The share in percent, which does not break before its sign."""
        return percent(value)

    def brief_range(self, low: float, high: float) -> str:
        """Both ends in percent with one sign, "88.1 – 93.5 %"."""
        return percent_range(low, high)

    def interval(self, level: str) -> str:
        """By its level, which it holds."""
        return f"{level} interval"


class OneMinusSquaredError:
    """1 - mean squared error, a number without a unit: at most 1, and far below 0 where one error is large.

    >>> squared = OneMinusSquaredError()
    >>> squared.value(0.991234), squared.ends(0.98123, 0.99987), squared.brief(-123456.0)
    ('0.9912', ('0.9812', '0.9999'), '-1.23e+05')
    """

    title: ClassVar[str] = "1 - MSE"
    noun: ClassVar[str] = "1 - mean squared error"
    true_noun: ClassVar[str] = "true value"
    right: ClassVar[str] = ""
    is_share: ClassVar[bool] = False
    factor: ClassVar[float] = 1.0

    def value(self, value: float, digits: int = 1) -> str:  # noqa: ARG002 - of percentages alone
        """Four significant digits: ``digits`` are those of a percentage."""
        return number(value)

    def ends(self, low: float, high: float, digits: int = 1) -> tuple[str, str]:  # noqa: ARG002 - of percentages alone
        """Both ends, as ``value`` writes numbers."""
        return number_ends(low, high)

    def difference(self, value: float, digits: int = 1) -> str:  # noqa: ARG002 - of percentages alone
        """A difference of two accuracies, in four significant digits as ``value`` writes them."""
        return number(value)

    def half_width(self, value: float, digits: int = 1) -> str:  # noqa: ARG002 - of percentages alone
        """As ``value`` writes numbers, but rounded up."""
        return number(value, rounding=UP)

    def brief(self, value: float) -> str:
        """Three digits after the point, or in powers of ten where it is as large as ``LONG``."""
        return decimal(value, 3) if abs(value) < LONG else number(value, 3)

    def brief_range(self, low: float, high: float) -> str:
        """Both ends as ``brief`` writes numbers."""
        return " – ".join(decimal_ends(low, high, 3) if max(abs(low), abs(high)) < LONG else number_ends(low, high, 3))

    def interval(self, level: str) -> str:  # noqa: ARG002 - it can hold 85 % at 95 % where errors have heavy tails
        """Without its level, which it does not hold on heavy tails (docs/studies/share_within_tolerance.md)."""
        return "rough interval"


ROUGH = "It does not allow for large errors that the labels have not shown."
"""The note beside an interval of squared errors."""

LONG = 1000
"""From here on a number without a bound takes more room than a tile has, and is written in powers of ten."""

SHARE_RIGHT, ONE_MINUS_SQUARED_ERROR = ShareRight(), OneMinusSquaredError()


def measure_of(loss_is_pass_or_fail: bool) -> Measure:
    """The measure where only the losses are known, as of a plan without its table: right or wrong, or squared errors."""
    return SHARE_RIGHT if loss_is_pass_or_fail else ONE_MINUS_SQUARED_ERROR


TaskKind = Literal["classification", "multi-label", "regression", "verdict", "boxes"]
"""What a task is called in files and at the command line: its ``kind``."""


class Task(Protocol):
    """What the network does, and so what an answer is and what a wrong one costs.

    The accuracy Testimate reports is always ``1 - mean outcome`` over the whole set, the outcome being what a loss counts.
    """

    kind: ClassVar[TaskKind]
    numeric: ClassVar[bool]
    """Whether an answer is a number rather than one or several of the classes."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; empty where an answer is a number."""
        ...

    @property
    def unit(self) -> str:
        """Unit of an answer that is a number; else empty."""
        ...

    @property
    def measure(self) -> Measure:
        """What its accuracy is called, and how it is written."""
        ...

    @property
    def loss_bound(self) -> float | None:
        """The largest loss one input can have, or None where there is no bound."""
        ...

    @property
    def outcome_bound(self) -> float | None:
        """The largest outcome one input can have, or None where there is no bound."""
        ...

    @property
    def fault_words(self) -> str:
        """What a fault is, after a count: "3 wrong"."""
        ...

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """Loss of each input, shape (n,), from n predictions and n answers in the form ``check_answer`` gives.

        A stored answer becomes a loss by ``Inputs.loss`` or ``Inputs.losses_of``. Raises BadInput where the shapes are not
        the task's: nothing is broadcast.
        """
        ...

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """Which losses count as a failure (a fault found), shape (n,)."""
        ...

    def outcomes(self, losses: ArrayLike) -> NDArray[np.float64]:
        """What each loss counts in the accuracy, shape (n,): itself, or 1 for a failure where the accuracy is a share."""
        ...

    def check_answer(self, answer: Any) -> int | float | tuple[int, ...] | list[int]:
        """The answer in the form ``losses`` takes; raises BadInput where a tester could not have given it."""
        ...

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:
        """A tester's answer, as events hold it, for people to read; ``in_full`` for machines. Empty for None."""
        ...

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:
        """A row of ``Inputs.predictions`` for people to read; ``in_full`` for machines."""
        ...

    def truth_text(self, truth: ArrayLike) -> str:
        """A row of ``Inputs.truth`` for people to read."""
        ...


def answer_array(what: str, values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """The values as an array of at least one axis; BadInput where they do not form one."""
    try:
        array = np.asarray(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):  # rows of unequal length, or what is not a number
        raise BadInput(
            f"The {what} {values!r:.60} do not form an array of one row per input. Pass them in the form check_answer gives."
        ) from None
    if not array.ndim:
        raise BadInput(f"The {what} are the single value {values!r:.60}; expected one per input. Pass a list of them.")
    return array


def whole_array(what: str, values: ArrayLike) -> NDArray[np.intp]:
    """The values as an array of whole numbers with at least one axis; BadInput where they do not form one."""
    return answer_array(what, values, np.intp)


def check_shape(what: str, array: NDArray[Any], expected: tuple[int, ...]) -> None:
    """BadInput where the array has another shape, which numpy would broadcast in silence or refuse without a word."""
    if array.shape != expected:
        raise BadInput(
            f"The {what} have shape {array.shape}, expected {expected}. Give one prediction and one answer per input, "
            "in the form the task defines."
        )
