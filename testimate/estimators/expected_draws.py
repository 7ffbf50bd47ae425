"""How wide the intervals of independent draws with unequal chances (sups) are expected to be, before a label is seen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, pdtrik

from testimate.estimators.expected_always_valid import Expected, half_widths_of, points_in_time
from testimate.estimators.expected_half_width import check_budgets, check_rates, wilson_half_widths
from testimate.estimators.intervals import t_quantile
from testimate.estimators.weighted_terms import smoothed_effective_n

WEIGHT_CLASSES = 40  # of weights that differ from draw to draw
CAMPAIGNS = 200  # imagined, for the mean width of a sample's own interval


@dataclass(frozen=True, eq=False)
class _Weights:
    """What a draw can weigh, 1 / (N p), in classes of nearly the same weight.

    Attributes
    ----------
    failing : (C,) chance that a draw fails and is of this class.
    weight : (C,) mean weight of such a draw.
    rate : share of the inputs that fail.
    squared : mean squared weight of a draw, failed or not.
    largest : the largest weight there is.
    """

    failing: NDArray[np.float64]
    weight: NDArray[np.float64]
    rate: float
    squared: float
    largest: float


def per_draw_half_width(
    chances: ArrayLike, probabilities: ArrayLike, budgets: ArrayLike, *, level: float = 0.95
) -> NDArray[np.float64]:
    """Half the width of the interval that a sample of n independent draws with replacement shows (sups), on average.

    A failure of small chance weighs much, and a sample without one shows an interval that is narrower than it should be:
    this is the width a tester will see, less than that of an honest interval. It is the mean over imagined campaigns whose
    failures of each class of weight are Poisson; the same quantiles at every budget, so that it falls smoothly.

    Parameters
    ----------
    chances : (N,) guessed chance of failure of each input, 0..1.
    probabilities : (N,) chance of each input at a draw, above 0, summing to 1.
    budgets : (K,) whole numbers n, from 2 on.

    Returns
    -------
    (K,) half widths; those of Wilson's interval where nothing is guessed to fail.

    >>> equal = np.full(1000, 1 / 1000)
    >>> per_draw_half_width(np.full(1000, 0.05), equal, [400]).round(3)
    array([0.022])
    """
    counts = check_budgets(budgets, 2, None)
    known = _weights(chances, probabilities)
    if not 0 < known.rate < 1:
        return wilson_half_widths(known.rate, counts.astype(np.float64), level)
    evenly = np.tile((np.arange(CAMPAIGNS) + 0.5) / CAMPAIGNS, (len(known.failing), 1)).T
    shares = np.random.default_rng(0).permuted(evenly, axis=0)  # (R, C), one set of campaigns for every forecast
    return np.array([_mean_half_width(known, int(n), shares, level) for n in counts])


def per_draw_always_half_width(
    chances: ArrayLike, probabilities: ArrayLike, budgets: ArrayLike, *, level: float = 0.95
) -> NDArray[np.float64]:
    """Half the always-valid width after n independent draws with replacement (sups).

    Parameters and result as in ``per_draw_half_width``; budgets from 1 on.
    """
    counts = check_budgets(budgets, 1, None)
    known = _weights(chances, probabilities)
    labels, full = points_in_time(counts), np.ones(len(points_in_time(counts)))
    square = float(known.failing @ known.weight**2)
    variance = (labels * square + 1) / (labels + 2) - ((labels * known.rate + 1) / (labels + 2)) ** 2
    expected = Expected(
        labels,
        np.tile(np.append(known.weight, 0.0), (len(labels), 1)),
        np.append(known.failing, max(1 - known.failing.sum(), 0.0)),
        0 * full,
        full * known.largest,
        np.maximum(variance, 1e-12),
        labels,
    )
    return half_widths_of(expected, known.rate, counts, level)


def _weights(chances: ArrayLike, probabilities: ArrayLike) -> _Weights:
    guessed, drawn = np.asarray(chances, dtype=np.float64), np.asarray(probabilities, dtype=np.float64)
    rates = check_rates(guessed, guessed.size)
    weights = 1 / (guessed.size * drawn)  # (N,)
    edges = np.geomspace(weights.min(), weights.max() * (1 + 1e-9), WEIGHT_CLASSES + 1)
    place = np.clip(np.searchsorted(edges, weights, side="right") - 1, 0, WEIGHT_CLASSES - 1)
    failing = np.bincount(place, drawn * rates, WEIGHT_CLASSES).astype(np.float64)
    weight = np.bincount(place, drawn * rates * weights, WEIGHT_CLASSES) / np.maximum(failing, 1e-300)
    squared = float((weights**2 * drawn).sum())
    return _Weights(failing, weight, float(rates.mean()), squared, float(weights.max()))


def _mean_half_width(known: _Weights, n: int, shares: NDArray[np.float64], level: float) -> float:
    """Mean half width of the Hansen-Hurwitz interval over campaigns, the quantiles of whose failures are ``shares``."""
    means = n * known.failing  # (C,)
    some = shares > np.exp(-means)  # (R, C)
    failed = np.zeros(shares.shape)
    failed[some] = np.ceil(pdtrik(shares[some], np.broadcast_to(means, shares.shape)[some]))
    mean = failed @ known.weight / n  # (R,)
    error = np.sqrt(np.maximum(failed @ known.weight**2 / n - mean**2, 0) / (n - 1))
    plain = (mean > 0) & (mean < 1) & (error > 0)
    half = t_quantile(level, n - 1) * error[plain] / (mean[plain] * (1 - mean[plain]))
    centre = logit(mean[plain])
    widths = expit(centre + half) - expit(centre - half)
    other = [  # as many different ones as there are means: 0, and 1 and above
        wilson_half_widths(
            min(one, 1.0), np.array([smoothed_effective_n(min(one, 1.0), n, known.squared, off)]), level
        )[0]
        for one, off in zip(mean[~plain].tolist(), error[~plain].tolist(), strict=True)
    ]
    return float((widths.sum() / 2 + sum(other)) / len(mean))
