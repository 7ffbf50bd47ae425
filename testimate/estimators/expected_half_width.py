"""How wide an interval to expect before any label is seen, to plan how many are needed."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.estimators.intervals import wilson
from testimate.estimators.stratified import effective_n


def simple_random_half_width(
    size: int, budgets: ArrayLike, failure: float, *, level: float = 0.95, replacement: bool = False
) -> NDArray[np.float64]:
    """Half the width of Wilson's interval after n labels drawn at random from N = ``size`` inputs.

    Parameters
    ----------
    budgets : (K,) whole numbers n, from 1 to N.
    failure : guessed share of inputs that fail, 0..1.

    Returns
    -------
    (K,) half widths; 0 where everything is labeled.

    >>> simple_random_half_width(10_000, [100, 400], 0.05).round(3)
    array([0.045, 0.021])
    """
    counts = _check_budgets(budgets, 1, None if replacement else size)
    rate = float(_check_rates(failure, 1)[0])
    left = np.ones(len(counts)) if replacement else (size - counts) / max(size - 1, 1)
    effective = np.divide(counts, left, out=np.full(len(counts), np.inf), where=left > 0)
    return _half_widths(rate, effective, level)


def rounds_half_width(
    stratum_sizes: ArrayLike, budgets: ArrayLike, failure: ArrayLike, *, level: float = 0.95
) -> NDArray[np.float64]:
    """Half the width of the stratified interval after n labels drawn in rounds (rrs), each stratum once a round.

    Parameters
    ----------
    stratum_sizes : (H,) inputs in each stratum.
    budgets : (K,) whole numbers n, from H (a label in every stratum) to N.
    failure : guessed failure rate of each stratum, (H,), such as the design's ``prior_failure``, or one for all; 0..1.

    Returns
    -------
    (K,) half widths at the guessed rates; a round begun counts in equal parts for all its strata.

    >>> rounds_half_width([2000] * 5, [100, 400], [0.01, 0.01, 0.02, 0.05, 0.3]).round(3)
    array([0.049, 0.024])
    """
    sizes = np.atleast_1d(np.asarray(stratum_sizes, dtype=np.intp))
    rates = _check_rates(failure, len(sizes))
    budget_list = _check_budgets(budgets, len(sizes), int(sizes.sum()))
    rate = float(np.dot(sizes / sizes.sum(), rates))
    allocations = [labels_per_stratum(sizes, budget) for budget in budget_list]
    effective = np.array([effective_n(rates, allocation, sizes) for allocation in allocations])
    return _half_widths(rate, effective, level)


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


def _half_widths(rate: float, effective: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Half widths of Wilson's interval at one rate, (K,) from (K,) effective n."""
    intervals = [wilson(rate, float(n), level) for n in effective]
    return np.array([(interval.high - interval.low) / 2 for interval in intervals])


def _check_budgets(budgets: ArrayLike, least: int, most: int | None) -> NDArray[np.intp]:
    """The budgets as (K,) whole numbers; BadInput where one is outside [least, most]."""
    counts = np.atleast_1d(np.asarray(budgets, dtype=np.intp))
    bad = counts[(counts < least) | (counts > (counts if most is None else most))]
    if bad.size:
        end = "on" if most is None else f"to {most}"
        raise BadInput(f"A budget is {bad[0]}; it must lie from {least} {end}. Change it.")
    return counts


def _check_rates(failure: ArrayLike, count: int) -> NDArray[np.float64]:
    """The guessed failure rates, (H,); BadInput where they do not fit."""
    rates = np.asarray(failure, dtype=np.float64)
    if rates.shape not in ((), (count,)) or not ((rates >= 0) & (rates <= 1)).all():
        raise BadInput(f"The guessed failure rates are {failure!r:.60}; needed are {count} from 0 to 1. Change them.")
    return np.broadcast_to(rates, (count,))
