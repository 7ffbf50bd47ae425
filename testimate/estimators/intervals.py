"""Intervals around an estimated mean loss, by the distribution that fits it.

Wilson, Clopper-Pearson, Korn-Graubard, logit, t, and t corrected for skewness. The ends of a failure rate by the score
method are those rates that could have given these labels. Where few fail, or most of the set is labeled, they are the whole
counts of failures that the labels do not refute. Losses of grades, such as right, partly and wrong, have the score interval
too.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from math import lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv, expit, gammaln, logit, ndtri, stdtrit

from testimate.core.checks import check_level
from testimate.core.errors import BadInput

HALVINGS = 60
"""Steps in which an end is found between -1 and 1, to the last digit."""


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
    center = (p + z2_n / 2) / (1 + z2_n)
    half = np.sqrt(z2_n * p * (1 - p) + z2_n**2 / 4) / (1 + z2_n)
    # Rounding must not push an end past the estimate: with no failure the low end is exactly 0.
    return Ends(np.minimum(np.maximum(center - half, 0.0), p), np.maximum(np.minimum(center + half, 1.0), p))


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


def fewest_failures(failures: float, n: float, tail: float) -> float:
    """The failure rate below which ``failures`` among ``n`` or more have a mid-P chance under ``tail``; neither need be whole.

    Lancaster 1961: half the chance of just these failures counts. It is Clopper and Pearson's lower end with less caution.

    >>> fewest_failures(0, 20, 0.025), round(fewest_failures(3, 20, 0.025), 3)
    (0.0, 0.04)
    """
    if failures <= 0:
        return 0.0
    more = max(n - failures, 0.0)

    def chance(rate: float) -> float:
        """Of more failures, and half of just these."""
        beyond = betainc(failures + 1, more, rate) if more > 0 else 0.0
        return float(betainc(failures, more + 1, rate) + beyond) / 2

    low, high = 0.0, failures / n
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < tail else (low, middle)
    return low


def paired_score_interval(gained: float, lost: float, n: float, level: float = 0.95) -> Interval:
    """Tango's score interval of (gained - lost) / n, from ``n`` pairs; the counts and n may be fractions, n above 0.

    Tango 1998, "Equivalence test and confidence interval for the difference in proportions for the paired-sample design":
    the ends are the differences d at which |gained - lost - n d| = z sqrt(n (2 q + d (1 - d))), q the likeliest share of
    pairs that lose when the difference is d. It holds also where no pair gained or lost.

    >>> [round(end, 4) for end in paired_score_interval(1, 7, 15)]
    [-0.6649, -0.0349]
    >>> [round(end, 3) for end in paired_score_interval(0, 0, 30)]
    [-0.114, 0.114]
    """
    z, apart = t_quantile(check_level(level), np.inf), gained - lost

    def off(d: float) -> float:
        """How far what was seen lies from the difference d, in standard errors."""
        b = (2 * n - apart) * d - gained - lost
        q = (np.sqrt(max(b * b + 8 * n * lost * d * (1 - d), 0.0)) - b) / (4 * n)
        return float((apart - n * d) / np.sqrt(max(n * (2 * q + d * (1 - d)), 1e-300)))

    def end(least: float, most: float, wanted: float) -> float:
        """Where ``off``, which falls, is as wanted."""
        for _ in range(HALVINGS):
            middle = (least + most) / 2
            least, most = (middle, most) if off(middle) > wanted else (least, middle)
        return (least + most) / 2

    point = apart / n
    return Interval(end(-1.0, point, z), end(point, 1.0, -z))


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
    return float(t_quantiles(level, degrees))


def t_quantiles(level: float, degrees: ArrayLike) -> NDArray[np.float64]:
    """The same of many samples at once, (...)."""
    upper, freedom = (1 + check_level(level)) / 2, np.asarray(degrees, dtype=np.float64)
    known = np.isfinite(freedom)
    return np.asarray(np.where(known, stdtrit(np.where(known, freedom, 1.0), upper), ndtri(upper)), dtype=np.float64)


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


EVEN_SHARE = 0.7
"""Part of every additional failure that may lie anywhere, in stratified samples; the rest lies where the network
expects failures. 0 takes the network's word, 1 ignores it. Decision 21 has the measurements. Failures that are fewer
than found are fewer everywhere in proportion: the lower end has no even share."""

EVEN_SHARE_OF_ROUNDS = 0.55
"""The same for adaptive rounds, whose guesses follow the labels."""

EVEN_SHARE_AT_FEW_LABELS = 0.85
"""The same in version 2 of the interval: where a network is sure and wrong, its word hides more than half of the faults."""

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


def score_upper_end(mean: ArrayLike, moving: MovingVariance, level: float = 0.95, degrees: ArrayLike = np.inf) -> Any:
    """The largest failure rate mu with (mu - mean)^2 = z^2 variance(mu), (...); from ``mean`` to 1.

    Wilson 1927 for one stratum whose rate is the mean. Wilson's interval asks of every mu whether the labels fit *under
    mu*, and so does this where the rates of many strata move with mu: a stratum without a failure is not one that cannot
    fail. z is Student's quantile with ``degrees`` (...) of freedom.
    """
    return np.minimum(np.maximum(_end(mean, moving, t_quantiles(level, degrees), 1), mean), 1.0)


def score_lower_end(mean: ArrayLike, moving: MovingVariance, level: float = 0.95, degrees: ArrayLike = np.inf) -> Any:
    """The smallest such rate, (...); from 0 to ``mean``. Downwards rates shrink in proportion: ``moving`` has no even share."""
    return np.minimum(np.maximum(_end(mean, moving, t_quantiles(level, degrees), -1), 0.0), mean)


def _end(mean: ArrayLike, moving: MovingVariance, z: NDArray[np.float64], side: int) -> Any:
    """The root of (mu - mean)^2 = z^2 variance(mu) on one ``side``, 1 or -1, (...)."""
    found = np.asarray(mean, dtype=np.float64)
    z2 = z**2
    # (x + s - f)^2 = z^2 (a0 + a1 x - a2 x^2) with x = mu - s
    square = 1 + z2 * moving.a2
    half = (found - moving.start) + z2 * moving.a1 / 2
    rest = (moving.start - found) ** 2 - z2 * moving.a0
    root = np.sqrt(np.maximum(half**2 - square * rest, 0))
    return moving.start + (half + side * root) / square


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


GRADED = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Losses of pass or fail and of grades: their mean is a share of full marks, and has the interval of one (decision 120)."""

OF_GRADES = "score interval of grades"
"""How the interval is called in an estimate's method."""


def is_graded(losses: NDArray[np.float64], loss_bound: float | None) -> bool:
    """Whether all losses (n,) are those of grades, which are at most 1.

    >>> is_graded(np.array([0.0, 0.5, 1.0]), 1.0), is_graded(np.array([0.0, 0.3]), 1.0), is_graded(np.array([0.5]), None)
    (True, False, False)
    """
    return loss_bound == 1 and bool(np.isin(losses, GRADED).all())
