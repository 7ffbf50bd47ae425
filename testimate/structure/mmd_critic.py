"""MMD-critic: the inputs that stand for a group (prototypes) and those the prototypes leave unexplained (criticisms).

Kim, Khanna and Koyejo, "Examples are not enough, learn to criticize!", NIPS 2016, with the kernel
k(x, y) = exp(-gamma |x - y|^2). The N x N kernel matrix is never held: its column means come tile by tile, and each pick
adds one column. Picks within rounding of each other count as tied, and the lowest row wins.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.structure.ties import lowest_best

KERNEL_GAMMA = 0.026
"""Gamma of PACE's authors, meant for vectors of length 1: see ``l2_normalised``."""

_TILE = 1024  # rows and columns of a tile of the kernel matrix: 8 MB
_NOTHING_NEW = 1e-13  # residual variance below which a criticism lies in the span of those before, up to rounding


def l2_normalised(features: ArrayLike) -> NDArray[np.float64]:
    """Every row divided by its Euclidean length, (N, width); rows of zeros stay zero."""
    vectors = check_features(features).astype(np.float64, copy=False)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)  # (N, 1)
    normalised: NDArray[np.float64] = vectors / np.where(lengths > 0, lengths, 1.0)
    return normalised


def median_heuristic(features: ArrayLike, *, seed: int, sample: int = 1000) -> float:
    """Gamma = 1 / (2 m^2), m the median distance between two inputs (Gretton et al. 2012, section 8).

    From at most ``sample`` random rows. Where more than half of the pairs are equal, m is the median of the distances
    above 0; where all are equal any kernel does, and gamma is 1.
    """
    vectors = check_features(features).astype(np.float64, copy=False)
    if len(vectors) > sample:
        vectors = vectors[np.random.default_rng(seed).choice(len(vectors), sample, replace=False)]
    distances = pdist(vectors)
    apart = distances[distances > 0]
    if not apart.size:
        return 1.0
    median = float(np.median(distances)) or float(np.median(apart))
    return 1.0 / (2.0 * median**2)


def mean_kernel(features: ArrayLike, *, gamma: float, progress: Progress = silent) -> NDArray[np.float64]:
    """Mean of k(x_i, x_j) over all i, for each j: (N,), above 0, at most 1.

    The costly part (N^2 width); hand it to ``prototypes``, ``witness`` and ``criticisms`` to have it computed once.
    """
    points, squares = _points(features, gamma)
    size = len(points)
    sums = np.zeros(size)
    for top in range(0, size, _TILE):
        progress(top, size, "kernel")
        rows = slice(top, min(top + _TILE, size))
        for left in range(top, size, _TILE):  # the matrix is symmetric: tiles below the diagonal are mirrored
            columns = slice(left, min(left + _TILE, size))
            tile = _kernel(points[rows], squares[rows], points[columns], squares[columns], gamma)
            sums[columns] += tile.sum(axis=0)
            if left > top:
                sums[rows] += tile.sum(axis=1)
    return sums / size


