"""The Hansen-Hurwitz estimator: draws with replacement, each with its own chance (sups)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, PerDraw
from testimate.core.draw import Estimate, Verdict
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.intervals import check_level, korn_graubard, no_spread, possible, t_quantile
from testimate.estimators.sample import Sample, need_labels, need_probabilities, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips
from testimate.estimators.weighted_terms import mean_of_terms, rate_of_terms, smoothed_effective_n, smoothed_variance


@dataclass(frozen=True)
class HansenHurwitz:
    """Mean of loss / (N p) over the draws (Hansen and Hurwitz 1943); an input drawn twice counts twice.

    The standard error is that of the mean of these terms. For pass or fail the interval is the logit one with n - 1
    degrees of freedom. Without a failure, or at an estimate of 1 and more, there is no logit: then Wilson's interval
    with the effective n of a smoothed rate t = (n p + 1) / (n + 2), whose variance (t w - t^2) / n has the mean weight
    w of the inputs, 1 / (N p) each. Other losses take Student's interval. ``interval="korn-graubard"`` is the
    conservative choice for pass or fail: the smoothed variance where it is larger than the plain one, and the degrees of
    freedom in the effective n.

    The interval is only as honest as the chances: where failures hide among inputs of tiny chance, as with the scores of
    an overconfident model, a sample without them looks precise, and a uniform share corrects that in part. Where the design
    gives the smallest chance there is an always-valid interval, which allows for what such a failure would weigh.
    """

    interval: Literal["logit", "korn-graubard"] = "logit"

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts; see the Estimator protocol."""
        if not isinstance(design, PerDraw):
            raise wrong_design(design, PerDraw, "Hansen-Hurwitz estimator")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_probabilities(sample, "Hansen-Hurwitz estimator")
        need_labels(sample)
        settled = sample.only_settled()
        terms = _terms(settled, design.size)
        if sample.is_pass_or_fail(loss_bound):
            found = self._proportion(terms, 1 / (design.size * settled.probabilities), level)
        else:
            limits, mean = possible(terms, None, loss_bound), float(terms.mean())
            found = mean_of_terms(mean, _error(terms), len(terms), limits, level, "Hansen-Hurwitz")
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: float(_terms(filled, design.size).mean()),
        )

    def _proportion(self, terms: NDArray[np.float64], weights: NDArray[np.float64], level: float) -> MeanLoss:
        """The failure rate; ``weights`` (n,) are 1 / (N p) of the draws, failed or not."""
        n, mean = len(terms), float(terms.mean())
        error = _error(terms)
        if self.interval == "logit":
            return rate_of_terms(mean, error, weights, possible(terms, None, 1.0), level, "Hansen-Hurwitz")
        shown, mean_weight = min(mean, 1.0), float((weights**2).sum() / weights.sum())
        fewer = (t_quantile(level, np.inf) / t_quantile(level, n - 1)) ** 2 if n > 1 else 1.0
        interval = korn_graubard(shown, fewer * smoothed_effective_n(shown, n, mean_weight, error), level)
        plain = error is not None and 0 < mean < 1 and not no_spread(error, mean)
        standard_error = error if plain else float(np.sqrt(smoothed_variance(shown, n, mean_weight, error)))
        return MeanLoss(mean, standard_error, interval, "Hansen-Hurwitz, Korn-Graubard interval")


def _terms(sample: Sample, size: int) -> NDArray[np.float64]:
    """loss / (N p) of each draw, (n,)."""
    terms: NDArray[np.float64] = sample.losses / (size * sample.probabilities)  # Hansen and Hurwitz 1943
    return terms


def _error(terms: NDArray[np.float64]) -> float | None:
    """Standard error of the mean of n terms; None from one."""
    return float(np.sqrt(terms.var(ddof=1) / len(terms))) if len(terms) > 1 else None
