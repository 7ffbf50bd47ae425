"""How many labels an interval of a requested width needs: by a forecast before labeling, or by the estimate so far."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Estimate
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.estimators.intervals import wilson

BUDGETS_AT_A_TIME = 24
MOST = 10_000_000  # labels looked at where inputs may be drawn again

HalfWidths = Callable[[NDArray[np.intp]], NDArray[np.float64]]
"""Expected half-widths (K,) of (K,) budgets, such as one of ``expected_half_width``."""


def labels_needed(half_width: float, expected: HalfWidths, *, least: int, most: int) -> int | None:
    """The smallest budget from ``least`` to ``most`` that is expected to reach the half-width; None where none does.

    Parameters
    ----------
    half_width : wanted, above 0, in the unit of the loss.
    expected : falls with the budget, but for small steps.

    >>> from testimate.estimators.expected_half_width import simple_random_half_width
    >>> labels_needed(0.03, lambda budgets: simple_random_half_width(10_000, budgets, 0.1), least=1, most=10_000)
    373
    """
    check_half_width(half_width)
    if not 1 <= least <= most:
        raise BadInput(f"Budgets from {least} to {most} were asked for; expected at least one from 1 on. Change them.")
    low = least
    while True:  # many budgets at a time: a forecast costs hardly more for many than for one
        tried = _spread(low, min(8 * low, most), np.geomspace)
        reached = expected(tried) <= half_width
        if reached.any():
            break
        if tried[-1] == most:
            return None
        low = int(tried[-1])
    first = int(reached.argmax())
    while first and tried[first] - tried[first - 1] > 1:
        tried = _spread(int(tried[first - 1]), int(tried[first]), np.linspace)
        reached = expected(tried) <= half_width
        first = int(reached.argmax()) if reached.any() else len(tried) - 1
    return int(tried[first])


def _spread(low: int, high: int, how: Callable[[int, int, int], NDArray[np.float64]]) -> NDArray[np.intp]:
    """A few whole numbers from ``low`` to ``high``, both among them, rising."""
    return np.unique(how(low, high, BUDGETS_AT_A_TIME).round().astype(np.intp).clip(low, high))


def labels_still_needed(
    estimate: Estimate, design: Design, half_width: float, *, loss_bound: float = 1.0
) -> int | None:
    """Labels still needed until the ordinary interval is expected to reach the half-width; 0 where it has.

    None where none will. Extrapolated from the labels so far: the present width is taken as that of a sample with the
    present rate and effective n, which grows with the labels, and without replacement faster towards the end. The
    estimate's errors are in it; it is a forecast that gets better, not a promise. ``labels_ahead`` has that of the
    always-valid interval.

    Parameters
    ----------
    estimate : with its interval.
    design : the one the estimate was made from.
    half_width : wanted, above 0, in the unit of the loss.
    loss_bound : the task's largest loss, in whose shares the rate is given.

    Raises
    ------
    BadInput : a half-width not above 0.
    NotEnoughLabels : the estimate has no interval.
    """
    check_half_width(half_width)
    now = estimate.half_width
    if now is None:
        raise NotEnoughLabels(
            "The estimate has no ordinary interval, so nobody can tell how many labels it needs. "
            f"{estimate.why or 'Label more.'}"
        )
    if now <= half_width:
        return 0
    replacement = bool(getattr(design, "replacement", False))
    done = estimate.labeled
    most = MOST if replacement else design.size
    if done >= most:
        return None
    size = None if replacement else design.size

    def expected(budgets: NDArray[np.intp]) -> NDArray[np.float64]:
        return _ordinary_ahead(estimate, now, budgets, size, loss_bound)

    reached = labels_needed(half_width, expected, least=done + 1, most=most)
    return None if reached is None else reached - done


def check_half_width(half_width: float) -> float:
    """The half-width, a finite number above 0; BadInput otherwise."""
    if not (np.isfinite(half_width) and half_width > 0):
        raise BadInput(f"The requested half-width is {half_width}; it must be above 0. Give 0.05 for ± 5 points, say.")
    return float(half_width)


def _ordinary_ahead(
    estimate: Estimate, now: float, budgets: NDArray[np.intp], size: int | None, loss_bound: float
) -> NDArray[np.float64]:
    """Half-widths (K,): Wilson's, with the effective n that gives the present width, in proportion to n / (1 - n / N)."""
    from scipy.optimize import brentq  # slow to load, and a session without a label does not need it

    rate = float(np.clip((1 - estimate.accuracy) / loss_bound, 0, 1))
    share = now / loss_bound

    def too_wide(log_n: float) -> float:
        return _wilson_half_width(rate, float(np.exp(log_n)), estimate.level) - share

    effective = float(np.exp(brentq(too_wide, -20.0, 40.0))) if too_wide(-20.0) > 0 else float(np.exp(-20.0))
    information = _information(np.append(budgets, estimate.labeled), size)
    grown = effective * information[:-1] / information[-1]
    return loss_bound * np.array([_wilson_half_width(rate, float(n), estimate.level) for n in grown])


def _information(labels: NDArray[np.intp], size: int | None) -> NDArray[np.float64]:
    """n / (1 - n / N), (K,), to which the inverse of the variance is proportional; infinite where all is labeled."""
    left = np.ones(len(labels)) if size is None else 1 - labels / size
    return np.asarray(np.divide(labels, left, out=np.full(len(labels), np.inf), where=left > 0), dtype=np.float64)


def _wilson_half_width(rate: float, n: float, level: float) -> float:
    low, high = wilson(rate, n, level)
    return float((high - low) / 2)
