"""Make one estimate of independent ones, by weights that do not depend on their labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.core.draw import Estimate
from testimate.estimators.intervals import Interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """An estimate, and the variance predicted for it without its labels, above 0."""

    estimate: Estimate
    predicted_variance: float


def combined(parts: Sequence[Part], level: float = 0.95) -> Estimate:
    """The mean of the accuracies, weighted by 1 / predicted variance; a single part is returned as it is.

    Unbiased where each part is, because the weights are known before there are labels. Where a later sample was drawn
    from what an earlier one left, its estimate is unbiased given the earlier one, so that the two are uncorrelated. The
    ordinary interval joins those of the parts by the method of variance estimates recovery (Zou and Donner 2008, eq. 3:
    the distance to each end is the root of the sum of squares of the parts' distances, each times its weight); it is None
    where one part has none. The stop-safe one is that of the part expected to be the most precise among those that have
    one.

    >>> one = Estimate(0.9, 0.03, 0.84, 0.96, 0.95, 100, 0, "a", "stratified")
    >>> two = Estimate(0.8, 0.04, 0.72, 0.88, 0.95, 50, 0, "b", "stratified")
    >>> both = combined([Part(one, 1.0), Part(two, 1.0)])
    >>> round(both.accuracy, 3), round(both.standard_error, 3), round(both.low, 3), round(both.high, 3)
    (0.85, 0.025, 0.8, 0.9)
    """
    if len(parts) == 1:
        return parts[0].estimate
    estimates = [one.estimate for one in parts]
    always = min(parts, key=lambda one: (one.estimate.always_low is None, one.predicted_variance)).estimate
    return _weighted(
        estimates,
        inverse_variance_shares([one.predicted_variance for one in parts]),
        level,
        f"{len(parts)} samples, weighted by their predicted variances",
        StopSafe(always.always_low, always.always_high),
    )


def joined(estimates: Sequence[Estimate], careful: Sequence[Estimate], sizes: Sequence[int], level: float) -> Estimate:
    """The accuracy of a set that is made of parts, each with an estimate of its own from a sample of its own.

    Cochran 1977, eq. 5.1: their mean, weighted by how many inputs each part has. The ordinary interval joins theirs as
    ``combined`` does.

    Parameters
    ----------
    estimates : of the k parts, in the order of their ``sizes``.
    careful : the same at the level 1 - (1 - level) / k, so that their stop-safe intervals hold all together (Bonferroni); the
        stop-safe interval of the whole is their weighted sum, None where one part has none.

    >>> one = Estimate(0.9, 0.03, 0.84, 0.96, 0.95, 100, 0, "a", "stratified")
    >>> two = Estimate(0.8, 0.04, 0.72, 0.88, 0.95, 50, 0, "b", "simple random")
    >>> round(joined([one, two], [one, two], [300, 100], 0.95).accuracy, 3)
    0.875
    """
    shares = np.asarray(sizes, dtype=np.float64) / sum(sizes)
    lows, highs = [one.always_low for one in careful], [one.always_high for one in careful]
    known = None not in (*lows, *highs)
    ends = StopSafe(*(float(shares @ np.array(side, dtype=float)) if known else None for side in (lows, highs)))
    return _weighted(estimates, shares, level, f"{len(estimates)} parts, weighted by their sizes", ends)


class StopSafe(NamedTuple):
    """The ends of a stop-safe interval; None where there is none."""

    low: float | None
    high: float | None


def _weighted(estimates: Sequence[Estimate], shares: Floats, level: float, method: str, always: StopSafe) -> Estimate:
    """The mean of independent estimates by these weights (k,), which sum to 1."""
    ends = recovered_ends(shares, [one.accuracy for one in estimates], [(one.low, one.high) for one in estimates])
    errors = [one.standard_error for one in estimates]
    skipped = sum(one.skipped for one in estimates)
    bounds = [
        [one.accuracy if bound is None else bound for one, bound in zip(estimates, side, strict=True)]
        for side in ([one.skipped_low for one in estimates], [one.skipped_high for one in estimates])
    ]
    return Estimate(
        accuracy=float(shares @ [one.accuracy for one in estimates]),
        standard_error=None
        if None in errors
        else float(np.sqrt(((shares * np.array(errors, dtype=float)) ** 2).sum())),
        low=None if ends is None else max(0.0, ends.low),
        high=None if ends is None else min(1.0, ends.high),
        level=level,
        labeled=sum(one.labeled for one in estimates),
        skipped=skipped,
        method=method,
        design=", ".join(dict.fromkeys(one.design for one in estimates)),
        always_low=always.low,
        always_high=always.high,
        skipped_low=float(shares @ bounds[0]) if skipped else None,
        skipped_high=float(shares @ bounds[1]) if skipped else None,
        why=" ".join(dict.fromkeys(one.why for one in estimates if one.why)),
    )


def inverse_variance_shares(variances: Sequence[float]) -> Floats:
    """Weights 1 / variance, summing to 1; all of the weight is on variances of 0, where there are any."""
    values = np.asarray(variances, dtype=np.float64)
    inverse = (values == 0).astype(float) if (values == 0).any() else 1 / values
    return np.asarray(inverse / inverse.sum())


def recovered_ends(
    shares: Floats, means: Sequence[float], ends: Sequence[tuple[float | None, float | None]]
) -> Interval | None:
    """The ends of the weighted mean from those of its parts."""
    if any(low is None or high is None for low, high in ends):
        return None
    center, each = float(shares @ means), np.array(ends, dtype=np.float64)
    down, up = np.maximum(np.array(means) - each[:, 0], 0.0), np.maximum(each[:, 1] - np.array(means), 0.0)
    return Interval(
        center - float(np.sqrt(((shares * down) ** 2).sum())), center + float(np.sqrt(((shares * up) ** 2).sum()))
    )
