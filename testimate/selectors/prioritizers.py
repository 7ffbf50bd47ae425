"""Prioritizers by one number: impurity, entropy, margin, confidence or surprise; the most likely failures come first."""

from typing import ClassVar

from numpy.typing import ArrayLike

from testimate.core.selector import Claims, Need
from testimate.selectors.score_order import CHOSEN, ScoreOrder


class DeepGini(ScoreOrder):
    """All inputs by falling Gini impurity 1 - sum p^2 of their predicted probabilities.

    An input of predicted probability p has an impurity of at most 1 - p^2, so inputs the network is sure of, the severe
    faults among them, come last. See ``ScoreOrder`` for the arguments.

    Source: Feng et al., "DeepGini: prioritizing massive tests to enhance the robustness of deep neural networks" (2020).
    """

    name: ClassVar[str] = "deepgini"
    title: ClassVar[str] = "DeepGini: highest Gini impurity first"
    needs: ClassVar[tuple[Need, ...]] = ("gini",)
    source: ClassVar[str] = "Feng et al., DeepGini (2020)"
    measure: ClassVar[str] = "Gini impurity"

    def __init__(self, gini: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(gini, budget=budget, seed=seed, variant=variant)


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


class ConfidenceOrder(ScoreOrder):
    """All inputs by falling 1 - confidence (vanilla softmax); see ``ScoreOrder`` for the arguments.

    Source: Weiss and Tonella, "Simple techniques work surprisingly well for neural network test prioritization" (2022).
    """

    name: ClassVar[str] = "confidence"
    title: ClassVar[str] = "Lowest confidence first"
    needs: ClassVar[tuple[Need, ...]] = ("doubt",)
    claims: ClassVar[Claims] = Claims(
        "no", honest_interval=False, tasks=("classification", "multi-label", "verdict", "boxes"), note=CHOSEN.note
    )
    source: ClassVar[str] = "Weiss and Tonella, Simple techniques work surprisingly well (2022)"
    measure: ClassVar[str] = "1 - confidence"

    def __init__(self, doubt: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        super().__init__(doubt, budget=budget, seed=seed, variant=variant)


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
