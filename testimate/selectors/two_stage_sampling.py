"""Two-stage unequal probability sampling: a cluster by its total score, then one of its inputs at random."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import TwoStage
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_settings
from testimate.selectors.shuffled_strata import ShuffledStrata, score_ranges
from testimate.selectors.stratified_simple_random_sampling import StratifiedSimpleRandomSampling
from testimate.selectors.unequal_probability_sampling import UnequalProbabilitySampling, chances_of
from testimate.structure.strata import by_clusters


class TwoStageSampling(FixedList):
    """Each draw takes a cluster of the score, in proportion to its sum of pi, and from it an input not drawn before.

    pi is SUPS's: (1 - u) chi / sum chi + u / N. Clusters are drawn with replacement, inputs inside them without, until a
    cluster has given them all; then it starts again, in the same order: passing it over would make the estimate biased.

    Parameters
    ----------
    scores : (N,) chi, larger = more likely to fail. Negative ones are mapped first, see ``negative``.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.
    variant : "as published" draws without the uniform share, passes exhausted clusters over, and has the estimate of the
        authors' program, which averages over the clusters drawn: the cause of most outliers in their figures. At n =
        200 with confidence its bias is -0.11 on subject D and -0.66 on G, exactly; published, from 30 repetitions that
        seldom hit the outliers, are -0.12 +- 0.05 and -0.35 +- 0.16. By the paper's own Eq. 15 there is none.
    clusters : clusters aimed at; there are fewer where fewer distinct scores exist.
    uniform_share : u, 0..1.
    negative : what is done where a chi is below 0, see ``UnequalProbabilitySampling``.

    Source: DeepSample, section 3.4.2, 2-UPS.
    """

    name: ClassVar[str] = "2-ups"
    title: ClassVar[str] = "Two-stage unequal probability sampling"
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=False,
        note="Exposes many failures; a cluster of low score is rarely drawn and weighs a lot, so most samples miss its "
        "failures and then look more precise than they are.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "DeepSample, section 3.4.2"
    options: ClassVar[tuple[Option, ...]] = (
        *StratifiedSimpleRandomSampling.options,
        *UnequalProbabilitySampling.options,
    )
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(
        self,
        scores: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        clusters: int = 10,
        uniform_share: float = 0.05,
        negative: str = "min-max",
    ) -> None:
        given = {"clusters": clusters, "uniform_share": uniform_share, "negative": negative}
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant, **given)
        chi, budget, published, rng = made.scores, made.budget, made.published, made.rng
        labels = by_clusters(chi, clusters)  # (N,)
        chances = chances_of(made, uniform_share, negative)
        psi: NDArray[np.float64] = np.bincount(labels, chances) / chances.sum()  # DeepSample, eq. 14
        piles = ShuffledStrata(labels, rng)
        sizes = piles.sizes  # (H,)
        order = _passing_over_exhausted(psi, sizes, budget, rng) if published else _by_chance(psi, budget, rng)
        self._ranges, self._psi = score_ranges(chi, labels), psi
        design = TwoStage(tuple(sizes.tolist()), budget, tuple(psi.tolist()), averaged_over_strata=published)
        each = psi[order] / sizes[order]  # (n,)
        super().__init__(
            design, piles.deal(order), self._why, strata=order, probabilities=np.where(each > 0, each, 1 / chi.size)
        )

    def _why(self, position: int) -> str:
        stratum = int(self._strata[position])
        return (
            f"from cluster {stratum + 1} of {len(self._ranges)} (score {self._ranges[stratum]}), which is drawn with "
            f"probability {self._psi[stratum]:.3g}"
        )


def _by_chance(psi: NDArray[np.float64], budget: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The cluster of each draw, (n,), each with its chance (H,)."""
    bounds = np.cumsum(psi)
    # side="right": a cluster of chance 0 has an empty interval and is never drawn
    order: NDArray[np.intp] = np.searchsorted(bounds / bounds[-1], rng.random(budget), side="right")
    return order


def _passing_over_exhausted(
    psi: NDArray[np.float64], sizes: NDArray[np.intp], budget: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """The same, without exhausted clusters; if only clusters of chance 0 have inputs left, in proportion to how many."""
    left, order = sizes.copy(), np.empty(budget, dtype=np.intp)
    for draw in range(budget):
        chances = np.where(left > 0, psi, 0.0)
        order[draw] = stratum = _by_chance(chances if chances.any() else left.astype(np.float64), 1, rng)[0]
        left[stratum] -= 1
    return order
