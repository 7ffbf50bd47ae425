"""The stratum-weighted mean: simple random samples inside strata, each weighing as its stratum does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, SimpleRandom, Stratified
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.always_valid import prior_failure_of
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.graded_mean import graded_mean
from testimate.estimators.grades import is_graded
from testimate.estimators.intervals import (
    Interval,
    check_level,
    no_spread,
    possible,
    skewed_t_interval,
    third_moments,
)
from testimate.estimators.sample import Sample, need_labels, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips
from testimate.estimators.stratified_interval import smoothed_rates, stratified_ends


@dataclass(frozen=True)
class StratifiedMean:
    """Sum of W_h times the mean loss in stratum h, W_h = N_h / N; it needs a label in every stratum.

    For pass or fail the score interval lies around that plain estimate (see ``stratified_ends``), from smoothed failure
    rates: a stratum without failures so far is not one without variance. The standard error reported is the classical
    one; where that is 0, or a stratum with inputs left has fewer than 2 labels, the smoothed one. Other losses take
    Student's interval with Satterthwaite's degrees of freedom, corrected for skewness; grades that of a share (see
    ``graded_mean``). Where every input is labeled the
    interval is the point and the standard error 0.
    ``interval="korn-graubard"`` is the conservative choice.
    """

    interval: Literal["score", "korn-graubard"] = "score"

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in drawing order; see the Estimator protocol."""
        if not isinstance(design, Stratified):
            raise wrong_design(design, Stratified, "stratum-weighted mean")
        check_level(level)
        sizes = np.asarray(design.stratum_sizes, dtype=np.intp)
        prior = prior_failure_of(design)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        settled = sample.only_settled()
        counts = np.bincount(settled.strata, minlength=len(sizes))
        if not counts.all():
            raise NotEnoughLabels(
                f"{int((counts == 0).sum())} of the {len(sizes)} strata have no settled label yet; each needs one "
                "before the estimate is unbiased. Label more."
            )
        census = not design.replacement and bool((counts == sizes).all())
        mean = stratum_weighted_mean(settled.losses, settled.strata, sizes)
        if census:
            found = MeanLoss(mean, 0.0, Interval(mean, mean), "mean of every input, all labeled")
        elif sample.is_pass_or_fail(loss_bound):
            found = self._proportion(design, settled, prior, level)
        elif is_graded(settled.losses, loss_bound) and self.interval == "score":
            limits = possible(settled.losses, None if design.replacement else design.size, loss_bound)
            found = graded_mean(design, verdicts, level=level, limits=limits, name="stratum-weighted mean")
        else:
            found = _mean_of_strata(design, settled, level, loss_bound)
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: stratum_weighted_mean(filled.losses, filled.strata, sizes),
        )

    def _proportion(self, design: Stratified, settled: Sample, prior: NDArray[np.float64], level: float) -> MeanLoss:
        """The failure rate with its interval."""
        sizes = np.asarray(design.stratum_sizes)
        counts = np.bincount(settled.strata, minlength=len(sizes))
        failures = _totals(settled.losses, settled.strata, len(sizes))
        ends = stratified_ends(
            failures,
            counts,
            sizes,
            prior,
            level=level,
            conservative=self.interval != "score",
            replacement=design.replacement,
        )
        mean = stratum_weighted_mean(settled.losses, settled.strata, sizes)
        error = stratified_standard_error(settled.losses, settled.strata, sizes, replacement=design.replacement)
        if not error:
            smooth = smoothed_rates(failures, counts, prior)
            spread = smooth * (1 - smooth)
            error = float(np.sqrt(stratified_variance(spread, counts, sizes, replacement=design.replacement)))
        name = "score interval" if self.interval == "score" else "Korn-Graubard interval joined with the score interval"
        return MeanLoss(
            mean,
            error,
            Interval(float(ends.low), float(ends.high)),
            f"stratum-weighted mean, {name}",
        )


def stratum_weighted_mean(losses: NDArray[np.float64], strata: NDArray[np.intp], sizes: NDArray[np.intp]) -> float:
    """Sum of W_h zbar_h over (n,) losses in ``strata``, W_h = N_h / N; every stratum has at least one.

    >>> stratum_weighted_mean(np.array([1.0, 0.0, 0.0]), np.array([0, 0, 1]), np.array([10, 30]))
    0.125
    """
    counts = np.bincount(strata, minlength=len(sizes))
    totals = _totals(losses, strata, len(sizes))
    return float(np.dot(sizes / sizes.sum(), totals / counts))  # Cochran 1977, eq. 5.1


