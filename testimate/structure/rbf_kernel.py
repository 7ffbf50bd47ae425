"""The kernel k(x, y) = exp(-gamma |x - y|^2) without the whole N x N matrix: single columns, and the mean of every column."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist

from testimate.core.checks import check_features
from testimate.core.errors import BadInput
from testimate.core.progress import OnBlocks, Progress, one_by_one, silent

KERNEL_GAMMA = 0.026
"""Gamma of PACE's authors, meant for vectors of length 1: see ``l2_normalized``."""

_ROWS, _COLUMNS = 256, 512  # of a tile of the kernel matrix: 1 MB, which a core's own cache holds
_LARGEST_EXPONENT = 300.0  # above, exp(2 gamma x y) and exp(-gamma |x|^2) could leave the range of numbers
_SERIES_ERROR = 5e-11  # of a mean at most; gains have twice its error, and 1e-10 counts as a tie
_SMALL_EXPONENT = 0.5  # above, the series is not even tried
_CERTAIN = 5.0  # roundings taken as independent stay below this many standard deviations


def l2_normalized(features: ArrayLike) -> NDArray[np.float64]:
    """Every row divided by its Euclidean length, (N, width); rows of zeros stay zero."""
    vectors = check_features(features).astype(np.float64, copy=False)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)  # (N, 1)
    normalized: NDArray[np.float64] = vectors / np.where(lengths > 0, lengths, 1.0)
    return normalized


def median_heuristic(features: ArrayLike, *, seed: int, sample: int = 1000) -> float:
    """Gamma = 1 / (2 m^2), m the median distance between two inputs (Gretton et al. 2012, section 8).

    From at most ``sample`` random rows. Where more than half of the pairs are equal, m is the median of the distances
    above 0; where all are equal any kernel will do, and gamma is 1.
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


@dataclass(frozen=True, eq=False)
class KernelPoints:
    """Points between which the kernel is taken.

    Attributes
    ----------
    points : (N, width) float64, centered, so that products lose the fewest digits.
    squares : (N,) their squared lengths.
    gamma : above 0.
    """

    points: NDArray[np.float64]
    squares: NDArray[np.float64]
    gamma: float

    @classmethod
    def of(cls, features: ArrayLike, gamma: float) -> "KernelPoints":
        """Centered copies of the features; BadInput where these are not finite or gamma is not above 0."""
        if not (np.isfinite(gamma) and gamma > 0):
            raise BadInput(f"The kernel's gamma is {gamma}. Expected a number above 0. Change it.")
        points = check_features(features).astype(np.float64)
        points -= points.mean(axis=0)
        return cls(points, np.einsum("ij,ij->i", points, points), float(gamma))

    def __len__(self) -> int:
        return len(self.points)

    def column(self, row: int) -> NDArray[np.float64]:
        """k of every point with one, (N,)."""
        column = self.tile(slice(None), slice(row, row + 1))[:, 0]
        column[row] = 1.0  # whatever the rounding
        return column

    def likeness(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The sum of k of every point with some, (N,)."""
        some = KernelPoints(self.points[rows], self.squares[rows], self.gamma)
        sums = np.empty(len(self))
        for top in range(0, len(self), _ROWS):
            tile = self.between(slice(top, top + _ROWS), some, slice(None))
            own = np.flatnonzero((top <= rows) & (rows < top + _ROWS))
            tile[rows[own] - top, own] = 1.0  # whatever the rounding
            sums[top : top + _ROWS] = tile.sum(axis=1)
        return sums

    def tile(self, rows: slice, columns: slice) -> NDArray[np.float64]:
        """k of some points with others, (n, m), from |x - y|^2 = |x|^2 + |y|^2 - 2 x y."""
        return self.between(rows, self, columns)

    def between(self, rows: slice, others: "KernelPoints", columns: slice) -> NDArray[np.float64]:
        """k of some points with some of others around the same mean, (n, m)."""
        tile = self.points[rows] @ others.points[columns].T
        tile *= -2.0
        tile += self.squares[rows, None]
        tile += others.squares[columns]
        np.maximum(tile, 0.0, out=tile)
        tile *= -self.gamma
        kernel: NDArray[np.float64] = np.exp(tile, out=tile)
        return kernel


