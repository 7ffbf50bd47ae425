"""Prioritization by LSA: the inputs whose traces are rarest for their predicted class first."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.selector import Claims, Need
from testimate.selectors.score_order import CHOSEN, ScoreOrder


class LsaOrder(ScoreOrder):
    """All inputs by falling likelihood-based surprise adequacy; see ``ScoreOrder`` for the arguments.

    Source: Kim, Feldt and Yoo, "Guiding deep learning system testing using surprise adequacy" (2019).
    """

    name: ClassVar[str] = "lsa"
    title: ClassVar[str] = "Highest likelihood-based surprise (LSA) first"
    needs: ClassVar[tuple[Need, ...]] = ("lsa",)
    claims: ClassVar[Claims] = Claims("no", honest_interval=False, note=CHOSEN.note)
    source: ClassVar[str] = "Kim et al., Guiding deep learning system testing using surprise adequacy (2019)"
    measure: ClassVar[str] = "LSA"

    def __init__(self, lsa: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(lsa, budget=budget, seed=seed, variant=variant)
