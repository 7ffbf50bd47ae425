"""Near pairs found quickly: every group of inputs looks among the groups around it, not among all."""

import numpy as np
from numpy.typing import NDArray

from testimate.structure.on_cores import on_cores
from testimate.structure.shadow import Shadow, right

_PER_GROUP = 128  # points, on average
_LOOKED_AT = 1024  # points near a group that its members look among
_ROWS = 512


def first_neighbours(
    shadow: Shadow, size: int, count: int, *, threads: int | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """About the ``count`` nearest of every row, in the shadow, as two arrays of rows, (size count,) each."""
    groups, around = _groups(shadow, size, max(_LOOKED_AT, 4 * count), threads)
    pieces = [
        (members[top : top + _ROWS], group)
        for group, members in enumerate(groups)
        for top in range(0, len(members), _ROWS)
    ]

    def work(piece: tuple[NDArray[np.intp], int]) -> NDArray[np.intp]:
        members, group = piece
        others = np.concatenate([groups[near] for near in around[group]])
        scores = shadow.left(members) @ right(shadow.left(others)).T  # (members, others), the largest the nearest
        scores[members[:, None] == others] = -np.inf
        found = np.argpartition(scores, len(others) - count, axis=1)[:, -count:] if count < len(others) else None
        return np.tile(others, (len(members), 1)) if found is None else others[found]

    found = on_cores(pieces, work, threads=threads)
    one = np.concatenate([np.repeat(members, near.shape[1]) for (members, _), near in zip(pieces, found, strict=True)])
    other = np.concatenate([near.ravel() for near in found])
    return one[one != other], other[one != other]


def _groups(
    shadow: Shadow, size: int, looked_at: int, threads: int | None
) -> tuple[list[NDArray[np.intp]], list[NDArray[np.intp]]]:
    """Members of every group, and the groups around each, itself first, that hold ``looked_at`` points together."""
    centres = np.sort(np.random.default_rng(0).permutation(size)[: -(-size // _PER_GROUP)])
    aimed = right(shadow.left(centres))
    tops = range(0, size, _ROWS)

    def nearest(top: int) -> NDArray[np.intp]:
        rows = np.arange(top, min(top + _ROWS, size))
        return np.asarray(np.argmax(shadow.left(rows) @ aimed.T, axis=1))

    home = np.concatenate(on_cores(tops, nearest, threads=threads))
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
