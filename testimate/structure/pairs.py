"""Pairs of inputs with their exact distances, and the core distances and shortest tree that follow from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from testimate.structure.on_cores import on_cores

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


def core_distances(pairs: Pairs, counts: NDArray[np.intp], neighbour: int) -> NDArray[np.float64]:
    """Distance of every point to its ``neighbour``-th neighbour, (P,); infinity where the pairs do not determine it.

    ``counts`` : inputs at every point; those beside the first are neighbours at distance 0.
    """
    core = np.where(counts > neighbour, 0.0, np.inf)
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
        # every neighbour counts for at least one, so that those after the first ``neighbour`` change nothing
        places = begins[:-1, None] + np.arange(neighbour)  # (rows, neighbour)
        there = places < begins[1:, None]
        found = nearest_first[keys[np.minimum(places, len(keys) - 1)] % len(ends)]
        others = np.concatenate([pairs.high[lower], pairs.low[upper]])[found]
        own = counts[rows.start : rows.stop]
        reached = there & (np.cumsum(np.where(there, counts[others], 0), axis=1) >= neighbour - (own - 1)[:, None])
        determined = np.flatnonzero(reached.any(axis=1) & (own <= neighbour))
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
