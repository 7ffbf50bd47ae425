"""The tasks with classes or numbers: each turns (prediction, answer) into a loss, and says when a loss counts as a failure."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.measure import ONE_MINUS_SQUARED_ERROR, SHARE_RIGHT, Measure, ShareRight
from testimate.core.typed_number import grouped, number_in_full

TaskKind = Literal["classification", "multi-label", "regression", "verdict", "boxes"]
"""What a task is called in files and at the command line: its ``kind``."""

FAR_OFF = 1e9
"""The largest relative error: of a prediction where the true answer is 0 or next to it."""


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


@dataclass(frozen=True)
class Classification:
    """One class per input; a prediction is right when the answer is among its ``top_k`` first classes.

    Predictions are class places (n,), or (n, top_k) ordered from the most probable; answers are class places (n,).

    >>> letters = Classification(classes=("a", "b", "c"))
    >>> letters.losses([0, 1, 2], [0, 2, 2])
    array([0., 1., 0.])
    >>> Classification(classes=("a", "b", "c"), top_k=2).losses([[0, 1], [1, 2]], [1, 0])
    array([0., 1.])
    """

    classes: tuple[str, ...]
    top_k: int = 1
    numeric: ClassVar[bool] = False
    unit: ClassVar[str] = ""
    fault_words: ClassVar[str] = "wrong"
    kind: ClassVar[TaskKind] = "classification"
    measure: ClassVar[Measure] = SHARE_RIGHT
    loss_bound: ClassVar[float] = 1.0
    outcome_bound: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        if not self.classes:
            raise BadInput("A classification needs at least one class and got none. Name the classes.")
        if len(set(self.classes)) != len(self.classes):
            raise BadInput(
                "Two classes have the same name, so a tester could not tell them apart. Give each its own name."
            )
        if not 1 <= self.top_k <= len(self.classes):
            raise BadInput(
                f"top_k is {self.top_k}; it must lie between 1 and the number of classes, "
                f"{len(self.classes)}. Change it."
            )

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """0 where the answer is among the top_k predicted classes, else 1; shape (n,)."""
        answered = _array("answers", answers, np.intp)
        predicted = _array("predictions", predictions, np.intp)
        if predicted.ndim == 1:
            predicted = predicted[:, None]
        check_shape("answers", answered, (len(answered),))
        check_shape("predictions", predicted, (len(answered), max(self.top_k, predicted.shape[-1])))
        hit = (predicted[:, : self.top_k] == answered[:, None]).any(axis=1)
        return np.where(hit, 0.0, 1.0)

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """A loss above 0 is a failure; shape (n,)."""
        return np.asarray(losses, dtype=np.float64) > 0

    def outcomes(self, losses: ArrayLike) -> NDArray[np.float64]:
        """The losses, which are 0 or 1; shape (n,)."""
        return np.asarray(losses, dtype=np.float64)

    def check_answer(self, answer: Any) -> int:
        """The place of the class answered; BadInput where there is no such class."""
        if isinstance(answer, bool) or not isinstance(answer, int | np.integer) or not 0 <= answer < len(self.classes):
            raise BadInput(
                f"The answer {answer!r:.60} is not a class; expected a whole number from 0 to "
                f"{len(self.classes) - 1}. Choose one of the classes shown."
            )
        return int(answer)

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The name of the class."""
        return "" if answer is None else self.classes[answer]

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The name of the class predicted; of the first k all names, the most probable first."""
        return ", ".join(self.classes[place] for place in np.ravel(prediction))

    def truth_text(self, truth: ArrayLike) -> str:
        """The name of the class."""
        return self.prediction_text(truth)


@dataclass(frozen=True)
class MultiLabel:
    """Any set of classes per input; right only when every class is right (subset accuracy).

    Predictions and answers are (n, C) arrays of 0 and 1.

    >>> MultiLabel(classes=("cat", "dog")).losses([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    array([0., 1.])
    """

    classes: tuple[str, ...]
    numeric: ClassVar[bool] = False
    unit: ClassVar[str] = ""
    fault_words: ClassVar[str] = "wrong"
    kind: ClassVar[TaskKind] = "multi-label"
    measure: ClassVar[Measure] = SHARE_RIGHT
    loss_bound: ClassVar[float] = 1.0
    outcome_bound: ClassVar[float] = 1.0

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """0 where the two sets are equal, else 1; shape (n,)."""
        answered = _array("answers", answers, np.bool_)
        predicted = _array("predictions", predictions, np.bool_)
        check_shape("answers", answered, (len(answered), len(self.classes)))
        check_shape("predictions", predicted, answered.shape)
        return np.where((predicted != answered).any(axis=1), 1.0, 0.0)

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """A loss above 0 is a failure; shape (n,)."""
        return np.asarray(losses, dtype=np.float64) > 0

    def outcomes(self, losses: ArrayLike) -> NDArray[np.float64]:
        """The losses, which are 0 or 1; shape (n,)."""
        return np.asarray(losses, dtype=np.float64)

    def check_answer(self, answer: Any) -> tuple[int, ...]:
        """The answer as C zeros and ones, from the places of the classes that are present."""
        if not isinstance(answer, Collection) or isinstance(answer, str):
            raise BadInput(
                f"The answer {answer!r:.60} is not a list of classes; expected their places. Choose classes."
            )
        places = {int(place) for place in answer if isinstance(place, int | np.integer)}
        if len(places) != len(answer) or not places <= set(range(len(self.classes))):
            raise BadInput(
                f"The answer {answer!r:.60} names a class twice or one that does not exist; expected places from 0 "
                f"to {len(self.classes) - 1}. Choose among the classes shown."
            )
        return tuple(int(place in places) for place in range(len(self.classes)))

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The names of the classes that are present, from their places; "none" for no class.

        >>> MultiLabel(("cat", "dog", "owl")).answer_text([0, 2]), MultiLabel(("cat", "dog", "owl")).answer_text([])
        ('cat, owl', 'none')
        """
        return "" if answer is None else ", ".join(self.classes[place] for place in answer) or self.no_class

    @property
    def no_class(self) -> str:
        """What the answer is called that none of the classes is present; never the name of one."""
        return "none of the classes" if "none" in map(str.casefold, self.classes) else "none"

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The names of the classes that are present, from C zeros and ones.

        >>> MultiLabel(("cat", "dog", "owl")).prediction_text([1, 0, 1])
        'cat, owl'
        """
        return self.answer_text(np.flatnonzero(prediction))

    def truth_text(self, truth: ArrayLike) -> str:
        """As a prediction, in whose form it is stored."""
        return self.prediction_text(truth)


@dataclass(frozen=True)
class Regression:
    """A number per input. With a tolerance its accuracy is the share of inputs within it; else 1 - mean squared error.

    ``tolerance`` is the error beyond which an input counts as a failure, in the unit of the predictions; where it is
    ``relative``, a share of the true answer, 0.1 for 10 %. The loss is the squared error (DeepSample, section 4.1), and of a
    relative tolerance the squared relative error, which is ``FAR_OFF`` squared where the true answer is 0 and the
    prediction is not.
    ``loss_bound`` is the largest loss possible, where one is known. ``scale`` is the error whose loss is 1: DeepSample's
    steering is in units of 25 degrees. ``answers`` are the least and the most an answer can be, where that is known.

    >>> steering = Regression(tolerance=0.5)
    >>> losses = steering.losses([0.1, 1.0], [0.0, 0.0])
    >>> losses.round(2), steering.failed(losses), steering.measure.title
    (array([0.01, 1.  ]), array([False,  True]), 'Within 0.5')
    >>> prices = Regression(tolerance=0.1, relative=True)
    >>> prices.failed(prices.losses([109.0, 111.0, 3.0], [100.0, 100.0, 0.0])), prices.within_words
    (array([False,  True,  True]), 'within 10 % of the true number')
    """

    tolerance: float
    unit: str = ""
    loss_bound: float | None = None
    scale: float = 1.0
    answers: tuple[float, float] | None = None
    relative: bool = False
    numeric: ClassVar[bool] = True
    classes: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[TaskKind] = "regression"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tolerance) and self.tolerance >= 0):
            raise BadInput(f"The tolerance is {self.tolerance}; expected a number of at least 0. Change it.")
        if self.relative and not 0 < self.tolerance < 1:
            raise BadInput(
                f"The tolerance is {100 * self.tolerance:g} % of the true number; expected more than 0 % and less than 100 %. "
                "Change it."
            )
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise BadInput(f"The scale is {self.scale}; expected a number above 0. Change it.")

    def __repr__(self) -> str:
        """What fingerprints of subjects are made of: neither scale nor range, and as it was before there were percentages."""
        relative = ", relative=True" if self.relative else ""
        return f"Regression(tolerance={self.tolerance!r}, unit={self.unit!r}, loss_bound={self.loss_bound!r}{relative})"

    @property
    def measure(self) -> Measure:
        """The share within the tolerance; 1 - mean squared error where the tolerance is 0."""
        if not self.tolerance:
            return ONE_MINUS_SQUARED_ERROR
        within = f"within {self._amount(self.tolerance)}"
        return ShareRight(within.capitalize(), f"the share {within}", "true share", self.within_words)

    @property
    def within_words(self) -> str:
        """What an input within the tolerance is, "within 6 degrees"."""
        of = " of the true number" if self.relative else ""
        return f"within {self._amount(self.tolerance)}{of}"

    @property
    def outcome_bound(self) -> float | None:
        """1 where the accuracy is a share, else that of the loss."""
        return 1.0 if self.tolerance else self.loss_bound

    @property
    def fault_words(self) -> str:
        """What a fault is, after a count: "3 off by more than 6 degrees"."""
        return f"off by more than {self._amount(self.tolerance)}"

    def tolerance_at(self, answer: float) -> float:
        """The tolerance in the unit of the predictions where this is the true number."""
        return self.tolerance * abs(answer) if self.relative else self.tolerance

    def error_words(self, times: float) -> str:
        """An error of that many tolerances: "12 degrees", "20 %"."""
        return self._amount(times * self.tolerance)

    def _amount(self, error: float) -> str:
        return f"{100 * error:.4g} %" if self.relative else f"{grouped(f'{error:.4g}')} {self.unit}".strip()

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """Squared error of each input, in units of the scale, or squared relative error; shape (n,).

        Infinite where it is too far off to be squared.
        """
        errors, answered = self._errors(predictions, answers)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            if self.relative:  # nothing is off where both are 0
                errors = np.where(errors == 0, 0.0, np.minimum(np.abs(errors / answered), FAR_OFF))
            squared: NDArray[np.float64] = np.square(errors / (1.0 if self.relative else self.scale))
        return squared

    def in_unit(self) -> "Regression":
        """The task whose losses are squared errors in the unit, whatever the tolerance is."""
        return replace(self, relative=False)

    def _errors(self, predictions: ArrayLike, answers: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The errors and the answers, both (n,)."""
        answered = _array("answers", answers, np.float64)
        predicted = _array("predictions", predictions, np.float64)
        check_shape("answers", answered, (len(answered),))
        check_shape("predictions", predicted, answered.shape)
        with np.errstate(over="ignore"):
            return predicted - answered, answered

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """An absolute error beyond the tolerance is a failure; shape (n,)."""
        rounding = 1e-12 if self.relative else 0.0  # of the division, so that 110 is within 10 % of 100
        return self.errors(losses) > self.tolerance * (1 + rounding)

    def outcomes(self, losses: ArrayLike) -> NDArray[np.float64]:
        """1 beyond the tolerance, else 0; the losses themselves where the tolerance is 0. Shape (n,)."""
        return self.failed(losses).astype(np.float64) if self.tolerance else np.asarray(losses, dtype=np.float64)

    def errors(self, losses: ArrayLike) -> NDArray[np.float64]:
        """The error behind each loss, in the unit of the tolerance; shape (n,)."""
        found: NDArray[np.float64] = (1.0 if self.relative else self.scale) * np.sqrt(
            np.asarray(losses, dtype=np.float64)
        )
        return found

    def check_answer(self, answer: Any) -> float:
        """The answer as a finite number within ``answers``; BadInput otherwise."""
        if isinstance(answer, bool) or not isinstance(answer, int | float | np.number) or not np.isfinite(answer):
            raise BadInput(f"The answer {answer!r:.60} is not a finite number. Type a number such as 0.25.")
        if self.answers is not None and not self.answers[0] <= answer <= self.answers[1]:
            low, high = self.answers
            raise BadInput(f"Expected a number from {low:g} to {high:g}, got {float(answer)!r:.40}. Type one of these.")
        return float(answer)

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:
        """All digits of the number, with thin spaces between thousands, and its unit; ``in_full`` neither of these.

        >>> Regression(250.0, unit="USD").answer_text(710437)
        '710\\u202f437 USD'
        """
        if answer is None:
            return ""
        return f"{answer!r}" if in_full else number_in_full(answer, self.unit)

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:
        """The number with its unit; ``in_full`` with all its digits and without the unit.

        Whatever the input, there are the same digits after the point: the last is a tenth of the power of ten that the
        tolerance begins with. Without a tolerance there are four digits in all, with a relative one at least four.

        >>> Regression(6.0, unit="degrees").prediction_text(-0.3413), Regression(250.0).prediction_text(1234.5)
        ('-0.3 degrees', '1\\u202f234')
        >>> Regression(0.0).prediction_text(0.123456), Regression(6.0).prediction_text(0.123456, in_full=True)
        ('0.1235', '0.123456')
        """
        value = np.ravel(prediction).tolist()[0]
        if in_full:
            return f"{value!r}"
        if not self.tolerance:
            return f"{value:.4g} {self.unit}".rstrip()
        first, further = (abs(value) or 1.0, 3) if self.relative else (self.tolerance, 1)
        digits = max(0, further - math.floor(math.log10(first)))
        return f"{grouped(f'{value:.{digits}f}')} {self.unit}".rstrip()

    def truth_text(self, truth: ArrayLike) -> str:
        """As a prediction."""
        return self.prediction_text(truth)


def most_probable(probabilities: NDArray[np.float64], top_k: int) -> NDArray[np.intp]:
    """The place of the most probable class, (N,), or the first k in order, (N, k); of equals the first."""
    if top_k == 1:
        places: NDArray[np.intp] = probabilities.argmax(axis=1)
        return places
    return np.argsort(-probabilities, axis=1, kind="stable")[:, :top_k]


def _array(what: str, values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
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
    return _array(what, values, np.intp)


def check_shape(what: str, array: NDArray[Any], expected: tuple[int, ...]) -> None:
    """BadInput where the array has another shape, which numpy would broadcast in silence or refuse without a word."""
    if array.shape != expected:
        raise BadInput(
            f"The {what} have shape {array.shape}, expected {expected}. Give one prediction and one answer per input, "
            "in the form the task defines."
        )
