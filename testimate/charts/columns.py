"""Lists given by pages, with None for what is not known yet, as float columns of one length."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput

Column = ArrayLike | Sequence[float | None]
"""Numbers, or None (or nan) where there is none."""


def column(values: Column | None, name: str, count: int | None = None) -> NDArray[np.float64]:
    """The values as a (count,) float array, nan where there is no number; None stands for a column without any.

    Raises
    ------
    BadInput
        The values are not numbers in one column, or not ``count`` of them.
    """
    if values is None:
        return np.full(count or 0, np.nan)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"Expected numbers or None as the {name}, got something else. Repair them.") from None
    if array.ndim != 1 or (count is not None and len(array) != count):
        needed = "one number each" if count is None else f"{count} numbers"
        raise BadInput(f"Expected {needed} {name} in one column, got shape {array.shape}. Pass as many.")
    return array


def places(values: Column, name: str, count: int | None = None) -> NDArray[np.intp]:
    """The values as a (count,) array of whole numbers; BadInput where they are not whole numbers."""
    numbers = column(values, name, count)
    if numbers.size and not np.array_equal(numbers, np.floor(numbers)):
        raise BadInput(f"Expected whole numbers as the {name}, got others. Repair them.")
    whole: NDArray[Any] = numbers.astype(np.intp)
    return whole
