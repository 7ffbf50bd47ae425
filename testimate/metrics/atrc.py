"""ATRC: the share found of what could have been found, averaged over the steps up to the budget."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.metrics.order import checked_order


def trc_curve(
    failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None
) -> NDArray[np.float64]:
    """Test relative coverage after each of the first m inputs, (m,), 0..1: found over min(i, faults).

    Arguments and errors as in `checked_order`.

    >>> trc_curve([1, 0, 1, 1], size=9, faults=4).round(2)
    array([1.  , 0.5 , 0.67, 0.75])
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return order.found / order.ideal_found


def atrc(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Average test relative coverage, 0..1 (TestRank's; Al-Qadasi et al. 2023, eq. 3); the ideal gives 1.

    Arguments and errors as in `checked_order`.

    >>> round(atrc([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], size=100, faults=10), 4)
    0.8874
    """
    return float(trc_curve(failed, size=size, faults=faults, budget=budget).mean())  # eq. 3
