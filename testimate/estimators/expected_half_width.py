"""How wide an interval to expect before any label is seen, to plan how many are needed."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.estimators.intervals import Ends, wilson, wilson_ends
from testimate.estimators.possible_counts import counts_not_refuted
from testimate.estimators.score_interval import (
    EVEN_SHARE,
    MovingVariance,
    score_lower_end,
    score_upper_end,
    stratified_variance_at,
)
from testimate.estimators.stratified_interval import smoothed_rates


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
    possible = counts_not_refuted(failures[:, None], counts[:, None], [size], [1.0], level)
    ends = wilson_ends(np.full(len(counts), rate), effective, level)
    ends = ends.joined(Ends(possible.least / size, possible.greatest / size))
    found, open_ = failures / size, (size - counts) / size
    return np.asarray(np.clip(ends.high, found, found + open_) - np.clip(ends.low, found, found + open_)) / 2


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
    array([0.049, 0.024])
    """
    sizes = np.atleast_1d(np.asarray(stratum_sizes, dtype=np.intp))
    budget_list = check_budgets(budgets, len(sizes), int(sizes.sum()))
    allocations = [labels_per_stratum(sizes, budget) for budget in budget_list]
    return stratified_half_width(sizes, allocations, failure, prior_failure=prior_failure, level=level)


def stratified_half_width(
    stratum_sizes: ArrayLike,
    allocations: ArrayLike,
    failure: ArrayLike,
    *,
    prior_failure: ArrayLike | None = None,
    level: float = 0.95,
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
    if prior_failure is None:
        if rate == 0:  # nothing is guessed to fail, so the spread of an additional failure alone makes the width
            rates = np.full(len(sizes), 1e-12)
        return _joined_half_widths(rate, rates, counts, sizes, np.broadcast_to(rates, counts.shape), 0.0, level)
    smooth = smoothed_rates(counts * rates, counts, check_rates(prior_failure, len(sizes)))
    left = (sizes - counts) / np.maximum(sizes - 1, 1)  # of the hypergeometric's variance
    own = counts * rates * (1 - rates) * left / (counts + 2) ** 2  # by which smoothed rates scatter themselves
    spread = ((sizes / sizes.sum()) ** 2 * (1 - counts / sizes) * own / counts).sum(axis=1)
    return _joined_half_widths(rate, rates, counts, sizes, smooth, spread, level)


def _joined_half_widths(
    rate: float,
    rates: NDArray[np.float64],
    counts: NDArray[np.float64],
    sizes: NDArray[np.intp],
    smooth: NDArray[np.float64],
    spread: NDArray[np.float64] | float,
    level: float,
) -> NDArray[np.float64]:
    """Half widths (K,) of the score interval joined with the counts that labels failing at ``rates`` do not refute.

    ``smooth`` (K, H) are the rates as smoothed, and ``spread`` is what their own scatter takes from the variance.
    """
    found_rate = np.full(len(counts), rate)
    up, down = (stratified_variance_at(smooth, counts, sizes, even=even) for even in (EVEN_SHARE, 0.0))
    low = score_lower_end(found_rate, down._replace(a0=down.a0 - spread), level)
    high = score_upper_end(found_rate, up._replace(a0=up.a0 - spread), level)
    growth = EVEN_SHARE + (1 - EVEN_SHARE) * rates / max(float(np.dot(sizes / sizes.sum(), rates)), 1e-300)
    not_refuted = counts_not_refuted(counts * rates, counts, sizes, (sizes - counts) * growth, level)
    ends = Ends(low, high).joined(Ends(not_refuted.least / sizes.sum(), not_refuted.greatest / sizes.sum()))
    found = counts @ rates / sizes.sum()
    open_ = (sizes - counts).sum(axis=1) / sizes.sum()
    return np.asarray(np.clip(ends.high, found, found + open_) - np.clip(ends.low, found, found + open_)) / 2


def score_half_widths(rate: float, moving: MovingVariance, level: float) -> NDArray[np.float64]:
    """Half widths (K,) of the interval of adaptive rounds at one rate: the score interval's end above, Wilson's below."""
    known = moving.a0 <= 0
    effective = np.where(known, np.inf, moving.start * (1 - moving.start) / np.where(known, 1.0, moving.a0))
    found = np.full(effective.shape, rate)
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
        raise BadInput(f"A budget is {bad[0]}; it must be from {least} {end}. Change it.")
    return counts


def check_rates(failure: ArrayLike, count: int) -> NDArray[np.float64]:
    """The guessed failure rates, (H,); BadInput where they do not fit."""
    rates = np.asarray(failure, dtype=np.float64)
    if rates.shape not in ((), (count,)) or not ((rates >= 0) & (rates <= 1)).all():
        raise BadInput(f"The guessed failure rates are {failure!r:.60}; expected {count} from 0 to 1. Change them.")
    return np.broadcast_to(rates, (count,))
