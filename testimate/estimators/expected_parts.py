"""How wide the interval of a part of the set is expected to be, before any label is seen."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.estimators.expected_half_width import check_budgets, check_rates
from testimate.estimators.ratios import FEWEST, Ratios, share_ends


def part_half_width(size: int, budgets: ArrayLike, failure: float, *, level: float = 0.95) -> NDArray[np.float64]:
    """Half the width of a part's interval after n labels drawn at random from its ``size`` inputs, as ``share_ends`` gives it.

    Parameters
    ----------
    budgets : (K,) whole numbers n, from 1 to ``size``. failure : guessed share of the part's inputs that fail, 0..1.

    Returns
    -------
    (K,) half widths; 0 where everything is labeled, infinite below ``FEWEST`` labels, which give no number.

    >>> part_half_width(10_000, [5, 100, 400], 0.05).round(3)
    array([  inf, 0.045, 0.021])
    """
    n = check_budgets(budgets, 1, size)
    rate = float(check_rates(failure, 1)[0])
    left = 1 - n / size
    found = Ratios(
        np.full(len(n), 1 - rate), left * rate * (1 - rate) / np.maximum(n - 1, 1), left / n, n.astype(np.intp)
    )
    ends = share_ends(found, level)
    widths = (np.asarray(ends.high) - np.asarray(ends.low)) / 2
    return np.where(n == size, 0.0, np.where(n < FEWEST, np.inf, widths))
