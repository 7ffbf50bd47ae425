"""The width that an interval is expected to have before any label is seen, for each kind of plan."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, pdtrik

from testimate.core.checks import check_level
from testimate.core.design import IntervalVersion
from testimate.core.errors import BadInput
from testimate.estimators.betting import BET_HORIZONS, GRID_STEPS, SHARE_AT_RISK
from testimate.estimators.intervals import (
    EVEN_SHARE,
    Ends,
    MovingVariance,
    PossibleCounts,
    counts_not_refuted,
    score_lower_end,
    score_upper_end,
    stratified_variance_at,
    t_quantile,
    wilson,
    wilson_ends,
)
from testimate.estimators.stratified import smoothed_rates
from testimate.estimators.weights import FEWEST, Ratios, share_ends, smoothed_effective_n


def simple_random_half_width(
    size: int, budgets: ArrayLike, failure: float, *, level: float = 0.95, replacement: bool = False
) -> NDArray[np.float64]:
    """Half the width of the interval after n labels drawn at random from N = ``size`` inputs.

    Parameters
    ----------
    budgets : (K,) whole numbers n, from 1 to N.
    failure : guessed share of inputs that fail, 0..1.

    Returns
    -------
    (K,) half widths; 0 where everything is labeled.

    >>> simple_random_half_width(10_000, [100, 400], 0.05).round(3)
    array([0.047, 0.021])
    """
    counts = check_budgets(budgets, 1, None if replacement else size)
    rate = float(check_rates(failure, 1)[0])
    left = np.ones(len(counts)) if replacement else (size - counts) / max(size - 1, 1)
    effective = np.divide(counts, left, out=np.full(len(counts), np.inf), where=left > 0)
    if replacement:
        return wilson_half_widths(rate, effective, level)
    failures = rate * counts  # (K,)
    not_refuted = counts_not_refuted(failures[:, None], counts[:, None], [size], [1.0], level)
    ends = wilson_ends(np.full(len(counts), rate), effective, level)
    return _half_of_joined(ends, not_refuted, failures / size, (size - counts) / size, size)


def rounds_half_width(
    stratum_sizes: ArrayLike,
    budgets: ArrayLike,
    failure: ArrayLike,
    *,
    prior_failure: ArrayLike | None = None,
    level: float = 0.95,
) -> NDArray[np.float64]:
    """Half the width of the stratified interval after n labels drawn in rounds (rrs), each stratum once a round.

    Parameters
    ----------
    stratum_sizes : (H,) inputs in each stratum.
    budgets : (K,) whole numbers n, from H (a label in every stratum) to N.
    failure : guessed failure rate of each stratum, (H,), or one for all; 0..1.
    prior_failure : (H,) as in ``stratified_half_width``; None where the labels fail just at the guessed rates.

    Returns
    -------
    (K,) half widths at the guessed rates; a round begun counts in equal parts for all its strata.

    >>> rounds_half_width([2000] * 5, [100, 400], [0.01, 0.01, 0.02, 0.05, 0.3]).round(3)
    array([0.05 , 0.024])
    """
    sizes = np.atleast_1d(np.asarray(stratum_sizes, dtype=np.intp))
    budget_list = check_budgets(budgets, len(sizes), int(sizes.sum()))
    allocations = [labels_per_stratum(sizes, budget) for budget in budget_list]
    return stratified_half_width(sizes, allocations, failure, prior_failure=prior_failure, level=level, version=2)


def stratified_half_width(
    stratum_sizes: ArrayLike,
    allocations: ArrayLike,
    failure: ArrayLike,
    *,
    prior_failure: ArrayLike | None = None,
    level: float = 0.95,
    version: IntervalVersion = 1,
) -> NDArray[np.float64]:
    """Half the width of the stratified interval after given numbers of labels in each stratum.

    Parameters
    ----------
    stratum_sizes : (H,) inputs in each stratum.
    allocations : (K, H) labels in each stratum, above 0 and at most its size; they need not be whole.
    failure : guessed failure rate of each stratum, (H,), or one for all; 0..1.
    prior_failure : (H,) rates by which the estimate will smooth, or one for all; then the spread is the one expected over
        the labels' outcomes. None: the spread of labels that fail just at the guessed rates.

    Returns
    -------
    (K,) half widths.

    >>> stratified_half_width([8000, 2000], [[50, 50]], [0.01, 0.3], prior_failure=0.5).round(3)
    array([0.045])
    """
    sizes = np.atleast_1d(np.asarray(stratum_sizes, dtype=np.intp))
    rates = check_rates(failure, len(sizes))
    rate = float(np.dot(sizes / sizes.sum(), rates))
    counts = np.atleast_2d(np.asarray(allocations, dtype=np.float64))  # (K, H)
    degrees = np.full(len(counts), np.inf) if version == 1 else np.maximum(counts.sum(axis=1) - 1, 1)  # (K,)
    if prior_failure is None:
        if rate == 0:  # nothing is guessed to fail, so the spread of an additional failure alone makes the width
            rates = np.full(len(sizes), 1e-12)
        return _joined_half_widths(
            rate, rates, counts, sizes, np.broadcast_to(rates, counts.shape), 0.0, level, degrees
        )
    smooth = smoothed_rates(counts * rates, counts, check_rates(prior_failure, len(sizes)))
    left = (sizes - counts) / np.maximum(sizes - 1, 1)  # of the hypergeometric's variance
    own = counts * rates * (1 - rates) * left / (counts + 2) ** 2  # by which smoothed rates scatter themselves
    spread = ((sizes / sizes.sum()) ** 2 * (1 - counts / sizes) * own / counts).sum(axis=1)
    return _joined_half_widths(rate, rates, counts, sizes, smooth, spread, level, degrees)


def _joined_half_widths(
    rate: float,
    rates: NDArray[np.float64],
    counts: NDArray[np.float64],
    sizes: NDArray[np.intp],
    smooth: NDArray[np.float64],
    spread: NDArray[np.float64] | float,
    level: float,
    degrees: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Half widths (K,) of the score interval joined with the counts that labels failing at ``rates`` do not refute.

    ``smooth`` (K, H) are the rates as smoothed, and ``spread`` is what their own scatter takes from the variance.
    """
    found_rate = np.full(len(counts), rate)
    up, down = (stratified_variance_at(smooth, counts, sizes, even=even) for even in (EVEN_SHARE, 0.0))
    low = score_lower_end(found_rate, down._replace(a0=down.a0 - spread), level, degrees)
    high = score_upper_end(found_rate, up._replace(a0=up.a0 - spread), level, degrees)
    growth = EVEN_SHARE + (1 - EVEN_SHARE) * rates / max(float(np.dot(sizes / sizes.sum(), rates)), 1e-300)
    not_refuted = counts_not_refuted(counts * rates, counts, sizes, (sizes - counts) * growth, level)
    size = int(sizes.sum())
    return _half_of_joined(
        Ends(low, high), not_refuted, counts @ rates / size, (sizes - counts).sum(axis=1) / size, size
    )


