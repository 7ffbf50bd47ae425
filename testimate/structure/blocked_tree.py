"""The exact spanning tree of mutual reachability in many dimensions, in blocks, with memory proportional to N.

First guesses at neighbours, and at short edges between the parts they form, make one pass over all pairs sufficient.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from testimate.core.machine import cores
from testimate.core.progress import Progress, silent
from testimate.structure.block_product import BlockProduct
from testimate.structure.close_pairs import ClosePairs
from testimate.structure.dendrogram import dendrogram_order
from testimate.structure.on_cores import on_cores
from testimate.structure.pairs import Pairs, Tree, core_distances, joined_pairs, measured_pairs, shortest_tree
from testimate.structure.shadow import Shadow, cast_shadow, right

GROUPING = "grouping inputs that are near"
LOOKING = "looking for neighbours"
COMPARING = "comparing all inputs"
"""The step that takes long; its progress counts equal work: the pairs that are multiplied, not the rows."""

READING = "reading the tree of all inputs"

_FEW = 400  # up to this many points all pairs are measured at once
_SPARE_NEIGHBOURS = 1  # neighbours beyond the one whose distance measures the density
_BATCHES = 8  # column blocks between two counts of the pairs
_SEEN, _EVERY = 32, 4  # this many column blocks, at most every fourth one, are looked at on lines before the pass
_KEPT = 96  # pairs per point, on average, above which those that no longer matter are dropped
_PER_GROUP = 128  # points, on average
_LOOKED_AT = 1024  # points near a group among which its members look
_ROWS = 512  # points whose groups and neighbours are looked for at a time
_NEXT = 3  # other parts near a part that it is joined to
_STEPS = 4  # passes between two parts, until the edge gets no shorter
_PARTS = 1024  # parts whose centres are compared at a time


def blocked_tree(
    space: NDArray[Any],
    counts: NDArray[np.intp],
    neighbour: int,
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
    neighbour : the neighbour whose distance is a point's core distance; fewer than ``counts.sum()``.

    Notes
    -----
    A first guess at every point's neighbours gives core distances c' >= c and a tree. Let w'(a, b) be the largest edge on
    that tree's path, by c'. A pair whose distance is above max(c'_a, c'_b, w'(a, b)) is neither among a's or b's nearest
    nor shorter than the path that exists already, so it changes nothing (the cycle property; Kruskal 1956). One pass over
    all pairs finds the others; theirs are the exact core distances and the exact tree.
    """
    size = len(space)
    if size <= _FEW:
        known = measured_pairs(space, *np.triu_indices(size, 1))
        core = core_distances(known, counts, neighbour)
        return shortest_tree(known, core), core
    known, found, core = _passes(space, counts, neighbour, product, threads, progress)
    progress(0, size, READING)
    known = joined_pairs(known, *found, size=size)
    del found
    core = np.minimum(core, core_distances(known, counts, neighbour))
    tree = shortest_tree(known, core)
    progress(size, size, READING)
    return tree, core


def _passes(
    space: NDArray[Any],
    counts: NDArray[np.intp],
    neighbour: int,
    product: BlockProduct,
    threads: int | None,
    progress: Progress,
) -> tuple[Pairs, list[Pairs], NDArray[np.float64]]:
    """Pairs known before the last pass, those that it found, and core distances by the former.

    The shadow, which takes as much memory as all pairs, is gone when these are put together.
    """
    size = len(space)
    shadow = cast_shadow(space, neighbour, threads=threads)
    count = min(neighbour + _SPARE_NEIGHBOURS, size - 1)
    known = measured_pairs(
        space, *first_neighbours(shadow, size, count, threads=threads, progress=progress), threads=threads
    )
    core = core_distances(known, counts, neighbour)
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
        core = np.minimum(core, core_distances(known, counts, neighbour))
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


def first_neighbours(
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
    centres = np.sort(np.random.default_rng(0).permutation(size)[: -(-size // _PER_GROUP)])
    aimed = right(shadow.left(centres))
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
    members = np.split(order, np.searchsorted(home[order], np.arange(1, len(centres))))
    sizes = np.array([len(group) for group in members])
    around = []
    for top in range(0, len(centres), _ROWS):
        scores = shadow.left(centres[top : top + _ROWS]) @ aimed.T
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
    """The parts, and for each those with the nearest centres."""
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
