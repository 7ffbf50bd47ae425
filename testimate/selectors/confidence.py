"""Prioritization by confidence: the inputs whose predicted class is least probable first."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.selector import Claims, Need
from testimate.selectors.score_order import CHOSEN, ScoreOrder


class ConfidenceOrder(ScoreOrder):
    """All inputs by falling 1 - confidence (vanilla softmax); see ``ScoreOrder`` for the arguments.

    Source: Weiss and Tonella, "Simple techniques work surprisingly well for neural network test prioritization" (2022).
    """

    name: ClassVar[str] = "confidence"
    title: ClassVar[str] = "Lowest confidence first"
    needs: ClassVar[tuple[Need, ...]] = ("doubt",)
    claims: ClassVar[Claims] = Claims(
        "no", honest_interval=False, tasks=("classification", "multi-label"), note=CHOSEN.note
    )
    source: ClassVar[str] = "Weiss and Tonella, Simple techniques work surprisingly well (2022)"
    measure: ClassVar[str] = "1 - confidence"

    def __init__(self, doubt: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(doubt, budget=budget, seed=seed, variant=variant)
