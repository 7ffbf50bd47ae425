"""Prioritization by margin: the inputs whose two most probable classes are closest first."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.selector import Need
from testimate.selectors.score_order import ScoreOrder


class MarginOrder(ScoreOrder):
    """All inputs by falling 1 - (p_1 - p_2), p_1 and p_2 the two largest probabilities; see ``ScoreOrder``.

    Source: Scheffer, Decomain and Wrobel 2001; for testing, Weiss and Tonella 2022.
    """

    name: ClassVar[str] = "margin"
    title: ClassVar[str] = "Smallest margin first"
    needs: ClassVar[tuple[Need, ...]] = ("margin",)
    source: ClassVar[str] = "Scheffer et al. (2001); Weiss and Tonella (2022)"
    measure: ClassVar[str] = "margin turned round"

    def __init__(self, margin: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(margin, budget=budget, seed=seed, variant=variant)