def mean_kernel(
    features: ArrayLike, *, gamma: float, progress: Progress = silent, on_blocks: OnBlocks = one_by_one
) -> NDArray[np.float64]:
    """Mean of k(x_i, x_j) over all i, for each j: (N,), above 0, at most 1.

    The costly part of MMD-critic (N^2 width / 2 products); pass it to ``prototypes``, ``witness`` and ``criticisms`` to
    compute it only once. Memory beyond a copy of the features: a few MB and numbers per input. ``on_blocks`` :
    computes the strips of the matrix; sums are added in a fixed order, so that they are the same to the bit.

    Notes
    -----
    k(x, y) = exp(-gamma |x|^2) exp(2 gamma x y) exp(-gamma |y|^2): a tile of the matrix is one product and one exp, and its
    sums along both sides, because the matrix is symmetric, are two more products. Where the middle factor could
    overflow, a tile is made from distances. Where its exponents t are small, as PACE's are, the sums of 1 + t + t^2 / 2
    follow from the points' moments, and what is left of exp(t) is so little that float32 computes it in half the time
    (decision 173).
    """
    space = KernelPoints.of(features, gamma)
    size = len(space)
    tiles = _tiles_of(space)

    def strip(top: int) -> _Strip:
        return _strip_sums(tiles, size, top)

    sums = np.zeros(size)
    waiting: dict[int, _Strip] = {}
    tops = range(0, size, _ROWS)
    following = 0

    def in_rows(done: int, total: int, what: str = "") -> None:
        """Rows of equal work: the first strips are the longest."""
        progress(size - round(size * ((total - done) / max(total, 1)) ** 2), size, what)

    for place, found in on_blocks(strip, tops, in_rows, "kernel"):
        waiting[place] = found
        while following in waiting:
            top, now = tops[following], waiting.pop(following)
            sums[top:] += now.of_columns
            for of_rows in now.of_rows:
                sums[top : top + _ROWS] += of_rows
            following += 1
    return (sums + tiles.known) * tiles.weights / size


