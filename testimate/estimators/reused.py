"""What old labels say about another model, or about two: accuracy and difference, helped by guesses learned from the labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Rounds, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.estimators import estimator_of
from testimate.estimators.adaptive_rounds import proportion_of_rounds, smoothed, weighted_mean
from testimate.estimators.always_valid import with_always_valid
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.assisted_interval import assisted_ends, residual_sums, smoothed_error
from testimate.estimators.intervals import Interval, check_level, no_spread, possible, t_quantile
from testimate.estimators.learned_guesses import Judged, Learn, judged_across_folds, judged_by_round
from testimate.estimators.sample import Sample, sample_of
from testimate.estimators.score_interval import EVEN_SHARE, EVEN_SHARE_OF_ROUNDS
from testimate.estimators.skipped_draws import with_skips
from testimate.estimators.stratified import stratified_standard_error, stratified_variance
from testimate.estimators.stratified_interval import PSEUDO_LABELS

Floats = NDArray[np.float64]


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
    *,
    level: float = 0.95,
    certain: frozenset[int] = frozenset(),
) -> Difference:
    """How much more accurate the new model is, from half-points of (loss of the new - loss of the old + 1) / 2.

    So a verdict is 0 where the new model alone is right, 1 where the old one alone is, and 1/2 where they are alike, which the
    predictions tell without a label wherever they are the same. Judged as in ``estimate_with_learned_guesses``. The interval is
    Student's, its variance smoothed as if two more labels in each stratum (two more draws of rounds) had the predicted
    one (see ``_smoothed_variance``). Skipped draws widen it as far as they may go.

    Parameters
    ----------
    learn : guesses half-points. spreads : (N,) variance of a half-point, predicted without any label.
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
    open_ = [one.loss is None for one in verdicts]
    fills = (None, 0.0, 1.0) if any(open_) else (None,)
    found = [_half_points(design, _filled(verdicts, fill), learn, spreads, level, certain) for fill in fills]
    low, high = min(one.interval.low for one in found), max(one.interval.high for one in found)
    always_low = always_high = None
    if design.always_valid:
        plain = estimator_of(design).estimate(design, verdicts, level=level)
        always_low, always_high = plain.always_low, plain.always_high
    return Difference(
        float(1 - 2 * found[0].mean),
        2 * found[0].standard_error,
        max(-1.0, 1 - 2 * high),
        min(1.0, 1 - 2 * low),
        None if always_low is None else 2 * always_low - 1,
        None if always_high is None else 2 * always_high - 1,
    )


@dataclass(frozen=True)
class _HalfPoints:
    mean: float
    standard_error: float
    interval: Interval


def _half_points(
    design: SimpleRandom | Stratified | Rounds,
    verdicts: Sequence[Verdict],
    learn: Learn,
    spreads: Floats,
    level: float,
    certain: frozenset[int],
) -> _HalfPoints:
    """The mean of the half-points with Student's interval on the smoothed variance."""
    if isinstance(design, Rounds):
        judged = judged_by_round(design, verdicts, learn, spreads)
        mean, (_, variance), degrees = weighted_mean(judged), smoothed(judged), float(judged.random.sum() - 1)
    else:
        across = judged_across_folds(design, verdicts, learn, certain)
        mean, variance = across.mean, _smoothed_variance(design, across, spreads)
        degrees = float(max(across.sample.labeled - len(design.stratum_sizes), 1))
    error = float(np.sqrt(variance))
    half = t_quantile(level, max(degrees, 1.0)) * error
    return _HalfPoints(mean, error, Interval(mean - half, mean + half))


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
