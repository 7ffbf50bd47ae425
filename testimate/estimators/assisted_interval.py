"""The interval of a failure rate that is helped by guesses, ordinary and conservative, for one sample or for many."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.intervals import Ends, korn_graubard_ends, wilson_ends
from testimate.estimators.possible_counts import counts_not_refuted
from testimate.estimators.score_interval import EVEN_SHARE, rounds_variance_of, score_upper_end
from testimate.estimators.stratified_interval import PSEUDO_LABELS, smoothed_rates

FEW_FAILURES = 5
"""Fewer failures, or fewer labels without one, than this in a stratum with inputs left say too little of its residuals: then
counts that the labels themselves do not refute widen the interval, whatever was guessed."""

LEAST_LEFT = 0.05
"""One minus the leverage of a label is taken to be at least this."""

Floats = NDArray[np.float64]


class ResidualSums(NamedTuple):
    """What the strata's labels say about the guesses, each (..., H).

    ``failures`` among ``counts`` labels, ``guessed`` the sum of their predicted chances, ``expected`` the sum of the
    variances that these chances promise, ``squares`` the sum of squares of the residuals around their stratum's mean.
    """

    failures: Floats
    counts: NDArray[np.number[Any]]
    guessed: Floats
    expected: Floats
    squares: Floats


def residual_sums(
    losses: Floats, predicted: Floats, residuals: Floats, strata: NDArray[np.intp], count: int
) -> ResidualSums:
    """The sums by stratum, (..., H) with H = ``count``, of labels (..., n); a chance of 0 or 1 is no certainty.

    ``residuals`` are those of ``without_leverage``, so that a line that leans on few labels does not hide its own error.
    """
    n = losses.shape[-1]
    samples = losses.size // n
    place = (np.arange(samples)[:, None] * count + strata.reshape(samples, n)).ravel()  # (samples * n,)

    def by_stratum(values: Floats) -> Floats:
        sums = np.bincount(place, values.ravel(), samples * count)
        return np.asarray(sums.reshape(*losses.shape[:-1], count), dtype=np.float64)

    likely = np.clip(predicted, 1 / (n + 2), 1 - 1 / (n + 2))
    counts = by_stratum(np.ones_like(losses))
    means = by_stratum(residuals) / np.maximum(counts, 1)
    centred = residuals - np.take_along_axis(means, np.asarray(strata), axis=-1)
    return ResidualSums(
        by_stratum(losses), counts, by_stratum(likely), by_stratum(likely * (1 - likely)), by_stratum(centred**2)
    )


def without_leverage(residuals: Floats, leverage: Floats) -> Floats:
    """The residuals (..., n) as if each label's prediction had been fitted to the others: e / (1 - h), the jackknife's."""
    return np.asarray(residuals / np.maximum(1 - leverage, LEAST_LEFT))


def assisted_ends(
    mean: NDArray[np.float64],
    sums: ResidualSums,
    sizes: NDArray[np.intp],
    *,
    level: float = 0.95,
    even: float = EVEN_SHARE,
    conservative: bool = False,
    replacement: bool = False,
) -> Ends:
    """Ends of the failure rate, (...), around the estimate ``mean`` (...), which may lie outside [0, 1].

    The upper end is that of the score interval, the lower one Wilson's with the effective n, both from the residuals'
    variance, smoothed as if two more labels in each stratum had gone as predicted; ``even`` is the part of every additional
    failure that may lie anywhere (``score_interval``). The conservative interval is the hull of
    Korn and Graubard's, with the effective n of draws with replacement where inputs are left, and the score interval that
    ignores the guesses. Where a stratum's labels say too little of its residuals (``FEW_FAILURES``), no count is excluded
    that the labels do not refute. The interval holds the mean, as far as a rate can be that.
    """
    total, weights = int(sizes.sum()), sizes / sizes.sum()
    failures, counts = sums.failures, sums.counts
    n = counts.sum(axis=-1)  # (...)
    spread = _spread(sums)
    left = np.ones_like(spread) if replacement else 1 - counts / sizes
    of_one = weights**2 * left / counts  # variance of a stratum's part, for losses of variance 1
    variance = (of_one * spread).sum(axis=-1)
    point, plain = np.clip(mean, 0, 1), (failures / counts) @ weights
    smooth = smoothed_rates(failures, counts, np.asarray(sums.guessed / counts, dtype=np.float64))
    rate = np.clip(smooth @ weights + point - plain, PSEUDO_LABELS / (n + 2) ** 2, 1 - 1 / (n + 2))
    found = failures.sum(axis=-1) / total
    least, most = (0.0, 1.0) if replacement else (found, found + (total - n) / total)
    shown = np.clip(point, least, most)
    effective = np.divide(rate * (1 - rate), variance, out=np.full(rate.shape, np.inf), where=variance > 0)
    moving = rounds_variance_of(rate, variance, of_one.sum(axis=-1), even=1.0 if conservative else even)
    ends = Ends(wilson_ends(shown, effective, level).low, score_upper_end(shown, moving, level))
    if conservative:
        open_ = np.ones_like(spread) if replacement else counts < sizes
        uncorrected = (weights**2 * open_ * spread / counts).sum(axis=-1)
        careful = np.divide(rate * (1 - rate), uncorrected, out=np.full(rate.shape, np.inf), where=uncorrected > 0)
        ends = ends.joined(korn_graubard_ends(shown, careful, level))
    if not replacement:
        too_few = ((np.minimum(failures, counts - failures) < FEW_FAILURES) & (counts < sizes)).any(axis=-1)
        possible = counts_not_refuted(failures, counts, sizes, sizes - counts, level)
        ends = ends.joined(
            Ends(
                np.where(too_few, possible.least / total, np.nan),
                np.where(too_few, possible.greatest / total, np.nan),
            )
        )
    low, high = np.clip(ends.low, least, most), np.clip(ends.high, least, most)
    return Ends(np.minimum(low, point), np.maximum(high, point))


def smoothed_error(sums: ResidualSums, sizes: NDArray[np.intp], *, replacement: bool = False) -> Floats:
    """The standard error of the mean (...) by the smoothed residuals, for where the plain one is 0 or cannot be estimated."""
    left = 1.0 if replacement else 1 - sums.counts / sizes
    terms = (sizes / sizes.sum()) ** 2 * left * _spread(sums) / sums.counts
    return np.asarray(np.sqrt(terms.sum(axis=-1)))


def _spread(sums: ResidualSums) -> Floats:
    """Variance of the residuals in each stratum, (..., H), smoothed by labels that went as predicted."""
    predicted = sums.expected / sums.counts
    return np.asarray((sums.squares + PSEUDO_LABELS * predicted) / (sums.counts - 1 + PSEUDO_LABELS))
