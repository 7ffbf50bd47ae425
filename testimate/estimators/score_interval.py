"""The ends of a failure rate by the score method: which rates could have given these labels, under those rates."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from testimate.estimators.intervals import check_level

EVEN_SHARE = 0.7
"""Part of every additional failure that may lie anywhere, in stratified samples; the rest lies where the network
expects failures. 0 takes the network's word, 1 ignores it. Decision 21 has the measurements. Failures that are fewer
than found are fewer everywhere in proportion: the lower end has no even share."""

EVEN_SHARE_OF_ROUNDS = 0.55
"""The same for adaptive rounds, whose guesses follow the labels."""

EVEN_SHARE_BESIDE_A_VERSION = 0.3
"""The same, of either design, where labels of one version judge another: what the versions predict says much about
where the failures are, and the labels show how much. Decision 74 has the measurements."""

Rates = NDArray[np.float64]


class MovingVariance(NamedTuple):
    """The variance of an estimated failure rate if the true rate were mu: a0 + a1 (mu - start) - a2 (mu - start)^2.

    ``start`` is the smoothed rate at which the variance is ``a0``; all four (...), one for each sample.
    """

    start: Rates
    a0: Rates
    a1: Rates
    a2: Rates


def stratified_variance_at(
    rates: ArrayLike,
    counts: ArrayLike,
    sizes: ArrayLike,
    *,
    even: float = EVEN_SHARE,
    replacement: bool = False,
) -> MovingVariance:
    """How the variance of a stratified estimate moves with the failure rate.

    At mu stratum h fails at p_h(mu) = s_h + (mu - s) g_h, g_h = even + (1 - even) s_h / s, s = sum W_h s_h, and the
    variance is sum W_h^2 (1 - n_h / N_h) p_h (1 - p_h) / n_h.

    Parameters
    ----------
    rates : (..., H) smoothed failure rates s_h, not all 0.
    counts, sizes : (..., H) and (H,) labels n_h, above 0, and inputs N_h.
    even : from 0 to 1, see ``EVEN_SHARE``.
    """
    s_h, labels, inputs = (np.asarray(array, dtype=np.float64) for array in (rates, counts, sizes))
    weights = inputs / inputs.sum()  # (H,)
    start = (s_h * weights).sum(axis=-1)  # (...)
    g = even + (1 - even) * s_h / start[..., None]  # (..., H)
    c = weights**2 * (1.0 if replacement else 1 - labels / inputs) / labels
    return MovingVariance(
        start,
        (c * s_h * (1 - s_h)).sum(axis=-1),
        (c * g * (1 - 2 * s_h)).sum(axis=-1),
        (c * g**2).sum(axis=-1),
    )


def rounds_variance_at(
    rate: float, variance: float, stood_for: NDArray[np.float64], size: int, *, even: float = EVEN_SHARE_OF_ROUNDS
) -> MovingVariance:
    """How the variance of the mean of adaptive rounds moves with the failure rate.

    Parameters
    ----------
    rate, variance : smoothed, at the rate that the labels show; the rate above 0.
    stood_for : (n,) how many of the N = ``size`` inputs each random draw stands for.
    even : from 0 to 1, see ``EVEN_SHARE``: that part of an additional failure meets a draw by what it stands for, the
        rest adds to the variance in the proportion that it has now.
    """
    squares = (1 - min(stood_for.size / size, 1.0)) * float(((stood_for / size) ** 2).sum())
    return rounds_variance_of(rate, variance, squares, even=even)


def rounds_variance_of(
    rate: ArrayLike, variance: ArrayLike, squares: ArrayLike, *, even: float = EVEN_SHARE_OF_ROUNDS
) -> MovingVariance:
    """The same from ``squares`` (...), what a failure rate of 1 that may lie anywhere would add to the variance."""
    start, now, added = (np.asarray(one, dtype=np.float64) for one in (rate, variance, squares))
    return MovingVariance(start, now, even * added + (1 - even) * now / start, even**2 * added)


def part_variance_of(
    rate: ArrayLike, variance: ArrayLike, squares: ArrayLike, *, even: float = EVEN_SHARE
) -> MovingVariance:
    """The same of a part of the set, at any rate from 0 to 1 / 2: variance + C (mu (1 - mu) - rate (1 - rate)), (...).

    C = even squares + (1 - even) variance / (rate (1 - rate)): of every additional failure the part ``even`` may lie anywhere,
    the rest spreads as those that are expected. Where failures lie anywhere this is C mu (1 - mu), so that the end is Wilson's.
    """
    start, now, added = (np.asarray(one, dtype=np.float64) for one in (rate, variance, squares))
    grown = even * added + (1 - even) * now / (start * (1 - start))
    return MovingVariance(start, now, grown * (1 - 2 * start), grown)


def score_upper_end(mean: ArrayLike, moving: MovingVariance, level: float = 0.95) -> Any:
    """The largest failure rate mu with (mu - mean)^2 = z^2 variance(mu), (...); from ``mean`` to 1.

    Wilson 1927 for one stratum whose rate is the mean. Wilson's interval asks of every mu whether the labels fit *under
    mu*, and so does this where the rates of many strata move with mu: a stratum without a failure is not one that cannot
    fail.
    """
    return np.minimum(np.maximum(_end(mean, moving, level, 1), mean), 1.0)


def score_lower_end(mean: ArrayLike, moving: MovingVariance, level: float = 0.95) -> Any:
    """The smallest such rate, (...); from 0 to ``mean``. Downwards rates shrink in proportion: ``moving`` has no even share."""
    return np.minimum(np.maximum(_end(mean, moving, level, -1), 0.0), mean)


def _end(mean: ArrayLike, moving: MovingVariance, level: float, side: int) -> Any:
    """The root of (mu - mean)^2 = z^2 variance(mu) on one ``side``, 1 or -1, (...)."""
    found = np.asarray(mean, dtype=np.float64)
    z2 = ndtri((1 + check_level(level)) / 2) ** 2
    # (x + s - f)^2 = z^2 (a0 + a1 x - a2 x^2) with x = mu - s
    square = 1 + z2 * moving.a2
    half = (found - moving.start) + z2 * moving.a1 / 2
    rest = (moving.start - found) ** 2 - z2 * moving.a0
    root = np.sqrt(np.maximum(half**2 - square * rest, 0))
    return moving.start + (half + side * root) / square
