"""Predictions and answers as arrays of one row per input, refused with a sentence where they are not."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from testimate.core.errors import BadInput


def answer_array(what: str, values: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """The values as an array of at least one axis; BadInput where they do not form one."""
    try:
        array = np.asarray(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):  # rows of unequal length, or what is not a number
        raise BadInput(
            f"The {what} {values!r:.60} do not form an array of one row per input. Pass them in the form check_answer gives."
        ) from None
    if not array.ndim:
        raise BadInput(f"The {what} are the single value {values!r:.60}; expected one per input. Pass a list of them.")
    return array


def whole_array(what: str, values: ArrayLike) -> NDArray[np.intp]:
    """The values as an array of whole numbers with at least one axis; BadInput where they do not form one."""
    return answer_array(what, values, np.intp)


def check_shape(what: str, array: NDArray[Any], expected: tuple[int, ...]) -> None:
    """BadInput where the array has another shape, which numpy would broadcast in silence or refuse without a word."""
    if array.shape != expected:
        raise BadInput(
            f"The {what} have shape {array.shape}, expected {expected}. Give one prediction and one answer per input, "
            "in the form the task defines."
        )
