"""How many draws each stratum gets, and in which order the strata take turns."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput

_NEGLIGIBLE = 1e-12  # weights below this share of the largest count as 0


def neyman(sizes: ArrayLike, spreads: ArrayLike, budget: int, *, minimum: ArrayLike = 2) -> NDArray[np.intp]:
    """Neyman allocation: draws in proportion to size times spread (Cochran 1977, eq. 5.26).

    Parameters
    ----------
    sizes : (H,) inputs in each stratum, whole numbers of at least 0.
    spreads : (H,) standard deviations, at least 0. All 0: the allocation is proportional to size.
    budget : draws in all, 0 to sum(sizes).
    minimum : draws each stratum gets before anything else, one number or (H,); a variance needs two. It is lowered by
        one until the budget suffices. A stratum with fewer inputs gets all of them.

    Returns
    -------
    (H,) draws, summing to ``budget``, none above its stratum's size. The variance is least under these bounds up to
    rounding: n_h = size_h spread_h t inside the bounds, with one t for all, then by largest remainder (ties: the lowest
    stratum). What strata with a spread cannot take goes to those without, in proportion to size.

    Raises
    ------
    BadInput : sizes, spreads or budget outside their range.

    Examples
    --------
    >>> neyman([5000, 3000, 1500, 500], [0.1, 0.2, 0.4, 0.5], 100)
    array([25, 31, 31, 13])
    """
    counts, deviations = _checked(sizes, spreads)
    total = int(counts.sum())
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or not 0 <= budget <= total:
        raise BadInput(
            f"The budget is {budget!r:.60}; it must be between 0 and the number of inputs, {total}. Change it."
        )
    lower = _affordable(counts, np.broadcast_to(np.asarray(minimum, dtype=np.intp), counts.shape), int(budget))
    weights = counts * deviations
    weights = np.where(weights > _NEGLIGIBLE * weights.max(initial=0.0), weights, 0.0)
    if not weights.any():
        weights = counts.astype(np.float64)
    spread_out = weights > 0
    most = int(counts[spread_out].sum() + lower[~spread_out].sum())
    if budget > most:  # strata with a spread are taken whole
        lower = np.where(spread_out, counts, lower)
        weights = np.where(spread_out, 0.0, counts)
    return _rounded(_shared_out(weights, lower, counts, int(budget)), counts, int(budget))


def proportional(sizes: ArrayLike, budget: int, *, minimum: ArrayLike = 1) -> NDArray[np.intp]:
    """Draws in proportion to size (Cochran 1977, chapter 5), at least ``minimum`` each; the rest as in ``neyman``.

    >>> proportional([50, 30, 20], 11)
    array([6, 3, 2])
    """
    return neyman(sizes, np.ones(np.shape(np.asarray(sizes))), budget, minimum=minimum)


def interleave(allocation: ArrayLike) -> NDArray[np.intp]:
    """The stratum of each draw, in an order whose every prefix is near the allocation.

    Parameters
    ----------
    allocation : (H,) draws of each stratum, whole numbers of at least 0; n in all.

    Returns
    -------
    (n,) strata. After k draws a stratum with n_h draws has had k n_h / n of them, give or take 1 - 1 / (2 H - 2) at most
    (H strata with draws, at least 2): the least that can be promised for every allocation.

    Notes
    -----
    Each draw goes to the stratum farthest behind, which is nearest on average; in the rare case where that breaks the
    promise, the order is Tijdeman's, "The chairman assignment problem", Discrete Mathematics 32 (1980), which never
    does. Computed in whole numbers, ties to the lowest stratum.

    Examples
    --------
    >>> interleave([4, 2, 1])
    array([0, 1, 0, 2, 0, 1, 0])
    """
    wanted = _whole(allocation, "draws of the strata")
    present = np.flatnonzero(wanted)
    if len(present) < 2:
        return np.repeat(present, wanted[present]).astype(np.intp)
    order, deviation = _farthest_behind_first(wanted[present])
    if deviation * (2 * len(present) - 2) > (2 * len(present) - 3) * len(order):
        order = _soonest_due_first(wanted[present])
    return present[order].astype(np.intp)


def _farthest_behind_first(due: NDArray[np.intp]) -> tuple[NDArray[np.intp], int]:
    """The order that gives each draw to the stratum farthest behind, and n times its largest deviation."""
    total = int(due.sum())
    behind = np.zeros_like(due)  # n times the draws each stratum is behind
    order = np.empty(total, dtype=np.intp)
    deviation = 0
    for turn in range(total):
        behind += due
        order[turn] = chosen = int(np.argmax(behind))
        behind[chosen] -= total
        deviation = max(deviation, int(np.abs(behind).max()))
    return order, deviation


def _soonest_due_first(due: NDArray[np.intp]) -> NDArray[np.intp]:
    """Tijdeman's order: of the strata at least 1 / (2 H - 2) behind, the one that must come soonest."""
    total, double = int(due.sum()), 2 * len(due) - 2
    behind = np.zeros_like(due)  # n (2 H - 2) times the draws each stratum is behind
    order = np.empty(total, dtype=np.intp)
    for turn in range(total):
        behind += due * double
        deadline = ((double - 1) * total - behind) / due
        order[turn] = chosen = int(np.argmin(np.where(behind >= total, deadline, np.inf)))
        behind[chosen] -= total * double
    return order


