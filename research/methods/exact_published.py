"""The exact bias of DeepSample's own 2-UPS estimate, which averages over the clusters that were drawn."""

import numpy as np
from numpy.typing import NDArray

from testimate.core.errors import BadInput

MOST = 16
"""Clusters up to which every set of them is counted."""


def bias_of_average_over_strata(
    losses: NDArray[np.float64], strata: NDArray[np.intp], stratum_chances: NDArray[np.float64], budget: int
) -> float:
    """Bias of the accuracy by the mean over the strata met of N_h zbar_h / (N psi_h), in ``budget`` draws.

    The mean loss inside a stratum is unbiased given that it was reached, so all that counts is which strata are reached: a draw
    falls inside a set of them with the sum of its chances, and the chance that exactly the set is reached follows by inclusion
    and exclusion. Strata are taken to have more inputs than draws.

    Parameters
    ----------
    losses, strata : (N,) loss and stratum of every input, strata 0..H-1 without gaps, H at most MOST.
    stratum_chances : (H,) psi, above 0, summing to 1.
    budget : n.

    Raises
    ------
    BadInput : more strata than MOST, or chances that do not fit.

    >>> bias_of_average_over_strata(np.array([0.0, 1.0]), np.array([0, 1]), np.array([0.5, 0.5]), 1)
    0.0
    """
    sizes = np.bincount(strata)
    count = len(sizes)
    if count > MOST or stratum_chances.shape != (count,) or not (stratum_chances > 0).all():
        raise BadInput(
            f"There are {count} strata and {stratum_chances.size} chances; expected at most {MOST} with a chance above 0 "
            "each. Use fewer clusters."
        )
    terms = np.bincount(strata, losses) / losses.size / stratum_chances  # (H,) N_h p_h / (N psi_h)
    inside = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(bool)  # (2^H, H), every set
    exactly = (inside @ stratum_chances) ** budget  # all draws fall inside; then less those that miss one of the set
    for stratum in range(count):
        holds = np.flatnonzero(inside[:, stratum])
        exactly[holds] -= exactly[holds ^ (1 << stratum)]
    met = np.maximum(inside.sum(axis=1), 1)
    return float(losses.mean() - exactly @ ((inside @ terms) / met))
