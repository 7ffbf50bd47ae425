"""SFDR: whether an order shows the severe faults first."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.metrics.judged_severity import judged_severity
from testimate.metrics.severity import LEVELS


def sfdr(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
    gamma: float = 0.5,
) -> float:
    """Severe faults detection rate, 0..1 (Al-Qadasi et al. 2023, eq. 7); faults by falling level give 1.

    Parameters
    ----------
    failed, size, faults, budget : as in `checked_order`; the mean stops at the number of faults.
    probability : (n,) probability of the predicted class, in labeling order; that of correct inputs does not count.
    all_faults : (faults,) probabilities of all faults, in any order; needed where the order ends before the last fault.
    gamma : what a step at a correct input keeps of its value, above 0 and below 1; smaller punishes more.

    Raises
    ------
    NotEnoughLabels
        Where the severity of some faults is unknown, or there is none.
    BadInput
        Where a probability or gamma is out of range, or the arguments contradict each other.

    >>> round(sfdr([1] * 8, [0.90, 0.88, 0.81, 0.75, 0.70, 0.69, 0.62, 0.99], size=100, faults=8), 4)
    0.8009
    """
    curve = sfdr_curve(failed, probability, size=size, faults=faults, budget=budget, all_faults=all_faults, gamma=gamma)
    return float(curve.mean())  # eq. 7


def sfdr_curve(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
    gamma: float = 0.5,
) -> NDArray[np.float64]:
    """y_1 ... y_m of the paper's table I, (m,), 0..1, whose mean is SFDR; arguments as in `sfdr`."""
    judged = judged_severity(failed, probability, size=size, faults=faults, budget=budget, all_faults=all_faults)
    return steps_of(judged.levels[: judged.order.steps], judged.level_counts_of_all(all_faults), gamma)


def steps_of(levels: NDArray[np.intp], fault_counts: NDArray[np.number], gamma: float) -> NDArray[np.float64]:
    """y_i for the first inputs of an order, (steps,): gamma if correct, times |A[0:i] with B[0:i]| / i.

    ``levels`` : (steps,) of B, the order judged, 0 where correct. ``fault_counts`` : (11,) of A, all faults by falling
    level; expected numbers of faults, which need not be whole, do as well.
    """
    if not 0 < gamma < 1:
        raise BadInput(f"gamma is {gamma}; it must be above 0 and below 1. The paper takes 0.5.")
    place = np.arange(1, levels.size + 1)[:, None]  # i, (steps, 1)
    counts = fault_counts[1:].astype(np.float64)  # (10,), of levels 1..10
    more_severe = counts[::-1].cumsum()[::-1] - counts  # faults of higher levels, which A lists before
    ideal = np.clip(place - more_severe, 0, counts)  # multiset A[0:i] as counts per level, (steps, 10)
    judged = np.cumsum(levels[:, None] == np.arange(1, LEVELS + 1), axis=0)  # the same of B[0:i], (steps, 10)
    shared = np.minimum(ideal, judged).sum(axis=1)  # x_i
    keep = np.where(levels == 0, gamma, 1.0)  # gamma ** f(x_i); here the paper's f is 1 for a correct input
    steps: NDArray[np.float64] = keep * shared / place[:, 0]  # eq. 7
    return steps
