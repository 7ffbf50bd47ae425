"""WFDR: faults found, each weighted by how hard it was to find a fault at that step."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import NotEnoughLabels
from testimate.metrics.order import CheckedOrder, checked_order


@dataclass(frozen=True, eq=False)
class WfdrCurve:
    """WFDR step by step, each (m,): ``weights`` of the steps, 0..1, and both sums so far, ``actual`` and ``ideal``."""

    weights: NDArray[np.float64]
    actual: NDArray[np.float64]
    ideal: NDArray[np.float64]


def wfdr(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Weighted faults detection ratio, 0..1 (Al-Qadasi et al. 2023, eq. 4-6); the ideal order gives 1.

    In the paper m is both the budget and the number of faults. Here the weights take the number of faults, and both sums
    stop at ``budget``, or at the number of faults where that is smaller. Arguments and errors as in `checked_order`;
    NotEnoughLabels also where every input is a fault: then no order is better than another.

    >>> round(wfdr([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], size=100, faults=10), 4)
    0.5873
    """
    curve = wfdr_curve(failed, size=size, faults=faults, budget=budget)
    return float(curve.actual[-1] / curve.ideal[-1])  # eq. 6


def wfdr_curve(
    failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None
) -> WfdrCurve:
    """The weights and running sums of WFDR, for a chart; its last ``actual`` over its last ``ideal`` is WFDR."""
    return curve_of(checked_order(failed, size=size, faults=faults, budget=budget))


def curve_of(order: CheckedOrder) -> WfdrCurve:
    """The curve of an order checked before; NotEnoughLabels where every input is a fault."""
    if order.faults == order.size:
        raise NotEnoughLabels(
            f"All {order.size} inputs are faults; WFDR needs at least 1 correct input, or every order is ideal. "
            "Look at FDRO instead."
        )
    left = order.size - np.arange(order.steps)  # n - (i - 1), (steps,)
    found = order.found[: order.steps]  # d_i
    found_before = np.concatenate([[0], found[:-1]])  # d_{i-1}
    weights = (left - (order.faults - found_before)) / left  # eq. 4: 1 - (m - d_{i-1}) / (n - (i - 1))
    actual = np.cumsum(order.failed[: order.steps] * weights)  # eq. 4
    ideal = np.cumsum((order.size - order.faults) / left)  # eq. 5
    return WfdrCurve(weights, actual, ideal)
