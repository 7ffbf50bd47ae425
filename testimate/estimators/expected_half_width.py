"""How wide an interval to expect before any label is seen, to plan how many are needed."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.estimators.intervals import logit_interval, wilson
from testimate.estimators.stratified import effective_n, smoothed_rates, stratified_variance


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
    counts = check_budgets(budgets, 1, None if replacement else size)
    rate = float(check_rates(failure, 1)[0])
    left = np.ones(len(counts)) if replacement else (size - counts) / max(size - 1, 1)
    effective = np.divide(counts, left, out=np.full(len(counts), np.inf), where=left > 0)
    return _half_widths(rate, effective, level)


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
    array([0.041])
    """
    sizes = np.atleast_1d(np.asarray(stratum_sizes, dtype=np.intp))
    rates = check_rates(failure, len(sizes))
    rate = float(np.dot(sizes / sizes.sum(), rates))
    effective = []
    for counts in np.atleast_2d(np.asarray(allocations, dtype=np.float64)):
        if prior_failure is None:
            effective.append(effective_n(rates, counts, sizes))
            continue
        smooth = smoothed_rates(counts * rates, counts, check_rates(prior_failure, len(sizes)))
        left = (sizes - counts) / np.maximum(sizes - 1, 1)  # of the hypergeometric's variance
        spread = smooth * (1 - smooth) - counts * rates * (1 - rates) * left / (counts + 2) ** 2
        variance = stratified_variance(spread, counts, sizes)
        mean = float(np.dot(sizes / sizes.sum(), smooth))
        effective.append(mean * (1 - mean) / variance if variance > 0 else np.inf)
    return _half_widths(rate, np.array(effective), level)


def per_draw_half_width(
    chances: ArrayLike, probabilities: ArrayLike, budgets: ArrayLike, *, level: float = 0.95
) -> NDArray[np.float64]:
    """Half the width of the logit interval after n independent draws with replacement (sups).

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
    guessed, drawn = np.asarray(chances, dtype=np.float64), np.asarray(probabilities, dtype=np.float64)
    rates = check_rates(guessed, guessed.size)
    counts = check_budgets(budgets, 2, None)
    rate = float(rates.mean())
    if not 0 < rate < 1:
        return _half_widths(rate, counts.astype(np.float64), level)
    spread = float((rates / drawn).sum()) / rates.size**2 - rate**2  # of loss / (N p); Hansen and Hurwitz 1943
    intervals = [logit_interval(rate, float(np.sqrt(max(spread, 0.0) / n)), level, n - 1) for n in counts]
    return np.array([(interval.high - interval.low) / 2 for interval in intervals])


def adaptive_half_width(
    chances: ArrayLike,
    budgets: ArrayLike,
    *,
    zones: int = 10,
    eps: tuple[float, float] = (0.5, 0.15),
    level: float = 0.95,
) -> NDArray[np.float64]:
    """Half the width of the interval of adaptive rounds (rra) whose guesses are right from the start.

    Round by round: an input of chance c weighs s = (1 - e) r + e mean(r), r = sqrt(c (1 - c)), and zones of equal weight
    give a draw the variance sum s sum r^2 / s / N^2 over the inputs not drawn before; these fade as they are drawn.

    Parameters
    ----------
    chances : (N,) guessed chance of failure of each input, 0..1.
    budgets : (K,) whole numbers n, from one round to N.
    zones : B, draws in a round.
    eps : share e of the weight that ignores the guesses, before the first label and after many.

    Returns
    -------
    (K,) half widths; 0 where everything is labeled.
    """
    guessed = np.asarray(chances, dtype=np.float64)
    size, rate = guessed.size, float(check_rates(guessed, guessed.size).mean())
    counts = check_budgets(budgets, min(zones, size), size)
    mu = np.clip(guessed, 1e-6, 0.98)
    spread = np.sqrt(mu * (1 - mu))
    left = np.ones(size)  # chance that an input has not been drawn
    drawn, variances = [0], [np.inf]
    total = squares = 0.0
    while drawn[-1] < counts.max() and drawn[-1] + zones < size:
        before = drawn[-1]
        share = eps[1] + (eps[0] - eps[1]) * 100 / (100 + before)
        weights = (1 - share) * spread + share * float(left @ spread) / left.sum()
        whole = float(left @ weights)
        variance = whole * float(left @ (spread**2 / weights)) / size**2
        after = before + zones
        weight = np.sqrt(after / (after + 10)) / ((size - before) * (size - after) + 1)  # as the estimate weighs its X
        total, squares = total + zones * weight, squares + zones * weight**2 * variance
        left *= 1 - np.minimum(zones * weights / whole, 1)
        drawn.append(after)
        variances.append(squares / total**2)
    information = np.interp(counts, drawn, 1 / np.array(variances))
    effective = np.where(counts == size, np.inf, max(rate * (1 - rate), 1e-12) * information)
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


def check_budgets(budgets: ArrayLike, least: int, most: int | None) -> NDArray[np.intp]:
    """The budgets as (K,) whole numbers; BadInput where one is outside [least, most]."""
    counts = np.atleast_1d(np.asarray(budgets, dtype=np.intp))
    bad = counts[(counts < least) | (counts > (counts if most is None else most))]
    if bad.size:
        end = "on" if most is None else f"to {most}"
        raise BadInput(f"A budget is {bad[0]}; it must lie from {least} {end}. Change it.")
    return counts


def check_rates(failure: ArrayLike, count: int) -> NDArray[np.float64]:
    """The guessed failure rates, (H,); BadInput where they do not fit."""
    rates = np.asarray(failure, dtype=np.float64)
    if rates.shape not in ((), (count,)) or not ((rates >= 0) & (rates <= 1)).all():
        raise BadInput(f"The guessed failure rates are {failure!r:.60}; needed are {count} from 0 to 1. Change them.")
    return np.broadcast_to(rates, (count,))
