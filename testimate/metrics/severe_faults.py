"""The share of the faults of each severity that the budget finds, and how severe a regression's errors are."""

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.metrics.order import judged_order
from testimate.metrics.severity import LEVELS, SeverityCounts, check_probability, severity_counts, severity_level
from testimate.metrics.sfdr import level_counts

BANDS = {"low": slice(1, 6), "moderate": slice(6, 9), "high": slice(9, LEVELS + 1)}
"""The severity levels of each band: below 50 %, 50 to below 80 %, from 80 %."""


@dataclass(frozen=True, slots=True)
class SeverityShares:
    """FDRO by band of severity, 0..1; None where the whole set has no fault of that band."""

    low: float | None
    moderate: float | None
    high: float | None

    def to_json(self) -> dict[str, float | None]:
        """Plain JSON values, every field by its name."""
        return asdict(self)


def fdro_by_severity(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
) -> SeverityShares:
    """Faults of each band among the first m over all faults of that band (Al-Qadasi et al. 2023, table V).

    Arguments and errors as in `sfdr`.

    >>> fdro_by_severity([1, 0, 1, 1], [0.9, 0.9, 0.6, 0.95])
    SeverityShares(low=None, moderate=1.0, high=0.5)
    """
    found = found_by_severity(failed, probability, size=size, faults=faults, budget=budget, all_faults=all_faults)
    totals = _all_faults(failed, probability, size, faults, budget, all_faults)
    shares = {
        band: float(found[band][-1] / total) if (total := int(totals[BANDS[band]].sum())) else None for band in BANDS
    }
    return SeverityShares(**shares)


def found_by_severity(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    all_faults: ArrayLike | None = None,
) -> dict[str, NDArray[np.intp]]:
    """Faults of each band found after each of the first m inputs, (m,) by band: low, moderate, high; as `sfdr`."""
    if all_faults is not None and faults is None:
        faults = int(np.size(all_faults))
    order = judged_order(failed, size=size, faults=faults, budget=budget)
    levels = severity_level(probability, order.failed)[: order.budget]
    return {
        band: np.cumsum((levels >= which.start) & (levels < which.stop), dtype=np.intp) for band, which in BANDS.items()
    }


def _all_faults(
    failed: ArrayLike,
    probability: ArrayLike,
    size: int | None,
    faults: int | None,
    budget: int | None,
    all_faults: ArrayLike | None,
) -> NDArray[np.intp]:
    """Faults of the whole set per severity level, (11,)."""
    if all_faults is not None:
        return level_counts(severity_level(check_probability(all_faults)))
    order = judged_order(failed, size=size, faults=faults, budget=budget)
    shown = level_counts(severity_level(probability, order.failed))
    if shown.sum() < order.faults:
        raise NotEnoughLabels(
            f"The order shows {shown.sum()} of {order.faults} faults; the share found of each severity needs all. Give the "
            "whole order or the probabilities of all faults."
        )
    return shown


def error_severity(errors: ArrayLike, *, tolerance: float, largest: float | None = None) -> NDArray[np.float64]:
    """How severe the errors of a regression are, (n,) in [0, 1]: what stands in a metric for the probability of a class.

    0 up to the tolerance, where there is no failure, rising evenly to 1 at ``largest``. With DeepSample's tolerance of 12.5
    degrees and the default of three times the tolerance, each level of `severity_level` is 2.5 degrees wide, as its tables
    are (section 5.3.2), the tenth from 35 degrees on; the high band begins at 32.5.

    Parameters
    ----------
    errors : (n,) predicted minus true, in the unit of the task.
    tolerance : the error beyond which an input has failed. largest : above it; None for three times the tolerance.

    Raises
    ------
    BadInput
        Where errors are not finite or ``largest`` is not above the tolerance.

    >>> error_severity([12.5, -15.0, 35.0, 90.0], tolerance=12.5)
    array([0. , 0.1, 0.9, 1. ])
    """
    absolute = np.abs(check_scores(errors, "errors"))
    end = 3 * tolerance if largest is None else largest
    if not 0 <= tolerance < end:
        raise BadInput(
            f"The tolerance is {tolerance} and the largest error {end}; needed is a largest error above the tolerance. Name it."
        )
    severity: NDArray[np.float64] = np.clip((absolute - tolerance) / (end - tolerance), 0.0, 1.0)
    return severity


def error_severity_counts(errors: ArrayLike, *, tolerance: float, largest: float | None = None) -> SeverityCounts:
    """Failures of a regression by band of `error_severity`; arguments and errors as there.

    >>> error_severity_counts([3.0, 20.0, -30.0, 40.0], tolerance=12.5)
    SeverityCounts(low=1, moderate=1, high=1)
    """
    absolute = np.abs(check_scores(errors, "errors"))
    return severity_counts(absolute > tolerance, error_severity(errors, tolerance=tolerance, largest=largest))
