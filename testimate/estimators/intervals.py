"""Intervals around an estimated mean loss: Wilson, Clopper-Pearson, Korn-Graubard, logit, t and t corrected for skewness."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit, ndtri, stdtrit

from testimate.core.errors import BadInput


class Interval(NamedTuple):
    """The two ends of an interval, in the unit of what was estimated; low <= high."""

    low: float
    high: float

    def within(self, low: float, high: float) -> "Interval":
        """The part of the interval inside [low, high]."""
        return Interval(float(np.clip(self.low, low, high)), float(np.clip(self.high, low, high)))


class Ends(NamedTuple):
    """The two ends of the intervals of many samples at once, each (...); low <= high."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def joined(self, other: "Ends") -> "Ends":
        """The hulls of both; nan in the other is no end."""
        return Ends(np.fmin(self.low, other.low), np.fmax(self.high, other.high))


def check_level(level: float) -> float:
    """The level, above 0 and below 1; BadInput otherwise."""
    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; it must be above 0 and below 1. Use 0.95, say.")
    return float(level)


def wilson(p: float, n_effective: float, level: float = 0.95) -> Interval:
    """Wilson's score interval around the proportion ``p`` (0..1) from ``n_effective`` (above 0, may be infinite) labels.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference"; Brown, Cai and DasGupta 2001, eq. 4.

    >>> low, high = wilson(0.05, 100)
    >>> round(low, 4), round(high, 4)
    (0.0215, 0.1118)
    """
    ends = wilson_ends(np.asarray(p), np.asarray(n_effective), level)
    return Interval(float(ends.low), float(ends.high))


def wilson_ends(p: NDArray[np.float64], n_effective: NDArray[np.float64], level: float = 0.95) -> Ends:
    """Wilson's interval of many samples at once, each array (...)."""
    z2_n = ndtri((1 + check_level(level)) / 2) ** 2 / n_effective
    centre = (p + z2_n / 2) / (1 + z2_n)
    half = np.sqrt(z2_n * p * (1 - p) + z2_n**2 / 4) / (1 + z2_n)
    # Rounding must not push an end past the estimate: with no failure the low end is exactly 0.
    return Ends(np.minimum(np.maximum(centre - half, 0.0), p), np.maximum(np.minimum(centre + half, 1.0), p))


def clopper_pearson(failures: float, n: float, level: float = 0.95) -> Interval:
    """The exact binomial interval: it covers at least as often as it claims (Clopper and Pearson 1934).

    ``failures`` from 0 to ``n``; neither need be whole.

    >>> low, high = clopper_pearson(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    tail = (1 - check_level(level)) / 2
    low = 0.0 if failures <= 0 else float(betaincinv(failures, n - failures + 1, tail))
    high = 1.0 if failures >= n else float(betaincinv(failures + 1, n - failures, 1 - tail))
    return Interval(low, high)


def korn_graubard(p: float, n_effective: float, level: float = 0.95) -> Interval:
    """Clopper-Pearson with the effective n (Korn and Graubard 1998), the conservative choice for unequal designs.

    Their correction of n for the design's degrees of freedom is left to the caller: multiply ``n_effective`` by the
    square of t(n - 1) / t(degrees of freedom).
    """
    ends = korn_graubard_ends(np.asarray(p), np.asarray(n_effective), level)
    return Interval(float(ends.low), float(ends.high))


def korn_graubard_ends(p: NDArray[np.float64], n_effective: NDArray[np.float64], level: float = 0.95) -> Ends:
    """Korn and Graubard's interval of many samples at once, each array (...)."""
    tail = (1 - check_level(level)) / 2
    known = np.isinf(n_effective)
    n = np.where(known, 1.0, n_effective)
    failures = p * n
    none, all_ = failures <= 0, failures >= n
    low = np.where(none, 0.0, betaincinv(np.where(none, 1, failures), np.where(none, 1, n - failures + 1), tail))
    high = np.where(all_, 1.0, betaincinv(failures + 1, np.where(all_, 1, n - failures), 1 - tail))
    return Ends(np.where(known, p, low), np.where(known, p, high))


