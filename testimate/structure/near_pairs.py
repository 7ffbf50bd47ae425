"""Near pairs of inputs: found in one pass over half the matrix of pairs, a block at a time.

From the pairs with their exact distances follow the core distances and the shortest tree. The slow step is which pairs of two
blocks may be near: NumPy says it, or PyTorch if there is CUDA.
"""

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from testimate.core.plug_ins import is_there
from testimate.structure.cores import on_cores
from testimate.structure.shadows import OnLines, Shadow, right

_NUMBERS = 1 << 16  # of each side looked at at a time: what a core's own cache holds
_TOGETHER = 4096  # pairs measured by one thread at a time
_SORTED = 1 << 18  # about as many pairs are sorted at a time, since that takes several times their memory
_WEIGHED = 2  # pairs per point of which a tree is made at once


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs, each once.

    ``low``, ``high`` : (E,) rows, the lower and the higher, in the order of (low, high); int32, since there are many.
    ``lengths`` : (E,) distances.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    lengths: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.low)

    def taken(self, places: NDArray[Any]) -> "Pairs":
        """Some of the pairs, by a mask or by rising places."""
        return Pairs(self.low[places], self.high[places], self.lengths[places])


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree (or forest) of least total mutual reachability, the shortest edge first, ties by rows.

    ``low``, ``high`` : rows. ``weights`` : mutual reachability. ``places`` : among the pairs it was made of.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    weights: NDArray[np.float64]
    places: NDArray[np.intp]


def joined_pairs(*parts: Pairs, size: int) -> Pairs:
    """The pairs of several parts, in any order and perhaps more than once, of rows below ``size``."""
    most = sum(map(len, parts))
    joined = Pairs(np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32), np.empty(most))
    count = 0
    for rows in _row_ranges(most, size):
        some = _between(parts, rows)
        keys = np.minimum(some.low, some.high) * np.int64(size) + np.maximum(some.low, some.high)
        order = np.argsort(keys)  # of pairs found twice either will do: their lengths are equal
        keys = keys[order]
        kept = np.append(keys[1:] != keys[:-1], True)[: len(keys)]
        now = slice(count, count + int(np.count_nonzero(kept)))
        count = now.stop
        joined.low[now], joined.high[now] = np.divmod(keys[kept], size)
        joined.lengths[now] = some.lengths[order[kept]]
    return Pairs(joined.low[:count], joined.high[:count], joined.lengths[:count])


