"""Picks the largest value, and the lowest row among values that differ only by rounding."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def lowest_best(values: NDArray[np.floating[Any]], tolerance: float = 1e-10) -> int:
    """Place of the largest value; of several within ``tolerance`` of it, the lowest place.

    Two inputs that are equal get values that differ in the last bits, by their place in a matrix product or by the
    processor; the tolerance makes the pick the same everywhere.

    >>> lowest_best(np.array([0.0, 0.3, 0.1 + 0.2]))
    1
    """
    return int(np.argmax(values >= values.max() - tolerance))
