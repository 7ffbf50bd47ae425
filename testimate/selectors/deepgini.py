"""DeepGini: the inputs whose predicted probabilities are most impure first."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.selector import Need
from testimate.selectors.score_order import ScoreOrder


class DeepGini(ScoreOrder):
    """All inputs by falling Gini impurity 1 - sum p^2 of their predicted probabilities.

    An input of predicted probability p has an impurity of at most 1 - p^2, so the sure ones, and with them the severe faults,
    come last. See ``ScoreOrder`` for the arguments.

    Source: Feng et al., "DeepGini: prioritizing massive tests to enhance the robustness of deep neural networks" (2020).
    """

    name: ClassVar[str] = "deepgini"
    title: ClassVar[str] = "DeepGini: highest Gini impurity first"
    needs: ClassVar[tuple[Need, ...]] = ("gini",)
    source: ClassVar[str] = "Feng et al., DeepGini (2020)"
    measure: ClassVar[str] = "Gini impurity"

    def __init__(self, gini: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(gini, budget=budget, seed=seed, variant=variant)
