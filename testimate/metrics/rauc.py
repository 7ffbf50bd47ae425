"""RAUC: the area under the curve of faults found, over that of the ideal order."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.metrics.order import checked_order


@dataclass(frozen=True, eq=False)
class FoundCurve:
    """Faults found after each of the first m inputs: by the order judged and by the ideal one, both (m,)."""

    practical: NDArray[np.intp]
    ideal: NDArray[np.intp]


def found_curve(
    failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None
) -> FoundCurve:
    """The two curves whose areas RAUC compares (Al-Qadasi et al. 2023, figure 1); arguments as in `checked_order`.

    >>> found_curve([1, 0, 1], size=9, faults=3).practical
    array([1, 1, 2])
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return FoundCurve(order.found, order.ideal_found)


def rauc(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Ratio of the area under the curve, 0..1 (Al-Qadasi et al. 2023, eq. 2); the ideal order gives 1.

    Arguments and errors as in `checked_order`.

    >>> round(rauc([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], size=100, faults=10), 4)
    0.8182
    """
    curve = found_curve(failed, size=size, faults=faults, budget=budget)
    return float(curve.practical.sum() / curve.ideal.sum())  # eq. 2
