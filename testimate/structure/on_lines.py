"""Which rows of a block may be near which columns, by their places on the line through the centres of both."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STEP = float(np.finfo(np.float32).eps)
_SHADOWS_ROUNDING = 1e-5  # of two shadows no longer than 1: see ``Shadow``
_MOST_OF_IT = 0.75  # of a block's rows or columns: beyond, leaving out the others costs more than it saves


@dataclass(frozen=True, eq=False)
class OnLines:
    """Some columns on the lines from the centres of several blocks of rows to their own.

    No two points are nearer than their places on a line are. Two groups that lie apart have an empty stretch between them
    on that line, and only the few points beside it may have a partner within their limit.

    Attributes
    ----------
    lines : (blocks, w + 2) float32, unit vectors; the last two numbers, which are no part of a shadow, are 0.
    places : (blocks, m) of the columns. nearest : (blocks,) the least of each.
    limits : (m,) the columns' distances, divided by the shadow's scale: no shadow is longer than 1.
    every : all columns, (m,).
    room : what the rounding of two shadows and of their places comes to, at most.
    """

    lines: NDArray[np.float32]
    places: NDArray[np.float32]
    nearest: NDArray[np.float32]
    limits: NDArray[np.float64]
    every: NDArray[np.intp]
    room: float

    @classmethod
    def of(cls, middles: NDArray[np.float64], columns: NDArray[np.float32], limits: NDArray[np.float64]) -> "OnLines":
        """The lines from the blocks' ``middles``, (blocks, w + 2), to the columns, right sides of a product, (m, w + 2)."""
        between = columns.mean(axis=0, dtype=np.float64) - middles
        between[:, -2:] = 0.0
        lengths = np.linalg.norm(between, axis=1, keepdims=True)
        lines = (between / np.maximum(lengths, np.finfo(np.float64).tiny)).astype(np.float32)
        places = lines @ columns.T
        room = _SHADOWS_ROUNDING + 4 * (lines.shape[1] + 2) * _STEP  # twice what two places are off (Higham 2002, 3.1)
        return cls(lines, places, places.min(axis=1, initial=np.inf), limits, np.arange(len(columns)), room)

    def perhaps_near(
        self, block: int, rows: NDArray[np.float32], limits: NDArray[np.float64]
    ) -> list[tuple[Any, NDArray[np.intp]]]:
        """Which rows of a block to compare with which columns, so that no pair within a row's or a column's limit is missed.

        Rows that may have a partner within their limit, with the columns they may reach; the others only with columns that
        may reach them. ``rows`` : left sides of a product, (n, w + 2). ``limits`` : theirs, as those of the columns.
        """
        before, after = rows @ self.lines[block], self.places[block]
        reaching = self.nearest[block] - before <= limits + self.room
        aimed_at = after - before.max() <= self.limits + self.room
        count = np.count_nonzero(reaching)
        pieces: list[tuple[Any, NDArray[np.intp]]] = []
        some: Any = slice(None)
        if count <= _MOST_OF_IT * len(rows):
            some = np.flatnonzero(reaching)
            if aimed_at.any():
                pieces.append((np.flatnonzero(~reaching), np.flatnonzero(aimed_at)))
        if count:
            faced = aimed_at | (after - before[some].max() <= limits[some].max() + self.room)
            whole = np.count_nonzero(faced) > _MOST_OF_IT * len(faced)
            pieces.append((some, self.every if whole else np.flatnonzero(faced)))
        return pieces
