"""Losses that are those of grades, such as right, partly and wrong, and what the interval of their mean is called."""

import numpy as np
from numpy.typing import NDArray

GRADED = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Losses of pass or fail and of grades: their mean is a share of full marks, and has the interval of one (decision 120)."""

OF_GRADES = "score interval of grades"
"""How the interval is called in an estimate's method."""


def is_graded(losses: NDArray[np.float64], loss_bound: float | None) -> bool:
    """Whether all losses (n,) are those of grades, which are at most 1.

    >>> is_graded(np.array([0.0, 0.5, 1.0]), 1.0), is_graded(np.array([0.0, 0.3]), 1.0), is_graded(np.array([0.5]), None)
    (True, False, False)
    """
    return loss_bound == 1 and bool(np.isin(losses, GRADED).all())
