"""Equal rows, found once, so that no distance is taken between them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.structure.on_cores import on_cores

_BLOCK = 512


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Which rows are the same point.

    Attributes
    ----------
    first : (P,) the lowest row of every point, rising.
    point : (N,) place in ``first`` of every row's point.
    counts : (P,) rows of every point.
    """

    first: NDArray[np.intp]
    point: NDArray[np.intp]
    counts: NDArray[np.intp]


def equal_rows(space: NDArray[Any], *, threads: int | None = None) -> EqualRows:
    """The points of an (N, d) array of floats; rows are equal when all of their numbers are (-0.0 equals 0.0)."""
    keys = _keys(space, threads)
    order = np.argsort(keys, kind="stable")
    alike = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    first_of = np.arange(len(space))
    for place in alike.tolist():  # rows of one key are the same but for a rare collision
        row, before = order[place + 1], order[place]
        if np.array_equal(space[row], space[first_of[before]]):
            first_of[row] = first_of[before]
    first, point, counts = np.unique(first_of, return_inverse=True, return_counts=True)
    return EqualRows(first=first, point=point.ravel(), counts=counts)


def _keys(space: NDArray[Any], threads: int | None) -> NDArray[np.uint64]:
    """A number per row from all of its bits, the same for equal rows; whole numbers that wrap add up in any order."""
    factors = np.random.default_rng(0).integers(2**63, size=space.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    keys = np.empty(len(space), dtype=np.uint64)

    def fill(top: int) -> None:
        block = np.ascontiguousarray(space[top : top + _BLOCK]) + space.dtype.type(0)  # -0.0 becomes 0.0
        words = block.view(np.uint32 if block.itemsize == 4 else np.uint64).astype(np.uint64)
        words ^= words >> np.uint64(32)  # whole numbers have their bits at the top, where products would push them out
        words *= factors
        keys[top : top + _BLOCK] = words.sum(axis=1, dtype=np.uint64)

    on_cores(range(0, len(space), _BLOCK), fill, threads=threads)
    return keys
