"""How severe a fault is by the task: the confidence in a wrong class, or the size of a regression's error."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_scores
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.metrics.severity import HIGH_FROM, MODERATE_FROM, SeverityCounts, severity_counts
from testimate.tasks.regression import FAR_OFF, Regression

LARGEST = 3.0
"""Tolerances from which on an error of a regression is as severe as can be."""

MODERATE_TIMES, HIGH_TIMES = (1 + (LARGEST - 1) * start for start in (MODERATE_FROM, HIGH_FROM))
"""Tolerances, 2 and 2.6, at which the moderate and the high band of a regression begin."""


def fault_severity(inputs: Inputs, rows: NDArray[np.intp], losses: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """How severe a fault of each row (k,) is, by its loss (k,): (k,) in [0, 1]; None where that is not known.

    The confidence in the predicted class, or of a regression with a tolerance its `error_severity`.
    """
    if isinstance(inputs.task, Regression):
        if not inputs.task.tolerance:
            return None
        errors = np.minimum(inputs.task.errors(losses), FAR_OFF * max(1.0, inputs.task.tolerance))
        return error_severity(errors, tolerance=inputs.task.tolerance)
    return None if inputs.confidence is None else inputs.confidence[rows]


def error_severity(errors: ArrayLike, *, tolerance: float, largest: float | None = None) -> NDArray[np.float64]:
    """How severe the errors of a regression are, (n,) in [0, 1]: what metrics take in place of the probability of a class.

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
    end = LARGEST * tolerance if largest is None else largest
    if not 0 <= tolerance < end:
        raise BadInput(
            f"The tolerance is {tolerance} and the largest error {end}; expected a largest error above the tolerance. Name it."
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
