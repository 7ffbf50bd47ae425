"""The spanning tree of mutual reachability, from which HDBSCAN reads its clusters, and its dendrogram.

The hdbscan package blocks the interpreter, so long work of it runs in a process of its own, which only ``package_edges``
starts: points come in through one unnamed file, edges go out through another.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from testimate.core.errors import TestimateError
from testimate.core.machine import apart, cores
from testimate.core.progress import Progress, silent
from testimate.core.words import commas
from testimate.structure.cores import on_cores, one_thread
from testimate.structure.near_pairs import (
    BlockProduct,
    ClosePairs,
    Pairs,
    Tree,
    best_product,
    core_distances,
    joined_pairs,
    measured_pairs,
    shortest_tree,
)
from testimate.structure.shadows import Shadow, cast_shadow, right

ENGINES = ("boruvka", "approximate boruvka", "prim")
"""The package's algorithms: exact over a tree of the space, the same with its default approximation, and all pairs."""

ALONE_FROM = 80_000
"""Numbers (inputs times columns) from which it pays to start a process: about 0.3 s of work."""

_LOOK = 0.2  # seconds between two checks whether to stop
_START = "import sys; sys.path[:] = sys.argv[2:]; from testimate.structure.spanning_tree import main; main(sys.argv[1])"


def package_edges(
    space: NDArray[Any], neighbor: int, engine: str, *, alone_from: int = ALONE_FROM, progress: Progress = silent
) -> NDArray[np.float64]:
    """The package's edges, the shortest first, (N - 1, 3); the same from either process.

    Parameters
    ----------
    space : (N, d) finite. neighbor : the neighbor whose distance is the core distance, the input itself not counted.
    engine : one of ``ENGINES``.
    alone_from : numbers in ``space`` from which the work has a process of its own.
    progress : called several times a second if it has; an exception from it ends that process.

    Raises
    ------
    TestimateError : the process ended early, for example because memory ran out.
    """
    points = np.ascontiguousarray(space, dtype=np.float64)
    if points.size < alone_from:
        return _edges(points, neighbor, engine)
    with TemporaryFile() as given, TemporaryFile() as edges:
        np.save(given, points, allow_pickle=False)
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-c", _START, f"{ENGINES.index(engine)} {neighbor}", *sys.path],
            stdin=given,
            stdout=edges,
            stderr=subprocess.DEVNULL,
            **apart(),
        )
        try:
            _wait_for(process, len(points), progress)
        finally:
            process.kill()  # nothing where it has ended
            process.wait()
        if process.returncode != 0:
            raise TestimateError(
                f"The process that searched for the clusters of {commas(len(points))} inputs ended early (status "
                f"{process.returncode}); it may have run out of memory. Close other programs, or cluster fewer inputs."
            )
        edges.seek(0)
        found: NDArray[np.float64] = np.load(edges, allow_pickle=False)
        return found


def _wait_for(process: "subprocess.Popen[bytes]", size: int, progress: Progress) -> None:
    """Waits for its end; asks ``progress`` meanwhile whether to go on."""
    while True:
        try:
            process.wait(_LOOK)
            return
        except subprocess.TimeoutExpired:
            progress(0, size, "comparing all inputs")


def _edges(points: NDArray[np.float64], neighbor: int, engine: str) -> NDArray[np.float64]:
    from hdbscan.hdbscan_ import _hdbscan_boruvka_kdtree, _hdbscan_prims_kdtree

    options: dict[str, Any] = {"min_samples": neighbor, "metric": "euclidean", "p": None, "gen_min_span_tree": True}
    if engine == "prim":
        return np.asarray(_hdbscan_prims_kdtree(points, **options)[1], dtype=np.float64)
    options |= {"approx_min_span_tree": engine == "approximate boruvka", "core_dist_n_jobs": 1}
    return np.asarray(_hdbscan_boruvka_kdtree(points, **options)[1], dtype=np.float64)


def main(task: str) -> None:
    """Reads points from standard input and writes their edges to standard output; what a library prints goes to neither.

    ``task`` : the place of the engine, and the neighbor.
    """
    engine, neighbor = map(int, task.split())
    with os.fdopen(os.dup(1), "wb") as edges:
        os.dup2(2, 1)
        np.save(
            edges, _edges(np.load(sys.stdin.buffer, allow_pickle=False), neighbor, ENGINES[engine]), allow_pickle=False
        )


