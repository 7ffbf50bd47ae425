"""Intervals around an estimated mean loss: Wilson, Clopper-Pearson, Korn-Graubard, logit and t."""

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
        """The interval without what lies outside [low, high]."""
        return Interval(float(np.clip(self.low, low, high)), float(np.clip(self.high, low, high)))


def check_level(level: float) -> float:
    """The level, above 0 and below 1; BadInput otherwise."""
    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; it must lie above 0 and below 1. Use 0.95, say.")
    return float(level)


def wilson(p: float, n_effective: float, level: float = 0.95) -> Interval:
    """Wilson's score interval around the proportion ``p`` (0..1) from ``n_effective`` (above 0, may be infinite) labels.

    Wilson 1927, "Probable inference, the law of succession, and statistical inference"; Brown, Cai and DasGupta 2001, eq. 4.

    >>> low, high = wilson(0.05, 100)
    >>> round(low, 4), round(high, 4)
    (0.0215, 0.1118)
    """
    z2_n = ndtri((1 + check_level(level)) / 2) ** 2 / n_effective
    centre = (p + z2_n / 2) / (1 + z2_n)
    half = np.sqrt(z2_n * p * (1 - p) + z2_n**2 / 4) / (1 + z2_n)
    # Rounding must not push an end past the estimate: with no failure the low end is exactly 0.
    return Interval(float(min(max(centre - half, 0.0), p)), float(max(min(centre + half, 1.0), p)))


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
    return Interval(p, p) if np.isinf(n_effective) else clopper_pearson(p * n_effective, n_effective, level)


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


def t_quantile(level: float, degrees: float) -> float:
    """How many standard errors make a two-sided interval of this level; the normal's where degrees are infinite."""
    upper = (1 + check_level(level)) / 2
    return float(ndtri(upper) if np.isinf(degrees) else stdtrit(degrees, upper))


def no_spread(standard_error: float, mean: float) -> bool:
    """Whether a standard error is 0 but for rounding: then the sample cannot tell how sure its mean is."""
    return standard_error <= 1e-12 * abs(mean)


def possible(losses: NDArray[np.float64], size: int | None, loss_bound: float | None) -> Interval:
    """The mean losses that N = ``size`` inputs can have after these (n,) losses of n different ones.

    The unlabeled lose at least 0 and at most ``loss_bound`` (None: no bound). With ``size`` None, as after draws with
    replacement, anything from 0 to the bound.
    """
    bound = np.inf if loss_bound is None else loss_bound
    if size is None:
        return Interval(0.0, bound)
    left = size - len(losses)
    total = float(losses.sum())
    return Interval(total / size, (total + left * bound) / size if left else total / size)
