"""Sampling with unequal probabilities: inputs more likely to fail are drawn more often, and weighted less in return.

Simple unequal probability sampling: inputs more likely to fail are drawn more often, and weighted less in return.

RHC sampling: inputs are dealt into random groups, and one is drawn from each with unequal chances.

Two-stage unequal probability sampling: a cluster by its total score, then one of its inputs at random.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import Groups, PerDraw, TwoStage
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.base import FixedList, Settings, ShuffledStrata, check_settings, score_ranges
from testimate.selectors.random_sampling import StratifiedSimpleRandomSampling
from testimate.structure.strata import by_clusters

NEGATIVE = ("min-max", "shift")


class UnequalProbabilitySampling(FixedList):
    """Independent draws with replacement, each with probability (1 - u) chi / sum chi + u / N.

    The uniform share u keeps every input drawable: a confidence of exactly 1 gives chi = 0, such inputs could never be
    drawn, and without them the estimate is biased. The mixed probability is the one each draw carries. Where every
    chi is 0 the draws are uniform.

    Parameters
    ----------
    scores : (N,) chi, larger = more likely to fail. Negative ones are mapped first, see ``negative``.
    budget : n, draws to plan, 1..N.
    seed : whole number that determines every draw; a larger budget continues the list of a smaller one.
    variant : "as published" draws without the uniform share, as the paper has it.
    uniform_share : u, 0..1.
    negative : what is done where a chi is below 0: "min-max" (for classification) or "shift" by the ceiling of the
        smallest one's size (for regression, where min-max would change the distribution); DeepSample, section 3.3.
    aimed_at : number of labels at which the always-valid interval should be narrow; None for an interval without such a
        target.

    Source: DeepSample, section 3.4.1, SUPS.

    >>> sups = UnequalProbabilitySampling([0.0, 3.0, 1.0], budget=2, seed=1)
    >>> [round(draw.probability, 4) for draw in sups.ask(2)]
    [0.7292, 0.2542]
    """

    name: ClassVar[str] = "sups"
    title: ClassVar[str] = "Unequal probability sampling"
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=False,
        always_valid=True,
        note="Exposes many failures; its interval is not honest where failures hide among inputs of very low score, "
        "as they do with confidence, and least of all without the uniform share. The stop-safe interval needs the "
        "uniform share and is wide.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "DeepSample, section 3.4.1; Hansen and Hurwitz (1943)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("uniform_share", 0.05, "Share of the draws that ignores the score.", low=0.0, high=1.0),
        Option("negative", "min-max", "How scores below 0 are mapped to sizes.", choices=NEGATIVE),
    )
    variants: ClassVar[tuple[str, ...]] = ("as published",)
    aims: ClassVar[bool] = True

    def __init__(
        self,
        scores: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        uniform_share: float = 0.05,
        negative: str = "min-max",
        aimed_at: int | None = None,
    ) -> None:
        given = {"uniform_share": uniform_share, "negative": negative}
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant, **given)
        self._scores, budget = made.scores, made.budget
        chances = chances_of(made, uniform_share, negative)
        bounds = np.cumsum(chances)
        # side="right": an input of chance 0 has an empty interval and is never drawn
        rows = np.searchsorted(bounds / bounds[-1], made.rng.random(budget), side="right")
        self._chances = chances[rows]  # (n,)
        smallest = float(chances.min()) or None
        design = PerDraw((chances.size,), budget, smallest, aimed_at=aimed_at)
        super().__init__(design, rows, self._why, probabilities=self._chances)

    def _why(self, position: int) -> str:
        score, times = self._scores[self._rows[position]], self._chances[position] * self.design.size
        return f"drawn by its score {score:.3g}, {times:.3g} times as likely as average"


def chances_of(made: Settings, uniform_share: float, negative: str) -> NDArray[np.float64]:
    """Chance of each input at every draw, (N,); without the uniform share for "as published"."""
    share = 0.0 if made.published else float(uniform_share)
    return draw_chances(made.scores, uniform_share=share, negative=negative)


def draw_chances(scores: NDArray[np.float64], *, uniform_share: float, negative: str) -> NDArray[np.float64]:
    """Chance of each input at every draw, (N,), summing to 1: proportional to the score, mixed with a uniform share."""
    size, lowest = scores.size, float(scores.min())
    sizes = scores
    if lowest < 0:  # DeepSample, section 3.3
        sizes = scores / 2 - lowest / 2 if negative == "min-max" else scores / 2 + np.ceil(-lowest) / 2
    largest = float(sizes.max())
    if largest <= 0:
        return np.full(size, 1 / size)
    sizes = sizes / largest  # so that no sum can overflow; halved above for the same reason
    chances: NDArray[np.float64] = (1 - uniform_share) * sizes / sizes.sum() + uniform_share / size
    return chances


class RaoHartleyCochranSampling(FixedList):
    """n random groups of N / n inputs, give or take one; from each an input with probability pi over the group's sum of pi.

    pi is SUPS's: (1 - u) chi / sum chi + u / N. No input comes twice. Groups are labeled in random order, as they were
    dealt. Where every chi of a group is 0 (only without the uniform share), its inputs are equally likely.

    Parameters
    ----------
    scores : (N,) chi, larger = more likely to fail. Negative ones are mapped first, see ``negative``.
    budget : n, draws to plan and groups to make, 1..N.
    seed : whole number that determines every draw.
    variant : "as published" draws without the uniform share, as the paper has it.
    uniform_share : u, 0..1.
    negative : what is done where a chi is below 0, see ``UnequalProbabilitySampling``.

    Source: DeepSample, section 3.4.1, RHC-S; Rao, Hartley and Cochran (1962).
    """

    name: ClassVar[str] = "rhc-s"
    title: ClassVar[str] = "Rao-Hartley-Cochran sampling"
    needs: ClassVar[tuple[Need, ...]] = ("scores",)
    claims: ClassVar[Claims] = Claims(
        "every prefix",
        honest_interval=False,
        note="Exposes many failures without drawing an input twice; its interval is no more honest than that of sups: it "
        "fails where failures hide among inputs of very low score, as they do with confidence.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "DeepSample, section 3.4.1; Rao, Hartley and Cochran (1962)"
    options: ClassVar[tuple[Option, ...]] = UnequalProbabilitySampling.options
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(
        self,
        scores: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        uniform_share: float = 0.05,
        negative: str = "min-max",
    ) -> None:
        given = {"uniform_share": uniform_share, "negative": negative}
        made = check_settings(type(self), scores, budget=budget, seed=seed, variant=variant, **given)
        rng, budget = made.rng, made.budget
        chances = chances_of(made, uniform_share, negative)
        dealt = rng.permutation(chances.size)  # group after group
        sizes = np.full(budget, dealt.size // budget) + (np.arange(budget) < dealt.size % budget)  # (n,)
        starts = np.cumsum(sizes) - sizes
        totals = np.add.reduceat(chances[dealt], starts)  # q of each group, (n,)
        drawn = dealt[_one_of_each(chances[dealt], starts, sizes, rng)]  # (n,)
        inside = np.divide(chances[drawn], totals, out=1 / sizes, where=totals > 0)
        self._scores = made.scores
        design = Groups(tuple(sizes.tolist()), budget, tuple((totals / totals.sum()).tolist()))
        super().__init__(
            design, drawn, self._why, strata=np.arange(budget, dtype=np.intp), probabilities=np.minimum(inside, 1.0)
        )

    def _why(self, position: int) -> str:
        size = self.design.stratum_sizes[position]
        times = (self._probabilities[position] if self._probabilities is not None else 1.0) * size
        return (
            f"drawn by its score {self._scores[self._rows[position]]:.3g} from random group {position + 1} of {size} inputs, "
            f"{times:.3g} times as likely as average there"
        )


def _one_of_each(
    chances: NDArray[np.float64], starts: NDArray[np.intp], sizes: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """A place in each group, (n,), drawn in proportion to the chances (N,), given group after group.

    It is the one with the shortest exponential waiting time at a rate equal to its chance; a group whose chances are
    all 0 gives its first.
    """
    largest = np.repeat(np.maximum.reduceat(chances, starts), sizes)  # of each input's group
    rates = np.divide(
        chances, largest, out=np.zeros(chances.size), where=largest > 0
    )  # in [0, 1], or a tiny one overflows
    waiting = np.full(chances.size, np.inf)
    np.divide(rng.standard_exponential(chances.size), rates, out=waiting, where=rates > 1e-300)
    shortest = np.flatnonzero(waiting == np.repeat(np.minimum.reduceat(waiting, starts), sizes))
    places: NDArray[np.intp] = shortest[np.searchsorted(shortest, starts)]
    return places


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
