"""Ratios of weighted totals: the accuracy of a part of the set, a precision, a recall, with intervals by the design."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from testimate.estimators.draw_weights import DrawWeights
from testimate.estimators.intervals import Ends, check_level, t_quantile, wilson_ends
from testimate.estimators.score_interval import part_variance_of, score_upper_end

# No number without data: decision 77.
FEWEST = 10
"""Labels below which a part has a count and no number."""

Numbers = NDArray[np.float64]


class Ratios(NamedTuple):
    """K ratios, each (K,).

    ``values`` nan where nothing labeled counts; ``variances`` by linearisation; ``squares`` the variance that an outcome
    of variance 1, alike everywhere in the part, would give; ``labels`` how many count in the denominator; ``degrees`` of
    freedom of the variances.
    """

    values: Numbers
    variances: Numbers
    squares: Numbers
    labels: NDArray[np.intp]
    degrees: float = np.inf


def ratios(weights: DrawWeights, numerators: Numbers, denominators: Numbers) -> Ratios:
    """R = sum w num / sum w den for each column of both (n, K), with u = (num - R den) / sum w den.

    Sarndal, Swensson and Wretman 1992, section 5.6 and eq. 5.6.10; nearly unbiased, as every ratio of estimates.
    """
    totals = weights.weights @ denominators  # (K,)
    some = totals > 0
    safe = np.where(some, totals, 1.0)
    values = np.where(some, weights.weights @ numerators / safe, np.nan)
    parts = (numerators - np.where(some, values, 0.0) * denominators) / safe
    squares = weights.squares(denominators) / safe**2
    return Ratios(values, weights.variance(parts), squares, (denominators > 0).sum(axis=0), weights.degrees)


def share_ends(found: Ratios, level: float = 0.95) -> Ends:
    """The ends of ratios that are shares, from 0 to 1, each (K,).

    As if two more labels had come, one of each outcome, the rate is smoothed, and the design's effect on the variance as if
    two more had come that show none: a part without a failure has an interval, no narrower than if its labels were drawn
    at random. The end towards one half is that of the score interval (see ``score_upper_end``), the other one Wilson's with
    the effective n; of whole groups both are Wilson's, whose smoothed effect allows for inputs that fail together (decision
    180). What is rarer in the part counts as the failure.
    """
    n, level = found.labels, check_level(level)
    many = found.values > 0.5
    rare = np.clip(np.where(many, 1 - found.values, found.values), 0.0, 1.0)  # (K,)
    smooth = (n * rare + 1) / (n + 2)
    plain = smooth * (1 - smooth) * found.squares  # what it would be if failures lay anywhere
    spread = n * rare * (1 - rare) * found.squares
    effect = (n * found.variances + 2 * plain) / np.where(plain > 0, spread + 2 * plain, 1.0)  # the design's, smoothed
    fewer = 1.0 if np.isinf(found.degrees) else (t_quantile(level, found.degrees) / t_quantile(level, np.inf)) ** 2
    variance = plain * effect * fewer
    known = ~(variance > 0)  # every input of the part is labeled
    effective = smooth * (1 - smooth) / np.where(known, 1.0, variance)
    wilson = wilson_ends(rare, effective, level)
    low, high = np.asarray(wilson.low), np.asarray(wilson.high)
    if np.isinf(found.degrees):
        high = np.asarray(score_upper_end(rare, part_variance_of(smooth, variance, found.squares), level))
    low, high = np.where(known, rare, low), np.where(known, rare, high)
    return Ends(np.where(many, 1 - high, low), np.where(many, 1 - low, high))


def mean_ends(found: Ratios, level: float = 0.95) -> Ends:
    """The ends of means of any size by Student's t with the part's labels less one, each (K,); nan where there is no spread."""
    degrees = np.minimum(np.maximum(found.labels - 1, 1), found.degrees)
    t = stdtrit(degrees, (1 + check_level(level)) / 2)
    half = np.where(found.variances > 0, t * np.sqrt(found.variances), np.nan)
    return Ends(found.values - half, found.values + half)


@dataclass(frozen=True)
class PartEstimate:
    """One number about a part of the set.

    Attributes
    ----------
    labeled : how many labels it is based on.
    value, standard_error, low, high : None where ``why`` says what is missing.
    """

    labeled: int
    value: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


def too_few(labels: int) -> str:
    """The sentence in place of a number.

    >>> too_few(3)
    'too few labels: 3 of at least 10'
    """
    return f"too few labels: {labels} of at least {FEWEST}"


def part_estimates(
    found: Ratios,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
    ends_of: Callable[[Ratios, float], Ends] = share_ends,
) -> tuple[PartEstimate, ...]:
    """The ratios as records, those on fewer than ``FEWEST`` labels without a number.

    ``simultaneous`` : all intervals together hold with chance ``level`` (Bonferroni over those shown).
    ``ends_of`` : what gives the intervals at a level; ``mean_ends`` where the ratios are means of any size.
    """
    shown = np.isfinite(found.values) & (found.labels >= FEWEST)
    each = 1 - (1 - check_level(level)) / max(int(shown.sum()), 1) if simultaneous else level
    filled = found._replace(values=np.where(shown, found.values, 0.0))
    ends = ends_of(filled, each)
    low, high = np.asarray(ends.low), np.asarray(ends.high)
    made = []
    for place, labels in enumerate(found.labels.tolist()):
        if not shown[place]:
            made.append(PartEstimate(labels, why=too_few(labels)))
            continue
        value, error = float(found.values[place]), float(np.sqrt(found.variances[place]))
        if np.isnan(low[place]):
            why = "the labels do not differ so far, so their spread cannot be estimated"
            made.append(PartEstimate(labels, value, why=why))
            continue
        made.append(PartEstimate(labels, value, error, float(low[place]), float(high[place])))
    return tuple(made)
