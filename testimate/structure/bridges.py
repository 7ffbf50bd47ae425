"""Short edges between the parts of a graph, so that a first tree can span all of it."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from testimate.structure.pairs import Pairs
from testimate.structure.shadow import Shadow, right

_NEXT = 3  # parts near a part that it is joined to
_STEPS = 4  # there and back between two parts, until the edge gets no shorter
_BLOCK = 1024


def bridges(pairs: Pairs, shadow: Shadow, core: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs that join the parts into which ``pairs`` fall, as two arrays of rows; good ones, not surely the best."""
    size = len(core)
    ends = [np.stack([pairs.low, pairs.high])]
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
    """Parts and those whose middles are nearest."""
    middles = np.array([shadow.columns(rows).mean(axis=0, dtype=np.float64) for rows in members], dtype=np.float32)
    half = np.einsum("ij,ij->i", middles, middles) / 2
    count = min(_NEXT, len(middles) - 1)
    near: set[tuple[int, int]] = set()
    for top in range(0, len(middles), _BLOCK):
        scores = middles[top : top + _BLOCK] @ middles.T - half
        scores[np.arange(len(scores)), np.arange(top, top + len(scores))] = -np.inf
        for place, row in enumerate(np.argpartition(scores, len(middles) - count, axis=1)[:, -count:].tolist(), top):
            near.update((min(place, other), max(place, other)) for other in row)
    return sorted(near)


def _bridge(
    one: NDArray[np.intp], other: NDArray[np.intp], shadow: Shadow, core: NDArray[np.float64]
) -> tuple[int, int]:
    """A pair between two parts with little mutual reachability: from one end to the best other, there and back."""
    sides = (one, other)
    lefts = tuple(shadow.left(rows) for rows in sides)
    middle = right(lefts[1]).mean(axis=0)
    ends = [int(np.argmax(lefts[0] @ middle)), 0]
    best = np.inf
    for step in range(_STEPS):
        here, there = step % 2, 1 - step % 2
        aimed = right(lefts[here][ends[here] : ends[here] + 1])[0]
        square = np.maximum(-2 * (lefts[there] @ aimed), 0) * shadow.scale**2
        reach = np.maximum(square, core[sides[there]] ** 2)
        found = int(np.argmin(reach))
        if float(reach[found]) >= best:
            break
        best, ends[there] = float(reach[found]), found
    return int(one[ends[0]]), int(other[ends[1]])
