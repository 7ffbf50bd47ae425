"""Strata: which part of the set each input belongs to, by rule, by clusters of a score or by equal total size.

Every function gives (N,) strata numbered 0..H-1 without gaps, so that no stratum is empty.
"""

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput
from testimate.structure.natural_breaks import natural_breaks
from testimate.structure.one_thread import one_thread
from testimate.structure.random_ties import AT_A_TIME, order_with_ties

MOST_BY_STARTS = 5_000_000
"""Up to this many inputs strata are cut as in earlier versions, so that stored plans and sessions stay the same."""


def by_rule(scores: ArrayLike, *, seed: int, shares: Sequence[float] = (0.1, 0.1, 0.8)) -> NDArray[np.intp]:
    """Strata of fixed shares by falling score: stratum 0 has the inputs most likely to fail.

    The default is CSS's rule (Li et al. 2019; PACE, section 4.2; SSOA's "Rule"): the 10 % of lowest confidence, the next
    10 %, the rest. Equal scores are ordered by a seeded random key. Borders are rounded; on tiny sets a stratum may
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
            f"The shares of the strata are {shares!r:.60}; expected numbers above 0 summing to 1. Change them."
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
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise BadInput(f"{count!r:.60} strata are wanted; expected a whole number of at least 1. Change it.")
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
    centres = np.sort(means.cluster_centers_[:, 0])
    strata = np.searchsorted((centres[1:] + centres[:-1]) / 2, scaled, side="left")  # to the nearest centre
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
    total is off by at most half an input at either end, before strata of one input are merged with their neighbour
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
            f"{count} strata were given; expected as many sizes above 0 as numbers, and at least 1 stratum. Correct them."
        )
    order = order_with_ties(keys, np.random.default_rng(seed))
    total = max((ends[-1] for _, ends in _running_sums(weights, order)), default=0.0)
    cut = np.empty(len(keys), dtype=np.int32)
    for start, (own, ends) in zip(range(0, len(keys), AT_A_TIME), _running_sums(weights, order), strict=True):
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
    for start in range(0, len(order), AT_A_TIME):
        own = weights[order[start : start + AT_A_TIME]]
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
        raise BadInput("The strata are not numbered from 0 on, one per input; expected an (N,) array. Make them again.")
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
