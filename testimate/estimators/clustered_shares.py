"""Intervals of shares whose members come in clusters, such as the right ones among all boxes of the pictures drawn."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from testimate.estimators.draw_weights import DrawWeights
from testimate.estimators.intervals import Ends, check_level, t_quantile, wilson_ends
from testimate.estimators.ratios import Ratios

NOISE_MISSED = 1.5
"""Factor for the noise of a variance: a sample with heavy tails shows less of it than there is, as it does of skewness."""

EVEN_SHARE_OF_CLUSTERS = 0.3
"""Part of every additional failure that may lie anywhere; the rest lies as those that were found. Decision 181 has the
measurements."""

Numbers = NDArray[np.float64]


class Clusters(NamedTuple):
    """What the intervals of K shares need beside the ratios.

    Attributes
    ----------
    rests_on : (K,) how many units each variance rests on, (sum t^2)^2 / sum t^4 of their terms t; 0 where all terms are 0.
    alone : (K,) the variance that members of variance 1 would give if they were independent.
    units : how many were drawn. degrees : of freedom, the units less the strata. left : mean of 1 - sampling fraction.
    """

    rests_on: Numbers
    alone: Numbers
    units: int
    degrees: float
    left: float


def clusters_of(
    weights: DrawWeights, found: Ratios, numerators: Numbers, denominators: Numbers, *, degrees: float
) -> Clusters:
    """The same, of the ratios ``found`` in these numerators and denominators, each (n, K)."""
    totals = weights.weights @ denominators  # (K,)
    safe = np.where(totals > 0, totals, 1.0)
    terms = weights.terms((numerators - np.where(totals > 0, found.values, 0.0) * denominators) / safe)
    fourth = (terms**4).sum(axis=0)
    rests_on = np.where(fourth > 0, (terms**2).sum(axis=0) ** 2 / np.where(fourth > 0, fourth, 1.0), 0.0)
    alone = (weights.left * weights.weights**2) @ denominators / safe**2
    return Clusters(rests_on, alone, len(terms), degrees, float(weights.left.mean()))


def clustered_ends(found: Ratios, clusters: Clusters, level: float = 0.95) -> Ends:
    """Wilson's interval with the effective number of members, r (1 - r) / variance, each end (K,).

    That number is smoothed as if one more unit had come whose members all share one outcome, and counts as many times as the
    variance rests on units: without a failure in sight a unit counts once. Student's t takes the degrees of freedom for
    the noise that the variance has beyond what r explains: its relative variance is 1 / rests_on - 1 / units, and what r
    explains of it (1 - 2 r)^2 variance / (r (1 - r))^2, which is all of it where every unit has one member. Towards one half a
    part of what is added may lie anywhere: where few failures were seen, those unseen need not lie where these do.

    Of what is rarer, r is the share. ``found`` and ``clusters`` are of the same ratios.
    """
    many = found.values > 0.5
    rare = np.clip(np.where(many, 1 - found.values, found.values), 0.0, 1.0)  # (K,)
    known = ~(found.squares > 0)  # every unit that counts is labeled
    spread, shared = np.where(known, 0.0, found.variances), np.where(known, 1.0, found.squares)
    outcome = rare * (1 - rare)
    some = (spread > 0) & (outcome > 0)
    seen = np.where(some, outcome, 1.0) / np.where(some, spread, 1.0)  # members that the variance is worth
    rests_on = np.where(some, clusters.rests_on, 0.0)
    effective = (rests_on * seen + 1 / shared) / (rests_on + 1)
    safe = np.where(some, rests_on, 1.0)
    endless = spread / np.where(
        known, 1.0, clusters.left
    )  # as for an infinite set: how noisy it is does not depend on N
    explained = (1 - 2 * rare) ** 2 * endless / np.where(some, outcome, 1.0) ** 2
    noise = np.where(some, np.maximum(1 / safe - 1 / clusters.units - explained, 0.0), 0.0)
    degrees = np.maximum(1 / (1 / clusters.degrees + NOISE_MISSED * noise / 2), 1.0)
    fewer = (stdtrit(degrees, (1 + check_level(level)) / 2) / t_quantile(level, np.inf)) ** 2
    anywhere = np.maximum(clusters.alone, 1 / effective)
    grown = EVEN_SHARE_OF_CLUSTERS * anywhere + (1 - EVEN_SHARE_OF_CLUSTERS) / effective
    low = np.where(known, rare, wilson_ends(rare, effective / fewer, level).low)
    high = np.where(known, rare, wilson_ends(rare, 1 / (grown * fewer), level).high)
    return Ends(np.where(many, 1 - high, low), np.where(many, 1 - low, high))
