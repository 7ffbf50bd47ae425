"""How far off a regression is in its unit: the mean absolute error and the root mean squared error."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from testimate.core.design import Design
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.task import ONE_MINUS_SQUARED_ERROR, Task
from testimate.core.words import number, number_ends
from testimate.estimators import estimator_of
from testimate.planning.honest_interval import with_honest_interval
from testimate.tasks.regression import Regression, as_said


@dataclass(frozen=True)
class InUnit:
    """A mean error of the whole set in the unit of the predictions, with the ends of its interval, or None."""

    value: float
    low: float | None
    high: float | None

    def words(self, unit: str) -> str:
        """The error with its interval, "1.2 degrees (0.9 to 1.6)".

        >>> InUnit(1.23456, 0.9, 1.6).words("degrees"), InUnit(1.23456, None, None).words("")
        ('1.235 degrees (0.9 to 1.6)', '1.235')
        """
        said = f"{number(self.value)} {unit}".rstrip()
        return (
            said
            if self.low is None or self.high is None
            else f"{said} ({' to '.join(number_ends(self.low, self.high))})"
        )


@dataclass(frozen=True)
class ErrorEstimate:
    """What the labels say about a regression's errors, in its unit.

    Attributes
    ----------
    absolute, root_squared : the mean absolute and the root mean squared error. The interval of the first holds what it says,
        that of the second can hold 85 % where errors have heavy tails (docs/studies/share_within_tolerance.md).
    squared : the estimate of 1 - mean squared error, the measure that DeepSample publishes.
    """

    task: Regression
    absolute: InUnit
    root_squared: InUnit
    squared: Estimate

    def words(self) -> str:
        """The mean errors in a sentence, and 1 - mean squared error as the published measure."""
        level = f"{100 * self.squared.level:g} %"
        measure = ONE_MINUS_SQUARED_ERROR
        said = (
            f"Mean absolute error {self.absolute.words(self.task.unit)}, root mean squared error "
            f"{self.root_squared.words(self.task.unit)}; as published, {measure.title} {measure.value(self.squared.accuracy)}."
        )
        if self.absolute.low is None:
            return said
        return (
            f"{said} In brackets: a {level} interval for the mean absolute error; the one for the root mean squared "
            "error is rough, because it does not allow for large errors that the labels have not shown."
        )

    def to_json(self) -> dict[str, object]:
        """Tolerance, unit, and each mean error as [value, low, high] in that unit; ends null without an interval."""
        means = {"mean_absolute_error": self.absolute, "root_mean_squared_error": self.root_squared}
        ends = {name: [one.value, one.low, one.high] for name, one in means.items()}
        return {
            "tolerance": as_said(self.task),
            "unit": self.task.unit,
            **ends,
            "rough": ["root_mean_squared_error"],
            "one_minus_mean_squared_error": self.squared.to_json(),
        }


def outcomes_of(task: Task, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts with what each loss counts in the accuracy: of a tolerance 1 beyond it, else 0."""
    return with_losses(verdicts, lambda loss: float(task.outcomes([loss])[0])) if task.numeric else tuple(verdicts)


def in_unit(inputs: Inputs, verdicts: Sequence[Verdict], answers: Mapping[int, Any]) -> tuple[Verdict, ...]:
    """The verdicts with squared errors in the unit, which a relative tolerance does not leave in their losses.

    ``answers`` : of each row with a loss, as events hold them.
    """
    task = inputs.task
    if not isinstance(task, Regression) or not task.relative:
        return tuple(verdicts)
    rows = {one.draw.row: answers[one.draw.row] for one in verdicts if one.loss is not None}
    losses = dict(zip(rows, replace(inputs, task=task.in_unit()).losses_of(rows).tolist(), strict=True))
    return tuple(one if one.loss is None else replace(one, loss=losses[one.draw.row]) for one in verdicts)


def error_estimate(
    task: Task, design: Design, squared: Sequence[Verdict], *, technique: str, level: float
) -> ErrorEstimate | None:
    """The mean errors of a session or plan; None of other tasks, without a tolerance, and while there is no honest number.

    ``squared`` : its verdicts with squared errors in the unit, as ``in_unit`` gives them.
    """
    if not isinstance(task, Regression) or not task.tolerance:
        return None
    unit = task.in_unit()
    try:
        of_squares = _estimate(design, squared, technique, level, unit.loss_bound)
        absolute = _estimate(
            design, with_losses(squared, lambda loss: float(unit.errors([loss])[0])), technique, level, None
        )
    except NotEnoughLabels:
        return None
    return ErrorEstimate(
        task,
        _mean_error(absolute, float),
        _mean_error(of_squares, lambda mean: float(unit.errors([mean])[0])),
        of_squares,
    )


def with_losses(verdicts: Sequence[Verdict], loss_of: Callable[[float], float]) -> tuple[Verdict, ...]:
    """The verdicts with other losses; what is not settled stays so."""
    return tuple(one if one.loss is None else replace(one, loss=loss_of(one.loss)) for one in verdicts)


def _estimate(
    design: Design, verdicts: Sequence[Verdict], technique: str, level: float, bound: float | None
) -> Estimate:
    found = estimator_of(design).estimate(design, verdicts, level=level, loss_bound=bound, always_valid=False)
    return with_honest_interval(found, technique)


def _mean_error(found: Estimate, turned: Callable[[float], float]) -> InUnit:
    """From the estimate of 1 - mean; an end below 0, which no mean error has, is 0."""
    low, high = (None if end is None else turned(max(0.0, 1 - end)) for end in (found.high, found.low))
    return InUnit(turned(max(0.0, 1 - found.accuracy)), low, high)
