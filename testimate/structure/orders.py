"""Orders of numbers: the largest with ties, of tens of millions in little memory, and their running sums.

Picks the largest value, and the lowest row among values that differ only by rounding.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray


def lowest_best(values: NDArray[np.floating[Any]], tolerance: float = 1e-10) -> int:
    """Place of the largest value; of several within ``tolerance`` of it, the lowest place.

    Two inputs that are equal get values that differ in the last bits, by their place in a matrix product or by the
    processor; the tolerance makes the pick the same everywhere.

    >>> lowest_best(np.array([0.0, 0.3, 0.1 + 0.2]))
    1
    """
    return int(np.argmax(values >= values.max() - tolerance))


RANKED_AT_A_TIME = 1 << 20
"""Neighbors compared at a time: for tens of millions, copying all would cost more than sorting them."""


def order_with_ties(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Rising order of the values, (N,), equal ones by rising ticket, of which ``rng`` draws one for each value.

    What ``np.lexsort((rng.random(N), values))`` gives, in a third of its time where most values differ: the values are sorted
    alone, and the tickets looked at only where some tie.

    >>> order_with_ties(np.array([2.0, 1.0, 2.0, 2.0]), np.random.default_rng(1)).tolist()
    [1, 2, 0, 3]
    """
    order: NDArray[np.intp] = np.argsort(values)
    places = _tied(values, order)
    tickets = rng.random(len(values))
    if 2 * len(places) > len(values):  # most of them tie, so one sort by both is as fast
        return np.lexsort((tickets, values))
    if len(places):
        rows = order[places]
        order[places] = rows[np.lexsort((rows, tickets[rows], values[rows]))]
    return order


def _tied(values: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """The places in the order whose value is that of a neighbor."""
    alike = np.zeros(len(values) + 1, dtype=np.bool_)  # whether a value equals the one before it
    for start in range(0, len(values), RANKED_AT_A_TIME):
        ranked = values[order[start : start + RANKED_AT_A_TIME + 1]]
        np.equal(ranked[1:], ranked[:-1], out=alike[start + 1 : start + len(ranked)])
    return np.flatnonzero(alike[:-1] | alike[1:])


ORDERED_AT_A_TIME = 1 << 18
"""Places looked up at a time; NumPy widens them to eight bytes each while it does."""

LEVELS = 1 << 16

Value = TypeVar("Value", bound=np.generic)


def kind_of_places(size: int) -> type[np.int32] | type[np.intp]:
    """The type of places among ``size`` inputs: four bytes where they fit."""
    return np.int32 if size <= np.iinfo(np.int32).max else np.intp


def picked(values: NDArray[Value], places: NDArray[np.integer[Any]]) -> NDArray[Value]:
    """The values at these places, (n,)."""
    found: NDArray[Value] = np.empty(places.size, dtype=values.dtype)
    for start in range(0, places.size, ORDERED_AT_A_TIME):
        part = slice(start, start + ORDERED_AT_A_TIME)
        found[part] = values[places[part]]
    return found


def order_of_levels(levels: NDArray[np.uint16]) -> NDArray[np.integer[Any]]:
    """Rising order of the levels, (n,), equal ones as they come: ``argsort(levels, kind="stable")`` in a third of its memory.

    The levels are counted, and each part of the inputs is sorted alone and then put where its levels go.

    >>> order_of_levels(np.array([7, 2, 7, 2], dtype=np.uint16)).tolist()
    [1, 3, 0, 2]
    """
    if levels.size <= ORDERED_AT_A_TIME:
        return np.argsort(levels, kind="stable")
    parts = [slice(start, start + ORDERED_AT_A_TIME) for start in range(0, levels.size, ORDERED_AT_A_TIME)]
    counts = sum(np.bincount(levels[part], minlength=LEVELS) for part in parts)
    free = np.cumsum(counts) - counts  # (LEVELS,), where the next input of each level goes
    order: NDArray[np.integer[Any]] = np.empty(levels.size, dtype=kind_of_places(levels.size))
    for part in parts:
        own = levels[part]
        sorted_ = np.argsort(own, kind="stable")
        ranked = own[sorted_]
        counts = np.bincount(own, minlength=LEVELS)
        shift = free - (np.cumsum(counts) - counts)  # from a place among the sorted of this part to one among all
        goes = np.arange(ranked.size) + shift[ranked]
        order[goes] = sorted_ + part.start
        free += counts
    return order


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
