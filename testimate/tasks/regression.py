"""The task of numbers: how far off a prediction may be before it counts as a failure.

A regression's tolerance as people say it: a number in the unit of the predictions, or a percentage of the true number.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import is_number
from testimate.core.errors import BadInput
from testimate.core.task import ONE_MINUS_SQUARED_ERROR, Measure, ShareRight, Task, TaskKind, answer_array, check_shape
from testimate.core.words import grouped, number_in_full, read_number

FAR_OFF = 1e9
"""The largest relative error: of a prediction where the true answer is 0 or next to it."""


@dataclass(frozen=True)
class Regression(Task):
    """A number per input. With a tolerance its accuracy is the share of inputs within it; else 1 - mean squared error.

    ``tolerance`` is the error beyond which an input counts as a failure, in the unit of the predictions; where it is
    ``relative``, a share of the true answer, 0.1 for 10%. The loss is the squared error (DeepSample, section 4.1), and of a
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
    (array([False,  True,  True]), 'within 10% of the true number')
    """

    tolerance: float = field()
    unit: str = ""
    loss_bound: float | None = None
    scale: float = 1.0
    answers: tuple[float, float] | None = None
    relative: bool = False
    kind: ClassVar[TaskKind] = "regression"
    title: ClassVar[str] = "A number"
    meaning: ClassVar[str] = "a measurement, such as a price; it can be a little off"
    numeric: ClassVar[bool] = True
    severity_basis: ClassVar[str] = "the size of the error"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tolerance) and self.tolerance >= 0):
            raise BadInput(f"The tolerance is {self.tolerance}. Expected a number of at least 0. Change it.")
        if self.relative and not 0 < self.tolerance < 1:
            raise BadInput(
                f"The tolerance is {100 * self.tolerance:g}% of the true number. Expected more than 0% and less than 100%. "
                "Change it."
            )
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise BadInput(f"The scale is {self.scale}. Expected a number above 0. Change it.")

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

    def severity_from(self, times: float, chance: str) -> str:  # noqa: ARG002 - of classes
        """An error of that many tolerances: "12 degrees", "20%"."""
        return self._amount(times * self.tolerance)

    def severe_words(self, begin: str) -> str:
        """By the size of the error."""
        return f"off by at least {begin}"

    def _amount(self, error: float) -> str:
        return f"{100 * error:.4g}%" if self.relative else f"{grouped(f'{error:.4g}')} {self.unit}".strip()

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

    def within(self, tolerance: float, *, relative: bool) -> "Regression":
        """The task with another tolerance."""
        return replace(self, tolerance=tolerance, relative=relative)

    def in_unit(self) -> "Regression":
        """The task whose losses are squared errors in the unit, whatever the tolerance is."""
        return replace(self, relative=False)

    def _errors(self, predictions: ArrayLike, answers: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The errors and the answers, both (n,)."""
        answered = answer_array("answers", answers, np.float64)
        predicted = answer_array("predictions", predictions, np.float64)
        check_shape("answers", answered, (len(answered),))
        check_shape("predictions", predicted, answered.shape)
        with np.errstate(over="ignore"):
            return predicted - answered, answered

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """An absolute error beyond the tolerance is a failure; shape (n,)."""
        rounding = 1e-12 if self.relative else 0.0  # of the division, so that 110 is within 10% of 100
        return self.errors(losses) > self.tolerance * (1 + rounding)

    # Estimates are of these, learning is of the losses: decision 57.
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
        if not is_number(answer) or not np.isfinite(answer):
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

    def typed_answer(self, cell: str, row: int) -> float:
        """The number; BadInput where the cell is none."""
        try:
            return float(cell)
        except ValueError:
            raise BadInput(
                f"The vote of row {row} is {cell!r:.40}. Expected a number, or nothing. Correct it."
            ) from None

    def written_answer(self, text: str, line: int) -> float:
        """The number as people write it; BadInput where the text is none."""
        try:
            return read_number(text)
        except BadInput as error:
            raise BadInput(f"Line {line} of the votes has the answer {text!r:.60}. {error}") from None

    def entered_answer(self, text: str) -> float:
        """The number as people write it, within ``answers``."""
        return self.check_answer(read_number(text))

    def predicted_places(self, prediction: ArrayLike) -> list[int]:  # noqa: ARG002 - of classes
        """None: a number is predicted."""
        return []

    def answer_names(self, answer: Any) -> list[Any]:
        """The number itself."""
        return [answer]

    def answer_named(self, names: Sequence[Any]) -> float:
        """The number as a tester would type it: what could be two is refused, and so is what is none or too large."""
        (value,) = names
        try:
            return read_number(value if isinstance(value, str) else repr(value))
        except BadInput as error:
            raise BadInput(f"The export has the number {value!r:.60}. Expected a number. {error}") from None

    def same_answer(self, answer: Any, known: Any) -> bool:
        """Whether it lies within the tolerance of the known one."""
        return bool(abs(answer - known) <= self.tolerance_at(known))

    def agreeing(self, answers: Sequence[Any]) -> list[int]:
        """The most answers whose numbers all lie within the tolerance of each other, or those that could not tell."""
        numbers = [(place, answer) for place, answer in enumerate(answers) if answer is not None]
        groups = [
            [place for place, other in numbers if 0 <= other - answer <= self.tolerance_at(answer)]
            for _, answer in numbers
        ]
        return max([*groups, [place for place, answer in enumerate(answers) if answer is None]], key=len)

    def settled(self, answers: Sequence[Any]) -> Any:
        """Their median; None of those that could not tell."""
        return None if answers[0] is None else float(median(answers))

    def numbers_to_json(self) -> dict[str, Any]:
        """What turns votes into errors and these into faults where the table is not available."""
        return {"tolerance": as_said(self), "unit": self.unit, "scale": self.scale}

    @property
    def usual_question(self) -> str:
        """With the unit, where there is one."""
        return f"What is the right number ({self.unit})?" if self.unit else "What is the right number?"


SaidTolerance = float | str
"""0.5, or as text "0.5" or "10%": of the true number."""


def regression(said: SaidTolerance, unit: str = "") -> Regression:
    """The task with this tolerance; BadInput, in a sentence, if it is not a tolerance.

    >>> regression("10%").within_words, regression("0,5", "m").within_words, regression(6).within_words
    ('within 10% of the true number', 'within 0.5 m', 'within 6')
    """
    if not isinstance(said, str):
        return Regression(float(said), unit)
    number = said.strip()
    relative = number.endswith(("%", "\uff05"))
    try:
        value = read_number(number[:-1] if relative else number)
    except BadInput as error:
        raise BadInput(f"The tolerance is {said!r:.60}. Expected a number such as 0.5, or 10%. {error}") from None
    return Regression(value / 100, unit, relative=True) if relative else Regression(value, unit)


def as_said(task: Task) -> SaidTolerance:
    """What gives the same tolerance again, for records and plans.

    >>> as_said(regression("12.5%")), as_said(regression("0.5"))
    ('12.5%', 0.5)
    """
    return f"{float(f'{100 * task.tolerance:.12g}')!r}".removesuffix(".0") + "%" if task.relative else task.tolerance
