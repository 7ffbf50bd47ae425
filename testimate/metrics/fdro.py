"""FDRO: the share of the faults that the budget finds."""

from numpy.typing import ArrayLike

from testimate.metrics.order import checked_order


def fdro(failed: ArrayLike, *, size: int | None = None, faults: int | None = None, budget: int | None = None) -> float:
    """Faults detection ratio: faults among the first m over m, 0..1 (Al-Qadasi et al. 2023, section II-B).

    With a ``budget`` other than the number of faults, the divisor is the smaller of the two: what could have been found.
    Arguments and errors as in `checked_order`.

    >>> fdro([1, 0, 1, 1], size=50, faults=4)
    0.75
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    return float(order.found[-1] / order.steps)
