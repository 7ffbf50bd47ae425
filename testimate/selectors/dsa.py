"""Prioritization by DSA: the inputs whose traces lie nearest to another class first."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.selector import Need
from testimate.selectors.score_order import ScoreOrder


class DsaOrder(ScoreOrder):
    """All inputs by falling distance-based surprise adequacy; see ``ScoreOrder`` for the arguments.

    Source: Kim, Feldt and Yoo, "Guiding deep learning system testing using surprise adequacy" (2019).
    """

    name: ClassVar[str] = "dsa"
    title: ClassVar[str] = "Highest distance-based surprise (DSA) first"
    needs: ClassVar[tuple[Need, ...]] = ("dsa",)
    source: ClassVar[str] = "Kim et al., Guiding deep learning system testing using surprise adequacy (2019)"
    measure: ClassVar[str] = "DSA"

    def __init__(self, dsa: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(dsa, budget=budget, seed=seed, variant=variant)
