"""Which whole counts of failures the labels do not refute: where few fail, or most of the set is labeled."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from math import lgamma, log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from testimate.estimators.intervals import check_level

FEW_FOUND = 10  # failures, at most a tenth of the labels, up to which whole counts decide, not a normal approximation
PLAIN = 0.5  # of what the median draw stands for: a draw that stands for less is one of inputs drawn on purpose

Floats = NDArray[np.float64]


class PossibleCounts(NamedTuple):
    """The least and the greatest count of failures among N inputs, (...), whole; nan where no count is refuted this way."""

    least: Floats
    greatest: Floats


class CountsOfDraws(NamedTuple):
    """The least and the greatest count of failures of one sample; nan where the labels leave it to others."""

    least: float
    greatest: float


def counts_not_refuted(
    failures: ArrayLike,
    labels: ArrayLike,
    sizes: ArrayLike,
    hidden: ArrayLike,
    level: float = 0.95,
) -> PossibleCounts:
    """The counts of failures under which just these labels have more than (1 - level) / 2 chance.

    In each stratum the labels are hypergeometric. From the count at which they are likeliest the failures grow where
    ``hidden`` says that unseen ones lie, or shrink everywhere in proportion to those seen, until the chance of all labels
    together falls to the bound. Where even the likeliest count has less chance, as it is as soon as more than a few fail,
    both are nan: there the normal approximation of an interval does not need this.

    Parameters
    ----------
    failures, labels : (..., H) failures x_h among n_h labels.
    sizes : (H,) inputs N_h.
    hidden : (..., H) at least 0, how unseen failures are spread over the strata; 0 where all is labeled.

    >>> counts_not_refuted([0], [800], [1000], [1.0])  # one failure hides with a chance of 0.2, two with 0.04
    PossibleCounts(least=array(0.), greatest=array(2.))
    """
    x, n, size, spread = np.broadcast_arrays(
        *(np.asarray(array, dtype=np.float64) for array in (failures, labels, sizes, hidden))
    )
    bound = np.log((1 - check_level(level)) / 2)
    likeliest = np.clip(np.floor(x * (size + 1) / n), x, size - n + x)  # (..., H)
    few = _log_chance(x, n, size, likeliest).sum(axis=-1) > bound  # (...)
    least, greatest = np.full(few.shape, np.nan), np.full(few.shape, np.nan)
    if few.any():
        alike = np.stack([array[few] for array in (x, n, size, spread, likeliest)], axis=1)  # (S, 5, H)
        different, places = alike, np.zeros(1, dtype=np.intp)
        if len(alike) > 1:  # few failures leave few different samples
            different, places = np.unique(alike, axis=0, return_inverse=True)
        columns = (different[:, place] for place in range(5))
        found = _around_the_likeliest(*columns, bound=bound)
        least[few] = np.maximum(np.ceil(found.least - 1e-6), 0)[places.ravel()]
        greatest[few] = np.floor(found.greatest + 1e-6)[places.ravel()]
    return PossibleCounts(least, greatest)


def counts_of_simple_sample(failures: int, labels: int, size: int, level: float = 0.95) -> CountsOfDraws:
    """The same for one simple random sample of ``labels`` of ``size`` inputs, whole numbers all.

    A live panel asks for it after every label, so it works on plain numbers, in a tenth of the time.

    >>> counts_of_simple_sample(0, 800, 1000)
    CountsOfDraws(least=0, greatest=2)
    """
    bound, missed = log((1 - check_level(level)) / 2), labels - failures
    constant = lgamma(labels + 1) - lgamma(failures + 1) - lgamma(missed + 1)
    constant -= lgamma(size + 1) - lgamma(size - labels + 1)

    def likely(failing: int) -> bool:
        working = size - failing
        seen = lgamma(failing + 1) - lgamma(failing - failures + 1)
        return constant + seen + lgamma(working + 1) - lgamma(working - missed + 1) > bound

    most = size - missed
    likeliest = min(max(failures * (size + 1) // labels, failures), most)
    if not likely(likeliest):
        return CountsOfDraws(np.nan, np.nan)
    below, above = range(failures, likeliest + 1), range(likeliest, most + 1)
    least = below[bisect_left(below, True, key=likely)]
    return CountsOfDraws(least, above[bisect_right(above, False, key=lambda count: not likely(count)) - 1])


def _around_the_likeliest(
    x: Floats, n: Floats, size: Floats, spread: Floats, likeliest: Floats, *, bound: float
) -> PossibleCounts:
    """The counts, not rounded, for samples that are likely enough at their likeliest one: all (S, H)."""
    total = spread.sum(axis=-1, keepdims=True)
    shares = np.divide(spread, total, out=np.zeros(x.shape), where=total > 0)
    room, seen = size - n + x - likeliest, likeliest - x  # (S, H)
    unseen = seen.sum(axis=-1)  # (S,)
    shrinking = np.divide(seen, unseen[..., None], out=np.zeros(x.shape), where=unseen[..., None] > 0)

    def up(more: Floats) -> Floats:
        return np.asarray(likeliest + np.minimum(more[..., None] * shares, room))

    def down(fewer: Floats) -> Floats:
        return np.asarray(likeliest - np.minimum(fewer, unseen)[..., None] * shrinking)

    fixed = _log_chance(x, n, size, likeliest) - _varying(x, n, size, likeliest)
    enough = bound - fixed.sum(axis=-1)  # (S,)

    def likely(counts: Floats) -> NDArray[np.bool_]:
        return np.asarray(_varying(x, n, size, counts).sum(axis=-1) > enough)

    most = np.divide(room, shares, out=np.zeros(x.shape), where=shares > 0).max(axis=-1)
    near = (shares * (size - n) / n).sum(axis=-1) * (2 + 2 * np.sqrt(x.sum(axis=-1) + 1))  # as of Poisson's law
    return PossibleCounts(
        least=down(_furthest(lambda fewer: likely(down(fewer)), np.ceil(unseen), unseen / 2)).sum(axis=-1),
        greatest=up(_furthest(lambda more: likely(up(more)), np.ceil(most), near)).sum(axis=-1),
    )


def counts_of_draws(
    failed: NDArray[np.bool_], stood_for: Floats, size: int, level: float = 0.95, *, worst: bool = False
) -> CountsOfDraws:
    """The counts of failures that draws with chances of their own do not refute, one whole sample.

    A failure that was found among the a inputs its draw stands for might be one of k there, found with a chance of k / a:
    the least count has all k in proportion to a, and a chance of (1 - level) / 2 for all that was found. The greatest has,
    besides those found, as many as may all be among the inputs not drawn with that chance, spread evenly over the set; with
    ``worst``, where an input is seen least. Where few failures were found (``FEW_FOUND``), the draws that stand for about as
    many inputs as most draws do (``PLAIN``) are also taken as a simple random sample of the inputs left.

    Parameters
    ----------
    failed : (n,) which draws failed.
    stood_for : (n,) how many inputs each draw stands for, at least 1 where it was not drawn at random.
    """
    bound = (1 - check_level(level)) / 2
    found, n = int(failed.sum()), failed.size
    share = bound ** (1 / found) if found else 1.0
    least = float(np.maximum(stood_for[failed] * share, 1).sum())
    greatest = found + counts_of_simple_sample(0, n, size, level).greatest
    if found <= min(FEW_FOUND, n / 10):
        plain = stood_for >= PLAIN * np.median(stood_for)
        drawn, failing = int(plain.sum()), int(failed[plain].sum())
        rest = int(np.clip(np.round(size - np.maximum(stood_for[~plain], 1).sum()), drawn, size))
        sampled = counts_of_simple_sample(failing, drawn, rest, level)
        greatest = float(np.fmax(found - failing + sampled.greatest, greatest))
    if worst:
        seen = 1 / max(float(stood_for.max()), size / n)  # the chance of an input to have been drawn
        missed = np.floor(np.log(bound) / np.log1p(-seen) + 1e-9) if seen < 1 else 0
        greatest = max(greatest, found + min(float(missed), size - n))
    return CountsOfDraws(np.ceil(least - 1e-6), greatest)


def _furthest(holds: Callable[[Floats], NDArray[np.bool_]], most: Floats, near: Floats) -> Floats:
    """The largest whole number of [0, most], (...), up to which ``holds`` is true; it is at 0, and looked for ``near``."""
    low, high = np.zeros_like(most), most + 1  # it holds at low, and not at high
    step = np.maximum(np.ceil(near), 1)
    while (high - low > 1).any():
        middle = np.where(high > most, np.minimum(low + step, most), np.floor((low + high) / 2))
        true = holds(middle)
        low, high, step = np.where(true, middle, low), np.where(true, high, np.minimum(middle, high)), 2 * step
    return low


def _varying(x: Floats, n: Floats, size: Floats, failing: Floats) -> Floats:
    """What of the log of the hypergeometric chance depends on how many fail."""
    working = size - failing
    seen = gammaln(failing + 1) - gammaln(failing - x + 1)
    return np.asarray(seen + gammaln(working + 1) - gammaln(working - n + x + 1))


def _log_chance(x: Floats, n: Floats, size: Floats, failing: Floats) -> Floats:
    """Log of the hypergeometric chance of x failures in n of ``size`` inputs, ``failing`` of which fail, whole or not."""

    orders = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    samples = gammaln(size + 1) - gammaln(size - n + 1)
    return np.asarray(_varying(x, n, size, failing) + orders - samples)
