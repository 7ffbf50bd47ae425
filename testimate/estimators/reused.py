"""Old labels used again: for another model, for two, or for another set.

What old labels say about another model, or about two: accuracy and difference, helped by guesses learned from the labels.

The accuracy of another set, in which kinds of inputs have other shares, from the labels of the first.

Independent estimates of one number become one, by weights that do not depend on their labels.

Estimates helped by guesses learned from the labels, yet exactly unbiased: each label meets guesses from the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import inputs_spoken_for, proportion_of_rounds, smoothed, weighted_mean
from testimate.estimators.always_valid import with_always_valid
from testimate.estimators.difference import assisted_ends, residual_sums, smoothed_error
from testimate.estimators.intervals import (
    EVEN_SHARE,
    EVEN_SHARE_OF_ROUNDS,
    Interval,
    no_spread,
    paired_score_interval,
    possible,
    rounds_variance_of,
    score_lower_end,
    score_upper_end,
)
from testimate.estimators.sample import (
    MeanLoss,
    RoundSample,
    Sample,
    as_accuracy,
    need_labels,
    round_sample_of,
    sample_of,
)
from testimate.estimators.skipped_draws import with_skips
from testimate.estimators.stratified import PSEUDO_LABELS, stratified_standard_error, stratified_variance
from testimate.estimators.weights import draw_weights

Floats = NDArray[np.float64]
Learn = Callable[[NDArray[np.intp], Floats], Floats]
"""Guessed losses of all N inputs, from k rows and their losses; of no rows, what is guessed before any label."""

# A label that judged guesses it had taught would bias the estimate: decision 74.
FOLDS = 10
"""Parts of a sample, each judged by guesses that the others taught."""


@dataclass(frozen=True, eq=False)
class Judged:
    """An estimated mean loss and what its variance is estimated from.

    Attributes
    ----------
    mean : never clipped.
    sample, rows : the settled draws, and where they lie in the dataset, (n,).
    guesses : (n,) the guess of each draw, made without its own label.
    residuals : (n,) whose spread inside the strata is that of the mean.
    """

    mean: float
    sample: Sample
    rows: NDArray[np.intp]
    guesses: Floats
    residuals: Floats


def judged_across_folds(
    design: SimpleRandom | Stratified, verdicts: Sequence[Verdict], learn: Learn, certain: frozenset[int] = frozenset()
) -> Judged:
    """The mean loss, each part of the draws judged by guesses that the other parts taught.

    The draws of a stratum, in their order, are dealt to K parts. Given the other parts, a part is a simple random sample of
    what they left of each stratum, R_h inputs of N_h, and mu is known, so

        (losses of the other parts + sum of mu over the inputs they left + sum of R_h mean(z - mu) over the part) / N

    is exactly unbiased (Cassel, Sarndal and Wretman 1976 inside each part), and so is the mean of the K, weighted by how many
    draws each has. Fitting on other labels than those it corrects is known as cross-fitting (Wager, Du, Taylor and Tibshirani
    2016, "High-dimensional regression adjustments in randomized experiments").

    There are ``FOLDS`` parts, or as many as the smallest stratum with inputs left has labels; with one label there nothing is
    learned. A stratum that is labeled whole is known, not judged. Those that are ``certain`` need no label, because ``learn``
    gives their losses as they are.

    Raises NotEnoughLabels where a stratum has no label.
    """
    sample = sample_of(design, verdicts, 1.0)
    need_labels(sample)
    rows = np.array([one.draw.row for one in verdicts], dtype=np.intp)[sample.settled]
    settled = sample.only_settled()
    strata, losses = settled.strata, settled.losses
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    counts = np.bincount(strata, minlength=sizes.size)
    empty = counts == 0
    empty[list(certain)] = False
    if empty.any():
        raise NotEnoughLabels(
            f"{int(empty.sum())} of the {sizes.size} strata have no label that can be used; each needs one before the "
            "estimate is unbiased. Label more."
        )
    whole = counts == sizes if not design.replacement else np.zeros(sizes.size, dtype=bool)
    parts = min([FOLDS, *counts[~whole & (counts > 0)].tolist()])
    known = whole[strata]  # a draw of a stratum that is labeled whole stands for itself
    if known.all():
        mu = learn(rows, losses)
        mean = (losses.sum() + mu.sum() - mu[rows].sum()) / design.size  # of what is certain, the guesses
        return Judged(float(mean), settled, rows, losses, np.zeros(rows.size))
    fold = np.where(known, -1, _turns(strata) % parts)
    guesses, residuals = np.empty(rows.size), np.empty(rows.size)
    mean = 0.0
    for part in range(parts):
        mine = fold == part
        others = ~mine if parts > 1 else known
        mu = learn(rows[others], losses[others])
        if design.replacement:
            taken, left = np.zeros(rows.size, dtype=bool), sizes
        else:
            taken = others
            left = sizes - np.bincount(strata[others], minlength=sizes.size)
        mine_of = np.bincount(strata[mine], minlength=sizes.size)
        off = losses - mu[rows]
        corrections = (left[strata[mine]] / mine_of[strata[mine]] * off[mine]).sum()
        total = losses[taken].sum() + mu.sum() - mu[rows[taken]].sum() + corrections
        mean += mine.sum() / (~known).sum() * total / design.size
        guesses[mine] = mu[rows[mine]]
        residuals[mine] = off[mine] + mu.mean()
    guesses[known], residuals[known] = losses[known], 0.0
    return Judged(float(mean), settled, rows, guesses, residuals)


def judged_by_round(
    design: Rounds, verdicts: Sequence[Verdict], learn: Learn, spreads: Floats | None = None
) -> RoundSample:
    """The sample of rounds with guesses learned before each round, every loss known or guessed; see ``weighted_mean``.

    A round's chances follow from the rounds before it and so do its guesses, which may be others than those it was drawn by:
    X = (losses so far + sum of mu over the inputs left + N-fold correction) / N is as unbiased (see ``RoundSample.terms``). A
    skipped draw counts as guessed. The predicted variance of a round is estimated by its own draws, from chances and
    guesses alone: the mean over them of v (B / (p N))^2, v the predicted variance of a loss, mu (1 - mu) or ``spreads`` (N,).

    Raises NotEnoughLabels where the first round is not whole.
    """
    sample = round_sample_of(design, verdicts, 1.0)
    need_labels(sample)
    if len(verdicts) < sample.sizes[0]:
        raise NotEnoughLabels(
            f"{len(verdicts)} of the {sample.sizes[0]} inputs of the first round are labeled; the estimate needs one whole "
            "round. Label more."
        )
    rows = np.array([one.draw.row for one in verdicts], dtype=np.intp)
    losses, guesses = sample.losses.copy(), np.empty(rows.size)
    guessed, variance = np.empty(sample.sizes.size), np.empty(sample.sizes.size)
    for number, first in enumerate(sample.drawn_before.tolist()):
        settled = sample.settled[:first]
        mu = learn(rows[:first][settled], sample.losses[:first][settled])
        own = sample.rounds == number
        guesses[own] = mu[rows[own]]
        losses[own] = np.where(sample.settled[own], losses[own], guesses[own])
        guessed[number] = mu.sum() - mu[rows[:first]].sum()
        random = own & sample.random
        reach = sample.zones[number] / (sample.probabilities[random] * sample.size)
        of_loss = guesses[random] * (1 - guesses[random]) if spreads is None else spreads[rows[random]]
        variance[number] = (of_loss * reach**2).mean() if random.any() else 0.0
    return replace(sample, losses=losses, guesses=guesses, guessed=guessed, variance=variance)


def _turns(strata: NDArray[np.intp]) -> NDArray[np.intp]:
    """Which draw of its stratum each one is, from 0 on, (n,).

    >>> _turns(np.array([0, 1, 0, 0, 1])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(strata, kind="stable")
    counts = np.bincount(strata)
    turns = np.empty(strata.size, dtype=np.intp)
    turns[order] = np.arange(strata.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return turns


def estimate_with_learned_guesses(
    design: Design,
    verdicts: Sequence[Verdict],
    learn: Learn,
    *,
    level: float = 0.95,
    even: float | None = None,
    conservative: bool = False,
) -> Estimate:
    """The accuracy of a model on the whole set, from verdicts of passing (0) or failing (1) in drawing order.

    Simple random and stratified draws are judged across folds, adaptive rounds round by round: exactly unbiased, whatever
    ``learn`` makes of the labels it is given. Intervals, ordinary or ``conservative``: for the first two those of
    ``assisted_ends`` on the residuals, for rounds those of ``proportion_of_rounds``; the skipped draws widen them as
    ``with_skips`` does. ``even`` is the part of every additional failure that may lie anywhere, the design's usual one where
    None. The always-valid interval is the design's own. Other designs take their own estimator, without
    guesses.

    Raises NotEnoughLabels where the design gives no estimate yet.
    """
    check_level(level)
    if not isinstance(design, SimpleRandom | Stratified | Rounds):
        return estimator_of(design).estimate(design, verdicts, level=level)

    def of(settled: Sequence[Verdict]) -> Estimate:
        if isinstance(design, Rounds):
            return _of_rounds(
                design, settled, learn, level, EVEN_SHARE_OF_ROUNDS if even is None else even, conservative
            )
        return _of_strata(design, settled, learn, level, EVEN_SHARE if even is None else even, conservative)

    return with_always_valid(with_skips(of, verdicts, 1.0), design, verdicts, 1.0)


@dataclass(frozen=True)
class Difference:
    """Accuracy of a new model minus that of the old one, over all inputs.

    Attributes
    ----------
    value : -1..1.
    standard_error : of the value.
    low, high : ends of the ordinary interval, good at a size fixed in advance; always_low, always_high : of the one that is
        right whenever one stops, None where the design has none.
    """

    value: float
    standard_error: float
    low: float
    high: float
    always_low: float | None = None
    always_high: float | None = None


def difference_with_learned_guesses(
    design: Design,
    verdicts: Sequence[Verdict],
    learn: Learn,
    spreads: Floats,
    apart: NDArray[np.bool_],
    *,
    level: float = 0.95,
    certain: frozenset[int] = frozenset(),
) -> Difference:
    """How much more accurate the new model is, from half-points of (loss of the new - loss of the old + 1) / 2.

    So a verdict is 0 where the new model alone is right, 1 where the old one alone is, and 1/2 where they are alike, which the
    predictions tell without a label wherever they are the same. Judged as in ``estimate_with_learned_guesses``; the interval is
    that of ``difference_ends``, which the value need not lie in (see ``within_reach``). The standard error is smoothed as if
    two more labels in each stratum (two more draws of rounds) had the predicted variance (see ``_smoothed_variance``).
    Skipped draws widen the interval as far as they may go.

    Parameters
    ----------
    learn : guesses half-points. spreads : (N,) variance of a half-point, predicted without any label.
    apart : (N,) inputs on which the predictions differ; only there a half-point is other than 1/2.
    certain : strata whose half-points are known without a label and guessed as they are.

    Raises
    ------
    BadInput : a design other than simple random, stratified and adaptive rounds.
    NotEnoughLabels : the design gives no estimate yet.
    """
    check_level(level)
    if not isinstance(design, SimpleRandom | Stratified | Rounds):
        raise BadInput(
            f"The difference of two models needs draws of srs, a stratified design or adaptive rounds; these are "
            f"{design.kind}. Plan new labels with one of them."
        )
    mean, error = _half_points(design, verdicts, learn, spreads, certain)
    open_ = any(one.loss is None for one in verdicts)
    said = [_filled(verdicts, fill) for fill in (0.0, 1.0)] if open_ else [verdicts]
    ends = [difference_ends(design, one, apart, level) for one in said]
    low, high = min(one.low for one in ends), max(one.high for one in ends)
    always_low = always_high = None
    if design.always_valid:
        plain = estimator_of(design).estimate(design, verdicts, level=level)
        always_low, always_high = plain.always_low, plain.always_high
    return Difference(
        float(1 - 2 * mean),
        2 * error,
        low,
        high,
        None if always_low is None else 2 * always_low - 1,
        None if always_high is None else 2 * always_high - 1,
    )


def difference_ends(
    design: SimpleRandom | Stratified | Rounds,
    verdicts: Sequence[Verdict],
    apart: NDArray[np.bool_],
    level: float = 0.95,
) -> Interval:
    """The ends of new minus old over all N inputs, from half-points of which none is unknown.

    Where the versions predict the same the difference is 0. Of the M inputs where they do not, the labeled ones count as
    they are, K gained less lost, and only the U others are inferred: from Tango's interval of the labels' differences d,
    each weighted by the inputs it stands for beside itself, v, as if there were n of them. n is at most (sum v)^2 / sum v^2
    (Kish 1965, section 11.7) and at most s / V, V the variance of the weighted mean with one more d of its own size, s that
    of one label, smoothed alike. So no end lies beyond what the predictions and the labels leave possible.
    """
    weights = _inputs_each(design, verdicts)
    differs = apart[[one.draw.row for one in verdicts]]
    gains = np.array([1 - 2 * (0.5 if one.loss is None else one.loss) for one in verdicts])[differs]  # d, (m,)
    total, m = int(apart.sum()), gains.size
    known, left, size = float(gains.sum()), total - m, apart.size
    if m == 0 or left <= 0:
        return Interval((known - left) / size, (known + left) / size)
    beside = np.maximum(weights[differs] * total / weights[differs].sum() - 1, LEAST_BESIDE)  # v, (m,)
    gained, lost = (float(beside[side].sum() / beside.sum()) for side in (gains > 0, gains < 0))
    spread = gained + lost - (gained - lost) ** 2
    usual = float(np.quantile(beside, 0.9))
    variance = (beside**2 @ (gains - gained + lost) ** 2 + usual**2) / beside.sum() ** 2
    of_one = (m * spread + 1) / (m + PSEUDO_LABELS)
    effective = min(beside.sum() ** 2 / (beside @ beside), of_one / variance)
    n = 1 / (1 / effective + 1 / left)  # the others are a sample of their own
    ends = paired_score_interval(n * gained, n * lost, n, level)
    return Interval(
        max(known + left * ends.low, known - left) / size, min(known + left * ends.high, known + left) / size
    )


LEAST_BESIDE = 1e-9
"""A label stands for at least this many inputs beside itself, so that weights do not vanish where each stands for itself."""


def _inputs_each(design: SimpleRandom | Stratified | Rounds, verdicts: Sequence[Verdict]) -> Floats:
    """How many inputs each label stands for, (n,), strata without a label standing apart."""
    if isinstance(design, Rounds):
        found = np.zeros(len(verdicts))
        weights = draw_weights(design, verdicts)
        found[weights.positions] = weights.weights * design.size
        return found
    sizes = np.asarray(design.stratum_sizes, dtype=np.float64)
    strata = np.array([one.draw.stratum for one in verdicts], dtype=np.intp)
    return np.asarray((sizes / np.maximum(np.bincount(strata, minlength=sizes.size), 1))[strata])


def _half_points(
    design: SimpleRandom | Stratified | Rounds,
    verdicts: Sequence[Verdict],
    learn: Learn,
    spreads: Floats,
    certain: frozenset[int],
) -> tuple[float, float]:
    """The mean of the half-points and its standard error, by the smoothed variance."""
    if isinstance(design, Rounds):
        judged = judged_by_round(design, verdicts, learn, spreads)
        return weighted_mean(judged), float(np.sqrt(smoothed(judged)[1]))
    across = judged_across_folds(design, verdicts, learn, certain)
    return across.mean, float(np.sqrt(_smoothed_variance(design, across, spreads)))


def _smoothed_variance(design: SimpleRandom | Stratified, judged: Judged, spreads: Floats) -> float:
    """Of the mean, as if two more labels in each stratum had the predicted variance.

    Of a simple random sample these two are inputs on which the models differ, as in the adjustment of Bonett and Price (2012)
    for paired proportions: most of its labels are on other inputs, which say nothing about the spread, and where the
    versions are
    alike so few are on these that the interval would be too narrow.
    """
    sizes, sample = np.asarray(design.stratum_sizes, dtype=np.intp), judged.sample
    counts = np.bincount(sample.strata, minlength=sizes.size)
    counts = np.where(counts > 0, counts, sizes)  # strata that are certain are as good as labeled whole
    centred = judged.residuals - (np.bincount(sample.strata, judged.residuals, sizes.size) / counts)[sample.strata]
    squares = np.bincount(sample.strata, centred**2, sizes.size)
    predicted = np.bincount(sample.strata, spreads[judged.rows], sizes.size) / counts
    if isinstance(design, SimpleRandom) and spreads.any():
        predicted = np.full(1, spreads[spreads > 0].mean())
    spread = (squares + PSEUDO_LABELS * predicted) / (counts - 1 + PSEUDO_LABELS)
    return stratified_variance(spread, counts, sizes, replacement=design.replacement)


def _filled(verdicts: Sequence[Verdict], loss: float | None) -> list[Verdict]:
    """The verdicts with this loss where they have none."""
    return [replace(one, loss=loss) if one.loss is None else one for one in verdicts]


def _of_strata(
    design: SimpleRandom | Stratified,
    verdicts: Sequence[Verdict],
    learn: Learn,
    level: float,
    even: float,
    conservative: bool,
) -> Estimate:
    judged = judged_across_folds(design, verdicts, learn)
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    settled = judged.sample
    if not design.replacement and settled.labeled == design.size:
        found = MeanLoss(judged.mean, 0.0, Interval(judged.mean, judged.mean), "mean of every input, all labeled")
    else:
        sums = residual_sums(settled.losses, judged.guesses, judged.residuals, settled.strata, sizes.size)
        mean, replacement = np.asarray(judged.mean), design.replacement
        ends = assisted_ends(
            mean, sums, sizes, level=level, even=even, conservative=conservative, replacement=replacement
        )
        error = stratified_standard_error(judged.residuals, settled.strata, sizes, replacement=design.replacement)
        if error is None or no_spread(error, 1.0):
            error = float(smoothed_error(sums, sizes, replacement=design.replacement))
        name = "Korn-Graubard interval joined with the score interval" if conservative else "score interval"
        method = f"difference estimate, guesses learned across folds, {name}"
        found = MeanLoss(judged.mean, error, Interval(float(ends.low), float(ends.high)), method)

    def mean_of(filled: Sample) -> float:
        losses = filled.losses.tolist()
        said = [replace(one, loss=loss) for one, loss in zip(verdicts, losses, strict=True)]
        return judged_across_folds(design, said, learn).mean

    sample = sample_of(design, verdicts, 1.0)
    return as_accuracy(found, design, sample, level=level, loss_bound=1.0, mean_of=mean_of)


def _of_rounds(
    design: Rounds, verdicts: Sequence[Verdict], learn: Learn, level: float, even: float, conservative: bool
) -> Estimate:
    judged = judged_by_round(design, verdicts, learn)
    sample = sample_of(design, verdicts, 1.0)
    settled = sample.losses[sample.settled]
    limits = possible(settled, design.size, 1.0)
    if settled.size == design.size:
        found = MeanLoss(limits.low, 0.0, Interval(*limits), "mean of every input, all labeled")
    else:
        found = proportion_of_rounds(judged, limits, level=level, even=even, conservative=conservative)
        found = replace(found, method=found.method.replace(", ", ", guesses learned again, ", 1))
    return as_accuracy(
        found,
        design,
        sample,
        level=level,
        loss_bound=1.0,
        mean_of=lambda filled: weighted_mean(replace(judged, losses=filled.losses)),
    )


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
    filled = [_rate(design, [_with(one, loss) for one in verdicts], kinds, shares, guesses, level) for loss in fills]
    found = [plain, *filled]
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
        skipped_low=1 - max(one.mean for one in filled) if skipped else None,
        skipped_high=1 - min(one.mean for one in filled) if skipped else None,
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
            f"None of the {losses.size} labels is of a kind that the other set has; expected some. Label the other set."
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
        if len(verdicts) < sample.sizes[0]:
            raise NotEnoughLabels(
                f"{len(verdicts)} of the {sample.sizes[0]} inputs of the first round are labeled; the estimate needs one whole "
                "round. Label more."
            )
        return inputs_spoken_for(sample)
    drawn = sample_of(design, verdicts, 1.0)
    need_labels(drawn)
    sizes = np.asarray(design.stratum_sizes, dtype=np.float64)
    counts = np.bincount(drawn.strata[drawn.settled], minlength=sizes.size)
    if not counts.all():
        raise NotEnoughLabels(
            f"{int((counts == 0).sum())} of the {sizes.size} strata have no label that can be used; each needs one. Label more."
        )
    return np.asarray((sizes / counts)[drawn.strata])


def _with(one: Verdict, loss: float) -> Verdict:
    return one if one.loss is not None else replace(one, loss=loss)


@dataclass(frozen=True)
class Part:
    """An estimate, and the variance predicted for it without its labels, above 0."""

    estimate: Estimate
    predicted_variance: float


def combined(parts: Sequence[Part], level: float = 0.95) -> Estimate:
    """The mean of the accuracies, weighted by 1 / predicted variance; a single part is returned as it is.

    Unbiased where each part is, because the weights are known before there are labels. Where a later sample was drawn
    from what an
    earlier one left, its estimate is unbiased given the earlier one, so that the two are uncorrelated. The ordinary interval
    joins those of the parts by the method of variance estimates recovery (Zou and Donner 2008, eq. 3: the distance to each end
    is the root of the sum of squares of the parts' distances, each times its weight); it is None where one part has none. The
    stop-safe one is that of the part expected to be the most precise among those that have one.

    >>> one = Estimate(0.9, 0.03, 0.84, 0.96, 0.95, 100, 0, "a", "stratified")
    >>> two = Estimate(0.8, 0.04, 0.72, 0.88, 0.95, 50, 0, "b", "stratified")
    >>> both = combined([Part(one, 1.0), Part(two, 1.0)])
    >>> round(both.accuracy, 3), round(both.standard_error, 3), round(both.low, 3), round(both.high, 3)
    (0.85, 0.025, 0.8, 0.9)
    """
    if len(parts) == 1:
        return parts[0].estimate
    estimates = [one.estimate for one in parts]
    always = min(parts, key=lambda one: (one.estimate.always_low is None, one.predicted_variance)).estimate
    return _weighted(
        estimates,
        _shares([one.predicted_variance for one in parts]),
        level,
        f"{len(parts)} samples, weighted by their predicted variances",
        StopSafe(always.always_low, always.always_high),
    )


def joined(estimates: Sequence[Estimate], careful: Sequence[Estimate], sizes: Sequence[int], level: float) -> Estimate:
    """The accuracy of a set that is made of parts, each with an estimate of its own from a sample of its own.

    Cochran 1977, eq. 5.1: their mean, weighted by how many inputs each part has. The ordinary interval joins theirs as
    ``combined`` does.

    Parameters
    ----------
    estimates : of the k parts, in the order of their ``sizes``.
    careful : the same at the level 1 - (1 - level) / k, so that their stop-safe intervals hold all together (Bonferroni); the
        stop-safe interval of the whole is their weighted sum, None where one part has none.

    >>> one = Estimate(0.9, 0.03, 0.84, 0.96, 0.95, 100, 0, "a", "stratified")
    >>> two = Estimate(0.8, 0.04, 0.72, 0.88, 0.95, 50, 0, "b", "simple random")
    >>> round(joined([one, two], [one, two], [300, 100], 0.95).accuracy, 3)
    0.875
    """
    shares = np.asarray(sizes, dtype=np.float64) / sum(sizes)
    lows, highs = [one.always_low for one in careful], [one.always_high for one in careful]
    known = None not in (*lows, *highs)
    ends = StopSafe(*(float(shares @ np.array(side, dtype=float)) if known else None for side in (lows, highs)))
    return _weighted(estimates, shares, level, f"{len(estimates)} parts, weighted by their sizes", ends)


class StopSafe(NamedTuple):
    """The ends of a stop-safe interval; None where there is none."""

    low: float | None
    high: float | None


def _weighted(estimates: Sequence[Estimate], shares: Floats, level: float, method: str, always: StopSafe) -> Estimate:
    """The mean of independent estimates by these weights (k,), which sum to 1."""
    ends = _recovered(shares, [one.accuracy for one in estimates], [(one.low, one.high) for one in estimates])
    errors = [one.standard_error for one in estimates]
    skipped = sum(one.skipped for one in estimates)
    bounds = [
        [one.accuracy if bound is None else bound for one, bound in zip(estimates, side, strict=True)]
        for side in ([one.skipped_low for one in estimates], [one.skipped_high for one in estimates])
    ]
    return Estimate(
        accuracy=float(shares @ [one.accuracy for one in estimates]),
        standard_error=None
        if None in errors
        else float(np.sqrt(((shares * np.array(errors, dtype=float)) ** 2).sum())),
        low=None if ends is None else max(0.0, ends.low),
        high=None if ends is None else min(1.0, ends.high),
        level=level,
        labeled=sum(one.labeled for one in estimates),
        skipped=skipped,
        method=method,
        design=", ".join(dict.fromkeys(one.design for one in estimates)),
        always_low=always.low,
        always_high=always.high,
        skipped_low=float(shares @ bounds[0]) if skipped else None,
        skipped_high=float(shares @ bounds[1]) if skipped else None,
        why=" ".join(dict.fromkeys(one.why for one in estimates if one.why)),
    )


def within_reach(found: Difference, gains: Floats, size: int) -> Difference:
    """The difference inside what labels and predictions leave possible, whatever design they came by.

    A value beyond its interval is moved to the nearer end: the only part of it that is not exactly unbiased.

    ``gains`` : (M,) 1, 0 or -1 for each input on which the predictions differ, nan where no label says it.

    >>> within_reach(Difference(0.2, 0.1, -0.1, 0.4), np.array([1.0, -1.0, np.nan]), 10).high
    0.1
    """
    known, left = float(np.nansum(gains)), int(np.isnan(gains).sum())
    least, most = (known - left) / size, (known + left) / size

    def inside(end: float) -> float:
        return min(max(end, least), most)

    low, high = inside(found.low), inside(found.high)
    return Difference(
        min(max(found.value, low), high),
        found.standard_error,
        low,
        high,
        None if found.always_low is None else inside(found.always_low),
        None if found.always_high is None else inside(found.always_high),
    )


def combined_differences(found: Sequence[Difference], variances: Sequence[float]) -> Difference:
    """The same for differences, with the variances (k,) predicted for them."""
    if len(found) == 1:
        return found[0]
    shares = _shares(variances)
    values = [one.value for one in found]
    ends = _recovered(shares, values, [(one.low, one.high) for one in found])
    assert ends is not None
    ranked = sorted(zip(variances, found, strict=True), key=lambda pair: (pair[1].always_low is None, pair[0]))
    always = ranked[0][1]
    return Difference(
        float(shares @ values),
        float(np.sqrt(((shares * np.array([one.standard_error for one in found])) ** 2).sum())),
        max(-1.0, ends.low),
        min(1.0, ends.high),
        always.always_low,
        always.always_high,
    )


def _shares(variances: Sequence[float]) -> Floats:
    """Weights 1 / variance, summing to 1; all of the weight is on variances of 0, where there are any."""
    values = np.asarray(variances, dtype=np.float64)
    inverse = (values == 0).astype(float) if (values == 0).any() else 1 / values
    return np.asarray(inverse / inverse.sum())


def _recovered(
    shares: Floats, means: Sequence[float], ends: Sequence[tuple[float | None, float | None]]
) -> Interval | None:
    """The ends of the weighted mean from those of its parts."""
    if any(low is None or high is None for low, high in ends):
        return None
    centre, each = float(shares @ means), np.array(ends, dtype=np.float64)
    down, up = np.maximum(np.array(means) - each[:, 0], 0.0), np.maximum(each[:, 1] - np.array(means), 0.0)
    return Interval(
        centre - float(np.sqrt(((shares * down) ** 2).sum())), centre + float(np.sqrt(((shares * up) ** 2).sum()))
    )
