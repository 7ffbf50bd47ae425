"""MMD-critic: the inputs that represent a group (prototypes) and those the prototypes leave unexplained (criticisms).

Kim, Khanna and Koyejo, "Examples are not enough, learn to criticize!", NIPS 2016, with the kernel
k(x, y) = exp(-gamma |x - y|^2). The N x N kernel matrix is never held: its column means come tile by tile, and each pick
adds one column. Picks within rounding of each other count as tied, and the lowest row wins.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.structure.rbf_kernel import KERNEL_GAMMA, KernelPoints, l2_normalised, mean_kernel, median_heuristic
from testimate.structure.ties import lowest_best

__all__ = [
    "KERNEL_GAMMA",
    "criticisms",
    "l2_normalised",
    "mean_kernel",
    "median_heuristic",
    "prototypes",
    "witness",
]

_NOTHING_NEW = 1e-13  # residual variance below which a criticism lies in the span of those before, up to rounding


def prototypes(
    features: ArrayLike, count: int, *, gamma: float, means: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """The rows whose distribution comes nearest to that of all rows, in greedy order.

    Parameters
    ----------
    features : (N, width), already normalised if ``gamma`` is meant for normalised rows.
    count : 1 to N; the first k of a larger count are the prototypes of count k.
    gamma : of the kernel, above 0.
    means : (N,) what ``mean_kernel`` gives for the same features and gamma, if already computed.

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
    size = len(check_features(features))
    _check_count(count, size, "prototypes")
    means = mean_kernel(features, gamma=gamma) if means is None else means
    space = KernelPoints.of(features, gamma)
    picked = np.empty(count, dtype=np.intp)
    likeness = np.zeros(size)  # (N,) sum of the kernel with the prototypes so far
    gone = np.zeros(size)  # -inf where picked
    for position in range(count):
        # J_b, what depends on the candidate j: 2 mean_j - (2 sum_S k(s, j) + k(j, j)) / (|S| + 1), k(j, j) = 1
        gain = 2.0 * means - (2.0 * likeness + 1.0) / (position + 1) + gone
        row = lowest_best(gain)
        picked[position], gone[row] = row, -np.inf
        likeness += space.column(row)
    return picked


def witness(
    features: ArrayLike, prototypes: ArrayLike, *, gamma: float, means: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """How much denser all rows are than the prototypes at each row (section 2, the witness function):
    (N,), between -1 and 1.

    Above 0 where there are too few prototypes, below 0 where there are too many. ``means`` as in ``prototypes``.
    """
    rows = _check_rows(prototypes, len(check_features(features)))
    means = mean_kernel(features, gamma=gamma) if means is None else means
    return _witness(KernelPoints.of(features, gamma), rows, means)


def criticisms(
    features: ArrayLike,
    prototypes: ArrayLike,
    count: int,
    *,
    gamma: float,
    means: NDArray[np.float64] | None = None,
) -> NDArray[np.intp]:
    """The rows that the prototypes explain worst and that differ from each other, in greedy order.

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
    size = len(check_features(features))
    rows = _check_rows(prototypes, size)
    if count == 0:
        return np.empty(0, dtype=np.intp)
    _check_count(count, size - len(rows), "criticisms")
    means = mean_kernel(features, gamma=gamma) if means is None else means
    space = KernelPoints.of(features, gamma)
    unexplained = np.abs(_witness(space, rows, means))
    unexplained[rows] = -np.inf
    factor = np.zeros((count, size))  # Cholesky: row c holds what criticism c explains of every row
    residual = np.ones(size)  # (N,) variance of each row given the criticisms so far; det grows by this factor
    picked = np.empty(count, dtype=np.intp)
    for position in range(count):
        row = lowest_best(unexplained + np.log(np.maximum(residual, _NOTHING_NEW)))
        picked[position], unexplained[row] = row, -np.inf
        if residual[row] <= _NOTHING_NEW:
            continue  # an input equal to an earlier criticism adds nothing
        explained = factor[:position, row] @ factor[:position]  # (N,)
        factor[position] = (space.column(row) - explained) / np.sqrt(residual[row])
        residual = residual - factor[position] ** 2
    return picked


def _witness(space: KernelPoints, rows: NDArray[np.intp], means: NDArray[np.float64]) -> NDArray[np.float64]:
    difference: NDArray[np.float64] = means - space.likeness(rows) / len(rows)
    return difference


def _check_count(count: int, available: int, what: str) -> None:
    if not 1 <= count <= available:
        raise BadInput(
            f"{count} {what} are wanted; expected a number from 1 to {available}, the inputs there are. Change it."
        )


def _check_rows(prototypes: ArrayLike, size: int) -> NDArray[np.intp]:
    rows = np.asarray(prototypes, dtype=np.intp)
    if rows.ndim != 1 or not rows.size or rows.min() < 0 or rows.max() >= size or len(np.unique(rows)) < len(rows):
        raise BadInput(
            f"The prototypes are {rows.tolist()!r:.60}; expected one or more different rows from 0 to {size - 1}. "
            "Choose them first."
        )
    return rows
