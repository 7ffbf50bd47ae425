"""Adaptive random selection over the whole set, without clusters: the difference from PACE is what clustering adds."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from testimate.core.checks import check_budget, check_features
from testimate.core.design import Purposive
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.pace_as_published import last_apart
from testimate.selectors.settings import check_seed, check_variant
from testimate.structure.farthest_first import farthest_first
from testimate.structure.reduction import min_max_scaled


class PaceAdaptiveRandom(FixedList):
    """A random first input, then always the one farthest from all chosen so far.

    Parameters
    ----------
    features : (N, width), min-max scaled here; distances are Euclidean.
    budget : n, draws to plan, 1..N.
    seed : whole number; it determines the first input, which determines all others. A larger budget continues the list.
    variant : "as published" takes, after the first two, the last input at a distance above 0, as the authors' program.

    Source: PACE, section 4.2, the variant PACE_art.
    """

    name: ClassVar[str] = "pace-art"
    title: ClassVar[str] = "Adaptive random: inputs far from each other"
    needs: ClassVar[tuple[Need, ...]] = ("features",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs are those far from all others, chosen, not drawn: failures are over-represented, and the accuracy "
        "among them is a guess without any guarantee.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2; Chen, Leung and Mak (2004)"
    options: ClassVar[tuple[Option, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(self, features: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        array = check_features(features)
        budget, rng = check_budget(budget, len(array)), np.random.default_rng(check_seed(seed))
        self._published = check_variant(variant, self.variants) == "as published"
        space, start = min_max_scaled(array), int(rng.integers(len(array)))
        order = last_apart if self._published else farthest_first
        super().__init__(Purposive((len(array),), budget), order(space, budget, start=start), self._why)

    def _why(self, position: int) -> str:
        if position == 0:
            return "first input, drawn at random"
        return "last of those apart from those chosen" if self._published else "farthest from those chosen"
