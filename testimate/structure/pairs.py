"""Pairs of inputs with their exact distances, and the core distances and shortest tree that follow from them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from testimate.structure.on_cores import on_cores

_NUMBERS = 1 << 17  # turned to float64 at a time: what a core's own cache holds
_TOGETHER = 4096  # pairs measured by one thread at a time


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs, each once.

    ``low``, ``high`` : (E,) rows, the lower and the higher, in the order of (low, high). ``lengths`` : (E,) distances.
    """

    low: NDArray[np.intp]
    high: NDArray[np.intp]
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

    low: NDArray[np.intp]
    high: NDArray[np.intp]
    weights: NDArray[np.float64]
    places: NDArray[np.intp]


def joined_pairs(*parts: Pairs, size: int) -> Pairs:
    """The pairs of several parts, in any order and perhaps more than once, of rows below ``size``."""
    keys = np.concatenate([np.minimum(part.low, part.high) * size + np.maximum(part.low, part.high) for part in parts])
    order = np.argsort(keys)  # of pairs found twice either will do: their lengths are equal
    keys = keys[order]
    kept = np.append(keys[1:] != keys[:-1], True)[: len(keys)]
    keys, order = keys[kept], order[kept]
    lengths = np.concatenate([part.lengths for part in parts])[order]
    low, high = np.divmod(keys, size)
    return Pairs(low, high, lengths)


def measured_pairs(
    space: NDArray[Any], one: NDArray[np.intp], other: NDArray[np.intp], *, threads: int | None = None
) -> Pairs:
    """The pairs with their distances in ``space``."""
    keys = np.sort(np.minimum(one, other) * len(space) + np.maximum(one, other))
    low, high = np.divmod(keys[np.append(keys[1:] != keys[:-1], True)[: len(keys)]], len(space))
    parts = [slice(top, top + _TOGETHER) for top in range(0, max(len(low), 1), _TOGETHER)]
    found = on_cores(parts, lambda part: distances(space, low[part], space, high[part]), threads=threads)
    return Pairs(low, high, np.concatenate(found))


def distances(
    left: NDArray[Any], one: NDArray[np.intp], right: NDArray[Any], other: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Euclidean distances between rows of two arrays, in float64 and from differences, so that near pairs lose no digits."""
    found = np.empty(len(one))
    step = max(_NUMBERS // left.shape[1], 1)
    for top in range(0, len(one), step):
        apart = left[one[top : top + step]].astype(np.float64)
        apart -= right[other[top : top + step]]
        found[top : top + step] = np.einsum("ij,ij->i", apart, apart)
    return np.sqrt(found, out=found)


def core_distances(pairs: Pairs, counts: NDArray[np.intp], neighbour: int) -> NDArray[np.float64]:
    """Distance of every point to its ``neighbour``-th neighbour, (P,); infinity where the pairs do not determine it.

    ``counts`` : inputs at every point; those beside the first are neighbours at distance 0.
    """
    core = np.where(counts > neighbour, 0.0, np.inf)
    if not len(pairs):
        return core
    nearest_first = np.argsort(pairs.lengths)  # the order of ties does not matter here
    keys = np.concatenate([pairs.low[nearest_first], pairs.high[nearest_first]])  # one for each end of each pair
    keys *= len(pairs)
    keys.reshape(2, -1)[:] += np.arange(len(pairs))
    keys *= 2
    keys[len(pairs) :] += 1
    keys.sort()  # by end, then by length
    begins = np.searchsorted(keys, 2 * len(pairs) * np.arange(len(counts) + 1))
    # every neighbour counts for at least one, so that those after the first ``neighbour`` change nothing
    places = begins[:-1, None] + np.arange(neighbour)  # (P, neighbour)
    there = places < begins[1:, None]
    ranked, side = np.divmod(keys[np.minimum(places, len(keys) - 1)], 2)
    pair = nearest_first[ranked % len(pairs)]
    held = np.cumsum(np.where(there, counts[np.where(side, pairs.low[pair], pairs.high[pair])], 0), axis=1)
    reached = there & (held >= neighbour - (counts - 1)[:, None])
    told = reached.any(axis=1) & (counts <= neighbour)
    core[told] = pairs.lengths[pair[told, reached[told].argmax(axis=1)]]
    return core


def shortest_tree(pairs: Pairs, core: NDArray[np.float64]) -> Tree:
    """The tree by mutual reachability (Campello, Moulavi and Sander 2013), by Kruskal's algorithm."""
    size = len(core)
    weights = np.maximum(np.maximum(core[pairs.low], core[pairs.high]), pairs.lengths)
    order = np.argsort(weights, kind="stable")  # the pairs come sorted by their rows
    ranks = np.empty(len(pairs))
    ranks[order] = np.arange(1, len(pairs) + 1)  # all different, so that the tree is unique, and above 0
    graph = csr_array((ranks, pairs.high, np.searchsorted(pairs.low, np.arange(size + 1))), shape=(size, size))
    kept = order[np.sort(minimum_spanning_tree(graph).data).astype(np.intp) - 1]
    return Tree(pairs.low[kept], pairs.high[kept], weights[kept], kept)
