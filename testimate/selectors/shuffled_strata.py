"""Strata of inputs, each in a random order, from which draws without replacement are dealt."""

import numpy as np
from numpy.typing import NDArray


class ShuffledStrata:
    """One shuffled pile of rows per stratum; taking from the top is simple random sampling without replacement.

    A pile that has given all its rows is begun again.

    Parameters
    ----------
    strata : (N,) stratum of each input, 0..H-1, none empty.
    rng : shuffles all inputs at once.

    Attributes
    ----------
    sizes : (H,) inputs in each stratum.
    place : (N,) place of each row in its stratum's pile, 0..N_h-1.
    """

    def __init__(self, strata: NDArray[np.intp], rng: np.random.Generator) -> None:
        shuffled = rng.permutation(strata.size)
        by_stratum = np.argsort(strata[shuffled].astype(np.int16), kind="stable")  # small whole numbers: a radix sort
        self._piles = shuffled[by_stratum]  # (N,), pile after pile
        self.sizes = np.bincount(strata)  # (H,)
        self._starts = np.cumsum(self.sizes) - self.sizes  # (H,)
        self.place = np.empty(strata.size, dtype=np.intp)
        self.place[self._piles] = np.arange(strata.size) - np.repeat(self._starts, self.sizes)

    def deal(self, order: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows (n,) for strata visited in this order (n,): at its k-th visit a stratum gives the k-th of its pile."""
        rows: NDArray[np.intp] = self._piles[self._starts[order] + visits(order) % self.sizes[order]]
        return rows

    def piles(self) -> list[NDArray[np.intp]]:
        """The rows of each stratum in their order, H arrays."""
        return np.split(self._piles, self._starts[1:])


def visits(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """How often each entry's stratum was visited before it, (n,).

    >>> visits(np.array([0, 1, 0, 0, 1])).tolist()
    [0, 0, 1, 2, 1]
    """
    grouped = np.argsort(order, kind="stable")
    sizes = np.bincount(order)
    before = np.empty(order.size, dtype=np.intp)
    before[grouped] = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return before


def score_ranges(scores: NDArray[np.float64], strata: NDArray[np.intp]) -> list[str]:
    """The scores each stratum spans, for people: "0.1 to 0.25", H phrases."""
    count = int(strata.max()) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, strata, scores)
    np.maximum.at(high, strata, scores)
    spans = [(f"{first:.3g}", f"{last:.3g}") for first, last in zip(low, high, strict=True)]
    return [first if first == last else f"{first} to {last}" for first, last in spans]
