"""Numbers that look random and are the same on every machine, for the road demo's pictures."""

import numpy as np
from numpy.typing import NDArray

from testimate.demos.road_scenes import PARTS, Scenes


def own_numbers(scenes: Scenes) -> NDArray[np.uint32]:
    """A number of each scene's own to begin with, (n, 1, 1)."""
    low, high = (scenes.chance[:, PARTS.index(f"seed {end}")].astype(np.uint32) for end in ("low", "high"))
    return scrambled(low + (high << np.uint32(16))).reshape(-1, 1, 1)


def scrambled(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Numbers that look random, one for each (the permutation of PCG by O'Neill 2014, as a hash)."""
    state = values * np.uint32(747796405) + np.uint32(2891336453)
    word = ((state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state) * np.uint32(277803737)
    found: NDArray[np.uint32] = word >> np.uint32(22) ^ word
    return found
