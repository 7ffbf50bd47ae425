"""What prioritizers that order the inputs by one number known before any label have in common."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_scores
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_seed, check_variant

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
            f"There are {len(array)} {name} and {size} inputs; expected one for each. Take them from the same inputs."
        )
