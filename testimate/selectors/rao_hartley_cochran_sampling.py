"""RHC sampling: inputs are dealt into random groups, and one is drawn from each with unequal chances."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import Groups
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_settings
from testimate.selectors.unequal_probability_sampling import UnequalProbabilitySampling, chances_of


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
