"""Model-assisted estimates: a guess for every input, corrected by what the random draws show.

The interval of a failure rate that is helped by guesses, ordinary and conservative, for one sample or for many.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_level, check_scores
from testimate.core.design import Design, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign
from testimate.estimators.always_valid import with_always_valid
from testimate.estimators.intervals import (
    EVEN_SHARE,
    Ends,
    counts_not_refuted,
    korn_graubard_ends,
    no_spread,
    possible,
    rounds_variance_of,
    score_upper_end,
    skewed_t_interval,
    wilson_ends,
)
from testimate.estimators.intervals import Interval as LossInterval
from testimate.estimators.sample import (
    MeanLoss,
    Sample,
    all_labeled,
    as_accuracy,
    need_each_stratum,
    need_labels,
    sample_of,
)
from testimate.estimators.skipped_draws import with_skips
from testimate.estimators.stratified import (
    PSEUDO_LABELS,
    satterthwaite_degrees,
    smoothed_rates,
    stratified_skewness,
    stratified_standard_error,
    stratum_weighted_mean,
)

FEW_FAILURES = 5
"""Fewer failures, or fewer labels without one, than this in a stratum with inputs left say too little of its residuals: then
counts that the labels themselves do not refute widen the interval, whatever was guessed."""

LEAST_LEFT = 0.05
"""One minus the leverage of a label is taken to be at least this."""

Floats = NDArray[np.float64]


class ResidualSums(NamedTuple):
    """What the strata's labels say about the guesses, each (..., H).

    ``failures`` among ``counts`` labels, ``guessed`` the sum of their predicted chances, ``expected`` the sum of the
    variances that these chances promise, ``squares`` the sum of squares of the residuals around their stratum's mean.
    """

    failures: Floats
    counts: NDArray[np.number[Any]]
    guessed: Floats
    expected: Floats
    squares: Floats


def residual_sums(
    losses: Floats, predicted: Floats, residuals: Floats, strata: NDArray[np.intp], count: int
) -> ResidualSums:
    """The sums by stratum, (..., H) with H = ``count``, of labels (..., n); a chance of 0 or 1 is no certainty.

    ``residuals`` are those of ``without_leverage``, so that a line that leans on few labels does not hide its own error.
    """
    n = losses.shape[-1]
    samples = losses.size // n
    place = (np.arange(samples)[:, None] * count + strata.reshape(samples, n)).ravel()  # (samples * n,)

    def by_stratum(values: Floats) -> Floats:
        sums = np.bincount(place, values.ravel(), samples * count)
        return np.asarray(sums.reshape(*losses.shape[:-1], count), dtype=np.float64)

    likely = np.clip(predicted, 1 / (n + 2), 1 - 1 / (n + 2))
    counts = by_stratum(np.ones_like(losses))
    means = by_stratum(residuals) / np.maximum(counts, 1)
    centered = residuals - np.take_along_axis(means, np.asarray(strata), axis=-1)
    return ResidualSums(
        by_stratum(losses), counts, by_stratum(likely), by_stratum(likely * (1 - likely)), by_stratum(centered**2)
    )


def without_leverage(residuals: Floats, leverage: Floats) -> Floats:
    """The residuals (..., n) as if each label's prediction had been fitted to the others: e / (1 - h), the jackknife's."""
    return np.asarray(residuals / np.maximum(1 - leverage, LEAST_LEFT))


def assisted_ends(
    mean: NDArray[np.float64],
    sums: ResidualSums,
    sizes: NDArray[np.intp],
    *,
    level: float = 0.95,
    even: float = EVEN_SHARE,
    conservative: bool = False,
    replacement: bool = False,
) -> Ends:
    """Ends of the failure rate, (...), around the estimate ``mean`` (...), which may lie outside [0, 1].

    The upper end is that of the score interval, the lower one Wilson's with the effective n, both from the residuals'
    variance, smoothed as if two more labels in each stratum had gone as predicted; ``even`` is the part of every additional
    failure that may lie anywhere (``score_interval``). The conservative interval is the hull of
    Korn and Graubard's, with the effective n of draws with replacement where inputs are left, and the score interval that
    ignores the guesses. Where a stratum's labels say too little of its residuals (``FEW_FAILURES``), no count is excluded
    that the labels do not refute. The interval holds the mean, as far as a rate can be that.
    """
    total, weights = int(sizes.sum()), sizes / sizes.sum()
    failures, counts = sums.failures, sums.counts
    n = counts.sum(axis=-1)  # (...)
    spread = _spread(sums)
    left = np.ones_like(spread) if replacement else 1 - counts / sizes
    of_one = weights**2 * left / counts  # variance of a stratum's part, for losses of variance 1
    variance = (of_one * spread).sum(axis=-1)
    point, plain = np.clip(mean, 0, 1), (failures / counts) @ weights
    smooth = smoothed_rates(failures, counts, np.asarray(sums.guessed / counts, dtype=np.float64))
    rate = np.clip(smooth @ weights + point - plain, PSEUDO_LABELS / (n + 2) ** 2, 1 - 1 / (n + 2))
    found = failures.sum(axis=-1) / total
    least, most = (0.0, 1.0) if replacement else (found, found + (total - n) / total)
    shown = np.clip(point, least, most)
    effective = np.divide(rate * (1 - rate), variance, out=np.full(rate.shape, np.inf), where=variance > 0)
    moving = rounds_variance_of(rate, variance, of_one.sum(axis=-1), even=1.0 if conservative else even)
    ends = Ends(wilson_ends(shown, effective, level).low, score_upper_end(shown, moving, level))
    if conservative:
        open_ = np.ones_like(spread) if replacement else counts < sizes
        uncorrected = (weights**2 * open_ * spread / counts).sum(axis=-1)
        careful = np.divide(rate * (1 - rate), uncorrected, out=np.full(rate.shape, np.inf), where=uncorrected > 0)
        ends = ends.joined(korn_graubard_ends(shown, careful, level))
    if not replacement:
        too_few = ((np.minimum(failures, counts - failures) < FEW_FAILURES) & (counts < sizes)).any(axis=-1)
        possible = counts_not_refuted(failures, counts, sizes, sizes - counts, level)
        ends = ends.joined(
            Ends(
                np.where(too_few, possible.least / total, np.nan),
                np.where(too_few, possible.greatest / total, np.nan),
            )
        )
    low, high = np.clip(ends.low, least, most), np.clip(ends.high, least, most)
    return Ends(np.minimum(low, point), np.maximum(high, point))


def smoothed_error(sums: ResidualSums, sizes: NDArray[np.intp], *, replacement: bool = False) -> Floats:
    """The standard error of the mean (...) by the smoothed residuals, for where the plain one is 0 or cannot be estimated."""
    left = 1.0 if replacement else 1 - sums.counts / sizes
    terms = (sizes / sizes.sum()) ** 2 * left * _spread(sums) / sums.counts
    return np.asarray(np.sqrt(terms.sum(axis=-1)))


def _spread(sums: ResidualSums) -> Floats:
    """Variance of the residuals in each stratum, (..., H), smoothed by labels that went as predicted."""
    predicted = sums.expected / sums.counts
    return np.asarray((sums.squares + PSEUDO_LABELS * predicted) / (sums.counts - 1 + PSEUDO_LABELS))


Model = Literal["difference", "regression"]
"""Guesses as they are, or a line through them fitted to the labels (GREG)."""

Interval = Literal["ordinary", "conservative"]


def estimate_difference(
    design: Design,
    verdicts: Sequence[Verdict],
    guesses: ArrayLike,
    *,
    model: Model = "difference",
    interval: Interval = "ordinary",
    level: float = 0.95,
    loss_bound: float | None = 1.0,
    always_valid: bool = True,
) -> Estimate:
    """The accuracy of the whole set from verdicts in drawing order, helped by a guess of every input's loss.

    Mean loss = mean of the guesses mu + sum of W_h times the mean of z - mu in stratum h (Cassel, Sarndal and Wretman
    1976; Sarndal, Swensson and Wretman 1992, eq. 6.3.4). It is exactly unbiased, whatever the guesses are, as long as they
    were made without the labels, and the better they are the smaller its variance, that of the residuals z - mu.
    ``model="regression"`` replaces mu by a + b mu, fitted to the labels with the design's weights (GREG, eq. 6.4.1): good
    for scores that order the inputs well but are not chances, with a bias that vanishes as 1 / n.

    For pass or fail the upper end of the failure rate is that of the score interval, the lower one Wilson's with the
    effective n; the conservative interval is the hull of Korn and Graubard's and the score interval that ignores the
    guesses (see ``assisted_ends``). Rate and variance are smoothed as if two more labels in each stratum had gone as
    guessed, and the residuals of a regression are those of the jackknife there. The interval always holds the estimate,
    which is not moved, or it would be biased. Other losses take Student's interval. The always-valid interval is the
    design's own, without the guesses.

    Parameters
    ----------
    design : SimpleRandom or Stratified, with or without replacement.
    guesses : (N,) guessed loss of each input, from 0 to ``loss_bound``, such as the chance of failure 1 - confidence; for a
        regression any score that orders the inputs, in whatever unit.

    Raises
    ------
    WrongDesign : another kind of design.
    BadInput : guesses that are not one for each input, not finite, or out of range.
    NotEnoughLabels : a stratum without a settled label; for a regression also too few labels, or guesses that are alike.

    >>> from testimate.core.draw import Draw
    >>> design = SimpleRandom(stratum_sizes=(6,), planned=3)
    >>> labels = [Verdict(Draw(0), 0.0), Verdict(Draw(3), 0.0), Verdict(Draw(5), 1.0)]
    >>> round(estimate_difference(design, labels, [0.1, 0.1, 0.1, 0.1, 0.3, 0.8]).accuracy, 4)
    0.75
    """
    if not isinstance(design, SimpleRandom | Stratified):
        raise WrongDesign(
            f"A model-assisted estimate was asked for on a {design.kind or type(design).__name__} design; it holds for "
            "simple random and stratified ones. Take the estimator that estimator_of(design) names."
        )
    if model not in ("difference", "regression") or interval not in ("ordinary", "conservative"):
        raise BadInput(
            f"The model is {model!r:.40} and the interval {interval!r:.40}. Expected difference or regression, and ordinary "
            "and conservative. Choose among these."
        )
    check_level(level)
    guessed = _check_guesses(guesses, design.size, loss_bound, model)

    def of(settled: Sequence[Verdict]) -> Estimate:
        return _estimate(design, settled, guessed, model, interval, level, loss_bound)

    found = with_skips(of, verdicts, loss_bound)
    return with_always_valid(found, design, verdicts, loss_bound) if always_valid else found


def _estimate(
    design: SimpleRandom | Stratified,
    verdicts: Sequence[Verdict],
    guessed: NDArray[np.float64],
    model: Model,
    interval: Interval,
    level: float,
    loss_bound: float | None,
) -> Estimate:
    """The estimate with the interval of the settled draws."""
    sample = sample_of(design, verdicts, loss_bound)
    need_labels(sample)
    mu = guessed[[verdict.draw.row for verdict in verdicts]]  # (n,)
    fitted = _fit(design, sample.only_settled(), mu[sample.settled], float(guessed.mean()), model)
    settled = sample.only_settled()
    if not design.replacement and settled.labeled == design.size:
        mean = float(settled.losses.mean())
        found = all_labeled(mean)
    elif sample.is_pass_or_fail(loss_bound):
        found = _proportion(design, settled, fitted, level, interval)
    else:
        found = _mean_of_any(design, settled, fitted, level, loss_bound)
    return as_accuracy(
        found,
        design,
        sample,
        level=level,
        loss_bound=loss_bound,
        mean_of=lambda filled: _fit(design, filled, mu, float(guessed.mean()), model).mean,
    )


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The estimated mean loss, the residuals (n,) whose stratified variance is its own, and the losses (n,) predicted.

    ``leverage`` (n,) is how much of a label's own prediction is due to it: 0 where guesses are taken as they are.
    """

    mean: float
    residuals: NDArray[np.float64]
    predicted: NDArray[np.float64]
    leverage: NDArray[np.float64]
    name: str


