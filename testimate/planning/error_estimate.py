"""How far off a regression is: the share of inputs within the tolerance, the mean absolute and the root mean squared error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.core.estimate import Estimate
from testimate.core.measure import SHARE_RIGHT
from testimate.core.rounding import number, number_ends, spaced
from testimate.core.task import Regression, Task
from testimate.estimators import estimator_of
from testimate.planning.honest_interval import with_honest_interval


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
    """What the labels say of a regression's errors.

    Attributes
    ----------
    share : of the inputs whose error is at most the tolerance. The loss is 0 or 1, so the interval is that of pass or fail
        and there is a stop-safe one where the design has one.
    absolute, root_squared : the mean absolute and the root mean squared error.
    """

    task: Regression
    share: Estimate
    absolute: InUnit
    root_squared: InUnit

    def words(self, squared: Estimate) -> str:
        """The mean errors in a sentence, and 1 - mean squared error as the published measure."""
        level = f"{100 * squared.level:g} %"
        said = (
            f"Mean absolute error {self.absolute.words(self.task.unit)}, root mean squared error "
            f"{self.root_squared.words(self.task.unit)}; as published, {self.task.measure.title} {number(squared.accuracy)}."
        )
        if self.absolute.low is None:
            return said
        return f"{said} In brackets: {level} intervals, which allow for a few large errors but know none that no label met."

    def to_json(self) -> dict[str, object]:
        """Plain JSON values."""
        ends = {name: [one.value, one.low, one.high] for name, one in self._means().items()}
        return {"tolerance": self.task.tolerance, "within_tolerance": self.share.to_json(), **ends}

    def _means(self) -> dict[str, InUnit]:
        return {"mean_absolute_error": self.absolute, "root_mean_squared_error": self.root_squared}


def within_words(task: Regression) -> str:
    """What is counted, "within 6 degrees"."""
    return f"within {f'{task.tolerance:.4g} {task.unit}'.rstrip()}"


def has_tolerance(task: Task) -> bool:
    """Whether an input can be within the tolerance: of a regression whose tolerance is above 0."""
    return isinstance(task, Regression) and task.tolerance > 0


def share_within(task: Task, design: Design, verdicts: Sequence[Verdict], *, technique: str, level: float) -> Estimate:
    """The share of the inputs whose error is at most the tolerance; NotEnoughLabels where there is no honest number."""
    return _estimate(design, with_losses(verdicts, lambda loss: float(task.failed([loss])[0])), technique, level, 1.0)


def error_estimate(
    task: Task, design: Design, verdicts: Sequence[Verdict], squared: Estimate, *, technique: str
) -> ErrorEstimate | None:
    """All three from a session's or plan's verdicts; None without a tolerance, and while there is no honest number.

    ``squared`` : the estimate of 1 - mean loss from the same verdicts, whose ends give those of the root.
    """
    if not isinstance(task, Regression) or not has_tolerance(task):
        return None
    try:
        share = share_within(task, design, verdicts, technique=technique, level=squared.level)
        off = with_losses(verdicts, lambda loss: float(task.errors([loss])[0]))
        absolute = _estimate(design, off, technique, squared.level, None)
    except NotEnoughLabels:
        return None
    return ErrorEstimate(
        task, share, _mean_error(absolute, float), _mean_error(squared, lambda mean: _root(task, mean))
    )


def with_losses(verdicts: Sequence[Verdict], loss_of: Callable[[float], float]) -> tuple[Verdict, ...]:
    """The verdicts with other losses; what is not settled stays so."""
    return tuple(one if one.loss is None else replace(one, loss=loss_of(one.loss)) for one in verdicts)


def share_words(found: ErrorEstimate, size: int, *, at_random: bool) -> str:
    """The share as the beginning of a sentence."""
    share = found.share
    if share.low is not None and share.high is not None:
        low, high = SHARE_RIGHT.ends(share.low, share.high)
        return f"Between {low} and {high} of the {spaced(size)} inputs are {within_words(found.task)}"
    whose = "About" if at_random else "Of the inputs chosen"
    within = f"{SHARE_RIGHT.value(share.accuracy)} are {within_words(found.task)}"
    return f"{whose} {within}, without a guarantee for all {spaced(size)}"


def _estimate(
    design: Design, verdicts: Sequence[Verdict], technique: str, level: float, bound: float | None
) -> Estimate:
    found = estimator_of(design).estimate(design, verdicts, level=level, loss_bound=bound)
    return with_honest_interval(found, technique)


def _mean_error(found: Estimate, turned: Callable[[float], float]) -> InUnit:
    """From the estimate of 1 - mean; an end below 0, which no mean error has, is 0."""
    low, high = (None if end is None else turned(max(0.0, 1 - end)) for end in (found.high, found.low))
    return InUnit(turned(max(0.0, 1 - found.accuracy)), low, high)


def _root(task: Regression, mean_loss: float) -> float:
    return float(task.scale * np.sqrt(mean_loss))
