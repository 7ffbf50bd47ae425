"""Estimate the accuracy of another set, in which kinds of inputs have other shares, from the labels of the first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators.adaptive_rounds import inputs_spoken_for
from testimate.estimators.intervals import EVEN_SHARE, rounds_variance_of, score_lower_end, score_upper_end
from testimate.estimators.sample import need_each_stratum, need_first_round, need_labels, round_sample_of, sample_of
from testimate.estimators.skipped_draws import filled
from testimate.estimators.stratified import PSEUDO_LABELS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Rate:
    """A failure rate, its standard error and the ends of its interval."""

    mean: float
    error: float
    low: float
    high: float


def estimate_reweighted(
    design: Design,
    verdicts: Sequence[Verdict],
    kinds: NDArray[np.intp],
    shares: Floats,
    guesses: Floats,
    level: float = 0.95,
) -> Estimate:
    """The accuracy of a set of which ``shares[g]`` are inputs of kind g, if each kind fails there as often as here.

    Post-stratification with the shares of another set (Cochran 1977, section 5A.9): the failure rate is sum of W_g times the
    weighted share of failures among the labels of kind g, each label with its weight in the design (of adaptive rounds the
    inputs that the estimate counts for it). A ratio of estimates, so nearly unbiased.

    The interval is the score interval (``score_interval``) with a kind in the place of a stratum. The variance of its rate is
    the linearised one of a ratio, sum w^2 (z - rate)^2 / (sum w)^2 (Cochran 1977, section 6.5; Sarndal, Swensson and Wretman
    1992, eq. 5.5.9 for draws with replacement), so that the small weights of a design's failures are accounted
    for; rate and variance are smoothed as if two more labels had failed as guessed. Failures that may lie anywhere
    meet a kind as if it had (sum of weights)^2 / sum of squared weights labels (Kish 1965, section 11.7). Of kinds
    without a label nothing is known: the estimate takes them to fail as guessed, and the interval lets all or none of
    them fail. Skipped draws widen it as far as they may go. There is no stop-safe one.

    Parameters
    ----------
    kinds : (N,) kind of each input of the labeled set, from 0.
    shares : (G,) share of each kind in the other set, summing to 1.
    guesses : (G,) guessed failure rate of each kind, from 0 to 1.

    Raises
    ------
    BadInput : a design other than simple random, stratified or adaptive rounds.
    NotEnoughLabels : the design gives no estimate yet.
    """
    check_level(level)
    if not isinstance(design, SimpleRandom | Stratified | Rounds):
        raise BadInput(
            f"Labels are weighted again from draws of srs, a stratified design or adaptive rounds; these are {design.kind}. "
            "Plan new labels with one of them."
        )
    skipped = sum(one.loss is None for one in verdicts)
    plain = _rate(design, verdicts, kinds, shares, guesses, level)
    fills = [0.0, 1.0] if skipped else []
    either = [_rate(design, filled(verdicts, loss), kinds, shares, guesses, level) for loss in fills]
    found = [plain, *either]
    return Estimate(
        accuracy=1 - plain.mean,
        standard_error=plain.error,
        low=1 - max(one.high for one in found),
        high=1 - min(one.low for one in found),
        level=level,
        labeled=len(verdicts) - skipped,
        skipped=skipped,
        method="weighted to the shares of another set, score interval",
        design=design.kind,
        skipped_low=1 - max(one.mean for one in either) if skipped else None,
        skipped_high=1 - min(one.mean for one in either) if skipped else None,
    )


def _rate(
    design: SimpleRandom | Stratified | Rounds,
    verdicts: Sequence[Verdict],
    kinds: NDArray[np.intp],
    shares: Floats,
    guesses: Floats,
    level: float,
) -> _Rate:
    settled = np.array([one.loss is not None for one in verdicts], dtype=bool)
    weights = _weights(design, verdicts)[settled]
    kind = kinds[[one.draw.row for one in verdicts]][settled]
    losses = np.array([one.loss for one in verdicts if one.loss is not None], dtype=np.float64)
    sums, squares, failed = (
        np.bincount(kind, values, shares.size) for values in (weights, weights**2, weights * losses)
    )
    seen = (sums > 0) & (shares > 0)
    unknown = float(shares[~seen].sum())
    if not seen.any():
        raise NotEnoughLabels(
            f"None of the {losses.size} labels is of a kind that the other set has. Expected some. Label the other set."
        )
    rates, counts = failed[seen] / sums[seen], sums[seen] ** 2 / squares[seen]
    prior = np.clip(guesses[seen], 1e-6, 1 - 1e-6)
    smooth = (counts * rates + PSEUDO_LABELS * prior) / (counts + PSEUDO_LABELS)
    of_seen = shares[seen] / (1 - unknown)
    mean, start = float(of_seen @ rates), float(of_seen @ smooth)
    variance = float(of_seen**2 @ _variances(kind, weights, losses, shares.size, seen, smooth, prior))
    anywhere = float((of_seen**2 / counts).sum())
    moving = rounds_variance_of(start, variance, anywhere, even=EVEN_SHARE)
    shrinking = rounds_variance_of(start, variance, anywhere, even=0.0)
    low, high = (
        float(end) * (1 - unknown)
        for end in (score_lower_end(mean, shrinking, level), score_upper_end(mean, moving, level))
    )
    guessed = float(shares[~seen] @ guesses[~seen])
    error = float(np.sqrt(moving.a0)) * (1 - unknown)
    return _Rate(mean * (1 - unknown) + guessed, error, low, high + unknown)


def _variances(
    kind: NDArray[np.intp],
    weights: Floats,
    losses: Floats,
    count: int,
    seen: NDArray[np.bool_],
    smooth: Floats,
    prior: Floats,
) -> Floats:
    """Of the rate of each kind that was ``seen``: sum w^2 (z - rate)^2 / (sum w)^2, with two more labels as guessed."""
    rate = np.zeros(count)
    rate[seen] = smooth
    sums, squares, off, labels = (
        np.bincount(kind, values, count)[seen]
        for values in (weights, weights**2, (weights * (losses - rate[kind])) ** 2, np.ones_like(weights))
    )
    added = PSEUDO_LABELS * squares / labels * prior * (1 - prior)
    return np.asarray((off + added) / sums**2 * labels / (labels + PSEUDO_LABELS))


def _weights(design: SimpleRandom | Stratified | Rounds, verdicts: Sequence[Verdict]) -> Floats:
    """How many inputs of the labeled set each draw counts for, (n,); of no use where it is skipped."""
    if isinstance(design, Rounds):
        sample = round_sample_of(design, verdicts, 1.0)
        need_first_round(sample, len(verdicts))
        return inputs_spoken_for(sample)
    drawn = sample_of(design, verdicts, 1.0)
    need_labels(drawn)
    sizes = np.asarray(design.stratum_sizes, dtype=np.float64)
    counts = np.bincount(drawn.strata[drawn.settled], minlength=sizes.size)
    need_each_stratum(counts)
    return np.asarray((sizes / counts)[drawn.strata])