def _fit(
    design: SimpleRandom | Stratified, sample: Sample, mu: NDArray[np.float64], mean_guess: float, model: Model
) -> _Fitted:
    """The estimate from a sample without skipped draws and the guesses mu (n,) of its inputs."""
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    counts = np.bincount(sample.strata, minlength=len(sizes))
    need_each_stratum(counts)
    if model == "difference":
        residuals = sample.losses - mu
        mean = mean_guess + stratum_weighted_mean(residuals, sample.strata, sizes)  # Sarndal et al. 1992, eq. 6.3.4
        return _Fitted(mean, residuals, mu, np.zeros(len(mu)), "difference estimate")
    if len(mu) < 3 or np.ptp(mu) <= 1e-12 * np.abs(mu).max():
        raise NotEnoughLabels(
            f"The {len(mu)} labeled inputs do not have guesses that determine a line; a regression needs 3 labels "
            "whose guesses differ. Label more, or take the difference."
        )
    weights = (sizes / counts / design.size)[sample.strata]  # (n,), summing to 1
    centered = mu - weights @ mu
    square = weights @ centered**2
    slope = weights @ (centered * sample.losses) / square
    plain = float(weights @ sample.losses)
    off = mean_guess - float(weights @ mu)  # how far the sample's guesses are from those of all
    predicted = plain + slope * centered
    calibration = 1 + off * centered / square  # g of Sarndal et al. 1992, eq. 6.5.9
    residuals = calibration * (sample.losses - predicted)
    leverage = weights * (1 + centered**2 / square)
    return _Fitted(float(plain + slope * off), residuals, predicted, leverage, "regression estimate (GREG)")