def _row_ranges(pairs: int, size: int) -> list[range]:
    """Ranges of rows that hold about ``_SORTED`` of the pairs each."""
    step = max(-(-size // (1 + pairs // _SORTED)), 1)
    return [range(top, min(top + step, size)) for top in range(0, size, step)]


def _between(parts: Sequence[Pairs], rows: range) -> Pairs:
    """The pairs of several parts whose lower row is in a range, one part after another."""
    found = []
    for part in parts:
        lower = np.minimum(part.low, part.high)
        found.append(part.taken(np.flatnonzero((lower >= rows.start) & (lower < rows.stop))))
    return together(found)


def together(parts: Sequence[Pairs]) -> Pairs:
    """The pairs concatenated, in no particular order."""
    return Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high", "lengths")))


def measured_pairs(
    space: NDArray[Any], one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]], *, threads: int | None = None
) -> Pairs:
    """The pairs with their distances in ``space``."""
    keys = np.minimum(one, other) * np.int64(len(space))
    keys += np.maximum(one, other)
    keys.sort()
    keys = keys[np.append(keys[1:] != keys[:-1], True)[: len(keys)]]
    low, high = (keys // len(space)).astype(np.int32), (keys % len(space)).astype(np.int32)
    del keys
    parts = [slice(top, top + _TOGETHER) for top in range(0, max(len(low), 1), _TOGETHER)]
    found = on_cores(parts, lambda part: distances(space, low[part], space, high[part]), threads=threads)
    return Pairs(low, high, np.concatenate(found))


def distances(
    left: NDArray[Any], one: NDArray[np.integer[Any]], right: NDArray[Any], other: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Euclidean distances between rows of two arrays, in float64 and from differences, so that near pairs lose no digits."""
    found = np.empty(len(one))
    for some, here, there in rows_of_pairs(left, one, right, other):
        apart = np.subtract(here, there, dtype=np.float64)
        found[some] = np.einsum("ij,ij->i", apart, apart)
    return np.sqrt(found, out=found)


def rows_of_pairs(
    left: NDArray[Any], one: NDArray[np.integer[Any]], right: NDArray[Any], other: NDArray[np.integer[Any]]
) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any]]]:
    """Which pairs, and the rows of both sides; a few at a time, in the same two buffers each time."""
    step = min(max(_NUMBERS // left.shape[1], 1), len(one))
    buffers = [np.empty((step, side.shape[1]), dtype=side.dtype) for side in (left, right)]
    for top in range(0, len(one), max(step, 1)):
        some = slice(top, min(top + step, len(one)))
        rows = [buffer[: some.stop - top] for buffer in buffers]
        for side, places, buffer in ((left, one, rows[0]), (right, other, rows[1])):
            np.take(
                side, places[some], axis=0, out=buffer, mode="clip"
            )  # of the modes the one that makes no copy first
        yield some, rows[0], rows[1]


def core_distances(pairs: Pairs, counts: NDArray[np.intp], neighbor: int) -> NDArray[np.float64]:
    """Distance of every point to its ``neighbor``-th neighbor, (P,); infinity where the pairs do not determine it.

    ``counts`` : inputs at every point; those beside the first are neighbors at distance 0.
    """
    core = np.where(counts > neighbor, 0.0, np.inf)
    for rows in _row_ranges(2 * len(pairs), len(counts)):
        lower = slice(*np.searchsorted(pairs.low, [rows.start, rows.stop]))
        upper = np.flatnonzero((pairs.high >= rows.start) & (pairs.high < rows.stop))
        ends = np.concatenate([pairs.low[lower], pairs.high[upper]])
        if not len(ends):
            continue
        lengths = np.concatenate([pairs.lengths[lower], pairs.lengths[upper]])
        nearest_first = np.argsort(lengths)  # the order of ties does not matter here
        keys = (ends[nearest_first] - np.int64(rows.start)) * len(ends) + np.arange(len(ends))
        keys.sort()  # by end, then by length
        begins = np.searchsorted(keys, len(ends) * np.arange(len(rows) + 1))
        # every neighbor counts for at least one, so that those after the first ``neighbor`` change nothing
        places = begins[:-1, None] + np.arange(neighbor)  # (rows, neighbor)
        there = places < begins[1:, None]
        found = nearest_first[keys[np.minimum(places, len(keys) - 1)] % len(ends)]
        others = np.concatenate([pairs.high[lower], pairs.low[upper]])[found]
        own = counts[rows.start : rows.stop]
        reached = there & (np.cumsum(np.where(there, counts[others], 0), axis=1) >= neighbor - (own - 1)[:, None])
        determined = np.flatnonzero(reached.any(axis=1) & (own <= neighbor))
        core[rows.start + determined] = lengths[found[determined, reached[determined].argmax(axis=1)]]
    return core


def shortest_tree(pairs: Pairs, core: NDArray[np.float64]) -> Tree:
    """The tree by mutual reachability (Campello, Moulavi and Sander 2013), by Kruskal's algorithm."""
    weights = core[pairs.low]
    np.maximum(weights, core[pairs.high], out=weights)
    np.maximum(weights, pairs.lengths, out=weights)
    kept = _kruskal(pairs, weights, len(core))
    return Tree(pairs.low[kept], pairs.high[kept], weights[kept], kept)


def _kruskal(pairs: Pairs, weights: NDArray[np.float64], size: int) -> NDArray[np.intp]:
    """The places of the tree's pairs, by (weight, place).

    The lightest come first, ``_WEIGHED`` per point at a time: a heavier pair whose ends they connect is in no shortest
    tree (filter-Kruskal; Osipov, Sanders and Singler 2009). A tree of all at once would take several times their memory.
    """
    kept, left = np.empty(0, dtype=np.intp), np.arange(len(pairs))
    while len(left):
        heaviest = np.inf
        if len(left) > _WEIGHED * size:
            heaviest = np.partition(weights[left], _WEIGHED * size)[_WEIGHED * size]
        light = weights[left] <= heaviest
        some = np.sort(np.append(kept, left[light]))
        left = left[~light]
        kept = some[_at_once(pairs.taken(some), weights[some], size)]
        if len(left):
            ends = (pairs.low[kept], pairs.high[kept])
            part = connected_components(csr_array((np.ones(len(kept)), ends), shape=(size, size)), directed=False)[1]
            left = left[part[pairs.low[left]] != part[pairs.high[left]]]
    return kept


def _at_once(pairs: Pairs, weights: NDArray[np.float64], size: int) -> NDArray[np.intp]:
    """The same for pairs that are not too many."""
    order = np.argsort(weights, kind="stable")  # the pairs come sorted by their rows
    ranks = np.empty(len(pairs))
    ranks[order] = np.arange(1, len(pairs) + 1)  # all different, so that the tree is unique, and above 0
    graph = csr_array((ranks, pairs.high, np.searchsorted(pairs.low, np.arange(size + 1))), shape=(size, size))
    return np.asarray(order[np.sort(minimum_spanning_tree(graph).data).astype(np.intp) - 1])


_WORTH_IT = 20_000  # fewer inputs do not repay the start of CUDA


class BlockProduct(Protocol):
    """Products of two blocks and their comparison with limits.

    ``name`` : for the report. ``rows``, ``columns`` : the best size of a block. ``narrows`` : whether it is worth while to
    leave out rows and columns of a block.
    """

    name: str
    narrows: bool
    rows: int
    columns: int

    def hold(self, block: NDArray[np.float32]) -> Any:
        """The block in the memory in which products are computed."""
        ...

    def above(
        self, left: Any, right: Any, row_limits: NDArray[np.float32], column_limits: NDArray[np.float32]
    ) -> NDArray[np.intp]:
        """Flat places, rising, where ``left @ right.T`` reaches its row's or its column's limit (the lower of the two)."""
        ...


class NumpyProduct:
    """By NumPy, a buffer per thread."""

    name = "NumPy"
    narrows = True
    rows = 512
    columns = 1024

    def __init__(self) -> None:
        self._kept = threading.local()

    def hold(self, block: NDArray[np.float32]) -> NDArray[np.float32]:
        """The block itself."""
        return block

    def above(
        self,
        left: NDArray[np.float32],
        right: NDArray[np.float32],
        row_limits: NDArray[np.float32],
        column_limits: NDArray[np.float32],
    ) -> NDArray[np.intp]:
        """See ``BlockProduct``."""
        shape, size = (len(left), len(right)), len(left) * len(right)
        if len(getattr(self._kept, "scores", ())) < size:
            self._kept.scores = np.empty(size, dtype=np.float32)
            self._kept.near, self._kept.other = np.empty(size, dtype=bool), np.empty(size, dtype=bool)
        held = (self._kept.scores, self._kept.near, self._kept.other)
        scores, near, other = (buffer[:size].reshape(shape) for buffer in held)
        np.matmul(left, right.T, out=scores)
        np.greater_equal(scores, row_limits[:, None], out=near)
        np.greater_equal(scores, column_limits[None, :], out=other)
        np.logical_or(near, other, out=near)
        return np.flatnonzero(near)


class TorchProduct:
    """By PyTorch on a device, in full float32: TensorFloat-32's ten bits would break the bounds on rounding."""

    narrows = False
    rows = 4096
    columns = 8192

    def __init__(self, device: str) -> None:
        import torch

        self._torch, self._device = torch, device
        self.name = f"PyTorch on {device}"
        torch.backends.cuda.matmul.allow_tf32 = False

    def hold(self, block: NDArray[np.float32]) -> Any:
        """The block on the device."""
        return self._torch.as_tensor(block, device=self._device)

    def above(
        self, left: Any, right: Any, row_limits: NDArray[np.float32], column_limits: NDArray[np.float32]
    ) -> NDArray[np.intp]:
        """See ``BlockProduct``."""
        scores = left @ right.T
        near = scores >= self.hold(row_limits)[:, None]
        near |= scores >= self.hold(column_limits)[None, :]
        places: NDArray[np.intp] = self._torch.nonzero(near.view(-1)).view(-1).cpu().numpy()
        return places


def best_product(size: int) -> BlockProduct:
    """PyTorch on CUDA where there is one and ``size`` inputs are worth starting it, else NumPy."""
    if size >= _WORTH_IT and _cuda():
        return TorchProduct("cuda")
    return NumpyProduct()


def _cuda() -> bool:
    """Whether PyTorch sees a CUDA device; without a driver, PyTorch is not even imported (over a second)."""
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    if not is_there("torch"):
        return False
    import torch

    return torch.cuda.is_available()


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
    middles : the center of each, (blocks, w + 2), where the product narrows blocks.
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
        center = rows[0].astype(np.float64)  # neighbors in this order are near, so their differences have small errors
        one, other = rows - center, columns - center
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
