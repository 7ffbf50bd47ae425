"""How wide the always-valid interval is expected to be, from the growth of its capitals before a label is seen."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.estimators.betting import BET_HORIZONS, GRID_STEPS, SHARE_AT_RISK
from testimate.estimators.expected_half_width import check_budgets, check_rates
from testimate.estimators.intervals import check_level

STEPS = 60  # points in time at which the growth is computed
MEANS = 160  # candidate means tried on each side
PEAK_SHARE = 0.7  # of the expected peak: an end is a mean of campaigns, not a mean height; measured to within a tenth


@dataclass(frozen=True, eq=False)
class Expected:
    """What a label is expected to bring at T points in time, in the terms of ``betting.Game``.

    Attributes
    ----------
    labels : (T,) labels before, rising from 0.
    outcomes : (T, A) the X that one label can give.
    chances : (T, A) or (A,) of these, summing to 1.
    smallest, largest, variance : (T,) as the game predicts them.
    rounds : (T,) how often the interval could have moved before.
    """

    labels: NDArray[np.float64]
    outcomes: NDArray[np.float64]
    chances: NDArray[np.float64]
    smallest: NDArray[np.float64]
    largest: NDArray[np.float64]
    variance: NDArray[np.float64]
    rounds: NDArray[np.float64]


def simple_always_half_width(
    size: int, budgets: ArrayLike, failure: float, *, level: float = 0.95, replacement: bool = False
) -> NDArray[np.float64]:
    """Half the always-valid width after n labels drawn at random from N = ``size`` inputs.

    Parameters
    ----------
    budgets : (K,) whole numbers n, from 1 to N.
    failure : guessed share of inputs that fail, 0..1.

    Returns
    -------
    (K,) half widths.

    >>> simple_always_half_width(10_000, [100, 400], 0.05).round(3)
    array([0.066, 0.03 ])
    """
    rate = float(check_rates(failure, 1)[0])
    return scaled_always_half_width(rate, rate * (1 - rate), budgets, None if replacement else size, level=level)


def scaled_always_half_width(
    rate: float, variance: float, budgets: ArrayLike, size: int | None, *, level: float = 0.95
) -> NDArray[np.float64]:
    """Half the always-valid width after n labels whose terms have the mean ``rate`` and the variance ``variance``.

    They are taken to be two-valued, as those of simple random sampling are, which have the variance rate (1 - rate).

    Parameters
    ----------
    rate : mean loss in shares of the largest, 0..1.
    variance : of the term of one label, at least 0, where nothing is labeled yet.
    budgets : (K,) whole numbers n, from 1 to N.
    size : N; None where inputs are drawn with replacement.

    Returns
    -------
    (K,) half widths.
    """
    counts = check_budgets(budgets, 1, size)
    labels = points_in_time(counts)
    factor = np.sqrt(variance / (rate * (1 - rate))) if 0 < rate < 1 else 1.0
    share = np.ones(len(labels)) if size is None else (size - labels) / size
    known = np.zeros(len(labels)) if size is None else labels * rate / size
    mean = (labels * rate + 1) / (labels + 2)
    terms = rate + factor * (np.array([0.0, 1.0]) - rate)
    outcomes = known[:, None] + share[:, None] * terms
    predicted = np.maximum((share * factor) ** 2 * mean * (1 - mean), 1e-12)
    chances = np.array([1 - rate, rate])
    expected = Expected(labels, outcomes, chances, outcomes[:, 0], outcomes[:, 1], predicted, labels)
    widths = half_widths_of(expected, rate, counts, level)
    return (
        widths if size is None else np.minimum(widths, (1 - counts / size) / 2)
    )  # what the unlabeled can still change


def rounds_always_half_width(
    stratum_sizes: ArrayLike,
    budgets: ArrayLike,
    failure: ArrayLike,
    *,
    prior_failure: ArrayLike = 0.5,
    level: float = 0.95,
) -> NDArray[np.float64]:
    """Half the always-valid width after n labels drawn in rounds (rrs), each stratum once a round.

    Parameters
    ----------
    stratum_sizes : (H,) inputs in each stratum.
    budgets : (K,) whole numbers n, from H to N.
    failure : guessed failure rate of each stratum, (H,), or one for all; 0..1.
    prior_failure : (H,) or one for all, what the design says before any label.

    Returns
    -------
    (K,) half widths.

    >>> rounds_always_half_width([2000] * 5, [100, 400], [0.01, 0.01, 0.02, 0.05, 0.3]).round(3)
    array([0.077, 0.033])
    """
    sizes = np.atleast_1d(np.asarray(stratum_sizes, dtype=np.intp))
    rates, prior = check_rates(failure, len(sizes)), check_rates(prior_failure, len(sizes))
    counts = check_budgets(budgets, len(sizes), int(sizes.sum()))
    size = sizes.sum()
    labels = points_in_time(counts)
    dealt = _rounds_before(sizes, labels)[:, None]  # (T, 1)
    live = sizes > dealt  # (T, H)
    before = np.minimum(dealt, sizes)
    visited = np.maximum(live.sum(axis=1, keepdims=True), 1)
    left = np.where(live, sizes - before, 0)
    mu = (before * rates + 2 * prior) / (before + 2)
    base = (before @ rates + (left * mu).sum(axis=1))[:, None] / size
    reach = visited * left / size
    outcomes = np.concatenate([base - reach * mu, base + reach * (1 - mu)], axis=1)  # (T, 2 H)
    chances = np.concatenate([np.where(live, 1 - rates, 0), np.where(live, rates, 0)], axis=1) / visited
    spread = mu * (1 - mu)
    expected = Expected(
        labels,
        outcomes,
        chances,
        np.where(live, base - reach * mu, np.inf).min(axis=1, initial=1.0),
        np.where(live, base + reach * (1 - mu), -np.inf).max(axis=1, initial=0.0),
        np.maximum((reach**2 * spread).sum(axis=1) / visited[:, 0], 1e-12),
        dealt[:, 0],
    )
    widths = half_widths_of(expected, float(np.dot(sizes / size, rates)), counts, level)
    return np.asarray(np.minimum(widths, (1 - counts / size) / 2))  # what the unlabeled can still change


def points_in_time(counts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Points in time, (STEPS,), from 0 to the largest budget, dense at first."""
    last = float(counts.max())
    return np.append(0.0, np.geomspace(min(1.0, last), last, STEPS - 1))


