"""The Rao-Hartley-Cochran estimator: random groups, one draw by unequal chances in each (rhc-s)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design, Groups
from testimate.core.draw import Estimate, Verdict
from testimate.core.errors import BadInput
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.intervals import Interval, check_level, possible
from testimate.estimators.sample import Sample, need_labels, need_probabilities, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips
from testimate.estimators.weighted_terms import mean_of_terms, rate_of_terms


class RaoHartleyCochran:
    """Sum over the groups of z / p, p the chance of the draw inside its group, over the inputs in these groups.

    With all groups labeled that is DeepSample's equation 5 (6 for other losses). The groups labeled so far hold M inputs,
    a simple random sample of the N, so the estimate is unbiased after every draw, and its variance has two parts: that of
    Rao, Hartley and Cochran inside the M, and that of the M among the N. Both are estimated without bias, for each group
    labeled or not, whatever the losses. The interval is the logit one for pass or fail, Student's for other losses; it is
    only as honest as the chances, see ``HansenHurwitz``.

    Source: Rao, Hartley and Cochran 1962, "On a simple procedure of unequal probability sampling without replacement".
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from the verdicts; see the Estimator protocol."""
        if not isinstance(design, Groups):
            raise wrong_design(design, Groups, "Rao-Hartley-Cochran estimator")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        _check(design, sample)
        need_labels(sample)
        settled = sample.only_settled()
        sizes = np.asarray(design.stratum_sizes)
        chances = np.asarray(design.group_chances, dtype=np.float64)

        def mean_of(filled: Sample) -> float:
            return float((filled.losses / filled.probabilities).sum() / sizes[filled.strata].sum())

        mean, limits = mean_of(settled), possible(settled.losses, design.size, loss_bound)
        if settled.labeled == design.size:
            found = MeanLoss(mean, 0.0, Interval(mean, mean), "mean of every input, all labeled")
        else:
            variance = variance_of_mean(settled, sizes[settled.strata], chances[settled.strata], design.size)
            error = None if variance is None else float(np.sqrt(max(variance, 0.0)))
            if settled.is_pass_or_fail(loss_bound):
                weights = len(settled.losses) / (sizes[settled.strata].sum() * settled.probabilities)
                found = rate_of_terms(mean, error, weights, limits, level, "Rao-Hartley-Cochran")
            else:
                found = mean_of_terms(mean, error, settled.labeled, limits, level, "Rao-Hartley-Cochran")
        return as_accuracy(found, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)


def variance_of_mean(
    settled: Sample, sizes: NDArray[np.intp], chances: NDArray[np.float64], population: int
) -> float | None:
    """Unbiased, so at times below 0; from n draws, the sizes (n,) and total chances (n,) of their groups, and N.

    None with one draw, and where something failed in a group whose chances are all 0, or too small to divide by.
    """
    labeled, squared = int(sizes.sum()), float((sizes.astype(np.float64) ** 2).sum())
    totals = settled.losses / settled.probabilities  # of each group, estimated
    shares = chances / chances.sum() if chances.any() else sizes / labeled  # q_r among the groups labeled
    if len(sizes) < 2 or (totals[shares == 0] > 0).any():
        return None
    total = float(totals.sum())
    with np.errstate(over="ignore"):
        off = (totals - shares * total) ** 2
        spread = float(np.divide(off, shares, out=np.zeros(len(sizes)), where=shares > 0).sum())
    if not np.isfinite(spread):  # a group whose chance is nearly 0, beside one that outweighs all
        return None
    inside = (squared - labeled) / (labeled**2 - squared) * spread  # Rao, Hartley and Cochran 1962, of the total of M
    squares = (settled.losses**2 / settled.probabilities).sum()
    variance = (squares - (total**2 - inside) / labeled) / (labeled - 1)  # S^2 of the losses
    outside = (1 - labeled / population) * variance / labeled  # Cochran 1977, eq. 2.20
    return float(inside / labeled**2 + outside)


def _check(design: Groups, sample: Sample) -> None:
    """Raises BadInput where the draws cannot have come from these groups."""
    count = len(design.stratum_sizes)
    if len(design.group_chances) != count:
        raise BadInput(
            f"The design has {len(design.group_chances)} chances for {count} groups; expected one for each. "
            "Make the plan again."
        )
    need_probabilities(sample, "Rao-Hartley-Cochran estimator")
    drawn = np.bincount(sample.strata, minlength=1)
    if drawn.max() > 1:
        raise BadInput(
            f"Group {int(drawn.argmax())} has {drawn.max()} draws; each group gives one. Use the draws of this plan."
        )
