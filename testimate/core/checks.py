"""Checks every technique shares, each with a sentence that says what to do."""

import math
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput

_ROWS = 65_536  # looked at at a time


def is_whole(value: object, least: float = -math.inf, most: float = math.inf) -> TypeGuard[int]:
    """Whether it is a whole number within the bounds, both inclusive; True and False are none.

    >>> is_whole(7, 0), is_whole(True), is_whole(7.0)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(least <= value <= most)


def is_number(value: object, least: float = -math.inf, most: float = math.inf) -> TypeGuard[float]:
    """Whether it is a number within the bounds, both inclusive; nan, True and False are none.

    >>> is_number(0.5, 0, 1), is_number(float("nan")), is_number(False)
    (True, False, False)
    """
    kinds = int | float | np.integer | np.floating
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(least <= value <= most)


def check_budget(budget: int, size: int) -> int:
    """The budget, a whole number from 1 to N; BadInput otherwise."""
    if not is_whole(budget):
        raise BadInput(f"The budget is {budget!r:.60}. Expected a whole number of labels. Change it.")
    if size < 1:
        raise BadInput("There are no inputs to choose from; at least 1 is needed. Load a dataset that is not empty.")
    if not 1 <= budget <= size:
        raise BadInput(
            f"The budget is {budget}. Expected a number between 1 and the number of inputs, {size}. Change it."
        )
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
        raise BadInput(f"The {name} have shape {array.shape}. Expected one number per input, (N,). Pass one column.")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise BadInput(
            f"{name}[{bad[0]}] is {array[bad[0]]}, as are {bad.size - 1} more. Expected finite numbers. "
            "Repair or remove these values."
            if bad.size > 1
            else f"{name}[{bad[0]}] is {array[bad[0]]}. Expected finite numbers. Repair or remove this value."
        )
    return array


def check_probability(probability: ArrayLike, name: str = "probability") -> NDArray[np.float64]:
    """The probabilities as an (N,) array in [0, 1]; BadInput names the first that is not."""
    chances = check_scores(probability, name)
    bad = np.flatnonzero((chances < 0) | (chances > 1))
    if bad.size:
        raise BadInput(
            f"{name}[{bad[0]}] is {chances[bad[0]]}; a probability is between 0 and 1. "
            "Divide percentages by 100, or give the column of the predicted probability."
        )
    return chances


def check_chances(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores (N,), which are said to be chances of failure; BadInput where one is outside [0, 1]."""
    if not (scores.min() >= 0 and scores.max() <= 1):
        raise BadInput(
            f"The scores run from {scores.min():.4g} to {scores.max():.4g}; chances of failure are between 0 and 1. "
            "Pass chances, or state that the scores are not chances."
        )
    return scores


def check_features(features: ArrayLike, name: str = "features") -> NDArray[Any]:
    """The features as a finite (N, width) floating array (float32 stays float32); BadInput otherwise."""
    array = np.asarray(features)
    if array.ndim != 2 or 0 in array.shape:
        raise BadInput(
            f"The {name} have shape {array.shape}. Expected a row of numbers per input, (N, width). Reshape them."
        )
    if array.dtype != np.float32:
        array = _as_double(array, name)
    finite = np.empty(len(array), dtype=np.bool_)
    for top in range(0, len(array), _ROWS):  # whatever their number, so that features in a file stay there
        finite[top : top + _ROWS] = np.isfinite(array[top : top + _ROWS]).all(axis=1)
    if not finite.all():
        count, row = int((~finite).sum()), int(np.flatnonzero(~finite)[0])
        found = f"1 row of the {name} contains nan or infinity, row {row}"
        if count > 1:
            found = f"{count} rows of the {name} contain nan or infinity, the first is row {row}"
        raise BadInput(f"{found}. Expected finite numbers. Repair the model or remove these inputs.")
    return array


def _as_double(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    """The numbers in double precision; BadInput where they are texts, complex or anything else."""
    try:
        if array.dtype.kind in "fiubO":
            return array.astype(np.float64)
    except (TypeError, ValueError):
        pass
    raise BadInput(f"The {name} are of type {array.dtype}. Expected real numbers. Convert them first.")