def single_linkage(low: ArrayLike, high: ArrayLike, weights: ArrayLike) -> NDArray[np.float64]:
    """The P - 1 merges of P points, the shortest edge first, (P - 1, 4): two nodes, the weight, and the number of points.

    Parameters
    ----------
    low, high, weights : (P - 1,) the edges of a tree, the shortest first.

    Notes
    -----
    Nodes below P are points; node P + m is merge m. The same as the hdbscan package's private ``label``, in a third of
    its time.
    """
    ones, others = np.asarray(low, dtype=np.intp).tolist(), np.asarray(high, dtype=np.intp).tolist()
    size = len(ones) + 1
    above = list(range(size))  # union-find with path halving and union by size
    held = [1] * size
    node = list(range(size))  # of each root
    left, right, together = [0] * (size - 1), [0] * (size - 1), [0] * (size - 1)
    for merge, (one, other) in enumerate(zip(ones, others, strict=True)):
        while above[one] != one:
            above[one] = one = above[above[one]]
        while above[other] != other:
            above[other] = other = above[above[other]]
        left[merge], right[merge] = node[one], node[other]
        if held[one] < held[other]:
            one, other = other, one
        above[other] = one
        held[one] += held[other]
        together[merge] = held[one]
        node[one] = size + merge
    return np.column_stack([left, right, np.asarray(weights, dtype=np.float64), together]).astype(np.float64)


