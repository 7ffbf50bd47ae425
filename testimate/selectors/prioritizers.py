"""Prioritizers by one number: impurity, entropy, margin, confidence or surprise; the most likely failures come first."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from testimate.core.checks import check_budget, check_chances, check_scores, is_number
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.base import FixedList, check_seed, check_variant
from testimate.selectors.logistic_regression import Line, Prior

CHOSEN = Claims(
    "no",
    honest_interval=False,
    tasks=("classification",),
    note="The inputs are chosen because they are thought to fail, so nothing can be promised about an estimate from them.",
)
"""What a prioritizer claims."""


class ScoreOrder(FixedList):
    """The first n inputs by falling score; equal scores in a random order that the seed determines.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail.
    budget : n, 1..N.
    seed : whole number, for ties alone.
    """

    claims: ClassVar[Claims] = CHOSEN
    adapts: ClassVar[bool] = False
    options: ClassVar[tuple[Option, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ()
    measure: ClassVar[str] = "score"

    def __init__(self, scores: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        self._scores = check_scores(scores, self.measure)  # (N,)
        size = self._scores.size
        budget = check_budget(budget, size)
        check_variant(variant, self.variants)
        rows = by_falling(self._scores, seed=seed)[:budget]
        super().__init__(Purposive((size,), budget), rows, self._why)

    def reasons(self, positions: range) -> list[str]:
        """Why the draws at these positions of the list were picked."""
        scores = self._scores[self._rows[positions.start : positions.stop]].tolist()
        return [self._in_words(score, position) for score, position in zip(scores, positions, strict=True)]

    def _why(self, position: int) -> str:
        return self._in_words(float(self._scores[self._rows[position]]), position)

    def _in_words(self, score: float, position: int) -> str:
        return f"{self.measure} {score:.4g}, place {position + 1} of {self._scores.size}"


def by_falling(scores: NDArray[Any], *, seed: int) -> NDArray[np.intp]:
    """Rows by falling score, (N,), ties in a random order by the seed.

    >>> by_falling(np.array([0.1, 0.9, 0.4]), seed=1).tolist()
    [1, 2, 0]
    """
    mixed = np.random.default_rng(check_seed(seed)).permutation(scores.size)
    rows: NDArray[np.intp] = mixed[np.argsort(-scores[mixed], kind="stable")]
    return rows


def check_length(array: NDArray[Any], size: int, name: str) -> None:
    """BadInput where there is not one entry for each of ``size`` inputs."""
    if len(array) != size:
        raise BadInput(
            f"There are {len(array)} {name} and {size} inputs. Expected one for each. Take them from the same inputs."
        )


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
    claims: ClassVar[Claims] = Claims("no", honest_interval=False, not_for=("regression",), note=CHOSEN.note)
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


CONFIDENCE_PRIOR = Prior(Line(0.6, 0.9), Line(0.5, 0.25))
"""Of log-odds of failure in those of 1 - confidence: networks are overconfident, and less so the less confident."""

SCORE_PRIOR = Prior(Line(-1.5, 0.9), Line(1.5, 0.5))
"""Of log-odds of failure in normal scores: a rank is not a failure rate, so the prior of the intercept is wide."""

AT_A_TIME = 1 << 16
"""Chances whose logarithms are taken at a time."""


def prior_of(numbers: Sequence[float]) -> tuple[float, float, float, float]:
    """The prior of intercept, slope and their standard deviations; BadInput where these are not four such numbers."""
    values = np.asarray(numbers, dtype=object).ravel().tolist()
    if len(values) != 4 or not all(is_number(one) and math.isfinite(one) for one in values) or min(values[2:]) <= 0:
        raise BadInput(
            f"The prior is {numbers!r:.80}. Expected an intercept, a slope and their standard deviations above 0. "
            "Correct it."
        )
    return values[0], values[1], values[2], values[3]


def log_odds(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """x = logit(c) of chances of failure c, (N,), clipped to [1e-4, 1 - 1e-4]; BadInput outside [0, 1]."""
    found = np.clip(check_chances(chances), 1e-4, 1 - 1e-4)
    for start in range(0, found.size, AT_A_TIME):
        part = found[start : start + AT_A_TIME]
        np.log(part / (1 - part), out=part)
    return found


def normal_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard normal quantile of each score's rank, (N,); tied scores share the middle of their ranks.

    >>> normal_scores(np.array([7.0, -1e300, 7.0])).round(2)
    array([ 0.43, -0.97,  0.43])
    """
    _, group, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2  # (distinct,)
    return np.asarray(ndtri(middle[group] / scores.size), dtype=np.float64)
