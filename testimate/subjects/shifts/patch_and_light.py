"""A blocked part of the picture, and changed light, as a camera in use sees them.

PACE (Chen et al. 2020, section 4.1.1) made its Driving-patch and Driving-light this way, "by randomly blocking some
parts of each input" and "by randomly changing the intensities of lights"; it names no sizes.
"""

import numpy as np
from numpy.typing import NDArray

Pictures = NDArray[np.float64]

SIDE = (0.15, 0.2, 0.25, 0.3, 0.4)
"""Side of the blocked square, as a share of the picture's shorter one."""
LIGHT = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Largest change of the light, up or down; the least is half of it."""


def patch(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """A black square at a random place."""
    found = pictures.copy()
    height, width = pictures.shape[1:3]
    side = max(1, round(SIDE[severity - 1] * min(height, width)))
    for one in found:
        top, left = rng.integers(height - side + 1), rng.integers(width - side + 1)
        one[top : top + side, left : left + side] = 0
    return found


def light(pictures: Pictures, severity: int, rng: np.random.Generator) -> Pictures:
    """The same amount, up or down at random, added to every value of a picture."""
    farthest = LIGHT[severity - 1]
    amount = rng.uniform(farthest / 2, farthest, len(pictures)) * rng.choice([-1, 1], len(pictures))
    lit: Pictures = pictures + amount[:, None, None, None]
    return lit
