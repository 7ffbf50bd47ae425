"""Stratified simple random sampling: clusters of the score, more draws where the score spreads more."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import Stratified
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_settings
from testimate.selectors.shuffled_strata import ShuffledStrata, score_ranges
from testimate.structure.strata import by_clusters, interleave, neyman


class StratifiedSimpleRandomSampling(FixedList):
    """k-means strata of the score, Neyman allocation on the score's own spread, without replacement inside.

    The draws are interleaved, so that every prefix is as near to the allocation as whole numbers allow; every stratum
    gets at least 2 while the budget allows.

    Parameters
    ----------
    scores : (N,) chi, larger = more likely to fail.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw.
    clusters : strata aimed at; there are fewer where fewer distinct scores exist.

    Source: DeepSample, section 3.4.2, SSRS; Neyman (1934).
    """

    name: ClassVar[str] = "ssrs"
    title: ClassVar[str] = "Stratified simple random sampling"
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    claims: ClassVar[Claims] = Claims("once every stratum has a label", honest_interval=True)
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "DeepSample, section 3.4.2; Neyman (1934)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("clusters", 10, "Clusters of the score that become strata.", low=1, high=100),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, scores: ArrayLike, *, budget: int, seed: int, variant: str | None = None, clusters: int = 10
    ) -> None:
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant, clusters=clusters)
        chi, budget = made.scores, made.budget
        labels = by_clusters(chi, clusters)  # (N,)
        piles = ShuffledStrata(labels, made.rng)
        spreads = _standard_deviations(chi, labels)
        self._allocation = neyman(piles.sizes, spreads, budget)  # (H,)
        order = interleave(self._allocation)  # (n,)
        self._ranges = score_ranges(chi, labels)
        super().__init__(Stratified(tuple(piles.sizes.tolist()), budget), piles.deal(order), self._why, strata=order)

    def _why(self, position: int) -> str:
        stratum = int(self._strata[position])
        return (
            f"one of {self._allocation[stratum]} draws from stratum {stratum + 1} of {len(self._ranges)} "
            f"(score {self._ranges[stratum]})"
        )


def _standard_deviations(scores: NDArray[np.float64], strata: NDArray[np.intp]) -> NDArray[np.float64]:
    """Standard deviation of the scores in each stratum, (H,), on a scale where the largest score has size 1."""
    largest = float(np.abs(scores).max())
    scaled = scores / largest if largest > 0 else scores
    sizes = np.bincount(strata)
    means = np.bincount(strata, scaled) / sizes
    return np.sqrt(np.bincount(strata, (scaled - means[strata]) ** 2) / sizes)
