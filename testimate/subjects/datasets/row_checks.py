"""Checks the rows a caller asks for: a negative one would silently give another input."""

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput


def checked_rows(rows: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """The rows as an (n,) array; BadInput where one is not from 0 to ``size`` - 1."""
    asked = np.asarray(rows, dtype=np.intp)
    bad = asked[(asked < 0) | (asked >= size)]
    if bad.size:
        raise BadInput(f"There is no row {bad[0]}; expected one from 0 to {size - 1}. Choose another.")
    return asked


def checked_row(row: int, size: int) -> int:
    """The row; BadInput where it is not from 0 to ``size`` - 1."""
    return int(checked_rows(np.array([row]), size)[0])
