"""The sample mean: the estimate of simple random sampling, with and without replacement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, SimpleRandom
from testimate.core.draw import Estimate, Verdict
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.graded_mean import graded_mean
from testimate.estimators.grades import is_graded
from testimate.estimators.intervals import (
    Interval,
    check_level,
    clopper_pearson,
    no_spread,
    possible,
    skewed_t_interval,
    third_moments,
    wilson,
)
from testimate.estimators.possible_counts import counts_of_simple_sample
from testimate.estimators.sample import Sample, need_labels, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips


@dataclass(frozen=True)
class SampleMean:
    """Mean loss of the labels, with Wilson's interval for pass or fail, and for other losses Student's corrected for skewness.

    Grades have the interval of a share, see ``graded_mean``.

    Without replacement Wilson takes the effective n = n (N - 1) / (N - n), which makes p (1 - p) / n the variance of
    the hypergeometric: its exact coverage averages 0.95 at every n / N, where plain n covers up to 1.00. Every label
    known, the interval is the point. Where few fail no end excludes a count of failures under which just these labels
    have more than (1 - level) / 2 chance by the hypergeometric. ``interval="clopper-pearson"`` (plain n) is the
    conservative choice.

    >>> from testimate.core.draw import Draw
    >>> design = SimpleRandom(stratum_sizes=(1000,), planned=50)
    >>> found = SampleMean().estimate(design, [Verdict(Draw(row), float(row < 5)) for row in range(50)])
    >>> round(found.accuracy, 4), round(found.low, 4), round(found.high, 4)
    (0.9, 0.7899, 0.962)
    """

    interval: Literal["wilson", "clopper-pearson"] = "wilson"

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in drawing order; see the Estimator protocol."""
        if not isinstance(design, SimpleRandom):
            raise wrong_design(design, SimpleRandom, "sample mean")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        losses = sample.only_settled().losses
        left = 1.0 if design.replacement else 1 - len(losses) / design.size
        limits = possible(losses, None if design.replacement else design.size, loss_bound)
        if left == 0:
            mean = float(losses.mean())
            found = MeanLoss(mean, 0.0, Interval(mean, mean), "mean of every input, all labeled")
        elif sample.is_pass_or_fail(loss_bound):
            found = self._proportion(losses, np.inf if design.replacement else design.size, limits, level)
        elif is_graded(losses, loss_bound) and self.interval == "wilson":
            found = graded_mean(design, verdicts, level=level, limits=limits, name="sample mean")
        else:
            found = _mean_of_simple_sample(losses, left, limits, level)
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=_mean,
        )

    def _proportion(self, losses: NDArray[np.float64], size: float, limits: Interval, level: float) -> MeanLoss:
        """The failure rate of n labels from ``size`` inputs (infinite with replacement)."""
        n, failures, p = len(losses), float(losses.sum()), float(losses.mean())
        left = 1 - n / size
        variance = left * p * (1 - p) / max(n - 1, 1)  # Cochran 1977, eq. 3.8
        if variance == 0:  # no failure so far does not mean no variance: two labels at 1/2 smooth it
            smoothed = (failures + 1) / (n + 2)
            variance = left * smoothed * (1 - smoothed) / n
        if self.interval == "wilson":
            effective = n if np.isinf(size) else n * (size - 1) / (size - n)
            interval, method = wilson(p, effective, level), "sample mean, Wilson interval"
            if not np.isinf(size):
                counts = counts_of_simple_sample(int(failures), n, int(size), level)
                low, high = np.fmin(interval.low, counts.least / size), np.fmax(interval.high, counts.greatest / size)
                interval = Interval(float(low), float(high))
        else:
            interval, method = clopper_pearson(failures, n, level), "sample mean, Clopper-Pearson interval"
        return MeanLoss(p, float(np.sqrt(variance)), interval.within(*limits), method)


def _mean_of_simple_sample(losses: NDArray[np.float64], left: float, limits: Interval, level: float) -> MeanLoss:
    """The mean of losses of any size, ``left`` the share of the inputs not labeled."""
    mean, n = float(losses.mean()), len(losses)
    error = float(np.sqrt(left * losses.var(ddof=1) / n)) if n > 1 else 0.0  # Cochran 1977, eq. 2.20
    if no_spread(error, mean):
        why = f"The losses of the {n} labels so far do not differ, so their spread cannot be estimated; label more inputs."
        return MeanLoss(mean, None, None, "sample mean", why)
    third = float(third_moments(losses, np.zeros(n, dtype=np.intp), np.array([n]))[0])
    skewness = left * (2 * left - 1) * third / n**2 / error**3
    interval = skewed_t_interval(mean, error, n - 1, skewness, level)
    return MeanLoss(mean, error, interval.within(*limits), "sample mean, skewness-corrected t interval")


def _mean(sample: Sample) -> float:
    """Mean loss of a sample without skipped draws."""
    return float(sample.losses.mean())
