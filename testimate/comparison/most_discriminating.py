"""SDS as a technique of the labeling surface: the inputs that discriminate most between good and bad models."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from testimate.comparison.discrimination import discriminating_rows, discrimination
from testimate.comparison.predictions import Predictions
from testimate.core.checks import check_budget
from testimate.core.design import Purposive
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.base import FixedList, check_seed, check_variant


class MostDiscriminating(FixedList):
    """Inputs drawn from the quarter on which models that agree with the majority often differ most from the others.

    Parameters
    ----------
    compared : predictions of M models for the N inputs.
    budget : n, inputs to choose, 1..N; beyond the quarter they follow by discrimination.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.

    Source: Meng et al., Measuring Discrimination to Boost Comparative Testing (ICSE 2021); Guo et al., section 4.4.
    """

    name: ClassVar[str] = "sds"
    title: ClassVar[str] = "Sample discrimination (SDS)"
    needs: ClassVar[tuple[Need, ...]] = ("compared",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        tasks=("classification",),
        note="Chosen, not drawn: the models are ranked by their accuracy on these inputs, and nothing is promised "
        "about the rest.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Meng et al. (ICSE 2021); Guo et al., section 4.4"
    options: ClassVar[tuple[Option, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(self, compared: Predictions, *, budget: int, seed: int, variant: str | None = None) -> None:
        size = len(compared.labels)
        budget = check_budget(budget, size)
        check_variant(variant, self.variants)
        self._discrimination: NDArray[np.float64] = discrimination(compared)
        rows = discriminating_rows(compared, budget, check_seed(seed))
        super().__init__(Purposive((size,), budget), rows, self._why)

    def _why(self, position: int) -> str:
        found = self._discrimination[self._rows[position]]
        return (
            f"discrimination {found:+.2f}: agreement of the top models with the majority minus that of the bottom ones"
        )
