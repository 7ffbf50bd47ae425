"""The estimator's protocol: what a class that turns verdicts into an accuracy has to promise."""

from collections.abc import Sequence
from typing import Protocol

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.estimate import Estimate


class Estimator(Protocol):
    """Verdicts of one design to an estimate; found in ``ESTIMATORS`` by the type of the design."""

    def estimate(
        self,
        design: Design,
        verdicts: Sequence[Verdict],
        *,
        level: float = 0.95,
        loss_bound: float | None = 1.0,
        always_valid: bool = True,
    ) -> Estimate:
        """The accuracy of the whole set from verdicts in labeling order.

        ``loss_bound`` is the task's: 1.0 for classification and multi-label; None means unbounded, so no always-valid
        interval. ``always_valid=False`` leaves that interval out, which takes most of the time: for simulations that do not
        look at it. Raises NotEnoughLabels where there is no honest number yet and WrongDesign for another kind of design.
        """
        ...
