"""SSOA: a pre-sample shows how much each stratum varies, and the rest of the budget goes where it varies most."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_scores
from testimate.core.design import Design, Stratified
from testimate.core.draw import Draw, Verdict
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import check_count
from testimate.selectors.settings import check_options, check_seed, check_variant, not_drawn
from testimate.selectors.shuffled_strata import ShuffledStrata, score_ranges
from testimate.structure.strata import by_clusters, by_rule, interleave, neyman

PRE_SAMPLE = Option("h", 10, "Inputs of each stratum labeled first, to see how much it varies.", low=1, high=1000)
CLUSTERS = Option("clusters", 3, "Clusters of the score that become strata.", low=1, high=100)
RULE = (0.1, 0.1, 0.8)  # shares of the inputs, the least confident first; SSOA, section 5.3


class OptimumAllocation(ABC):
    """What both forms of SSOA share: two phases of draws without replacement; the second waits for the first.

    The pre-sampled labels are part of the budget. h inputs per stratum are pre-sampled, fewer where that would take
    more than two thirds of the budget (3 strata get their full 10 from a budget of 45 up), but at least 2 per stratum,
    then 1, while the budget allows: a variance needs two. When every pre-sampled input has its verdict, Neyman
    allocation with the spread of the losses seen gives each stratum n_h, of which n_h - h are still to draw. Losses
    that are None count as settled, but not as known.

    For losses of 0 and 1 the spread is sqrt(p (1 - p)) with p = (z + 1) / (k + 2), z failures among k known: a stratum
    without a failure so far is not taken for one without variance. Other losses: sqrt((SS + 2 V) / (k - 1 + 2)), SS the
    squared deviations in the stratum and V the variance inside strata, pooled over all.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail.
    budget : n, draws to plan, 1..N.
    seed : whole number that, together with the verdicts, determines every draw.
    variant : "as published" takes the plain standard deviation; strata where it is 0 get no label beyond the
        pre-sample, as long as another stratum varies and has inputs left.
    h : inputs pre-sampled per stratum.

    Source: Wu et al. 2023, sections 4.1 to 4.3, equation 6; Neyman (1934).
    """

    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Slightly biased, because the labels of the pre-sample decide how many inputs a stratum gives; its interval "
        "then covers somewhat less often than it claims, most of all where losses are more than right or wrong.",
    )
    adapts: ClassVar[bool] = True
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    source: ClassVar[str] = "Wu et al., Stratified random sampling for neural network test input selection (2023)"
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(self, scores: ArrayLike, *, budget: int, seed: int, variant: str | None = None, h: int = 10) -> None:
        chi = check_scores(scores)  # (N,)
        self._budget = check_budget(budget, chi.size)
        self._published = check_variant(variant, self.variants) == "as published"
        check_options((PRE_SAMPLE,), h=h)
        rng = np.random.default_rng(check_seed(seed))
        self._tie_seed = int(rng.integers(2**32))
        labels = self._strata(chi)  # (N,)
        self._piles, self._ranges = ShuffledStrata(labels, rng), score_ranges(chi, labels)
        self._pre_sampled = pre_sample_sizes(self._piles.sizes, self._budget, h)  # (H,)
        self._allocation = self._pre_sampled  # (H,), of the phases planned so far
        self._spreads = np.zeros(len(self._pre_sampled))  # (H,)
        self._plan(interleave(self._pre_sampled))
        self._losses: dict[int, float | None] = {}  # of the pre-sample, by row
        self._asked = 0

    @abstractmethod
    def _strata(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """The stratum of each input, (N,)."""

    @property
    def design(self) -> Design:
        """Strata whose sample sizes depend on the first phase."""
        return Stratified(tuple(self._piles.sizes.tolist()), self._budget)

    @property
    def remaining(self) -> int:
        """Draws of the budget that were not handed out yet; 0 when exhausted."""
        return self._budget - self._asked

    def ask(self, count: int) -> Sequence[Draw]:
        """The next draws, at most ``count``; fewer when exhausted or while verdicts of the pre-sample are missing."""
        first, self._asked = self._asked, min(self._asked + check_count(count), len(self._rows))
        return [
            Draw(int(self._rows[position]), None, int(self._order[position]), self._why(position))
            for position in range(first, self._asked)
        ]

    def tell(self, verdicts: Sequence[Verdict]) -> None:
        """Keeps the losses of the pre-sample; the last one starts the second phase. UnknownRow for rows not drawn."""
        for verdict in verdicts:
            if verdict.draw.row not in self._drawn:
                raise not_drawn(verdict.draw.row)
            self._losses.setdefault(verdict.draw.row, verdict.loss)
            if len(self._losses) == len(self._rows) < self._budget:
                self._start_second_phase()

    def _why(self, position: int) -> str:
        stratum, pre_sampled = int(self._order[position]), int(self._pre_sampled.sum())
        where = f"stratum {stratum + 1} of {len(self._ranges)} (score {self._ranges[stratum]})"
        if position < pre_sampled:
            return f"pre-sample of {self._pre_sampled[stratum]} from {where}"
        return (
            f"second phase, {where} gets {self._allocation[stratum]} in all for its spread {self._spreads[stratum]:.2g}"
        )

    def _plan(self, order: NDArray[np.intp]) -> None:
        self._order, self._rows = order, self._piles.deal(order)  # (draws planned so far,)
        self._drawn = set(self._rows.tolist())

    def _start_second_phase(self) -> None:
        losses = [self._losses[int(row)] for row in self._rows]
        known = np.array([loss is not None for loss in losses], dtype=bool)
        values = np.array([loss for loss in losses if loss is not None], dtype=np.float64)
        self._spreads = loss_spreads(values, self._order[known], len(self._ranges), smooth=not self._published)
        self._allocation = neyman(
            self._piles.sizes, self._spreads, self._budget, minimum=self._pre_sampled
        )  # SSOA, eq. 6; draws already made stay
        self._plan(np.concatenate([self._order, interleave(self._allocation - self._pre_sampled)]))


class OptimumAllocationByRule(OptimumAllocation):
    """SSOA-R-P: strata of the 10 % with the highest score, the next 10 % and the other 80 %; a pre-sample."""

    name: ClassVar[str] = "ssoa-r-p"
    title: ClassVar[str] = "Optimum allocation, strata by rule, after a pre-sample"
    options: ClassVar[tuple[Option, ...]] = (PRE_SAMPLE,)

    def _strata(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return by_rule(scores, seed=self._tie_seed, shares=RULE)


class OptimumAllocationByClusters(OptimumAllocation):
    """SSOA-C-P: strata by 1-d k-means of the score into ``clusters`` clusters; a pre-sample."""

    name: ClassVar[str] = "ssoa-c-p"
    title: ClassVar[str] = "Optimum allocation, strata by clusters, after a pre-sample"
    options: ClassVar[tuple[Option, ...]] = (PRE_SAMPLE, CLUSTERS)

    def __init__(
        self,
        scores: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        h: int = 10,
        clusters: int = 3,
    ) -> None:
        check_options((CLUSTERS,), clusters=clusters)
        self._clusters = clusters
        super().__init__(scores, budget=budget, seed=seed, variant=variant, h=h)

    def _strata(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return by_clusters(scores, self._clusters)


def pre_sample_sizes(sizes: NDArray[np.intp], budget: int, h: int) -> NDArray[np.intp]:
    """Inputs to pre-sample from each stratum, (H,); where the budget is below H, one from each of the largest strata.

    >>> [pre_sample_sizes(np.array([10, 10, 80]), budget, 10).tolist() for budget in (50, 45, 12, 7, 4, 2)]
    [[10, 10, 10], [10, 10, 10], [2, 2, 2], [2, 2, 2], [1, 1, 1], [1, 0, 1]]
    """
    count = len(sizes)
    if budget < count:
        largest = np.zeros(count, dtype=np.intp)
        largest[np.argsort(-sizes, kind="stable")[:budget]] = 1
        return largest
    each = min(h, max(2 * budget // (3 * count), min(2, budget // count)))
    return np.minimum(sizes, each)


def loss_spreads(
    losses: NDArray[np.float64], strata: NDArray[np.intp], count: int, *, smooth: bool
) -> NDArray[np.float64]:
    """Standard deviation of the losses of each of ``count`` strata, (H,), from k known losses and their strata (k,).

    Smoothed as ``OptimumAllocation`` says; unsmoothed, a stratum without known losses has 0.

    >>> loss_spreads(np.array([0.0, 0.0, 0.0, 1.0]), np.array([0, 0, 1, 1]), 2, smooth=True).round(3)
    array([0.433, 0.5  ])
    """
    known = np.bincount(strata, minlength=count)  # (H,)
    means = np.bincount(strata, losses, minlength=count) / np.maximum(known, 1)
    squares = np.bincount(strata, (losses - means[strata]) ** 2, minlength=count)
    if not smooth:
        return np.sqrt(squares / np.maximum(known, 1))
    if np.isin(losses, (0.0, 1.0)).all():
        chance = (known * means + 1) / (known + 2)
        return np.sqrt(chance * (1 - chance))
    freedom = np.maximum(known - 1, 0)
    pooled = squares.sum() / max(int(freedom.sum()), 1)
    spreads: NDArray[np.float64] = np.sqrt((squares + 2 * pooled) / (freedom + 2))
    return spreads
