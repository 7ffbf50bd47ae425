"""PACE with random inputs of each cluster instead of prototypes: the difference is what MMD-critic adds."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from testimate.core.selector import Claims
from testimate.selectors.pace import Pace


class PaceRandomInGroups(Pace):
    """PACE's clusters, shares and minority space; each cluster gives a simple random sample.

    Parameters and variants are PACE's. The seed determines every draw. Purposive, because the inputs of the minority space
    are chosen.

    Source: PACE, section 4.2, the variant PACE^g_rand.
    """

    name: ClassVar[str] = "pace-rand-g"
    title: ClassVar[str] = "PACE with random inputs of each cluster"
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs of the minority space are chosen, not drawn, and every cluster gets one however small: the "
        "accuracy among them is a guess without any guarantee.",
    )
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2"

    def _from_group(self, group: int, count: int) -> NDArray[np.intp]:
        return self._rng.permutation(self.groups.members[group])[:count]

    def _why_from_group(self, group: str, visit: int) -> str:
        return f"random input {visit + 1} of {group}"
