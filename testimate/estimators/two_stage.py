"""The estimator of two-stage draws: a stratum by its chance, then one of its inputs (2-ups)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, TwoStage
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.intervals import check_level, possible
from testimate.estimators.sample import Sample, need_labels, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips
from testimate.estimators.weighted_terms import mean_of_terms, rate_of_terms


class TwoStageMean:
    """Mean over the draws of N_h z / (N psi_h), psi_h the chance of the draw's stratum: DeepSample, equations 15 and 16.

    The standard error is that of the mean of these terms, as if an input could come twice from its stratum: a little too
    large. For pass or fail the interval is the logit one, other losses take Student's.

    DeepSample's program averages differently: the mean loss of each stratum drawn, times N_h / (N psi_h), averaged
    over the strata drawn. It weighs a stratum drawn once the same as one drawn a hundred times, and is biased; where
    the design says so the estimate is that one, without an interval.
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts; see the Estimator protocol."""
        if not isinstance(design, TwoStage):
            raise wrong_design(design, TwoStage, "two-stage estimator")
        check_level(level)
        weights = _weights(design)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        settled = sample.only_settled()

        def mean_of(filled: Sample) -> float:
            terms = filled.losses * weights[filled.strata]
            return _average_over_strata(terms, filled.strata) if design.averaged_over_strata else float(terms.mean())

        mean = mean_of(settled)
        if design.averaged_over_strata:
            why = (
                "DeepSample's program averages over the strata drawn, which is biased, so there is no honest interval; "
                "2-ups as the paper defines it has an unbiased estimate."
            )
            found = MeanLoss(mean, None, None, "average over the strata met, as published", why)
        else:
            found = _two_stage_mean(settled, weights[settled.strata], level, loss_bound)
        return as_accuracy(found, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)


def _weights(design: TwoStage) -> NDArray[np.float64]:
    """N_h / (N psi_h) of each stratum, (H,); infinite where its chance is 0. BadInput where the chances do not fit."""
    chances, sizes = np.asarray(design.stratum_chances, dtype=np.float64), np.asarray(design.stratum_sizes)
    if chances.shape != sizes.shape or not (chances >= 0).all() or abs(chances.sum() - 1) > 1e-6:
        raise BadInput(
            f"The design has {chances.size} chances summing to {chances.sum():.6g} for {sizes.size} strata; expected one "
            "of at least 0 for each, summing to 1. Make the plan again."
        )
    with np.errstate(divide="ignore"):
        return np.asarray(sizes / sizes.sum() / chances, dtype=np.float64)


def _two_stage_mean(settled: Sample, weights: NDArray[np.float64], level: float, loss_bound: float | None) -> MeanLoss:
    """The unbiased estimate with its interval; ``weights`` (n,) are those of the draws."""
    terms = settled.losses * weights  # DeepSample, eq. 15
    n, mean = len(terms), float(terms.mean())
    error = float(np.sqrt(terms.var(ddof=1) / n)) if n > 1 else None  # Cochran 1977, eq. 11.33
    limits = possible(settled.losses, None, loss_bound)
    if settled.is_pass_or_fail(loss_bound):
        return rate_of_terms(mean, error, weights, limits, level, "two-stage mean")
    return mean_of_terms(mean, error, n, limits, level, "two-stage mean")


def _average_over_strata(terms: NDArray[np.float64], strata: NDArray[np.intp]) -> float:
    """Mean, over the strata drawn, of the mean term in each."""
    counts = np.bincount(strata)
    met = counts > 0
    return float((np.bincount(strata, terms)[met] / counts[met]).mean())
