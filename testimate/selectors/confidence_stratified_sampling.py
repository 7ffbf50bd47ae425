"""Confidence-stratified sampling: three strata by rule, two fifths of the labels for each of the two doubtful ones."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.design import Stratified
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.settings import check_settings
from testimate.selectors.shuffled_strata import ShuffledStrata, score_ranges
from testimate.structure.strata import by_rule, interleave

BATCH = (2, 2, 1)  # draws from each stratum, the least confident first


class ConfidenceStratifiedSampling(FixedList):
    """Strata of the 10 % with the highest score, the next 10 % and the other 80 %; batches of 5 draw 2, 2 and 1 of them.

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
