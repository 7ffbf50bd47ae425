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

    The rows and columns that face each other are looked at once more, on the line between their own centres, which is
    another one, so that fewer of them are left.

    Attributes
    ----------
    columns : (m, w + 2) right sides of a product.
    lines : (blocks, w + 2) float32, unit vectors; the last two numbers, which are no part of a shadow, are 0.
    places : (blocks, m) of the columns on them.
    limits : (m,) the columns' distances, divided by the shadow's scale: no shadow is longer than 1; with ``room``.
    every : all columns, (m,).
    room : what the rounding of two shadows and of their places comes to, at most.
    """

    columns: NDArray[np.float32]
    lines: NDArray[np.float32]
    places: NDArray[np.float32]
    limits: NDArray[np.float64]
    every: NDArray[np.intp]
    room: float

    @classmethod
    def of(cls, middles: NDArray[np.float64], columns: NDArray[np.float32], limits: NDArray[np.float64]) -> "OnLines":
        """The lines from the blocks' ``middles``, (blocks, w + 2), to the columns, right sides of a product, (m, w + 2)."""
        lines = _lines(middles, columns)
        room = _SHADOWS_ROUNDING + 4 * (lines.shape[1] + 2) * _STEP  # twice what two places are off (Higham 2002, 3.1)
        return cls(columns, lines, lines @ columns.T, limits + room, np.arange(len(columns)), room)

    def perhaps_near(
        self, block: int, rows: NDArray[np.float32], limits: NDArray[np.float64]
    ) -> list[tuple[Any, NDArray[np.intp]]]:
        """Which rows of a block to compare with which columns, so that no pair within a row's or a column's limit is missed.

        Rows that may have a partner within their limit, with the columns they may reach; the others only with columns that
        may reach them. ``rows`` : left sides of a product, (n, w + 2). ``limits`` : theirs, as those of the columns.
        """
        own = limits + self.room
        found: list[tuple[Any, NDArray[np.intp]]] = []
        for some, ours in _facing(rows @ self.lines[block], self.places[block], own, self.limits):
            if len(some) == len(rows) and len(ours) == len(self.every):
                found.append((slice(None), self.every))
            else:
                found += self._closer(rows, own, some, ours)
        return found

    def _closer(
        self, rows: NDArray[np.float32], limits: NDArray[np.float64], some: NDArray[np.intp], ours: NDArray[np.intp]
    ) -> list[tuple[Any, NDArray[np.intp]]]:
        """The same for some of the rows and columns, on the line between the centres of these."""
        left, right = rows[some], self.columns[ours]
        line = _lines(left.mean(axis=0, dtype=np.float64)[None], right)[0]
        pieces = _facing(left @ line, right @ line, limits[some], self.limits[ours])
        return [(some[fewer], ours[columns]) for fewer, columns in pieces]


def _lines(middles: NDArray[np.float64], columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit vectors from the middles of some rows to that of the columns, (middles, w + 2); 0 where they are the same."""
    between = columns.mean(axis=0, dtype=np.float64) - middles
    between[:, -2:] = 0.0
    lengths = np.linalg.norm(between, axis=1, keepdims=True)
    found: NDArray[np.float32] = (between / np.maximum(lengths, np.finfo(np.float64).tiny)).astype(np.float32)
    return found


def _facing(
    before: NDArray[np.float32], after: NDArray[np.float32], limits: NDArray[np.float64], others: NDArray[np.float64]
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows and columns that may be near, by their places on a line, with the limits of both; no empty ones."""
    reaching = after.min() - before <= limits
    aimed_at = after - before.max() <= others
    count = np.count_nonzero(reaching)
    pieces: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    some = np.arange(len(before))
    if count <= _MOST_OF_IT * len(before):
        if aimed_at.any():
            pieces.append((some[~reaching], np.flatnonzero(aimed_at)))
        some = some[reaching]
    if count:
        faced = aimed_at | (after - before[some].max() <= limits[some].max())
        whole = np.count_nonzero(faced) > _MOST_OF_IT * len(faced)
        pieces.append((some, np.arange(len(after)) if whole else np.flatnonzero(faced)))
    return pieces
