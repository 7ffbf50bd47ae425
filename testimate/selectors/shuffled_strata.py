"""Strata of inputs, each shuffled, from which draws without replacement are dealt."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class ShuffledStrata:
    """One shuffled pile of rows per stratum; taking from the top is simple random sampling without replacement.

    A pile that has given all its rows starts again in the same order.

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
        shuffled = shuffled_rows(strata.size, rng)
        by_stratum = np.argsort(strata.astype(np.int16)[shuffled], kind="stable")  # small whole numbers: a radix sort
        self._piles = shuffled[by_stratum]  # (N,), pile after pile
        del shuffled, by_stratum
        self.sizes = np.bincount(strata)  # (H,)
        self._starts = np.cumsum(self.sizes) - self.sizes  # (H,)
        self.place: NDArray[Any] = np.empty_like(self._piles)
        for start, size in zip(self._starts.tolist(), self.sizes.tolist(), strict=True):
            self.place[self._piles[start : start + size]] = np.arange(size)

    def deal(self, order: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows (n,) for strata visited in this order (n,): at its k-th visit a stratum gives the k-th of its pile."""
        return self._piles[self._starts[order] + visits(order) % self.sizes[order]].astype(np.intp)

    def piles(self) -> list[NDArray[Any]]:
        """The rows of each stratum in their order, H arrays of whole numbers."""
        return np.split(self._piles, self._starts[1:])


def shuffled_rows(size: int, rng: np.random.Generator) -> NDArray[Any]:
    """The rows 0..N-1 in random order, (N,), as ``rng.permutation`` gives them, in half its memory where they fit."""
    rows = np.arange(size, dtype=np.int32 if size <= np.iinfo(np.int32).max else np.int64)
    rng.shuffle(rows)
    return rows


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
    """The range of scores in each stratum, in words: "0.1 to 0.25", H phrases."""
    count = int(strata.max()) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, strata, scores)
    np.maximum.at(high, strata, scores)
    spans = [(f"{first:.3g}", f"{last:.3g}") for first, last in zip(low, high, strict=True)]
    return [first if first == last else f"{first} to {last}" for first, last in spans]
