"""Stratified estimates as two published programs compute them: biased, kept to explain their published figures."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, StratifiedAsPublished
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.intervals import check_level
from testimate.estimators.sample import Sample, need_labels, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips


class PublishedStratified:
    """Sum of W_h times the failure rate of stratum h, as the program named by the design computes that rate.

    "gbs" (DeepSample's): each stratum's count starts at 1 before any label, so z failures among n labels are z / (n + 1);
    a stratum without failures, unless it gave the last label, has 1 / (n + 2). The first error raises the accuracy, the
    second lowers it. Of losses other than pass or fail the mean is the sum over n + 1.
    "ssoa" (SSOA's): z / n, and a stratum without labels, whose spread was estimated as 0, counts as right.
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy as published, without an interval; see the Estimator protocol."""
        if not isinstance(design, StratifiedAsPublished):
            raise wrong_design(design, StratifiedAsPublished, "estimator of the published programs")
        check_level(level)
        if design.program not in ("gbs", "ssoa"):
            raise BadInput(
                f"The program {design.program!r:.40} is not known; expected gbs or ssoa. Make the plan again."
            )
        sizes = np.asarray(design.stratum_sizes)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        pass_or_fail = bool(np.isin(sample.only_settled().losses, (0.0, 1.0)).all())

        def mean_of(filled: Sample) -> float:
            if design.program == "ssoa":
                rates = _rates(filled, len(sizes), 0)
            else:
                rates = _rates(filled, len(sizes), 1)
                if pass_or_fail:
                    rates = _without_zeros(rates, filled, len(sizes))
            return float(np.dot(sizes / sizes.sum(), rates))

        why = (
            "This is the estimate of a published program, which is biased, so there is no honest interval; the "
            "technique's default estimate is better and has one."
        )
        found = MeanLoss(mean_of(sample.only_settled()), None, None, f"{design.program}, as published", why)
        return as_accuracy(found, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)


def _rates(sample: Sample, count: int, more: int) -> NDArray[np.float64]:
    """Sum of the losses over labels and ``more`` in each of ``count`` strata, (H,); 0 where there is none."""
    labels = np.bincount(sample.strata, minlength=count) + more
    rates: NDArray[np.float64] = np.bincount(sample.strata, sample.losses, minlength=count) / np.maximum(labels, 1)
    return rates


def _without_zeros(rates: NDArray[np.float64], sample: Sample, count: int) -> NDArray[np.float64]:
    """The rates with 1 / (n + 2) in place of a 0, but in the stratum of the last label."""
    zero = rates == 0
    zero[sample.strata[-1]] = False
    return np.where(zero, 1 / (np.bincount(sample.strata, minlength=count) + 2), rates)