def logit_interval(p: float, standard_error: float, level: float = 0.95, degrees: float = np.inf) -> Interval:
    """expit(logit p -+ t se / (p (1 - p))), t with ``degrees`` of freedom; ``p`` strictly between 0 and 1.

    Korn and Graubard 1998, beside their own; ``svyciprop(method = "logit")`` of R's survey.

    >>> low, high = logit_interval(0.05, 0.02)
    >>> round(low, 4), round(high, 4)
    (0.0225, 0.1072)
    """
    if not 0 < p < 1:
        raise BadInput(f"The proportion is {p}; a logit needs one strictly between 0 and 1. Use Wilson's interval.")
    half = t_quantile(level, degrees) * standard_error / (p * (1 - p))
    return Interval(float(expit(logit(p) - half)), float(expit(logit(p) + half)))


def t_interval(mean: float, standard_error: float, degrees: float, level: float = 0.95) -> Interval:
    """Student's interval, mean -+ t se, with ``degrees`` of freedom (above 0)."""
    half = t_quantile(level, degrees) * standard_error
    return Interval(mean - half, mean + half)


SKEWNESS_MISSED = 1.5
"""Factor for the skewness of a sample, because a heavy-tailed sample shows less of it than there is (decision 29)."""

MOST_SKEWNESS = 3.0
"""A mean more skewed than this is taken to be this skewed."""


def skewed_t_interval(
    mean: float, standard_error: float, degrees: float, skewness: float, level: float = 0.95
) -> Interval:
    """Student's interval joined with the one that allows for a skewed mean, for losses of any size.

    Large losses are rare, so a sample without one has both too small a mean and too small a standard error, and Student's
    interval lies below the truth far more often than above. Hall's cubic T + g T^2 / 3 + g^2 T^3 / 27 + g / 6 of the
    studentised mean T takes the skewness g out (Hall 1992, "On the removal of skewness by transformation"); solved for T at
    both t quantiles it gives the ends.

    Parameters
    ----------
    standard_error, degrees : above 0.
    skewness : of the estimated mean, which is that of the losses over sqrt n for a simple random sample.

    >>> low, high = skewed_t_interval(2.0, 0.5, 99, 0.2)
    >>> round(low, 3), round(high, 3)
    (1.008, 3.348)
    >>> skewed_t_interval(2.0, 0.5, 99, 0.0) == t_interval(2.0, 0.5, 99)
    True
    """
    plain = t_interval(mean, standard_error, degrees, level)
    g = float(np.clip(SKEWNESS_MISSED * skewness, -MOST_SKEWNESS, MOST_SKEWNESS))
    if abs(g) < 1e-6:
        return plain
    t = t_quantile(level, degrees)
    least, most = (3 / g * (np.cbrt(1 + g * (q - g / 6)) - 1) for q in (-t, t))
    return Interval(
        min(plain.low, float(mean - standard_error * most)), max(plain.high, float(mean - standard_error * least))
    )


def third_moments(
    losses: NDArray[np.float64], strata: NDArray[np.intp], counts: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The unbiased third central moment of the losses (n,) in each stratum, (H,); 0 where there are fewer than 3."""
    means = np.bincount(strata, losses, len(counts)) / np.maximum(counts, 1)
    cubes = np.bincount(strata, (losses - means[strata]) ** 3, len(counts))
    return np.where(counts > 2, cubes * counts / np.maximum((counts - 1) * (counts - 2), 1), 0.0)


def t_quantile(level: float, degrees: float) -> float:
    """How many standard errors make a two-sided interval of this level; the normal's where degrees are infinite."""
    upper = (1 + check_level(level)) / 2
    return float(ndtri(upper) if np.isinf(degrees) else stdtrit(degrees, upper))


def no_spread(standard_error: float, mean: float) -> bool:
    """Whether a standard error is 0 up to rounding: then the sample cannot show how certain its mean is."""
    return standard_error <= 1e-12 * abs(mean)


def possible(losses: NDArray[np.float64], size: int | None, loss_bound: float | None) -> Interval:
    """The mean losses still possible for N = ``size`` inputs after these (n,) losses of n different ones.

    The unlabeled lose at least 0 and at most ``loss_bound`` (None: no bound). With ``size`` None, as after draws with
    replacement, anything from 0 to the bound.
    """
    bound = np.inf if loss_bound is None else loss_bound
    if size is None:
        return Interval(0.0, bound)
    left = size - len(losses)
    total = float(losses.sum())
    return Interval(total / size, (total + left * bound) / size if left else total / size)