def prototypes(
    features: ArrayLike, count: int, *, gamma: float, means: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """The rows whose distribution comes nearest to that of all rows, in greedy order.

    Parameters
    ----------
    features : (N, width), normalised beforehand where ``gamma`` is meant for it.
    count : 1 to N; the first k of a larger count are the prototypes of count k.
    gamma : of the kernel, above 0.
    means : (N,) what ``mean_kernel`` gives for the same features and gamma, if at hand.

    Returns
    -------
    (count,) rows, each the one that lowers MMD^2 between prototypes and all rows most (section 3,
    the set function J_b).

    Raises
    ------
    BadInput : features not finite, count or gamma outside their range.

    Examples
    --------
    >>> prototypes(np.array([[0.0], [0.1], [0.2], [5.0]]), 2, gamma=1.0)
    array([1, 3])
    """
    points, squares = _points(features, gamma)
    size = len(points)
    _check_count(count, size, "prototypes")
    means = mean_kernel(features, gamma=gamma) if means is None else means
    picked = np.empty(count, dtype=np.intp)
    likeness = np.zeros(size)  # (N,) sum of the kernel with the prototypes so far
    gone = np.zeros(size)  # -inf where picked
    for position in range(count):
        # J_b, what depends on the candidate j: 2 mean_j - (2 sum_S k(s, j) + k(j, j)) / (|S| + 1), k(j, j) = 1
        gain = 2.0 * means - (2.0 * likeness + 1.0) / (position + 1) + gone
        row = lowest_best(gain)
        picked[position], gone[row] = row, -np.inf
        likeness += _column(points, squares, row, gamma)
    return picked


def witness(
    features: ArrayLike, prototypes: ArrayLike, *, gamma: float, means: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """How much denser all rows are than the prototypes at each row (section 2, the witness function):
    (N,), between -1 and 1.

    Above 0 where the prototypes say too little, below 0 where they say too much. ``means`` as in ``prototypes``.
    """
    points, squares = _points(features, gamma)
    rows = _check_rows(prototypes, len(points))
    means = mean_kernel(features, gamma=gamma) if means is None else means
    likeness = np.zeros(len(points))
    for row in rows:
        likeness += _column(points, squares, row, gamma)
    difference: NDArray[np.float64] = means - likeness / len(rows)
    return difference


def criticisms(
    features: ArrayLike,
    prototypes: ArrayLike,
    count: int,
    *,
    gamma: float,
    means: NDArray[np.float64] | None = None,
) -> NDArray[np.intp]:
    """The rows that the prototypes explain worst and that differ among themselves, in greedy order.

    Each maximises |witness| + the gain in log det of the kernel matrix of the criticisms (section 3, L(C) with its
    log-determinant regulariser).

    Parameters
    ----------
    features, gamma, means : as in ``prototypes``.
    prototypes : rows of the prototypes, at least one; they are never criticisms.
    count : 0 to N less the number of prototypes.

    Returns
    -------
    (count,) rows.
    """
    points, squares = _points(features, gamma)
    size = len(points)
    rows = _check_rows(prototypes, size)
    if count == 0:
        return np.empty(0, dtype=np.intp)
    _check_count(count, size - len(rows), "criticisms")
    unexplained = np.abs(witness(features, rows, gamma=gamma, means=means))
    unexplained[rows] = -np.inf
    factor = np.zeros((count, size))  # Cholesky: row c holds what criticism c tells of every row
    residual = np.ones(size)  # (N,) variance of each row given the criticisms so far; det grows by this factor
    picked = np.empty(count, dtype=np.intp)
    for position in range(count):
        row = lowest_best(unexplained + np.log(np.maximum(residual, _NOTHING_NEW)))
        picked[position], unexplained[row] = row, -np.inf
        if residual[row] <= _NOTHING_NEW:
            continue  # an input equal to an earlier criticism: it tells nothing new
        told = factor[:position, row] @ factor[:position]  # (N,)
        factor[position] = (_column(points, squares, row, gamma) - told) / np.sqrt(residual[row])
        residual = residual - factor[position] ** 2
    return picked


def _points(features: ArrayLike, gamma: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The features around their mean, where products cancel least, (N, width), and their squared lengths, (N,)."""
    if not (np.isfinite(gamma) and gamma > 0):
        raise BadInput(f"The kernel's gamma is {gamma}; needed is a number above 0. Change it.")
    points = check_features(features).astype(np.float64)
    points -= points.mean(axis=0)
    return points, np.einsum("ij,ij->i", points, points)


def _kernel(
    points: NDArray[Any], squares: NDArray[Any], others: NDArray[Any], other_squares: NDArray[Any], gamma: float
) -> NDArray[np.float64]:
    """k of every point with every other, (n, m), from |x - y|^2 = |x|^2 + |y|^2 - 2 x y."""
    tile = points @ others.T
    tile *= -2.0
    tile += squares[:, None]
    tile += other_squares
    np.maximum(tile, 0.0, out=tile)
    tile *= -gamma
    kernel: NDArray[np.float64] = np.exp(tile, out=tile)
    return kernel


def _column(points: NDArray[Any], squares: NDArray[Any], row: int, gamma: float) -> NDArray[np.float64]:
    """k of every row with one row, (N,)."""
    return _kernel(points, squares, points[row : row + 1], squares[row : row + 1], gamma)[:, 0]


def _check_count(count: int, available: int, what: str) -> None:
    if not 1 <= count <= available:
        raise BadInput(
            f"{count} {what} are wanted; needed is a number from 1 to {available}, the inputs there are. Change it."
        )


def _check_rows(prototypes: ArrayLike, size: int) -> NDArray[np.intp]:
    rows = np.asarray(prototypes, dtype=np.intp)
    if rows.ndim != 1 or not rows.size or rows.min() < 0 or rows.max() >= size or len(np.unique(rows)) < len(rows):
        raise BadInput(
            f"The prototypes are {rows.tolist()!r:.60}; needed are one or more different rows from 0 to {size - 1}. "
            "Choose them first."
        )
    return rows