class _Tiles(Protocol):
    """How the sums of a tile are found.

    Attributes
    ----------
    weights : (N,) the factor of each input, on either side. known : (N,) what the sums have besides those of the tiles.
    """

    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def known(self) -> NDArray[np.float64]: ...

    def sums(self, rows: slice, columns: slice, beyond: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """By column over all rows, (m,), and by row over the columns from the ``beyond``-th on, (n,).

        The columns before are among the rows, so that their mirror image is in the tile too.
        """
        ...


def _tiles_of(space: KernelPoints) -> _Tiles:
    """The fastest way that is exact enough; it may take the place of the points."""
    longest = float(space.squares.max(initial=0.0))
    if space.gamma * longest > _LARGEST_EXPONENT:
        return _FromDistances(space, np.ones(len(space)), np.zeros(len(space)))
    weights = np.exp(-space.gamma * space.squares)  # (N,)
    space.points[:] *= np.sqrt(2.0 * space.gamma)
    products = _FromProducts(space.points, weights, np.zeros(len(space)))
    most = 2.0 * space.gamma * longest  # no product is larger
    if most > _SMALL_EXPONENT:
        return products
    squares = _squared_products(space.points, weights)
    if _series_error(most, float(squares.max() / len(space)), space.points.shape[1]) > _SERIES_ERROR:
        return products
    known = weights.sum() + space.points @ (weights @ space.points) + squares / 2
    return _FromSeries(space.points.astype(np.float32), weights, weights.astype(np.float32), known)


def _squared_products(points: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of w_i (x_i x_j)^2 over all i, for each j: (N,)."""
    blocks = [slice(top, top + _ROWS) for top in range(0, len(points), _ROWS)]
    moment = np.zeros((points.shape[1], points.shape[1]))
    for rows in blocks:
        moment += (points[rows].T * weights[rows]) @ points[rows]
    return np.concatenate([np.einsum("ij,ij->i", points[rows] @ moment, points[rows]) for rows in blocks])


def _series_error(most: float, square: float, width: int) -> float:
    """How far a mean may be off by a series of exp that ends at t^5, and by float32 from t^3 on.

    ``most`` : the largest |t|. ``square`` : the largest mean of t^2. Left out is t^6 / 720; float32 rounds t in t^3 / 6, and
    the sums over a tile. Roundings that are independent add up to the root of their number (Higham and Mary 2019).
    """
    rounding = _CERTAIN * float(np.finfo(np.float32).eps / 2) * (np.sqrt(width + 2) / 2 + np.sqrt(_COLUMNS + 8) / 6)
    return float(square * (most * rounding + most**4 / 720 * np.exp(most)))


@dataclass(frozen=True, eq=False)
class _FromDistances:
    space: KernelPoints
    weights: NDArray[np.float64]
    known: NDArray[np.float64]

    def sums(self, rows: slice, columns: slice, beyond: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """See ``_Tiles``."""
        tile = self.space.tile(rows, columns)
        np.fill_diagonal(tile[:, :beyond], 1.0)
        return tile.sum(axis=0), tile[:, beyond:].sum(axis=1)


@dataclass(frozen=True, eq=False)
class _FromProducts:
    """``points`` : (N, width), scaled so that their products are 2 gamma x y."""

    points: NDArray[np.float64]
    weights: NDArray[np.float64]
    known: NDArray[np.float64]

    def sums(self, rows: slice, columns: slice, beyond: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """See ``_Tiles``."""
        tile = self.points[rows] @ self.points[columns].T
        np.exp(tile, out=tile)
        return self.weights[rows] @ tile, tile[:, beyond:] @ self.weights[columns][beyond:]


@dataclass(frozen=True, eq=False)
class _FromSeries:
    """``points`` : as above, in float32. ``known`` : the sums of 1 + t + t^2 / 2; of t^3 / 6 to t^5 / 120 by tiles."""

    points: NDArray[np.float32]
    weights: NDArray[np.float64]
    factors: NDArray[np.float32]
    known: NDArray[np.float64]

    def sums(self, rows: slice, columns: slice, beyond: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """See ``_Tiles``."""
        first = self.points[rows] @ self.points[columns].T
        second = first * first
        third = np.multiply(first, second, out=first)
        fifth = third * second
        fourth = np.multiply(second, second, out=second)
        before, after = self.factors[rows], self.factors[columns][beyond:]
        terms = ((third, 6.0), (fourth, 24.0), (fifth, 120.0))
        of_columns = sum((before @ power).astype(np.float64) / factorial for power, factorial in terms)
        of_rows = sum((power[:, beyond:] @ after).astype(np.float64) / factorial for power, factorial in terms)
        return np.asarray(of_columns), np.asarray(of_rows)


@dataclass(frozen=True, eq=False)
class _Strip:
    """The contribution of some rows of the kernel matrix, from the diagonal on, to the sums.

    of_columns : (N - top,) to those of its columns. of_rows : (tiles, rows) to those of its rows, tile by tile.
    """

    of_columns: NDArray[np.float64]
    of_rows: NDArray[np.float64]


def _strip_sums(tiles: _Tiles, size: int, top: int) -> _Strip:
    bottom = min(top + _ROWS, size)
    lefts = range(top, size, _COLUMNS)  # what lies below the diagonal is mirrored
    strip = _Strip(np.empty(size - top), np.empty((len(lefts), bottom - top)))
    for number, left in enumerate(lefts):
        right = min(left + _COLUMNS, size)
        found = tiles.sums(slice(top, bottom), slice(left, right), max(bottom - left, 0))
        strip.of_columns[left - top : right - top], strip.of_rows[number] = found
    return strip


def sampled_mean_kernel(
    features: ArrayLike, count: int, *, gamma: float, seed: int, progress: Progress = silent
) -> NDArray[np.float64]:
    """An estimate of ``mean_kernel`` from ``count`` rows i drawn at random: (N,), N count width products.

    Unbiased; its standard deviation at a row is at most 1 / (2 sqrt(count)), because k is between 0 and 1. With at most
    ``count`` rows all of them are used.
    """
    space = KernelPoints.of(features, gamma)
    size = len(space)
    if size <= count:
        return mean_kernel(features, gamma=gamma, progress=progress)
    rows = np.sort(np.random.default_rng(seed).choice(size, count, replace=False))
    drawn = KernelPoints(space.points[rows], space.squares[rows], space.gamma)
    sums = np.zeros(size)
    for top in range(0, size, _ROWS):
        progress(top, size, "kernel")
        part = slice(top, top + _ROWS)
        for left in range(0, count, _COLUMNS):
            columns = slice(left, left + _COLUMNS)
            sums[part] += space.between(part, drawn, columns).sum(axis=1)
    return sums / count