def _shared_out(
    weights: NDArray[np.float64], lower: NDArray[np.intp], upper: NDArray[np.intp], budget: int
) -> NDArray[np.float64]:
    """clip(t weights, lower, upper) with the t at which it sums to the budget, (H,)."""
    free = weights > 0
    fixed = np.where(free, 0, lower)
    if not free.any():
        return fixed.astype(np.float64)
    share = weights[free] / weights[free].max()
    low, high = lower[free].astype(np.float64), upper[free].astype(np.float64)
    breaks = np.unique(np.concatenate([[0.0], low / share, high / share]))  # where the sum, as a function of t, bends
    sums = np.clip(breaks[:, None] * share, low, high).sum(axis=1)
    shared = fixed.astype(np.float64)
    shared[free] = np.clip(np.interp(budget - fixed.sum(), sums, breaks) * share, low, high)
    return shared


def _rounded(shared: NDArray[np.float64], upper: NDArray[np.intp], budget: int) -> NDArray[np.intp]:
    """Whole numbers that sum to the budget, by largest remainder."""
    whole = np.floor(shared + 1e-9).astype(np.intp)
    remainder = np.where(whole < upper, np.round(shared - whole, 9), -1.0)
    missing = budget - int(whole.sum())
    whole[np.argsort(-remainder, kind="stable")[:missing]] += 1
    return whole


def _affordable(sizes: NDArray[np.intp], minimum: NDArray[np.intp], budget: int) -> NDArray[np.intp]:
    """The minimum each stratum gets, lowered one by one until the budget suffices, (H,)."""
    lower = np.clip(minimum, 0, sizes)
    for level in range(int(lower.max(initial=0)), -1, -1):
        lower = np.minimum(lower, level)
        if lower.sum() <= budget:
            break
    return lower


def _whole(numbers: ArrayLike, name: str) -> NDArray[np.intp]:
    array = np.asarray(numbers)
    if array.ndim != 1 or array.size == 0 or not np.issubdtype(array.dtype, np.integer) or (array < 0).any():
        raise BadInput(
            f"The {name} are {numbers!r:.60}; expected one or more whole numbers of at least 0. Correct them."
        )
    return array.astype(np.intp)


def _checked(sizes: ArrayLike, spreads: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    counts = _whole(sizes, "sizes of the strata")
    deviations = np.asarray(spreads, dtype=np.float64)
    if deviations.shape != counts.shape or not np.isfinite(deviations).all() or (deviations < 0).any():
        raise BadInput(
            f"The spreads of {len(counts)} strata are {spreads!r:.60}; expected one number of at least 0 per stratum. "
            "Correct them."
        )
    return counts, deviations