def _rounds_before(sizes: NDArray[np.intp], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many rounds, (T,), not whole, have visited the strata after that many labels (T,)."""
    ordered = np.sort(sizes)
    live = len(sizes) - np.arange(len(sizes))
    through = np.cumsum(ordered) - ordered + live * ordered  # labels when a stratum is exhausted
    return np.asarray(np.interp(labels, np.append(0, through), np.append(0, ordered)), dtype=np.float64)


def half_widths_of(expected: Expected, rate: float, counts: NDArray[Any], level: float) -> NDArray[np.float64]:
    """Half widths (K,) after ``counts`` draws (K,) where the capitals, growing as they do on average, have ruled the means out.

    The log of a capital grows by E log(1 + lambda (X - m)) a label; the interval ends where the log of the mean capital
    was log(2 / alpha) at some time. The greatest height a random walk with drift has reached is expected to exceed its
    present one by its variance over twice its drift (Brownian motion), less 0.583 standard deviations of a step where
    it is observed in steps (Siegmund 1985, section 10.4).
    """
    alpha = 1 - check_level(level)
    high = _end(expected, rate, counts, alpha, up=False)
    low = _end(expected, rate, counts, alpha, up=True)
    return np.maximum(high - low, 0.0) / 2


def _end(expected: Expected, rate: float, counts: NDArray[Any], alpha: float, *, up: bool) -> NDArray[np.float64]:
    """The low end (``up``) or the high end of the mean after each budget, (K,)."""
    side = -1.0 if up else 1.0
    reach = rate if up else 1 - rate
    means = rate + side * reach * np.linspace(0, 1, MEANS) ** 2  # (M,), dense near the rate
    room = means - expected.smallest[:, None] if up else expected.largest[:, None] - means  # (T, M)
    cap = np.divide(SHARE_AT_RISK, room, out=np.full(room.shape, np.inf), where=room > 1e-12)
    growth = np.empty((2, len(BET_HORIZONS), len(expected.labels), MEANS))  # mean and variance of the log a label
    chances = np.broadcast_to(expected.chances, expected.outcomes.shape)
    gain = -side * (expected.outcomes[:, None, :] - means[:, None])  # (T, M, A)
    for place, horizon in enumerate(BET_HORIZONS):
        wish = np.sqrt(2 * np.log(2 / alpha) / (expected.variance * horizon))[:, None]
        bet = np.minimum(wish, cap)
        factor = 1 + np.where(np.isfinite(bet), bet, 0.0)[:, :, None] * gain
        logs = np.log(np.maximum(factor, 1e-3))
        growth[0, place] = (chances[:, None, :] * logs).sum(axis=2)
        growth[1, place] = (chances[:, None, :] * logs**2).sum(axis=2) - growth[0, place] ** 2
    steps = np.diff(expected.labels)[:, None]
    drift, spread = np.cumsum((growth[:, :, 1:] + growth[:, :, :-1]) / 2 * steps, axis=2)  # each (bets, T - 1, M)
    times = np.maximum(expected.rounds[1:, None], 1.0)
    spread = np.maximum(spread, 0.0)
    highest = np.minimum(
        spread / (2 * np.maximum(drift, 1e-12)), np.sqrt(2 / np.pi * spread)
    )  # the latter without drift
    highest -= 0.583 * np.sqrt(spread / times)
    grown = np.concatenate(
        [np.zeros((len(BET_HORIZONS), 1, MEANS)), drift + PEAK_SHARE * np.maximum(highest, 0)], axis=1
    )
    height = np.logaddexp.reduce(grown, axis=0) - np.log(len(BET_HORIZONS)) - np.log(2 / alpha)  # (T, M)
    height = np.maximum.accumulate(height, axis=1)
    end = np.array([_crossing(one, means) for one in height])  # (T,)
    end += side * np.pi / GRID_STEPS / 2 * np.sqrt(np.clip(end * (1 - end), 0, None))  # half a step of the grid outward
    return np.asarray(np.interp(counts, expected.labels, end), dtype=np.float64)


def _crossing(height: NDArray[np.float64], means: NDArray[np.float64]) -> float:
    """The mean at which a rising height (M,) passes 0; the last one where it never does."""
    above = int(np.searchsorted(height, 0.0))
    if above == len(means):
        return float(means[-1])
    if above == 0:
        return float(means[0])
    share = -height[above - 1] / max(height[above] - height[above - 1], 1e-300)
    return float(means[above - 1] + share * (means[above] - means[above - 1]))
