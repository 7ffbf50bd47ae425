"""The estimate of groups drawn as wholes: the ratio of their weighted totals, its interval by groups and not by labels."""

from collections.abc import Sequence

import numpy as np

from testimate.core.design import Design, WholeGroups
from testimate.core.draw import Estimate, Verdict
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.draw_weights import GroupsWeights, draw_weights
from testimate.estimators.grades import is_graded
from testimate.estimators.intervals import Interval, check_level, no_spread, possible, skewed_t_interval
from testimate.estimators.ratios import ratios, share_ends
from testimate.estimators.sample import Sample, need_labels, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips


class WholeGroupsMean:
    """Sum w z over sum w with w = (A_h / a_h) (M_i / m_i), the group being the unit (Sarndal et al. 1992, section 8.5).

    The variance is that of the groups' totals, and of what is not labeled inside them. Of pass or fail and of grades the
    interval is that of a share with as many labels as the groups are worth, with Student's t of as many degrees of freedom as
    there are groups less strata; until faults are seen, a group counts as if its inputs shared one outcome. Other losses have
    Student's interval with the same degrees, corrected for the skewness of the groups' totals.

    >>> from testimate.core.draw import GroupDraw
    >>> design = WholeGroups((40,), 8, stratum_groups=(10,), group_sizes=(4, 4))
    >>> labels = [Verdict(GroupDraw(row, group=row // 4), float(row == 0)) for row in range(8)]
    >>> found = WholeGroupsMean().estimate(design, labels)
    >>> found.accuracy, round(found.standard_error, 4)
    (0.875, 0.1118)
    """

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in labeling order; see the Estimator protocol."""
        if not isinstance(design, WholeGroups):
            raise wrong_design(design, WholeGroups, "mean of whole groups")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        weights = draw_weights(design, verdicts, loss_bound)
        assert isinstance(weights, GroupsWeights)
        losses = sample.losses[weights.positions]
        found = ratios(weights, losses[:, None], np.ones((len(losses), 1)))
        shares = is_graded(losses, loss_bound)
        mean, error = float(found.values[0]), float(np.sqrt(found.variances[0]))
        known, why = len(losses) == design.size, ""
        if known:
            interval = Interval(mean, mean)
        elif shares:
            ends = share_ends(found, level)
            interval = Interval(float(ends.low[0]), float(ends.high[0]))
        elif not no_spread(error, mean):
            skewness = weights.skewness((losses - mean) / weights.weights.sum())
            interval = skewed_t_interval(mean, error, weights.degrees, skewness, level)
        else:
            interval, why = (
                Interval(mean, mean),
                "The groups labeled so far do not differ, so how far others may differ is not known. Label more.",
            )
        method = f"ratio of whole groups, {'Wilson' if shares else 'skewness-corrected t'} interval"
        limits = possible(losses, design.size, loss_bound)
        made = MeanLoss(mean, error, None if why else interval.within(*limits), method, why)

        def mean_of(filled: Sample) -> float:
            every = draw_weights(design, [Verdict(one.draw, 0.0) for one in verdicts], loss_bound)
            return float(every.weights @ filled.losses / every.weights.sum())

        return as_accuracy(made, design, sample, level=level, loss_bound=loss_bound, mean_of=mean_of)
