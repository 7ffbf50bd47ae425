"""An interval around the mean of weighted losses, for designs whose draws differ in their chances."""

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.as_accuracy import MeanLoss
from testimate.estimators.intervals import Interval, logit_interval, no_spread, t_interval, wilson


def rate_of_terms(
    mean: float, error: float | None, weights: NDArray[np.float64], limits: Interval, level: float, name: str
) -> MeanLoss:
    """The failure rate ``mean`` with its standard error ``error``; the logit interval with n - 1 degrees of freedom.

    ``weights`` (n,) are those of the draws, failed or not: the estimate is about the mean of weight times loss. Without a
    failure, at an estimate of 1 and more, or without an error there is no logit: then Wilson's interval with the
    effective n of a smoothed rate t = (n p + 1) / (n + 2), whose variance is (t w - t^2) / n, w the mean weight of the
    inputs; a sample without failures is not one without variance. ``limits`` are the rates still possible.
    """
    n = len(weights)
    if error is not None and 0 < mean < 1 and not no_spread(error, mean):
        return MeanLoss(
            mean, error, logit_interval(mean, error, level, n - 1).within(*limits), f"{name}, logit interval"
        )
    shown, mean_weight = min(max(mean, 0.0), 1.0), float((weights**2).sum() / weights.sum())
    interval = wilson(shown, smoothed_effective_n(shown, n, mean_weight, error), level).within(*limits)
    smoothed = float(np.sqrt(smoothed_variance(shown, n, mean_weight, error)))
    return MeanLoss(mean, smoothed, interval, f"{name}, Wilson interval, smoothed")


def smoothed_variance(rate: float, n: int, mean_weight: float, error: float | None = None) -> float:
    """Variance of the mean of n terms around the smoothed rate t: (t w - t^2) / n, or the square of ``error`` where larger."""
    smoothed = (n * rate + 1) / (n + 2)
    return max((smoothed * max(mean_weight, 1.0) - smoothed**2) / n, (error or 0.0) ** 2)


def smoothed_effective_n(rate: float, n: int, mean_weight: float, error: float | None = None) -> float:
    """How many independent labels would say as much: t (1 - t) over the smoothed variance, above 0."""
    smoothed = (n * rate + 1) / (n + 2)
    return smoothed * (1 - smoothed) / smoothed_variance(rate, n, mean_weight, error)


def mean_of_terms(mean: float, error: float | None, n: int, limits: Interval, level: float, name: str) -> MeanLoss:
    """The mean of losses of any size from n draws, with Student's interval where their spread can be estimated."""
    if error is None or no_spread(error, mean):
        why = f"The {n} weighted losses so far do not differ, so their spread cannot be estimated; label more inputs."
        return MeanLoss(mean, None, None, name, why)
    return MeanLoss(mean, error, t_interval(mean, error, n - 1, level).within(*limits), f"{name}, t interval")