def _half_of_joined(
    ends: Ends, not_refuted: PossibleCounts, found: NDArray[np.float64], unlabeled: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    """Half widths (K,) of ends joined with the counts not refuted, inside what ``found`` and ``unlabeled`` inputs allow."""
    ends = ends.joined(Ends(not_refuted.least / size, not_refuted.greatest / size))
    most = found + unlabeled
    return np.asarray(np.clip(ends.high, found, most) - np.clip(ends.low, found, most)) / 2


def score_half_widths(rate: ArrayLike, moving: MovingVariance, level: float) -> NDArray[np.float64]:
    """Half widths (..., K) of the interval of adaptive rounds at rates: the score interval's end above, Wilson's below."""
    known = moving.a0 <= 0
    effective = np.where(known, np.inf, moving.start * (1 - moving.start) / np.where(known, 1.0, moving.a0))
    found = np.broadcast_to(np.asarray(rate, dtype=np.float64), effective.shape)
    return np.asarray(score_upper_end(found, moving, level) - wilson_ends(found, effective, level).low) / 2


def labels_per_stratum(sizes: NDArray[np.intp], budget: float) -> NDArray[np.float64]:
    """How many of ``budget`` labels (H..N) each stratum has after rounds that visit all not exhausted; (H,), sums to it.

    >>> labels_per_stratum(np.array([2, 10, 10]), 13)
    array([2. , 5.5, 5.5])
    """
    ordered = np.sort(sizes)
    live = len(sizes) - np.arange(len(sizes))  # strata at least as large as this one
    through = np.cumsum(ordered) - ordered + live * ordered  # labels when this stratum is exhausted
    first = min(int(np.searchsorted(through, budget)), len(sizes) - 1)
    rounds = (budget - ordered[:first].sum()) / live[first]
    labels: NDArray[np.float64] = np.minimum(sizes, rounds)
    return labels


def wilson_half_widths(rate: float, effective: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Half widths of Wilson's interval at one rate, (K,) from (K,) effective n."""
    intervals = [wilson(rate, float(n), level) for n in effective]
    return np.array([(interval.high - interval.low) / 2 for interval in intervals])


def check_budgets(budgets: ArrayLike, least: int, most: int | None) -> NDArray[np.intp]:
    """The budgets as (K,) whole numbers; BadInput where one is outside [least, most]."""
    counts = np.atleast_1d(np.asarray(budgets, dtype=np.intp))
    bad = counts[(counts < least) | (counts > (counts if most is None else most))]
    if bad.size:
        end = "on" if most is None else f"to {most}"
        raise BadInput(f"A budget is {bad[0]}. Expected a number from {least} {end}. Change it.")
    return counts


def check_rates(failure: ArrayLike, count: int) -> NDArray[np.float64]:
    """The guessed failure rates, (H,); BadInput where they do not fit."""
    rates = np.asarray(failure, dtype=np.float64)
    if rates.shape not in ((), (count,)) or not ((rates >= 0) & (rates <= 1)).all():
        raise BadInput(f"The guessed failure rates are {failure!r:.60}. Expected {count} from 0 to 1. Change them.")
    return np.broadcast_to(rates, (count,))


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
    # No wider than what the unlabeled can still change.
    return widths if size is None else np.minimum(widths, (1 - counts / size) / 2)


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
    center = logit(mean[plain])
    widths = expit(center + half) - expit(center - half)
    other = [  # as many different ones as there are means: 0, and 1 and above
        wilson_half_widths(
            min(one, 1.0), np.array([smoothed_effective_n(min(one, 1.0), n, known.squared, off)]), level
        )[0]
        for one, off in zip(mean[~plain].tolist(), error[~plain].tolist(), strict=True)
    ]
    return float((widths.sum() / 2 + sum(other)) / len(mean))


def part_half_width(size: int, budgets: ArrayLike, failure: float, *, level: float = 0.95) -> NDArray[np.float64]:
    """Half the width of a part's interval after n labels drawn at random from its ``size`` inputs, as ``share_ends`` gives it.

    Parameters
    ----------
    budgets : (K,) whole numbers n, from 1 to ``size``. failure : guessed share of the part's inputs that fail, 0..1.

    Returns
    -------
    (K,) half widths; 0 where everything is labeled, infinite below ``FEWEST`` labels, which give no number.

    >>> part_half_width(10_000, [5, 100, 400], 0.05).round(3)
    array([  inf, 0.045, 0.021])
    """
    n = check_budgets(budgets, 1, size)
    rate = float(check_rates(failure, 1)[0])
    left = 1 - n / size
    found = Ratios(
        np.full(len(n), 1 - rate), left * rate * (1 - rate) / np.maximum(n - 1, 1), left / n, n.astype(np.intp)
    )
    ends = share_ends(found, level)
    widths = (np.asarray(ends.high) - np.asarray(ends.low)) / 2
    return np.where(n == size, 0.0, np.where(n < FEWEST, np.inf, widths))
