"""Model-assisted estimates: a guess for every input, corrected by what the random draws show."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.design import Design, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput, NotEnoughLabels, WrongDesign
from testimate.estimators.always_valid import with_always_valid
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.assisted_interval import assisted_ends, residual_sums, smoothed_error, without_leverage
from testimate.estimators.intervals import Interval as LossInterval
from testimate.estimators.intervals import check_level, no_spread, possible, skewed_t_interval
from testimate.estimators.sample import Sample, need_labels, sample_of
from testimate.estimators.skipped_draws import with_skips
from testimate.estimators.stratified import (
    satterthwaite_degrees,
    stratified_skewness,
    stratified_standard_error,
    stratum_weighted_mean,
)

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
            f"The model is {model!r:.40} and the interval {interval!r:.40}; expected difference or regression, and ordinary "
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
        found = MeanLoss(mean, 0.0, LossInterval(mean, mean), "mean of every input, all labeled")
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
    if not counts.all():
        raise NotEnoughLabels(
            f"{int((counts == 0).sum())} of the {len(sizes)} strata have no settled label yet; each needs one before the "
            "estimate is unbiased. Label more."
        )
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
    centred = mu - weights @ mu
    square = weights @ centred**2
    slope = weights @ (centred * sample.losses) / square
    plain = float(weights @ sample.losses)
    off = mean_guess - float(weights @ mu)  # how far the sample's guesses are from those of all
    predicted = plain + slope * centred
    calibration = 1 + off * centred / square  # g of Sarndal et al. 1992, eq. 6.5.9
    residuals = calibration * (sample.losses - predicted)
    leverage = weights * (1 + centred**2 / square)
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
            f"The guesses have shape {array.shape}; expected one for each of the {size} inputs. Pass a column of the table."
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
