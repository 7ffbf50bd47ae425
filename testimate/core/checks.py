"""Checks every technique shares, each with a sentence that says what to do."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput

_ROWS = 65_536  # looked at at a time


def check_budget(budget: int, size: int) -> int:
    """The budget, a whole number from 1 to N; BadInput otherwise."""
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer):
        raise BadInput(f"The budget is {budget!r:.60}; expected a whole number of labels. Change it.")
    if size < 1:
        raise BadInput("There are no inputs to choose from; at least 1 is needed. Load a dataset that is not empty.")
    if not 1 <= budget <= size:
        raise BadInput(f"The budget is {budget}; it must be between 1 and the number of inputs, {size}. Change it.")
    return int(budget)


def check_level(level: float) -> float:
    """Return the confidence level, above 0 and below 1; BadInput otherwise."""
    if not 0 < level < 1:
        raise BadInput(f"The level is {level}. Expected a number above 0 and below 1. Use 0.95, for example.")
    return float(level)


def check_scores(scores: ArrayLike, name: str = "scores") -> NDArray[np.float64]:
    """The scores as a finite (N,) float64 array; BadInput names the first row that is not finite."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1:
        raise BadInput(f"The {name} have shape {array.shape}; expected one number per input, (N,). Pass one column.")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise BadInput(
            f"{name}[{bad[0]}] is {array[bad[0]]}, as are {bad.size - 1} more; expected finite numbers. "
            "Repair or remove these values."
            if bad.size > 1
            else f"{name}[{bad[0]}] is {array[bad[0]]}; expected finite numbers. Repair or remove this value."
        )
    return array


def check_features(features: ArrayLike, name: str = "features") -> NDArray[Any]:
    """The features as a finite (N, width) floating array (float32 stays float32); BadInput otherwise."""
    array = np.asarray(features)
    if array.ndim != 2 or 0 in array.shape:
        raise BadInput(
            f"The {name} have shape {array.shape}; expected a row of numbers per input, (N, width). Reshape them."
        )
    if array.dtype != np.float32:
        array = _as_double(array, name)
    finite = np.empty(len(array), dtype=np.bool_)
    for top in range(0, len(array), _ROWS):  # whatever their number, so that features in a file stay there
        finite[top : top + _ROWS] = np.isfinite(array[top : top + _ROWS]).all(axis=1)
    if not finite.all():
        count, row = int((~finite).sum()), int(np.flatnonzero(~finite)[0])
        found = f"1 row of the {name} holds nan or infinity, row {row}"
        if count > 1:
            found = f"{count} rows of the {name} hold nan or infinity, the first is row {row}"
        raise BadInput(f"{found}; expected finite numbers. Repair the model or remove these inputs.")
    return array


def _as_double(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    """The numbers in double precision; BadInput where they are texts, complex or anything else."""
    try:
        if array.dtype.kind in "fiubO":
            return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise BadInput(f"The {name} are of type {array.dtype}; expected real numbers. Convert them first.")
