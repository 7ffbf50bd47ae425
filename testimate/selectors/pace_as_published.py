"""What PACE's published program does differently from its paper, kept to reproduce the published figures."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

PUBLISHED_COMPONENTS = {
    "LeNet-1": 8,
    "ResNet-20 on CIFAR-10": 2,
    "VGG-16 on CIFAR-10": 2,
    "ResNet-20 on CIFAR-100": 2,
    "LeNet-5 on SVHN": 2,
}
"""FastICA's dimensions in the published figures: by a list of models, where the paper names a rule (section 4.4).

From the names of the result files beside the authors' program. LeNet-4 and LeNet-5 on MNIST, its mutants and the inputs
changed by BIM were clustered as they are.
"""


def published_shares(
    sizes: NDArray[np.intp], minority: int, budget: int, alpha: float, *, at_random: bool = False
) -> NDArray[np.intp]:
    """The shares as the authors' program counts them, (K + 1,): each is rounded by itself, so the sum can differ from n.

    The minority space gives (1 - alpha) n rounded up, at least 2 if it has them; where its inputs are drawn at random,
    (1 - alpha) n rounded down.

    >>> published_shares(np.array([50, 30, 10]), 10, 20, 0.8).tolist()
    [9, 5, 2, 4]
    """
    share = budget * (1 - alpha)
    wanted = math.floor(share) if at_random else max(math.ceil(share), 2)
    diverse = min(wanted, minority)
    per_draw = sizes.sum() / (
        budget * alpha if diverse == wanted else budget - diverse
    )  # inputs that one prototype stands for
    each = [min(int(size), max(1, round(size / per_draw))) for size in sizes]
    return np.array([*each, diverse], dtype=np.intp)


def last_apart(points: NDArray[Any], count: int, *, start: int) -> NDArray[np.intp]:
    """The order in which the authors' program takes the minority space, (count,) places.

    After ``start`` and the point farthest from it, always the last point that was not picked and equals none that was
    (the program forgets the largest distance so far); where there is none, the first that is not picked.

    >>> last_apart(np.array([[0.0], [1.0], [2.0], [9.0], [3.0]]), 4, start=0).tolist()
    [0, 3, 4, 2]
    """
    space = points.astype(np.float64)
    picked = [start]
    free = np.ones(len(space), dtype=bool)
    free[start] = False
    nearest = np.linalg.norm(space - space[start], axis=1)  # (M,) to the nearest point picked
    while len(picked) < count:
        apart = np.flatnonzero(free & (nearest > 0))
        if not apart.size:
            place = int(np.flatnonzero(free)[0])
        else:
            place = int(apart[np.argmax(nearest[apart])]) if len(picked) == 1 else int(apart[-1])
        picked.append(place)
        free[place] = False
        nearest = np.minimum(nearest, np.linalg.norm(space - space[place], axis=1))
    return np.array(picked, dtype=np.intp)
