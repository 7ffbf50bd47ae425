"""Estimate failures, report accuracy: an estimated mean loss becomes the estimate that people read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from testimate.core.design import Design
from testimate.core.draw import Estimate
from testimate.estimators.intervals import Interval
from testimate.estimators.sample import Sample

AnySample = TypeVar("AnySample", bound=Sample)


@dataclass(frozen=True)
class MeanLoss:
    """An estimated mean loss, never clipped; ``interval`` and ``standard_error`` are None where there is no honest one.

    ``why`` is one sentence on why there is no interval, else empty; ``method`` names the estimator and interval.
    """

    mean: float
    standard_error: float | None
    interval: Interval | None
    method: str
    why: str = ""


APPROXIMATE = (
    "No largest loss is known, so the interval is approximate: where a few losses are far larger than all others "
    "it contains the truth less often than it claims. Estimate the share within a tolerance, or name a largest loss, "
    "for one that holds whatever the losses are."
)


def as_accuracy(
    found: MeanLoss,
    design: Design,
    sample: AnySample,
    *,
    level: float,
    loss_bound: float | None,
    mean_of: Callable[[AnySample], float],
) -> Estimate:
    """The estimate of 1 - mean loss.

    ``mean_of`` is the point estimator, for the bounds with the skipped draws counted all wrong and all right. Without a
    largest loss there is no bound from below: it is None.
    """
    low, high = flipped(found.interval, loss_bound)
    approximate = APPROXIMATE if loss_bound is None and low is not None else ""
    skipped_low = skipped_high = None
    if sample.skipped:
        skipped_high = _shown(1 - mean_of(sample.counting_skipped_as(0.0)), loss_bound)
        if loss_bound is not None:
            skipped_low = _shown(1 - mean_of(sample.counting_skipped_as(loss_bound)), loss_bound)
    return Estimate(
        accuracy=_shown(1 - found.mean, loss_bound),
        standard_error=found.standard_error,
        low=low,
        high=high,
        level=level,
        labeled=sample.labeled,
        skipped=sample.skipped,
        method=found.method,
        design=design.kind,
        skipped_low=skipped_low,
        skipped_high=skipped_high,
        why=f"{found.why} {approximate}".strip(),
    )


def _shown(accuracy: float, loss_bound: float | None) -> float:
    """The accuracy as shown: in [0, 1] where it is a share, else as it is."""
    return float(np.clip(accuracy, 0.0, 1.0)) if loss_bound == 1 else float(accuracy)


def flipped(interval: Interval | None, loss_bound: float | None) -> tuple[float | None, float | None]:
    """The ends of accuracy from those of the mean loss: the larger loss is the lower accuracy."""
    if interval is None:
        return None, None
    return _shown(1 - interval.high, loss_bound), _shown(1 - interval.low, loss_bound)
