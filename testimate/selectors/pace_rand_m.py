"""PACE with random inputs of the minority space instead of diverse ones: the difference is what adaptive random adds."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from testimate.core.selector import Claims
from testimate.selectors.pace import Pace
from testimate.selectors.pace_as_published import published_shares


class PaceRandomInMinority(Pace):
    """PACE's clusters, shares and prototypes; the minority space gives a simple random sample.

    Parameters are PACE's; "as published" rounds cluster by cluster and the minority space's share down. The seed determines
    every draw of the minority space.

    Source: PACE, section 4.2, the variant PACE^m_rand.
    """

    name: ClassVar[str] = "pace-rand-m"
    title: ClassVar[str] = "PACE with random inputs of the minority space"
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs of the clusters are chosen, not drawn: the accuracy among them is a guess without any guarantee.",
    )
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2"

    def _shares(self, budget: int, alpha: float) -> NDArray[np.intp]:
        if not self._published:
            return super()._shares(budget, alpha)
        return published_shares(self.groups.sizes, len(self.groups.minority), budget, alpha, at_random=True)

    def _from_minority(self, count: int) -> NDArray[np.intp]:
        return self._rng.permutation(self.groups.minority)[:count]

    def _why_from_minority(self, visit: int) -> str:
        return f"random input {visit + 1} of the minority space"
