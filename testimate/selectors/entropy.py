"""Prioritization by entropy: the inputs whose predicted probabilities are most spread first."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.selector import Need
from testimate.selectors.score_order import ScoreOrder


class EntropyOrder(ScoreOrder):
    """All inputs by falling entropy of their predicted probabilities; see ``ScoreOrder`` for the arguments.

    Source: Weiss and Tonella, "Simple techniques work surprisingly well for neural network test prioritization" (2022).
    """

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "Highest entropy first"
    needs: ClassVar[tuple[Need, ...]] = ("entropy",)
    source: ClassVar[str] = "Weiss and Tonella, Simple techniques work surprisingly well (2022)"
    measure: ClassVar[str] = "entropy"

    def __init__(self, entropy: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(entropy, budget=budget, seed=seed, variant=variant)
