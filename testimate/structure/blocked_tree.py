"""The exact spanning tree of mutual reachability in many dimensions, in blocks and with memory in proportion to N."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.progress import Progress, silent
from testimate.structure.block_product import BlockProduct
from testimate.structure.bridges import bridges
from testimate.structure.close_pairs import ClosePairs
from testimate.structure.dendrogram import dendrogram_order
from testimate.structure.first_neighbours import first_neighbours
from testimate.structure.on_cores import cores
from testimate.structure.pairs import (
    Pairs,
    Tree,
    core_distances,
    joined_pairs,
    measured_pairs,
    shortest_tree,
)
from testimate.structure.shadow import cast_shadow

_FEW = 400  # points of which all pairs are measured at once
_SPARE_NEIGHBOURS = 1  # looked for beyond the one that tells the density
_BATCHES = 8  # of column blocks, after each of which pairs are counted
_KEPT = 96  # pairs per point, on average, above which those that no longer matter are dropped


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
    shadow = cast_shadow(space, neighbour, threads=threads)
    count = min(neighbour + _SPARE_NEIGHBOURS, size - 1)
    known = measured_pairs(space, *first_neighbours(shadow, size, count, threads=threads), threads=threads)
    core = core_distances(known, counts, neighbour)
    known = joined_pairs(known, measured_pairs(space, *bridges(known, shadow, core)), size=size)
    remaining = np.ones(size, dtype=bool)
    while remaining.any():
        order, gaps = _among(remaining, *dendrogram_order(shortest_tree(known, core)))
        close = ClosePairs.over(space, shadow, order, gaps, core, product)
        found = _until_too_many(close, remaining, _KEPT * size, threads, progress)
        known = joined_pairs(known, found, size=size)
        core = np.minimum(core, core_distances(known, counts, neighbour))
        if remaining.any():
            known = _still_needed(known, core, size)
    return shortest_tree(known, core), core


def _until_too_many(
    close: ClosePairs, remaining: NDArray[np.bool_], most: int, threads: int | None, progress: Progress
) -> Pairs:
    """Near pairs from the last column blocks to the first, or until there are ``most``; marks what does not remain."""
    size, columns = len(remaining), close.product.columns
    starts = list(range(0, len(close.order), columns))[::-1]
    step = max(-(-len(starts) // _BATCHES), threads or cores())
    parts: list[Pairs] = []
    while starts and sum(map(len, parts)) < most:
        batch, starts = starts[:step], starts[step:]
        parts.append(close.found(batch, threads, lambda first: progress(size - first, size, "comparing all inputs")))
        remaining[close.order[batch[-1] :]] = False
    return joined_pairs(*parts, size=size)


def _among(
    remaining: NDArray[np.bool_], order: NDArray[np.intp], gaps: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Order and gaps of those that remain: a gap is the largest of those passed over."""
    places = np.flatnonzero(remaining[order])
    if len(places) < 2:
        return order[places], gaps[:0]
    return order[places], np.maximum.reduceat(gaps[: places[-1]], places[:-1])


def _still_needed(known: Pairs, core: NDArray[np.float64], size: int) -> Pairs:
    """The tree so far, and the pairs that may tell a core distance or come to count when one falls."""
    kept = (known.lengths <= core[known.low]) | (known.lengths <= core[known.high])
    if kept.sum() > _KEPT * size // 2:  # many at the same distance, which say no more than one
        kept = (known.lengths < core[known.low]) | (known.lengths < core[known.high])
    kept[shortest_tree(known, core).places] = True
    return known.taken(kept)
