"""Random sampling: simple, and stratified by the score or by the confidence.

Simple random sampling: every input has the same chance.

Stratified simple random sampling: clusters of the score, more draws where the score spreads more.

Confidence-stratified sampling: three strata by rule, two fifths of the labels for each of the two doubtful ones.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget
from testimate.core.design import SimpleRandom, Stratified
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.core.words import commas
from testimate.selectors.base import (
    FixedList,
    ShuffledStrata,
    check_seed,
    check_settings,
    check_variant,
    score_ranges,
    shuffled_rows,
)
from testimate.structure.strata import by_clusters, by_rule, interleave, neyman


class SimpleRandomSampling(FixedList):
    """A simple random sample; every prefix of it is one too.

    Parameters
    ----------
    size : N, the number of inputs.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.
    replacement : True lets an input come again, as DeepSample (section 3.4.1) has it.
    aimed_at : number of labels at which the always-valid interval should be narrow; None for an interval without such a
        target.

    Source: Cochran, Sampling Techniques (1977), chapter 2.

    >>> [draw.row for draw in SimpleRandomSampling(1000, budget=3, seed=1).ask(3)] == [
    ...     draw.row for draw in SimpleRandomSampling(1000, budget=9, seed=1).ask(3)]
    True
    """

    name: ClassVar[str] = "srs"
    title: ClassVar[str] = "Simple random sampling"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=True,
        always_valid=True,
        note="Afterwards the estimate can learn from the labels: on Results, or with --assisted learned. On most networks "
        "that saves a quarter to a third of the labels.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Cochran, Sampling Techniques (1977), chapter 2; DeepSample, section 3.4.1"
    options: ClassVar[tuple[Option, ...]] = (
        Option("replacement", False, "Whether an input may be drawn again, as in DeepSample.", choices=(False, True)),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    aims: ClassVar[bool] = True

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        replacement: bool = False,
        aimed_at: int | None = None,
    ) -> None:
        budget = check_budget(budget, size)
        check_variant(variant, self.variants)
        check_options(self.options, replacement=replacement)
        rng = np.random.default_rng(check_seed(seed))
        rows = rng.integers(size, size=budget) if replacement else shuffled_rows(int(size), rng)[:budget]
        design = SimpleRandom(stratum_sizes=(int(size),), planned=budget, replacement=replacement, aimed_at=aimed_at)
        super().__init__(design, rows.astype(np.intp), self._why)

    def _why(self, position: int) -> str:
        return f"simple random draw {position + 1} from all {commas(self.design.size)} inputs"


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


BATCH = (2, 2, 1)  # draws from each stratum, the least confident first


class ConfidenceStratifiedSampling(FixedList):
    """Strata of the 10% with the highest score, the next 10% and the other 80%; batches of 5 draw 2, 2 and 1 of them.

    A batch is interleaved. A stratum that is exhausted is passed over. Any auxiliary variable may take confidence's
    place; with LSA it is what PACE (section 4.2) calls CSS-COV.

    Parameters
    ----------
    scores : (N,) larger = more likely to fail, such as 1 - confidence.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.

    Source: Li et al. 2019, "Boosting operational DNN testing efficiency through conditioning", section 4.1.

    >>> css = ConfidenceStratifiedSampling([i / 100 for i in range(100)], budget=10, seed=1)
    >>> [draw.stratum for draw in css.ask(10)]
    [0, 1, 2, 0, 1, 0, 1, 2, 0, 1]
    """

    name: ClassVar[str] = "css"
    title: ClassVar[str] = "Confidence-stratified sampling"
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    claims: ClassVar[Claims] = Claims("once every stratum has a label", honest_interval=True)
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Li et al., Boosting operational DNN testing efficiency (2019); PACE, section 4.2"
    options: ClassVar[tuple[Option, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(self, scores: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant)
        chi, budget, rng = made.scores, made.budget, made.rng
        labels = by_rule(chi, seed=int(rng.integers(2**32)))  # (N,)
        piles = ShuffledStrata(labels, rng)
        order = _batches(piles.sizes, budget)  # (n,)
        self._ranges = score_ranges(chi, labels)
        super().__init__(Stratified(tuple(piles.sizes.tolist()), budget), piles.deal(order), self._why, strata=order)

    def _why(self, position: int) -> str:
        stratum = int(self._strata[position])
        return f"from stratum {stratum + 1} of {len(self._ranges)} by rule (score {self._ranges[stratum]})"


def _batches(sizes: NDArray[np.intp], budget: int) -> NDArray[np.intp]:
    """The strata of the first ``budget`` draws, (n,): batch after batch, without strata that have no input left.

    On sets so small that the rule leaves a stratum out, the most doubtful is missing.

    >>> _batches(np.array([2, 10, 10]), 12).tolist()
    [0, 1, 2, 0, 1, 1, 2, 1, 1, 2, 1, 1]
    """
    shares = BATCH[-len(sizes) :]
    batch = interleave(shares)  # (5,) with three strata
    when = []  # places of each input's draw in batches without end, stratum after stratum
    for stratum, (size, share) in enumerate(zip(sizes.tolist(), shares, strict=True)):
        turns = np.arange(min(size, budget))
        when.append(len(batch) * (turns // share) + np.flatnonzero(batch == stratum)[turns % share])
    strata = np.repeat(np.arange(len(sizes), dtype=np.intp), np.minimum(sizes, budget))
    order: NDArray[np.intp] = strata[np.argsort(np.concatenate(when), kind="stable")[:budget]]
    return order
