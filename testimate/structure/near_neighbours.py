"""The nearest neighbours of every input in many dimensions: by all distances for few inputs, searched in groups for many."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.progress import Progress, silent
from testimate.structure.blocked_tree import first_neighbours
from testimate.structure.on_cores import on_cores
from testimate.structure.pairs import distances
from testimate.structure.shadow import cast_shadow

EXACT_UP_TO = 4096
"""Up to this many points all pairs are measured; beyond, a point's neighbours are searched near its group."""

_ROWS = 256


def near_neighbours(
    space: NDArray[Any], count: int, *, threads: int | None = None, progress: Progress = silent
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The ``count`` nearest of every point, itself left out, the nearest first, and their distances, (P, count) each.

    Parameters
    ----------
    space : (P, d) finite, no two rows equal. count : 1 to P - 1.

    Notes
    -----
    Beyond ``EXACT_UP_TO`` points a few neighbours may be missed: these are the first guess of ``first_neighbours``.
    """
    size = len(space)
    if size <= EXACT_UP_TO:
        rows = np.arange(size)
        return nearest_of(space, rows, count, threads=threads)
    shadow = cast_shadow(space, count, threads=threads)
    one, other = first_neighbours(shadow, size, count, threads=threads, progress=progress)
    found = (
        other[np.argsort(one, kind="stable")].astype(np.intp).reshape(size, count)
    )  # groups are large enough to give each as many

    def measured(top: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        near = found[top : top + _ROWS]
        rows = np.repeat(np.arange(top, top + len(near)), count)
        apart = distances(space, rows, space, near.ravel()).reshape(near.shape)
        order = np.lexsort((near, apart), axis=1)
        return np.take_along_axis(near, order, axis=1), np.take_along_axis(apart, order, axis=1)

    parts = on_cores(range(0, size, _ROWS), measured, threads=threads)
    return np.concatenate([near for near, _ in parts]), np.concatenate([apart for _, apart in parts])


def nearest_of(
    space: NDArray[Any],
    rows: NDArray[np.intp],
    count: int,
    *,
    among: NDArray[np.intp] | None = None,
    threads: int | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The ``count`` nearest of some rows, themselves left out, the nearest first, and their distances, (rows, count) each.

    All distances are measured. ``among`` : (M,) the rows to search, rising; None for all.
    """
    others = space if among is None else space[among]
    others = others.astype(np.float32) - others.mean(axis=0, dtype=np.float64).astype(np.float32)
    half = np.einsum("ij,ij->i", others, others) / 2
    centre = (space if among is None else space[among]).mean(axis=0, dtype=np.float64).astype(np.float32)
    places = np.arange(len(space)) if among is None else among

    def work(top: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        mine = rows[top : top + _ROWS]
        scores = (
            space[mine].astype(np.float32) - centre
        ) @ others.T  # the largest the nearest, once ``half`` is taken off
        scores -= half
        own = np.searchsorted(places, mine)
        held = np.flatnonzero((own < len(places)) & (places[np.minimum(own, len(places) - 1)] == mine))
        scores[held, own[held]] = -np.inf
        spare = min(count + 8, len(places) - (among is None))  # float32 may swap neighbours at almost the same distance
        near = np.argpartition(scores, len(places) - spare, axis=1)[:, -spare:]
        found = places[near]
        apart = distances(space, np.repeat(mine, spare), space, found.ravel()).reshape(found.shape)
        order = np.lexsort((found, apart), axis=1)[:, :count]
        return np.take_along_axis(found, order, axis=1), np.take_along_axis(apart, order, axis=1)

    parts = on_cores(range(0, len(rows), _ROWS), work, threads=threads)
    return np.concatenate([near for near, _ in parts]), np.concatenate([apart for _, apart in parts])
