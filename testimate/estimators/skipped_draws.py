"""What skipped draws may turn out to be: an interval that holds whether all of them are right, all wrong, or anything between.

An input that nobody could settle is rarely like the others, and how many of the skipped fail cannot be learned from those that
were labeled. So the skipped are never taken to be like the rest (decision 22).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from testimate.core.design import Design
from testimate.core.draw import Estimate, Verdict
from testimate.core.words import commas
from testimate.estimators.always_valid import with_always_valid

WORTH_SAYING = 0.1
"""Share of the interval's width that the skipped draws must add before they change it."""


def holding_with_skips(estimate: Callable[..., Estimate]) -> Callable[..., Estimate]:
    """An estimator's ``estimate`` with the interval of ``with_skips``, and the design's always-valid one if wished."""

    @wraps(estimate)
    def whatever_was_skipped(
        estimator: Any,
        design: Design,
        verdicts: Sequence[Verdict],
        *,
        level: float = 0.95,
        loss_bound: float | None = 1.0,
        always_valid: bool = True,
    ) -> Estimate:
        def of(settled: Sequence[Verdict]) -> Estimate:
            return estimate(estimator, design, settled, level=level, loss_bound=loss_bound)

        found = with_skips(of, verdicts, loss_bound)
        return with_always_valid(found, design, verdicts, loss_bound) if always_valid else found

    return whatever_was_skipped


def with_skips(
    estimate_of: Callable[[Sequence[Verdict]], Estimate], verdicts: Sequence[Verdict], loss_bound: float | None
) -> Estimate:
    """The estimate, its ordinary interval the hull over "all skipped right" and "all skipped wrong", each with its own.

    Why that holds: replace the loss of every input that would be skipped by 0, and the mean loss falls; the interval around
    it lies above the true mean no more often than before. The same holds from the other side with ``loss_bound``. It
    needs only that whether an input is skipped does not depend on the draw.

    The interval of the settled draws stays where the hull is wider by no more than ``WORTH_SAYING`` of its width. Without a
    largest loss a skipped input may have any, so there is no interval then; ``why`` says so. Accuracy and standard error are
    those of the settled draws.

    >>> from testimate.core.design import SimpleRandom
    >>> from testimate.core.draw import Draw
    >>> from testimate.estimators import estimator_of
    >>> design = SimpleRandom(stratum_sizes=(1000,), planned=50)
    >>> verdicts = [Verdict(Draw(row), None if row < 10 else 0.0) for row in range(50)]
    >>> found = estimator_of(design).estimate(design, verdicts)
    >>> round(found.settled_low, 3), round(found.low, 3), found.high
    (0.914, 0.673, 1.0)
    """
    found = estimate_of(verdicts)
    if not found.skipped or found.low is None or found.high is None:
        return found
    if loss_bound is None:
        return replace(found, low=None, high=None, why=f"{_any_loss(found.skipped)} {found.why}".strip())
    either = [estimate_of(filled(verdicts, loss)) for loss in (0.0, loss_bound)]
    low = min(found.low, *(one.low for one in either if one.low is not None))
    high = max(found.high, *(one.high for one in either if one.high is not None))
    width = found.high - found.low
    if high - low - width <= WORTH_SAYING * width:
        return found
    return replace(found, low=low, high=high, settled_low=found.low, settled_high=found.high)


def filled(verdicts: Sequence[Verdict], loss: float) -> list[Verdict]:
    """Return the verdicts with ``loss`` where a draw was skipped."""
    return [replace(one, loss=loss) if one.loss is None else one for one in verdicts]


def _any_loss(skipped: int) -> str:
    count = "1 input was" if skipped == 1 else f"{commas(skipped)} inputs were"
    return (
        f"{count} skipped, and without a largest loss nothing bounds what that does to the mean, so no interval holds. "
        "Settle what was skipped, or estimate the share within a tolerance."
    )
