"""Which pairs of inputs are near enough to matter: one pass over half the matrix of pairs, a block at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.structure.block_product import BlockProduct
from testimate.structure.on_cores import on_cores
from testimate.structure.on_lines import OnLines
from testimate.structure.pairs import Pairs, distances, rows_of_pairs, together
from testimate.structure.shadow import Shadow, right

_PIECE = 128  # up to this many positions the triangle is computed whole
_DENSE = 0.05  # above this share of near pairs in a block float32 saves nothing, and float64 is used at once
_EQUAL = 1e-11  # relative rounding error: a pair shorter by less than this changes nothing
_ON_LINES = 0.02  # work for a pair looked at on lines, as a share of that for one multiplied
_STEP64 = float(np.finfo(np.float64).eps)
_FLOAT32_FIRST = 64  # from this width second looks begin in float32
_FAR = 1e18  # limits beyond this leave no room in float32 for squares
_NONE = Pairs(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0))


@dataclass(frozen=True, eq=False)
class ClosePairs:
    """Decides whether a pair is near enough, for points in the order of a tree's dendrogram.

    The pair of positions a < b is near enough when its distance is at most ``reach[a]``, ``reach[b]`` or the largest of
    ``gaps[a:b]``.

    Attributes
    ----------
    space : (P, d) all points. shadow : their rounded copy, for the first look.
    order : (S,) the points looked at. gaps : (S - 1,). reach : (S,) of each position.
    product : multiplies the blocks. blocks : the (S, w + 2) left sides of products by row block, where it holds them.
    middles : the centre of each, (blocks, w + 2), where the product narrows blocks.
    """

    space: NDArray[Any]
    shadow: Shadow
    order: NDArray[np.intp]
    gaps: NDArray[np.float64]
    reach: NDArray[np.float64]
    product: BlockProduct
    blocks: Sequence[Any]
    middles: NDArray[np.float64] | None

    @classmethod
    def over(
        cls,
        space: NDArray[Any],
        shadow: Shadow,
        order: NDArray[np.intp],
        gaps: NDArray[np.float64],
        reach: NDArray[np.float64],
        product: BlockProduct,
    ) -> "ClosePairs":
        """The pass over the points in ``order``; ``reach`` is (P,), by point."""
        lefts = shadow.in_order(order)
        blocks = [product.hold(lefts[top : top + product.rows]) for top in range(0, len(order), product.rows)]
        middles = np.array([block.mean(axis=0, dtype=np.float64) for block in blocks]) if product.narrows else None
        return cls(space, shadow, order, gaps, reach[order], product, blocks, middles)

    def found(self, columns: Sequence[int], threads: int | None, on_finished: Callable[[int], None]) -> Pairs:
        """The near pairs whose later position lies in one of the column blocks."""
        return together(on_cores(columns, self._column_block, threads=threads, on_finished=on_finished))

    def columns_at(self, first: int) -> int:
        """The number of columns of the block that begins at position ``first``."""
        return min(self.product.columns, len(self.order) - first)

    def work(self, first: int) -> float:
        """The work of the column block at ``first``, in pairs multiplied; those before it are only looked at on lines."""
        columns = range(first, first + self.columns_at(first))
        if self.middles is None:
            return len(columns) * (first + len(columns) / 2)
        aimed = right(self.shadow.left(self.order[columns.start : columns.stop]))
        pieces = self._pieces(range(first), self.blocks, columns, aimed, *self._limits(range(first), columns))
        multiplied = sum(len(np.arange(len(points))[some]) * len(ours) for _, points, some, ours in pieces)
        return multiplied + _ON_LINES * len(columns) * first + len(columns) ** 2 / 2

    def _column_block(self, first: int) -> Pairs:
        """All pairs of the column block that begins at position ``first``, and those inside of it."""
        last = first + self.columns_at(first)
        left = self.shadow.left(self.order[first:last])
        parts = [self._rectangle(range(first), self.blocks, range(first, last), right(left))]
        for top in range(first, last, _PIECE):
            end = min(top + _PIECE, last)
            parts.append(self._triangle(top, end))
            if end < last:
                held = [self.product.hold(left[top - first : end - first])]
                parts.append(self._rectangle(range(top, end), held, range(end, last), right(left[end - first :])))
        return together(parts)

    def _limits(self, rows: range, columns: range) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far apart a pair of the rows, and of the columns that come right after, may be: (rows,) and (columns,)."""
        onward = np.maximum.accumulate(self.gaps[rows.start : rows.stop][::-1])[::-1]  # from a row to the first column
        before = np.concatenate([[0.0], np.maximum.accumulate(self.gaps[columns.start : columns.stop - 1])])
        return (
            np.maximum(onward, self.reach[rows.start : rows.stop]),
            np.maximum(before, self.reach[columns.start : columns.stop]),
        )

    def _pieces(
        self,
        rows: range,
        blocks: Sequence[Any],
        columns: range,
        aimed: NDArray[np.float32],
        row_limits: NDArray[np.float64],
        limits: NDArray[np.float64],
    ) -> Iterator[tuple[Any, range, Any, NDArray[np.intp]]]:
        """The parts of a rectangle to multiply: a block, its positions among the rows, which of them, and which columns."""
        step, lines = self.product.rows, None
        pieces: list[tuple[Any, NDArray[np.intp]]] = [(slice(None), np.arange(len(columns)))]
        if self.middles is not None and blocks is self.blocks:
            begun = -(-len(rows) // step)  # the last block of rows may end within the columns
            lines = OnLines.of(self.middles[:begun], aimed, limits / self.shadow.scale)
        for top in range(0, len(rows), step):
            points = range(top, min(top + step, len(rows)))
            block = blocks[top // step][: len(points)]
            if lines is not None:
                most = row_limits[points.start : points.stop] / self.shadow.scale
                pieces = lines.perhaps_near(top // step, block, most)
            for some, ours in pieces:
                yield block, points, some, ours

    def _rectangle(self, rows: range, blocks: Sequence[Any], columns: range, aimed: NDArray[np.float32]) -> Pairs:
        """The near pairs of positions ``rows``, whose left sides are ``blocks``, with ``columns``, which come right after."""
        row_limits, limits = self._limits(rows, columns)
        rows32, columns32 = self.shadow.limit(row_limits), self.shadow.limit(limits)
        before, own = self.order[rows.start : rows.stop], self.order[columns.start : columns.stop]
        values, whole = self.space[own], self.product.hold(aimed)
        parts = [_NONE]
        for block, points, some, ours in self._pieces(rows, blocks, columns, aimed, row_limits, limits):
            held = whole if len(ours) == len(own) else whole[ours]
            here = slice(points.start, points.stop)
            asked, least = before[here][some], row_limits[here][some]
            places = self.product.above(block[some], held, rows32[here][some], columns32[ours])
            if len(places) > _DENSE * len(asked) * len(ours):
                nearer = self._nearer(asked, values[ours], np.maximum(least[:, None], limits[ours]))
                places = np.flatnonzero(nearer)
            if len(places):
                one, place = np.divmod(places, len(ours))
                other = ours[place]
                found = np.maximum(least[one], limits[other])
                parts.append(self._looked_at(asked[one], values, other, own, found))
        return together(parts)

    def _triangle(self, first: int, last: int) -> Pairs:
        """The near pairs of a few positions among themselves."""
        own, places = self.order[first:last], np.arange(last - first)
        later = places > places[:, None]
        gaps = np.concatenate([[0.0], self.gaps[first : last - 1]])
        most = np.maximum.accumulate(np.where(later, gaps, 0.0), axis=1)  # (rows, columns), above the diagonal
        reach = self.reach[first:last]
        most = np.maximum(most, np.maximum(reach[:, None], reach))
        values = self.space[own]
        one, other = np.nonzero(self._nearer(own, values, most) & later)
        return self._looked_at(own[one], values, other, own, most[one, other])

    def _nearer(self, points: NDArray[np.intp], columns: NDArray[Any], most: NDArray[np.float64]) -> NDArray[np.bool_]:
        """In float64: whether points and columns may be nearer than ``most`` by more than rounding, (points, columns)."""
        rows = self.space[points]
        centre = rows[0].astype(np.float64)  # neighbours in this order are near, so their differences have small errors
        one, other = rows - centre, columns - centre
        squares = np.einsum("ij,ij->i", one, one)[:, None] + np.einsum("ij,ij->i", other, other)
        apart = squares - 2 * (one @ other.T)
        bound = most**2
        bound *= 1 - 2 * _EQUAL
        squares *= 4 * (rows.shape[1] + 4) * _STEP64  # Higham 2002, section 3.1
        bound += squares
        return np.asarray(apart <= bound)

    def _float32_first(self, most: NDArray[np.float64]) -> bool:
        """Whether looks at pairs within ``most`` begin in float32, where what is too large for it is farther apart."""
        wide = self.space.dtype == np.float32 and self.space.shape[1] >= _FLOAT32_FIRST
        return wide and bool(most.max(initial=0.0) < _FAR)

    def _looked_at(
        self,
        one: NDArray[np.intp],
        values: NDArray[Any],
        other: NDArray[np.intp],
        own: NDArray[np.intp],
        most: NDArray[np.float64],
    ) -> Pairs:
        """The pairs of points ``one`` and places ``other`` of ``own`` (whose rows are ``values``) within ``most``."""
        if self._float32_first(most):
            near = _near_in_float32(self.space, one, values, other, most)
            one, other, most = one[near], other[near], most[near]
        lengths = distances(self.space, one, values, other)
        near = lengths <= most
        return Pairs(one[near].astype(np.int32), own[other[near]].astype(np.int32), lengths[near])


def _near_in_float32(
    space: NDArray[Any],
    one: NDArray[np.intp],
    values: NDArray[Any],
    other: NDArray[np.intp],
    most: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Whether pairs may be within ``most``: computed from differences, float32 errs by a small share of the distance."""
    near = np.empty(len(one), dtype=bool)
    room = 1 + (space.shape[1] + 8) * float(np.finfo(np.float32).eps)
    for some, apart, there in rows_of_pairs(space, one, values, other):
        apart -= there
        with np.errstate(over="ignore"):  # farther apart than any limit
            near[some] = np.vecdot(apart, apart) <= most[some] ** 2 * room
    return near
