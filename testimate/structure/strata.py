"""Strata: which part of the set each input belongs to, by rule, by clusters of a score or by equal total size.

Every function gives (N,) strata numbered 0..H-1 without gaps, so that no stratum is empty.
"""

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores, is_whole
from testimate.core.errors import BadInput
from testimate.structure.cores import one_thread
from testimate.structure.orders import RANKED_AT_A_TIME, order_with_ties

CELLS = 2048
"""Cells of the histogram; among cuts at their borders, the first cuts are optimal."""

ROUNDS = 300
"""Most rounds in which the cuts then move to halfway between the means; as in scikit-learn's k-means."""


def natural_breaks(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Groups 0..H-1 of the values by rising value, (N,), H at most ``count``; equal values share one.

    The cuts between the cells of a histogram with the least sum of squared distances to the groups' means are found exactly, by
    dynamic programming (Fisher 1958; Wang and Song 2011). From there, the cuts over all values move halfway between the
    means until they no longer change. Time and memory are those of sorting the values once, for any ``count``.

    >>> natural_breaks(np.array([0.0, 0.1, 5.0, 5.1, 9.0]), 3).tolist()
    [0, 0, 1, 1, 2]
    """
    ranked = np.sort(values)
    low, reach = ranked[0] / 2, ranked[-1] / 2 - ranked[0] / 2  # halved, or the widest range would overflow
    if reach == 0 or count == 1:
        return np.zeros(len(values), dtype=np.intp)
    ranked /= 2
    ranked -= low
    ranked /= reach  # 0..1
    sums = np.cumsum(ranked)
    ends = np.searchsorted(ranked, np.arange(1, CELLS + 1) / CELLS, side="right")  # values up to the end of each cell
    ends = np.unique(ends[ends > 0])
    cuts = _best_cuts(ends, sums[ends - 1], _squares_up_to(ranked, ends), min(count, len(ends)))
    borders = _settled(ranked, sums, cuts)
    groups: NDArray[np.intp] = np.searchsorted(borders, (values / 2 - low) / reach, side="left").astype(np.intp)
    return groups


def _squares_up_to(ranked: NDArray[np.float64], ends: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sum of the squared values before each end, (K,)."""
    starts = np.concatenate([[0], ends[:-1]])
    return np.cumsum(
        [float(np.dot(ranked[a:b], ranked[a:b])) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    )


def _best_cuts(
    ends: NDArray[np.intp], sums: NDArray[np.float64], squares: NDArray[np.float64], count: int
) -> list[int]:
    """The numbers of values below each cut, ``count`` - 1 of them, by the values, their sum and squares up to each end (K,)."""
    sizes, sums, squares = (np.concatenate([[0.0], array]) for array in (ends, sums, squares))
    kinds = len(ends)

    def error(first: int | NDArray[np.intp], last: int | NDArray[np.intp]) -> NDArray[np.float64]:
        """The error of one group of the cells from ``first`` up to, but not including, ``last``."""
        inside: NDArray[np.float64] = sums[last] - sums[first]
        found: NDArray[np.float64] = squares[last] - squares[first] - inside**2 / (sizes[last] - sizes[first])
        return found

    least = np.concatenate([[0.0], error(0, np.arange(1, kinds + 1))])  # by the number of cells
    came_from = []
    for groups in range(2, count + 1):
        best, cut = np.full(kinds + 1, np.inf), np.zeros(kinds + 1, dtype=np.intp)
        for last in range(groups, kinds + 1):
            first = np.arange(groups - 1, last)
            total = least[first] + error(first, last)
            place = int(np.argmin(total))
            best[last], cut[last] = total[place], first[place]
        least = best
        came_from.append(cut)
    cuts, last = [], kinds
    for cut in reversed(came_from):
        last = int(cut[last])
        cuts.append(int(ends[last - 1]))
    return cuts[::-1]


def _settled(ranked: NDArray[np.float64], sums: NDArray[np.float64], cuts: list[int]) -> NDArray[np.float64]:
    """Borders halfway between the groups' means, (H-1,), once these no longer move."""
    borders = np.zeros(0)
    for _ in range(ROUNDS):
        starts = np.array([0, *cuts], dtype=np.intp)
        stops = np.array([*cuts, len(ranked)], dtype=np.intp)
        filled = stops > starts
        starts, stops = starts[filled], stops[filled]
        before = np.where(starts > 0, sums[np.maximum(starts, 1) - 1], 0.0)
        means = (sums[stops - 1] - before) / (stops - starts)
        borders = (means[1:] + means[:-1]) / 2
        moved = np.searchsorted(ranked, borders, side="right").tolist()
        if moved == cuts:
            break
        cuts = moved
    return borders


MOST_BY_STARTS = 5_000_000
"""Up to this many inputs strata are cut as in earlier versions, so that stored plans and sessions stay the same."""


def by_rule(scores: ArrayLike, *, seed: int, shares: Sequence[float] = (0.1, 0.1, 0.8)) -> NDArray[np.intp]:
    """Strata of fixed shares by falling score: stratum 0 has the inputs most likely to fail.

    The default is CSS's rule (Li et al. 2019; PACE, section 4.2; SSOA's "Rule"): the 10% of lowest confidence, the next
    10%, the rest. Equal scores are ordered by a seeded random key. Borders are rounded; on tiny sets a stratum may
    be left out.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail.
    seed : of the key that breaks ties.
    shares : above 0, summing to 1.

    Returns
    -------
    (N,) strata, 0 = most likely to fail.

    Examples
    --------
    >>> by_rule([0.1, 0.9, 0.2, 0.5], seed=0, shares=(0.25, 0.75))
    array([1, 0, 1, 1])
    """
    values = check_scores(scores)
    parts = np.asarray(shares, dtype=np.float64)
    if parts.ndim != 1 or not parts.size or not (parts > 0).all() or abs(parts.sum() - 1) > 1e-9:
        raise BadInput(
            f"The shares of the strata are {shares!r:.60}. Expected numbers above 0 summing to 1. Change them."
        )
    order = order_with_ties(-values, np.random.default_rng(seed))
    borders = np.floor(np.cumsum(parts)[:-1] * len(values) + 0.5 + 1e-9)  # halves up
    strata = np.empty(len(values), dtype=np.intp)
    strata[order] = np.searchsorted(borders, np.arange(len(values)), side="right")
    return _without_gaps(strata)


def by_clusters(scores: ArrayLike, count: int) -> NDArray[np.intp]:
    """Strata by one-dimensional k-means on a score, ordered by rising score; equal scores share a stratum.

    DeepSample (SSRS, GBS: k = 10) and SSOA's "Clusters" (k = 3) use scikit-learn's k-means; so does this, from a fixed
    start, the best of 10, up to ``MOST_BY_STARTS`` inputs; beyond, ``natural_breaks`` cuts. Fewer distinct scores than
    ``count`` give as many strata as there are. The latest results are cached, because a study asks for the same ones
    hundreds of times.

    Parameters
    ----------
    scores : (N,) finite.
    count : number of strata wanted, at least 1.

    Returns
    -------
    (N,) strata, the last one holding the largest scores.

    Examples
    --------
    >>> by_clusters([0.0, 0.1, 5.0, 5.1, 9.0], 3)
    array([0, 0, 1, 1, 2])
    """
    values = check_scores(scores)
    if not is_whole(count, 1):
        raise BadInput(f"{count!r:.60} strata are wanted. Expected a whole number of at least 1. Change it.")
    if len(values) > MOST_BY_STARTS:
        return _without_gaps(natural_breaks(values, int(count)))
    return _clusters(values.tobytes(), int(count)).copy()


@lru_cache(maxsize=16)
def _clusters(content: bytes, count: int) -> NDArray[np.intp]:
    # takes a second to load, which cutting by a rule or listing the techniques should not cost
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    values = np.frombuffer(content)
    distinct = np.unique(values)
    if len(distinct) <= count:
        return np.searchsorted(distinct, values).astype(np.intp)
    halves = values / 2 - distinct[0] / 2  # halved, or the widest range would overflow
    scaled = halves / (halves.max() or 1.0)  # 0..1, so that k-means' tolerance means the same for every score
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # values differ only by rounding, so there are fewer strata
        means = KMeans(count, n_init=10, random_state=0).fit(scaled[:, None])
    centers = np.sort(means.cluster_centers_[:, 0])
    strata = np.searchsorted((centers[1:] + centers[:-1]) / 2, scaled, side="left")  # to the nearest center
    return _without_gaps(strata.astype(np.intp))


def by_equal_size(sizes: ArrayLike, order_by: ArrayLike, count: int, *, seed: int) -> NDArray[np.intp]:
    """Strata of equal total size, cut from the inputs in rising order of another number.

    Parameters
    ----------
    sizes : (N,) above 0.
    order_by : (N,) finite; equal ones are ordered by a seeded random key.
    count : number of strata wanted, at least 1; there are fewer where some would hold less than 2 inputs.
    seed : of the key that breaks ties.

    Returns
    -------
    (N,) strata, 0 = smallest ``order_by``. An input goes to the stratum in which the middle of its size falls, so a
    total is off by at most half an input at either end, before strata of one input are merged with their neighbor
    above (the last: below).

    Notes
    -----
    Equal shares of sum(N_h S_h) per stratum make equal allocation near Neyman's (Cochran 1977, section 5A.7).

    Examples
    --------
    >>> by_equal_size([1, 1, 1, 1, 2, 2], [1, 2, 3, 4, 5, 6], 2, seed=0)
    array([0, 0, 0, 0, 1, 1])
    """
    weights, keys = check_scores(sizes, "sizes"), check_scores(order_by, "order_by")
    if len(weights) != len(keys) or not len(weights) or not (weights > 0).all() or count < 1:
        raise BadInput(
            f"{len(weights)} sizes, the smallest {weights.min(initial=np.inf):g}, {len(keys)} numbers to order by and "
            f"{count} strata were given. Expected as many sizes above 0 as numbers, and at least 1 stratum. Correct them."
        )
    order = order_with_ties(keys, np.random.default_rng(seed))
    total = max((ends[-1] for _, ends in _running_sums(weights, order)), default=0.0)
    cut = np.empty(len(keys), dtype=np.int32)
    for start, (own, ends) in zip(range(0, len(keys), RANKED_AT_A_TIME), _running_sums(weights, order), strict=True):
        middles = (ends - own / 2) / total  # (N,) in (0, 1)
        cut[start : start + len(own)] = np.minimum(middles * count + 1e-9, count - 1)
    strata = np.empty(len(keys), dtype=np.intp)
    strata[order] = _without_singles(np.bincount(cut))
    return strata


def _running_sums(
    weights: NDArray[np.float64], order: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The weights in this order and their running sum, some at a time, as one sum over all gives it."""
    before = 0.0
    for start in range(0, len(order), RANKED_AT_A_TIME):
        own = weights[order[start : start + RANKED_AT_A_TIME]]
        ends = own.copy()
        ends[0] += before
        np.cumsum(ends, out=ends)
        before = float(ends[-1])
        yield own, ends


def stratum_sizes(strata: ArrayLike) -> NDArray[np.intp]:
    """Number of inputs in each stratum, (H,); BadInput where a number from 0 to the largest is missing.

    >>> stratum_sizes([0, 1, 1, 0, 1])
    array([2, 3])
    """
    places = np.asarray(strata, dtype=np.intp)
    if places.ndim != 1 or not places.size or places.min() < 0:
        raise BadInput("The strata are not numbered from 0 on, one per input. Expected an (N,) array. Make them again.")
    counts = np.bincount(places)
    if not counts.all():
        raise BadInput(f"Stratum {int(np.argmin(counts))} is empty; each needs an input. Number them without gaps.")
    return counts.astype(np.intp)


def _without_gaps(strata: NDArray[np.intp]) -> NDArray[np.intp]:
    number = np.cumsum(np.bincount(strata) > 0) - 1  # of each stratum among those that are not empty
    return number[strata].astype(np.intp, copy=False)


def _without_singles(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The stratum of each input in order, from the counts per stratum: empty ones dropped, single ones merged."""
    merged: list[int] = []
    for count in counts[counts > 0].tolist():
        if merged and merged[-1] < 2:
            merged[-1] += count
        else:
            merged.append(count)
    if len(merged) > 1 and merged[-1] < 2:
        single = merged.pop()
        merged[-1] += single
    return np.repeat(np.arange(len(merged), dtype=np.intp), merged)


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
    if not is_whole(budget, 0, total):
        raise BadInput(
            f"The budget is {budget!r:.60}. Expected a number between 0 and the number of inputs, {total}. Change it."
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
            f"The {name} are {numbers!r:.60}. Expected one or more whole numbers of at least 0. Correct them."
        )
    return array.astype(np.intp)


def _checked(sizes: ArrayLike, spreads: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    counts = _whole(sizes, "sizes of the strata")
    deviations = np.asarray(spreads, dtype=np.float64)
    if deviations.shape != counts.shape or not np.isfinite(deviations).all() or (deviations < 0).any():
        raise BadInput(
            f"The spreads of {len(counts)} strata are {spreads!r:.60}. Expected one number of at least 0 per stratum. "
            "Correct them."
        )
    return counts, deviations
