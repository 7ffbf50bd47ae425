"""DeepEST's estimator: one input after another without replacement, each with its chance given those before it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Sequential
from testimate.core.draw import Estimate, Verdict
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.intervals import Interval, check_level, possible
from testimate.estimators.sample import Sample, need_labels, need_probabilities, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips
from testimate.estimators.weighted_terms import mean_of_terms, rate_of_terms


class StepByStep:
    """Mean over the draws of (sum of the losses before + z / q) / N, q the chance of this draw.

    DeepSample's equations 8 and 10; equation 10's form serves other losses too, because equation 11 as printed, with
    means in place of sums, does not estimate the mean squared error (and its equation 9 divides by N once more).

    Each step is unbiased given the ones before, so the steps, uncorrelated, have the unbiased variance sum of (step -
    mean)^2 / (n (n - 1)). The interval is the logit one for pass or fail, Student's for other losses. A draw nobody could
    settle is left out, and counts in later sums as much as the estimate says.
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts in drawing order; see the Estimator protocol."""
        if not isinstance(design, Sequential):
            raise wrong_design(design, Sequential, "step-by-step estimator")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_probabilities(sample, "step-by-step estimator")
        need_labels(sample)
        if sample.labeled == design.size:
            mean = float(sample.losses.mean())
            found = MeanLoss(mean, 0.0, Interval(mean, mean), "mean of every input, all labeled")
        else:
            found = _deepest_mean(sample, design.size, level, loss_bound)
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: float(steps(filled, design.size).mean()),
        )


def steps(sample: Sample, size: int) -> NDArray[np.float64]:
    """The estimate of each settled draw, (labeled,): the losses before it and its own over its chance, over N."""
    settled = sample.settled
    before = np.cumsum(np.where(settled, sample.losses, 0.0))[settled] - sample.losses[settled]
    known = (before + sample.losses[settled] / sample.probabilities[settled]) / size  # DeepSample, eq. 10
    unknown = np.cumsum(~settled)[settled] / size  # share of the inputs that were skipped before
    mean = known.mean() / (1 - unknown.mean())  # so that mean(known + unknown mean) is this mean again
    return np.asarray(known + unknown * mean, dtype=np.float64)


def _deepest_mean(sample: Sample, size: int, level: float, loss_bound: float | None) -> MeanLoss:
    terms, settled = steps(sample, size), sample.only_settled()
    n, mean = len(terms), float(terms.mean())
    error = float(np.sqrt(terms.var(ddof=1) / n)) if n > 1 else None
    limits = possible(settled.losses, size, loss_bound)
    if sample.is_pass_or_fail(loss_bound):
        return rate_of_terms(mean, error, 1 / (size * settled.probabilities), limits, level, "step by step")
    return mean_of_terms(mean, error, n, limits, level, "step by step")
