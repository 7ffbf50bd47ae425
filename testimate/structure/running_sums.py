"""The running sums of tens of millions of weights without an array as long as these."""

import numpy as np
from numpy.typing import NDArray

SUMMED_AT_A_TIME = 1 << 16
"""Weights in a block; the sum behind each block is kept, those inside are added up again when they are asked for."""


class RunningSums:
    """The running sums of weights (n,), each above 0, to the same bit as ``numpy.cumsum`` gives them.

    >>> sums = RunningSums(np.array([1.0, 2.0, 4.0]))
    >>> sums.at(1), sums.total, sums.first_above(3.0), sums.first_middle(2.0)
    (3.0, 7.0, 2, 1)
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights
        self._before = np.zeros(
            -(-weights.size // SUMMED_AT_A_TIME) + 1
        )  # sum before each block, and in the end the total
        for block in range(self._before.size - 1):
            self._held = block, self._added(block)
            self._before[block + 1] = self._held[1][-1]

    @property
    def total(self) -> float:
        """The sum of all."""
        return float(self._before[-1])

    def at(self, place: int) -> float:
        """The sum up to and with the weight at this place."""
        return float(self._of(place // SUMMED_AT_A_TIME)[place % SUMMED_AT_A_TIME])

    def first_above(self, aim: float) -> int:
        """The first place whose sum is above ``aim``; n where there is none."""
        block = int(np.searchsorted(self._before[1:], aim, side="right"))
        if block == self._before.size - 1:
            return self._weights.size
        return block * SUMMED_AT_A_TIME + int(np.searchsorted(self._of(block), aim, side="right"))

    def first_middle(self, aim: float) -> int:
        """The first place the middle of whose weight, sum - weight / 2, is at ``aim`` or above; n where there is none."""
        block = int(np.searchsorted(self._before[1:], aim, side="left"))
        if block == self._before.size - 1:
            return self._weights.size
        start = block * SUMMED_AT_A_TIME
        middles = self._of(block) - self._weights[start : start + SUMMED_AT_A_TIME] / 2
        return start + int(np.searchsorted(middles, aim, side="left"))  # perhaps the first of the next block

    def _of(self, block: int) -> NDArray[np.float64]:
        if self._held[0] != block:
            self._held = block, self._added(block)
        return self._held[1]

    def _added(self, block: int) -> NDArray[np.float64]:
        sums = self._weights[block * SUMMED_AT_A_TIME : (block + 1) * SUMMED_AT_A_TIME].copy()
        sums[0] += self._before[block]
        return np.cumsum(sums, out=sums)