def stratified_standard_error(
    losses: NDArray[np.float64], strata: NDArray[np.intp], sizes: NDArray[np.intp], *, replacement: bool = False
) -> float | None:
    """The classical, design-unbiased standard error of the stratum-weighted mean.

    None where a stratum with inputs left has fewer than 2 labels. With ``replacement`` no finite population correction.
    """
    counts = np.bincount(strata, minlength=len(sizes))
    if (counts < (2 if replacement else np.minimum(2, sizes))).any():
        return None
    spread = _spread(losses, strata, counts)
    return float(np.sqrt(stratified_variance(spread, counts, sizes, replacement=replacement)))


def stratified_variance(
    spread: NDArray[np.float64], counts: NDArray[np.number[Any]], sizes: NDArray[np.intp], *, replacement: bool = False
) -> float:
    """Sum of W_h^2 (1 - n_h / N_h) S_h^2 / n_h from the strata's variances ``spread`` (H,) and ``counts`` n_h (H,)."""
    left = 1.0 if replacement else 1 - counts / sizes
    terms = (sizes / sizes.sum()) ** 2 * left * spread / counts  # Cochran 1977, eq. 5.7
    return float(terms.sum())


def _mean_of_strata(design: Stratified, settled: Sample, level: float, loss_bound: float | None) -> MeanLoss:
    """The mean of losses of any size with Student's interval, corrected for skewness."""
    sizes = np.asarray(design.stratum_sizes)
    mean = stratum_weighted_mean(settled.losses, settled.strata, sizes)
    error = stratified_standard_error(settled.losses, settled.strata, sizes, replacement=design.replacement)
    if error is None:
        counts = np.bincount(settled.strata, minlength=len(sizes))
        single = int(((counts == 1) & ((sizes > 1) | design.replacement)).sum())
        why = f"{single} of the {len(sizes)} strata have one label only, and a spread needs two; label more."
        return MeanLoss(mean, None, None, "stratum-weighted mean", why)
    if no_spread(error, mean):
        why = "The losses inside each stratum do not differ so far, so their spread cannot be estimated; label more inputs."
        return MeanLoss(mean, None, None, "stratum-weighted mean", why)
    skewness = stratified_skewness(design, settled, error)
    interval = skewed_t_interval(mean, error, satterthwaite_degrees(design, settled), skewness, level)
    limits = possible(settled.losses, None if design.replacement else design.size, loss_bound)
    return MeanLoss(mean, error, interval.within(*limits), "stratum-weighted mean, skewness-corrected t interval")


def satterthwaite_degrees(design: SimpleRandom | Stratified, settled: Sample) -> float:
    """Degrees of freedom of the classical variance (Satterthwaite 1946; Cochran 1977, eq. 5.16), above 0."""
    sizes = np.asarray(design.stratum_sizes)
    counts = np.bincount(settled.strata, minlength=len(sizes))
    left = 1.0 if design.replacement else 1 - counts / sizes
    terms = sizes**2 * left * _spread(settled.losses, settled.strata, counts) / counts
    return float(terms.sum() ** 2 / (terms**2 / np.maximum(counts - 1, 1)).sum())


def stratified_skewness(design: SimpleRandom | Stratified, settled: Sample, standard_error: float) -> float:
    """Skewness of the stratum-weighted mean: sum of W_h^3 (1 - f) (1 - 2 f) m3_h / n_h^2 over the cubed standard error."""
    sizes = np.asarray(design.stratum_sizes)
    counts = np.bincount(settled.strata, minlength=len(sizes))
    share = np.zeros(len(sizes)) if design.replacement else counts / sizes
    moments = third_moments(settled.losses, settled.strata, counts)
    thirds = (sizes / sizes.sum()) ** 3 * (1 - share) * (1 - 2 * share) * moments / counts**2
    return float(thirds.sum() / standard_error**3)


def _spread(losses: NDArray[np.float64], strata: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sample variance of the losses in each stratum, (H,); 0 where there is one only."""
    centred = losses - (_totals(losses, strata, len(counts)) / counts)[strata]
    return _totals(centred**2, strata, len(counts)) / np.maximum(counts - 1, 1)


def _totals(values: NDArray[np.float64], strata: NDArray[np.intp], count: int) -> NDArray[np.float64]:
    """Sum of the values (n,) in each of ``count`` strata."""
    return np.bincount(strata, weights=values, minlength=count).astype(np.float64)
