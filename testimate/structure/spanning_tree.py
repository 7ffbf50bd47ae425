"""The minimum spanning tree of mutual reachability, from which HDBSCAN reads its clusters, by the most suitable engine."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from testimate.core.progress import Progress, silent
from testimate.structure.block_product import BlockProduct, best_product
from testimate.structure.blocked_tree import blocked_tree
from testimate.structure.on_cores import on_cores
from testimate.structure.one_thread import one_thread
from testimate.structure.package_tree import package_edges

Exactness = Literal["exact", "as published", "sampled"]
"""Of clusters: of all inputs, as the hdbscan package does, or of a sample that the others join. A tree knows the first two."""

# Below this the package's tree is quicker; sessions keep the number they were drawn with: decision 11.
BLOCKS_FROM = 5
"""Columns from which blocks of all pairs are faster than a tree of the space; they also report progress."""

_PUBLISHED_BORUVKA_WIDTH = 60  # where the hdbscan package itself changes from Boruvka to Prim
_EQUAL = 1e-9  # share of the longest edge below which two inputs count as equal
_BLOCK = 512  # rows whose keys are made at a time


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """The tree and how it was made.

    Attributes
    ----------
    edges : (N - 1, 3) float64: two rows and the edge's length, above 0; shortest first. From the exact engines the lower
        row comes first, and ties are in the order of rows.
    engine : name for the report.
    """

    edges: NDArray[np.float64]
    engine: str


def spanning_tree(
    space: NDArray[Any],
    min_samples: int,
    *,
    exactness: Exactness = "exact",
    blocks_from: int = BLOCKS_FROM,
    threads: int | None = None,
    product: BlockProduct | None = None,
    progress: Progress = silent,
) -> SpanningTree:
    """The tree of least total length, lengths being mutual reachability (Campello, Moulavi and Sander 2013).

    Parameters
    ----------
    space : (N, d) finite, N >= 2, not all rows equal.
    min_samples : the neighbour, the row itself not counted, whose distance is a row's core distance.
    exactness : "exact" chooses Boruvka's algorithm over a tree of the space for few dimensions, and blocks of all pairs
        for more; "as published" is what the hdbscan package does by default, approximate up to 60 dimensions.
    blocks_from : fewest dimensions for which blocks are used.
    threads : of the blocks, at most; None = all cores. The result does not depend on it.
    product : multiplies the blocks; None = PyTorch if there is CUDA, else NumPy.
    progress : called with inputs compared, out of N; raises to stop.

    Notes
    -----
    Edges shorter than 1e-9 of the longest count as that long: a length of 0 would be an infinite density, which HDBSCAN
    turns into nan. Exact edges of equal length come in the order of their rows, on every machine.
    """
    neighbour = min(min_samples, len(space) - 1)
    if exactness == "as published":
        return _published(space, neighbour, progress)
    if space.shape[1] < blocks_from:
        edges = package_edges(space, neighbour, "boruvka", progress=progress)
        return SpanningTree(_in_order(edges), "hdbscan, exact Boruvka")
    chosen = product or best_product(len(space))
    with one_thread():  # the cores share the blocks
        points = equal_rows(space, threads=threads)
        distinct = space if len(points.first) == len(space) else space[points.first]
        tree, core = blocked_tree(distinct, points.counts, neighbour, chosen, threads=threads, progress=progress)
    found = np.column_stack([points.first[tree.low], points.first[tree.high], tree.weights])
    copies = np.setdiff1d(np.arange(len(space)), points.first, assume_unique=True)
    home = points.point[copies]
    copied = np.column_stack([points.first[home], copies, core[home]])
    return SpanningTree(_in_order(np.concatenate([found, copied])), f"exact, in blocks by {chosen.name}")


def _published(space: NDArray[Any], neighbour: int, progress: Progress) -> SpanningTree:
    """The edges of ``hdbscan.HDBSCAN``'s default, in its own order."""
    boruvka = space.shape[1] <= _PUBLISHED_BORUVKA_WIDTH
    edges = package_edges(space, neighbour, "approximate boruvka" if boruvka else "prim", progress=progress)
    edges[:, 2] = _lifted(edges[:, 2])
    return SpanningTree(edges, "hdbscan's default, " + ("approximate Boruvka" if boruvka else "Prim"))


def _in_order(found: NDArray[np.float64]) -> NDArray[np.float64]:
    ends = np.sort(found[:, :2], axis=1)
    lengths = _lifted(found[:, 2])
    return np.column_stack([ends, lengths])[np.lexsort((ends[:, 1], ends[:, 0], lengths))]


def _lifted(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.maximum(lengths, _EQUAL * lengths.max()))


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
    for place in alike.tolist():  # rows with the same key are equal, apart from rare collisions
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
        words ^= words >> np.uint64(32)  # whole numbers have their bits at the top, and products would shift them out
        words *= factors
        keys[top : top + _BLOCK] = words.sum(axis=1, dtype=np.uint64)

    on_cores(range(0, len(space), _BLOCK), fill, threads=threads)
    return keys
