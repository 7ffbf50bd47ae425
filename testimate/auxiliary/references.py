"""A sample of the inputs that surprise adequacy compares with, where all of them would take hours.

The sentence that a surprise adequacy compared with a sample of the references.
"""

import numpy as np
from numpy.typing import NDArray

from testimate.core.words import spaced

# What a sample costs on real networks: decision 173.
LEAST_OF_CLASS = 50
"""References of a predicted class that are kept where it has them, so that a rare class still has neighbours."""


def drawn_references(classes: NDArray[np.intp], most: int, *, seed: int) -> NDArray[np.intp] | None:
    """Rows to compare with, rising, (m,); None where there are at most ``most``, so that all of them are.

    Drawn without replacement in each predicted class, by its share of ``most``, and ``LEAST_OF_CLASS`` where it has them:
    with very many classes a few more than ``most`` in all.

    Parameters
    ----------
    classes : (M,) predicted classes of the training set, or of the inputs where there is none. most : at least 1.

    Examples
    --------
    >>> drawn_references(np.repeat([0, 1], [900, 100]), 500, seed=1).shape, drawn_references(np.zeros(9, int), 10, seed=1)
    ((500,), None)
    """
    if len(classes) <= most:
        return None
    rng = np.random.default_rng(seed)
    chosen = []
    for kind, count in zip(*np.unique(classes, return_counts=True), strict=True):
        size = min(int(count), max(round(most * count / len(classes)), LEAST_OF_CLASS))
        chosen.append(rng.choice(np.flatnonzero(classes == kind), size, replace=False))
    rows: NDArray[np.intp] = np.sort(np.concatenate(chosen))
    return rows


def sampled_words(count: int, size: int) -> str:
    """That only some references were compared with.

    >>> sampled_words(290, 345)
    'Each input was compared with 290 of 345 reference inputs, drawn at random within each predicted class.'
    """
    return (
        f"Each input was compared with {spaced(count)} of {spaced(size)} reference inputs, drawn at random within each "
        "predicted class."
    )
