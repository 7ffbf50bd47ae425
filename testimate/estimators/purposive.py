"""The mean of inputs that were chosen, not drawn: a point without any guarantee."""

from collections.abc import Sequence

from testimate.core.design import Design, Purposive
from testimate.core.draw import Estimate, Verdict
from testimate.estimators.as_accuracy import MeanLoss, as_accuracy
from testimate.estimators.intervals import check_level
from testimate.estimators.sample import need_labels, sample_of, wrong_design
from testimate.estimators.skipped_draws import holding_with_skips


class MeanOfChosen:
    """Mean loss of the labeled inputs; no standard error and no interval, because there are no chances."""

    @holding_with_skips
    def estimate(
        self, design: Design, verdicts: Sequence[Verdict], *, level: float = 0.95, loss_bound: float | None = 1.0
    ) -> Estimate:
        """The accuracy of the labeled inputs, without guarantee for the others; see the Estimator protocol."""
        if not isinstance(design, Purposive):
            raise wrong_design(design, Purposive, "mean of the chosen inputs")
        check_level(level)
        sample = sample_of(design, verdicts, loss_bound)
        need_labels(sample)
        found = MeanLoss(
            float(sample.only_settled().losses.mean()),
            None,
            None,
            "mean of the chosen inputs, no guarantee",
            "These inputs were chosen, not drawn at random, so nothing is known about the others; a technique that "
            "draws, such as rrs, would give an interval.",
        )
        return as_accuracy(
            found,
            design,
            sample,
            level=level,
            loss_bound=loss_bound,
            mean_of=lambda filled: float(filled.losses.mean()),
        )