def _proportion(
    design: SimpleRandom | Stratified,
    settled: Sample,
    fitted: _Fitted,
    level: float,
    kind: Interval,
) -> MeanLoss:
    """The failure rate with its interval."""
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    residuals = without_leverage(fitted.residuals, fitted.leverage)
    sums = residual_sums(settled.losses, fitted.predicted, residuals, settled.strata, len(sizes))
    careful = kind == "conservative"
    mean = np.asarray(fitted.mean)
    ends = assisted_ends(mean, sums, sizes, level=level, conservative=careful, replacement=design.replacement)
    error = stratified_standard_error(fitted.residuals, settled.strata, sizes, replacement=design.replacement)
    if error is None or no_spread(error, 1.0):
        error = float(smoothed_error(sums, sizes, replacement=design.replacement))
    name = "Korn-Graubard interval joined with the score interval" if careful else "score interval"
    return MeanLoss(fitted.mean, error, LossInterval(float(ends.low), float(ends.high)), f"{fitted.name}, {name}")


def _mean_of_any(
    design: SimpleRandom | Stratified, settled: Sample, fitted: _Fitted, level: float, loss_bound: float | None
) -> MeanLoss:
    """The mean of losses of any size with Student's interval, corrected for skewness."""
    sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
    error = stratified_standard_error(fitted.residuals, settled.strata, sizes, replacement=design.replacement)
    if error is None or no_spread(error, fitted.mean):
        why = "The residuals so far do not show their spread: each stratum needs two labels that differ; label more."
        return MeanLoss(fitted.mean, None, None, fitted.name, why)
    of_residuals = replace(settled, losses=fitted.residuals)
    degrees, skewness = satterthwaite_degrees(design, of_residuals), stratified_skewness(design, of_residuals, error)
    limits = possible(settled.losses, None if design.replacement else design.size, loss_bound)
    ends = skewed_t_interval(fitted.mean, error, degrees, skewness, level).within(*limits)
    return MeanLoss(fitted.mean, error, ends, f"{fitted.name}, skewness-corrected t interval")


def _check_guesses(guesses: ArrayLike, size: int, loss_bound: float | None, model: Model) -> NDArray[np.float64]:
    """The guesses as (N,) numbers, for a regression on a scale from 0 to 1; BadInput where they do not fit."""
    array = check_scores(guesses, "guesses") if model == "regression" else np.asarray(guesses, dtype=np.float64)
    if array.shape != (size,):
        raise BadInput(
            f"The guesses have shape {array.shape}. Expected one for each of the {size} inputs. Pass a column of the table."
        )
    if model == "regression":
        low, reach = array.min() / 2, array.max() / 2 - array.min() / 2  # halved, or the widest range would overflow
        return (array / 2 - low) / reach if reach > 0 else np.zeros(size)
    most = np.inf if loss_bound is None else loss_bound
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0) & (array <= most)))
    if bad.size:
        raise BadInput(
            f"The guess of row {bad[0]} is {array[bad[0]]}, one of {bad.size} out of range; a guessed loss is from 0 to "
            f"{most:g}. Pass chances of failure, such as 1 - confidence."
        )
    return array