def dendrogram_order(tree: Tree) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The order of the tree's P points, (P,), and the gaps between one and the next, (P - 1,).

    For positions a < b, the largest weight on the tree's path between them is ``gaps[a:b].max()``.
    """
    size = len(tree.low) + 1
    merges = single_linkage(tree.low, tree.high, tree.weights)
    left, right = merges[:, 0].astype(np.intp).tolist(), merges[:, 1].astype(np.intp).tolist()
    held = np.concatenate([np.ones(size), merges[:, 3]]).astype(np.intp).tolist()
    begin = [0] * (2 * size - 1)
    cut = [0] * (size - 1)
    for merge in range(size - 2, -1, -1):  # from the root down; node P + merge
        one, other, start = left[merge], right[merge], begin[size + merge]
        begin[one] = start
        begin[other] = start + held[one]
        cut[merge] = begin[other] - 1
    order = np.empty(size, dtype=np.intp)
    order[begin[:size]] = np.arange(size)
    gaps = np.empty(size - 1)
    gaps[cut] = tree.weights
    return order, gaps


GROUPING = "grouping inputs that are near"
LOOKING = "looking for neighbors"
COMPARING = "comparing all inputs"
"""The step that takes long; its progress counts equal work: the pairs that are multiplied, not the rows."""

READING = "reading the tree of all inputs"

_FEW = 400  # up to this many points all pairs are measured at once
_SPARE_NEIGHBORS = 1  # neighbors beyond the one whose distance measures the density
_BATCHES = 8  # column blocks between two counts of the pairs
_SEEN, _EVERY = 32, 4  # this many column blocks, at most every fourth one, are looked at on lines before the pass
_KEPT = 96  # pairs per point, on average, above which those that no longer matter are dropped
_PER_GROUP = 128  # points, on average
_LOOKED_AT = 1024  # points near a group among which its members look
_ROWS = 512  # points whose groups and neighbors are looked for at a time
_NEXT = 3  # other parts near a part that it is joined to
_STEPS = 4  # passes between two parts, until the edge gets no shorter
_PARTS = 1024  # parts whose centers are compared at a time


def blocked_tree(
    space: NDArray[Any],
    counts: NDArray[np.intp],
    neighbor: int,
    product: BlockProduct,
    *,
    threads: int | None = None,
    progress: Progress = silent,
) -> tuple[Tree, NDArray[np.float64]]:
    """The tree, and core distances, (P,).

    Parameters
    ----------
    space : (P, d) finite, P >= 2, no two rows equal.
    counts : (P,) inputs at every point.
    neighbor : the neighbor whose distance is a point's core distance; fewer than ``counts.sum()``.

    Notes
    -----
    A first guess at every point's neighbors gives core distances c' >= c and a tree. Let w'(a, b) be the largest edge on
    that tree's path, by c'. A pair whose distance is above max(c'_a, c'_b, w'(a, b)) is neither among a's or b's nearest
    nor shorter than the path that exists already, so it changes nothing (the cycle property; Kruskal 1956). One pass over
    all pairs finds the others; theirs are the exact core distances and the exact tree.
    """
    size = len(space)
    if size <= _FEW:
        known = measured_pairs(space, *np.triu_indices(size, 1))
        core = core_distances(known, counts, neighbor)
        return shortest_tree(known, core), core
    known, found, core = _passes(space, counts, neighbor, product, threads, progress)
    progress(0, size, READING)
    known = joined_pairs(known, *found, size=size)
    del found
    core = np.minimum(core, core_distances(known, counts, neighbor))
    tree = shortest_tree(known, core)
    progress(size, size, READING)
    return tree, core


def _passes(
    space: NDArray[Any],
    counts: NDArray[np.intp],
    neighbor: int,
    product: BlockProduct,
    threads: int | None,
    progress: Progress,
) -> tuple[Pairs, list[Pairs], NDArray[np.float64]]:
    """Pairs known before the last pass, those that it found, and core distances by the former.

    The shadow, which takes as much memory as all pairs, is gone when these are put together.
    """
    size = len(space)
    shadow = cast_shadow(space, neighbor, threads=threads)
    count = min(neighbor + _SPARE_NEIGHBORS, size - 1)
    known = measured_pairs(
        space, *first_neighbors(shadow, size, count, threads=threads, progress=progress), threads=threads
    )
    core = core_distances(known, counts, neighbor)
    known = joined_pairs(known, measured_pairs(space, *bridges(known, shadow, core)), size=size)
    remaining, compared = np.ones(size, dtype=bool), _Compared(size, progress)
    while True:
        order, gaps = _among(remaining, *dendrogram_order(shortest_tree(known, core)))
        close = ClosePairs.over(space, shadow, order, gaps, core, product)
        found = _until_too_many(close, remaining, _KEPT * size, threads, compared)
        if not remaining.any():
            return known, found, core
        known = joined_pairs(known, *found, size=size)
        del close, found  # before the next pass needs memory of its own
        core = np.minimum(core, core_distances(known, counts, neighbor))
        known = _still_needed(known, core, size)


class _Compared:
    """Reports the progress of the comparison of all inputs, by the work of its column blocks.

    Nearly all the work is multiplying pairs, and how many are multiplied depends on the groups. So some column blocks
    are looked at on lines before the pass, and the work of those between them is interpolated.
    """

    def __init__(self, size: int, progress: Progress) -> None:
        self._size, self._progress = size, progress
        self._work: dict[int, float] = {}  # of the column blocks ahead, by first position
        self._left = 1.0  # share of all work
        self._begun, self._before = 1.0, 0.0  # the same when the pass began, and the work it had then

    def begin(self, close: ClosePairs, starts: Sequence[int]) -> None:
        """Begins a pass over the column blocks at ``starts``, falling; its work becomes all the progress that is left."""
        seen = sorted({0, *starts[:: max(len(starts) // _SEEN, _EVERY)]})
        of_a_column = np.interp(starts, seen, [close.work(first) / close.columns_at(first) for first in seen])
        work = of_a_column * [close.columns_at(first) for first in starts]
        self._work = dict(zip(starts, work.tolist(), strict=True))
        self._begun, self._before = self._left, float(work.sum())

    def finish(self, first: int) -> None:
        """Counts the column block at ``first`` as compared."""
        del self._work[first]
        self._left = self._begun * sum(self._work.values()) / self._before
        self._progress(self._size - round(self._size * self._left), self._size, COMPARING)


def _until_too_many(
    close: ClosePairs, remaining: NDArray[np.bool_], most: int, threads: int | None, compared: _Compared
) -> list[Pairs]:
    """Near pairs, some perhaps twice, from the last column block backwards, until there are ``most``; unmarks points done."""
    columns, ordered = close.product.columns, len(close.order)
    starts = list(range(0, ordered, columns))[::-1]
    step = max(-(-len(starts) // _BATCHES), threads or cores())
    parts: list[Pairs] = []
    compared.begin(close, starts)

    while starts and sum(map(len, parts)) < most:
        batch, starts = starts[:step], starts[step:]
        parts.append(close.found(batch, threads, compared.finish))
        remaining[close.order[batch[-1] :]] = False
    return parts


def _among(
    remaining: NDArray[np.bool_], order: NDArray[np.intp], gaps: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Order and gaps of those that remain: a gap is the largest of those passed over."""
    places = np.flatnonzero(remaining[order])
    if len(places) < 2:
        return order[places], gaps[:0]
    return order[places], np.maximum.reduceat(gaps[: places[-1]], places[:-1])


def _still_needed(known: Pairs, core: NDArray[np.float64], size: int) -> Pairs:
    """The tree so far, and the pairs that may set a core distance or matter once one falls."""
    kept = (known.lengths <= core[known.low]) | (known.lengths <= core[known.high])
    if kept.sum() > _KEPT * size // 2:  # many at the same distance add nothing to one
        kept = (known.lengths < core[known.low]) | (known.lengths < core[known.high])
    kept[shortest_tree(known, core).places] = True
    return known.taken(kept)


def first_neighbors(
    shadow: Shadow, size: int, count: int, *, threads: int | None = None, progress: Progress = silent
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """About the ``count`` nearest of every row, in the shadow, as two arrays of rows, (size count,) each, int32."""
    groups, around = _groups(shadow, size, max(_LOOKED_AT, 4 * count), threads, progress)
    progress(0, size, LOOKING)
    pieces = [
        (members[top : top + _ROWS], group)
        for group, members in enumerate(groups)
        for top in range(0, len(members), _ROWS)
    ]

    def work(piece: tuple[NDArray[np.intp], int]) -> NDArray[np.int32]:
        members, group = piece
        others = np.concatenate([groups[near] for near in around[group]])
        scores = shadow.left(members) @ right(shadow.left(others)).T  # (members, others), the largest the nearest
        scores[members[:, None] == others] = -np.inf
        found = np.argpartition(scores, len(others) - count, axis=1)[:, -count:] if count < len(others) else None
        return (np.tile(others, (len(members), 1)) if found is None else others[found]).astype(np.int32)

    looked = 0

    def report(piece: tuple[NDArray[np.intp], int]) -> None:
        nonlocal looked
        looked += len(piece[0])
        progress(looked, size, LOOKING)

    found = on_cores(pieces, work, threads=threads, on_finished=report)
    one = np.concatenate([members.astype(np.int32) for members, _ in pieces])
    one = np.repeat(one, np.concatenate([np.full(len(near), near.shape[1]) for near in found]))
    other = np.concatenate([near.ravel() for near in found])
    apart = one != other
    return (one, other) if apart.all() else (one[apart], other[apart])


def _groups(
    shadow: Shadow, size: int, looked_at: int, threads: int | None, progress: Progress
) -> tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]]:
    """Members of every group, and the groups around each, itself first, that hold ``looked_at`` points together."""
    centers = np.sort(np.random.default_rng(0).permutation(size)[: -(-size // _PER_GROUP)])
    aimed = right(shadow.left(centers))
    tops = range(0, size, _ROWS)
    looked = 0
    progress(0, size, GROUPING)

    def report(top: int) -> None:
        nonlocal looked
        looked += min(_ROWS, size - top)
        progress(looked, size, GROUPING)

    def nearest(top: int) -> NDArray[np.intp]:
        rows = np.arange(top, min(top + _ROWS, size))
        return np.asarray(np.argmax(shadow.left(rows) @ aimed.T, axis=1))

    home = np.concatenate(on_cores(tops, nearest, threads=threads, on_finished=report))
    order = np.argsort(home, kind="stable")
    members = np.split(order, np.searchsorted(home[order], np.arange(1, len(centers))))
    sizes = np.array([len(group) for group in members])
    around = []
    for top in range(0, len(centers), _ROWS):
        scores = shadow.left(centers[top : top + _ROWS]) @ aimed.T
        for place, own in enumerate(scores):
            own[top + place] = np.inf
            count = min(len(own), 64)
            near = np.argpartition(own, len(own) - count)[-count:]
            near = near[np.argsort(-own[near], kind="stable")]
            if sizes[near].sum() < looked_at:
                near = np.argsort(-own, kind="stable")
            around.append(near[: int(np.searchsorted(np.cumsum(sizes[near]), looked_at)) + 1])
    return members, around


def bridges(pairs: Pairs, shadow: Shadow, core: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs that join the parts which ``pairs`` leave unconnected, as two arrays of rows; good ones, not always the best."""
    size = len(core)
    ends: list[NDArray[np.integer[Any]]] = [np.stack([pairs.low, pairs.high])]
    while True:
        one, other = np.concatenate(ends, axis=1)
        graph = coo_array((np.ones(len(one), dtype=bool), (one, other)), shape=(size, size))
        count, part = connected_components(graph, directed=False)
        if count == 1:
            found = np.concatenate([np.empty((2, 0), dtype=np.intp), *ends[1:]], axis=1)
            return found[0], found[1]
        order = np.argsort(part, kind="stable")
        members = np.split(order, np.searchsorted(part[order], np.arange(1, count)))
        joined = [_bridge(members[low], members[high], shadow, core) for low, high in _near_parts(members, shadow)]
        ends.append(np.array(joined, dtype=np.intp).T)


def _near_parts(members: list[NDArray[np.intp]], shadow: Shadow) -> list[tuple[int, int]]:
    """The parts, and for each those with the nearest centers."""
    middles = np.array([shadow.left(rows)[:, :-2].mean(axis=0, dtype=np.float64) for rows in members], dtype=np.float32)
    half = np.einsum("ij,ij->i", middles, middles) / 2
    count = min(_NEXT, len(middles) - 1)
    near: set[tuple[int, int]] = set()
    for top in range(0, len(middles), _PARTS):
        scores = middles[top : top + _PARTS] @ middles.T - half
        scores[np.arange(len(scores)), np.arange(top, top + len(scores))] = -np.inf
        for place, row in enumerate(np.argpartition(scores, len(middles) - count, axis=1)[:, -count:].tolist(), top):
            near.update((min(place, other), max(place, other)) for other in row)
    return sorted(near)


def _bridge(
    one: NDArray[np.intp], other: NDArray[np.intp], shadow: Shadow, core: NDArray[np.float64]
) -> tuple[int, int]:
    """A pair between two parts with a small mutual reachability distance: the best partner of one end, in turn."""
    sides = (one, other)
    lefts = tuple(shadow.left(rows) for rows in sides)
    middle = right(lefts[1]).mean(axis=0)
    ends = [int(np.argmax(lefts[0] @ middle)), 0]
    best = np.inf
    for step in range(_STEPS):
        here, there = step % 2, 1 - step % 2
        aimed = right(lefts[here][ends[here] : ends[here] + 1])[0]
        square = np.maximum(-2 * (lefts[there] @ aimed), 0).astype(np.float64) * shadow.scale**2
        reach = np.maximum(square, core[sides[there]] ** 2)
        found = int(np.argmin(reach))
        if float(reach[found]) >= best:
            break
        best, ends[there] = float(reach[found]), found
    return int(one[ends[0]]), int(other[ends[1]])


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
    min_samples : the neighbor, the row itself not counted, whose distance is a row's core distance.
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
    neighbor = min(min_samples, len(space) - 1)
    if exactness == "as published":
        return _published(space, neighbor, progress)
    if space.shape[1] < blocks_from:
        edges = package_edges(space, neighbor, "boruvka", progress=progress)
        return SpanningTree(_in_order(edges), "hdbscan, exact Boruvka")
    chosen = product or best_product(len(space))
    with one_thread():  # the cores share the blocks
        points = equal_rows(space, threads=threads)
        distinct = space if len(points.first) == len(space) else space[points.first]
        tree, core = blocked_tree(distinct, points.counts, neighbor, chosen, threads=threads, progress=progress)
    found = np.column_stack([points.first[tree.low], points.first[tree.high], tree.weights])
    copies = np.setdiff1d(np.arange(len(space)), points.first, assume_unique=True)
    home = points.point[copies]
    copied = np.column_stack([points.first[home], copies, core[home]])
    return SpanningTree(_in_order(np.concatenate([found, copied])), f"exact, in blocks by {chosen.name}")


def _published(space: NDArray[Any], neighbor: int, progress: Progress) -> SpanningTree:
    """The edges of ``hdbscan.HDBSCAN``'s default, in its own order."""
    boruvka = space.shape[1] <= _PUBLISHED_BORUVKA_WIDTH
    edges = package_edges(space, neighbor, "approximate boruvka" if boruvka else "prim", progress=progress)
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
