"""APFD: how early, on average, an order of all inputs shows the faults, whatever the budget."""

import numpy as np
from numpy.typing import ArrayLike

from testimate.core.errors import NotEnoughLabels
from testimate.metrics.order import checked_order


def apfd(failed: ArrayLike, *, size: int | None = None, faults: int | None = None) -> float:
    """Average percentage of faults detection, 0..1 (Al-Qadasi et al. 2023, eq. 1); the best order gives 1 - m / (2 N).

    Arguments and errors as in `checked_order`; there is no budget in it. It needs the place of every fault:
    NotEnoughLabels where the order ends before the last one.

    >>> apfd([1, 1, 0, 0])
    0.75
    """
    order = checked_order(failed, size=size, faults=faults)
    places = np.flatnonzero(order.failed) + 1  # TF_i, from 1 on
    if places.size < order.faults:
        raise NotEnoughLabels(
            f"The order shows {places.size} of {order.faults} faults; APFD needs the place of every fault. "
            "Give the whole order."
        )
    return float(1 - places.sum() / (order.faults * order.size) + 1 / (2 * order.size))  # eq. 1
