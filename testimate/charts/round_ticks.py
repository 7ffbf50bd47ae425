"""Round numbers along an axis that is drawn by hand."""

import numpy as np
from numpy.typing import NDArray


def round_ticks(low: float, high: float, *, most: int) -> NDArray[np.float64]:
    """Round numbers from low to high, at most so many steps.

    >>> round_ticks(75, 100.4, most=6)
    array([ 75.,  80.,  85.,  90.,  95., 100.])
    """
    rough = (high - low) / most
    size = 10 ** np.floor(np.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough - 1e-9 or factor == 10)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return np.asarray(step * np.arange(first, last + 1) + 0.0, dtype=np.float64)  # never -0
