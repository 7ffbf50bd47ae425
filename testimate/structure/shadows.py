"""A float32 projection ("shadow") of the inputs to few columns, in which no two are farther apart than in the original.

``OnLines`` says which rows of a block may be near which columns, by their places on the line through the centers of both.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.structure.cores import on_cores

_STEP = float(np.finfo(np.float32).eps)
_SHADOWS_ROUNDING = 1e-5  # of two shadows no longer than 1: see ``Shadow``
_MOST_OF_IT = 0.75  # of a block's rows or columns: beyond, leaving out the others costs more than it saves


@dataclass(frozen=True, eq=False)
class OnLines:
    """Some columns on the lines from the centers of several blocks of rows to their own.

    No two points are nearer than their places on a line are. Two groups that lie apart have an empty stretch between them
    on that line, and only the few points beside it may have a partner within their limit.

    Attributes
    ----------
    lines : (blocks, w + 2) float32, unit vectors; the last two numbers, which are no part of a shadow, are 0.
    places : (blocks, m) of the columns. nearest : (blocks,) the least of each.
    limits : (m,) the columns' distances, divided by the shadow's scale: no shadow is longer than 1.
    every : all columns, (m,).
    room : what the rounding of two shadows and of their places comes to, at most.
    """

    lines: NDArray[np.float32]
    places: NDArray[np.float32]
    nearest: NDArray[np.float32]
    limits: NDArray[np.float64]
    every: NDArray[np.intp]
    room: float

    @classmethod
    def of(cls, middles: NDArray[np.float64], columns: NDArray[np.float32], limits: NDArray[np.float64]) -> "OnLines":
        """The lines from the blocks' ``middles``, (blocks, w + 2), to the columns, right sides of a product, (m, w + 2)."""
        between = columns.mean(axis=0, dtype=np.float64) - middles
        between[:, -2:] = 0.0
        lengths = np.linalg.norm(between, axis=1, keepdims=True)
        lines = (between / np.maximum(lengths, np.finfo(np.float64).tiny)).astype(np.float32)
        places = lines @ columns.T
        room = _SHADOWS_ROUNDING + 4 * (lines.shape[1] + 2) * _STEP  # twice what two places are off (Higham 2002, 3.1)
        return cls(lines, places, places.min(axis=1, initial=np.inf), limits, np.arange(len(columns)), room)

    def perhaps_near(
        self, block: int, rows: NDArray[np.float32], limits: NDArray[np.float64]
    ) -> list[tuple[Any, NDArray[np.intp]]]:
        """Which rows of a block to compare with which columns, so that no pair within a row's or a column's limit is missed.

        Rows that may have a partner within their limit, with the columns they may reach; the others only with columns that
        may reach them. ``rows`` : left sides of a product, (n, w + 2). ``limits`` : theirs, as those of the columns.
        """
        before, after = rows @ self.lines[block], self.places[block]
        reaching = self.nearest[block] - before <= limits + self.room
        aimed_at = after - before.max() <= self.limits + self.room
        count = np.count_nonzero(reaching)
        pieces: list[tuple[Any, NDArray[np.intp]]] = []
        some: Any = slice(None)
        if count <= _MOST_OF_IT * len(rows):
            some = np.flatnonzero(reaching)
            if aimed_at.any():
                pieces.append((np.flatnonzero(~reaching), np.flatnonzero(aimed_at)))
        if count:
            faced = aimed_at | (after - before[some].max() <= limits[some].max() + self.room)
            whole = np.count_nonzero(faced) > _MOST_OF_IT * len(faced)
            pieces.append((some, self.every if whole else np.flatnonzero(faced)))
        return pieces


_BLOCK = 1024
_BASIS = 256  # most directions a shadow has; beyond, it is the inputs themselves
_WIDTHS = (12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_LEARNED, _CENTERD = 1024, 256  # rows the directions, and the center, are learned from
_ASKED, _ASKED_AMONG = 64, 4096  # rows, and among how many others, from which the number of directions is chosen
_NS_PER_COLUMN, _NS_PER_PAIR, _NS_PER_NUMBER = 0.02, 150.0, 0.7  # relative cost of a product and of a second look
_MOVED = 16  # columns that are put in another order at a time
_SPARE = 1e-5  # share by which limits are widened for the shadow's own rounding, eta below
_HALF_STEP = float(np.finfo(np.float32).eps / 2)
_ERROR = 4e-6  # e / |x|: float32's rounding of z, and the root of float64's in the length outside


@dataclass(frozen=True, eq=False)
class Shadow:
    """Rows in few dimensions, with bounds that hold for any order of summation.

    Two rows at a true distance of at most T always have ``left . right >= -limit(T)``; the reverse need not hold. For
    shadows z with ``|z_i - z_j| <= |x_i - x_j| + e_i + e_j``, ``left . right`` is ``z_i . z_j - m_i - m_j``, where
    ``m = (1 - c) |z|^2 / 2 - (1 + 1 / eta) e^2`` allows for the rounding of the product (c: Higham 2002, section 3.1)
    and of z, as ``(T + e_i + e_j)^2 <= (1 + eta) T^2 + 2 (1 + 1 / eta) (e_i^2 + e_j^2)``.

    Attributes
    ----------
    left : some rows as the left side of a product, (rows, w + 2) float32: z, -m and 1.
    in_order : the left sides of (S,) different rows in their order, (S, w + 2). Where they are held they are moved, so that
        there is no second copy; what an earlier call returned is then no longer in its own order.
    scale : what the inputs were divided by, so that float32 neither overflows nor underflows.
    width : w.
    """

    left: Callable[[NDArray[np.intp]], NDArray[np.float32]]
    in_order: Callable[[NDArray[np.intp]], NDArray[np.float32]]
    scale: float
    width: int

    def limit(self, distances: NDArray[np.float64]) -> NDArray[np.float32]:
        """What ``left . right`` is compared with, for true distances T of any shape."""
        square = (distances / self.scale) ** 2 * (1 + 2 * _SPARE) / 2
        return -square.astype(np.float32)


def right(left: NDArray[np.float32]) -> NDArray[np.float32]:
    """The right side of a product, from the result of ``Shadow.left``."""
    block = left.copy()
    block[:, -2], block[:, -1] = left[:, -1], left[:, -2]
    return block


def cast_shadow(space: NDArray[Any], neighbor: int, *, threads: int | None = None) -> Shadow:
    """The shadow that makes it cheapest to find pairs about as near as a row's ``neighbor``-th neighbor.

    Parameters
    ----------
    space : (N, d) finite, N >= 2, no two rows equal.

    Notes
    -----
    The columns are the leading principal directions of a sample of rows, and the length of the rest: by Pythagoras and
    the triangle inequality, no distance grows. Fewer directions make products cheaper but leave more pairs for a second
    look; a sample of rows shows where the total is least.
    """
    rng = np.random.default_rng(0)
    known = space[rng.permutation(len(space))[:_ASKED_AMONG]].astype(np.float64)
    center = np.median(known[:_CENTERD], axis=0)  # (d,); not the mean, which one far input could shift a long way
    known -= center
    basis = _directions(known[:_LEARNED], rng)
    width = _cheapest_width(known, basis, max(1, round(neighbor * len(known) / len(space))))
    if width is None:
        return _plain(space, center, threads)
    return _squeezed(space, center, basis[:, :width], threads)


def _directions(centered: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Orthonormal directions of the largest spread, (d, q), the widest first (Halko, Martinsson and Tropp 2011, 4.4)."""
    width = centered.shape[1]
    scaled = centered / max(float(np.abs(centered).max()), np.finfo(float).tiny)
    if width <= _BASIS:
        return np.ascontiguousarray(np.linalg.eigh(scaled.T @ scaled)[1][:, ::-1])
    small = scaled.astype(np.float32)
    seen = small.T @ (small @ rng.normal(size=(width, _BASIS)).astype(np.float32))
    for _ in range(2):
        seen = small.T @ (small @ np.linalg.qr(seen)[0])
    found = np.linalg.qr(seen.astype(np.float64))[0]  # orthonormal in float64, or distances could grow
    spread = np.linalg.eigh((scaled @ found).T @ (scaled @ found))[1][:, ::-1]
    return np.linalg.qr(found @ spread)[0]


def _cheapest_width(known: NDArray[np.float64], basis: NDArray[np.float64], neighbor: int) -> int | None:
    """The number of directions that makes finding near pairs cheapest; None if no shadow is cheaper still."""
    size, wide = known.shape
    asked = slice(_ASKED)
    near = np.partition(_squared_apart(known[asked], known), min(neighbor, size - 1), axis=1)  # (asked, size)
    limits = np.maximum(near[:, min(neighbor, size - 1)], 0)[:, None]
    projected = known @ basis  # (size, q)
    outside = np.einsum("ij,ij->i", known, known)[:, None] - np.cumsum(projected**2, axis=1)  # (size, q) squared
    best, cost = None, _NS_PER_COLUMN * wide
    for width in [width for width in _WIDTHS if width <= min(basis.shape[1], wide - 1)]:
        rest = np.sqrt(np.maximum(outside[:, width - 1], 0))
        apart = _squared_apart(projected[asked, :width], projected[:, :width]) + (rest[asked, None] - rest) ** 2
        again = max(float((apart <= limits).mean()) - neighbor / size, 0)
        price = _NS_PER_COLUMN * (width + 1) + 2 * again * (_NS_PER_PAIR + _NS_PER_NUMBER * wide)
        if price < cost:
            best, cost = width, price
    return wide if best is None and basis.shape[1] == wide else best  # rotated, but with all dimensions: kept in memory


def _squared_apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = np.einsum("ij,ij->i", one, one)[:, None] + np.einsum("ij,ij->i", other, other)
    return np.asarray(squares - 2 * (one @ other.T))


def _squeezed(
    space: NDArray[Any], center: NDArray[np.float64], basis: NDArray[np.float64], threads: int | None
) -> Shadow:
    """The shadow along some directions and, unless they are all, the length outside them."""
    wide, width = basis.shape
    whole = wide == width
    lefts = np.empty((len(space), width + (not whole) + 2), dtype=np.float32)
    scale = _largest(space, center, threads)

    def cast(top: int) -> None:
        block = (space[top : top + _BLOCK] - center) / scale
        inside = block @ basis  # in float64: float32's rounding would spoil the difference below
        squares = np.einsum("ij,ij->i", block, block)
        values = lefts[top : top + _BLOCK, :-2]
        values[:, :width] = inside
        if not whole:
            values[:, width] = np.sqrt(np.maximum(squares - np.einsum("ij,ij->i", inside, inside), 0))
        lefts[top : top + _BLOCK, -2] = -_offsets(values, _ERROR * np.sqrt(squares))

    on_cores(range(0, len(space), _BLOCK), cast, threads=threads)
    lefts[:, -1] = 1
    held = _Held(lefts, np.arange(len(space)))
    return Shadow(held.left, held.in_order, scale, lefts.shape[1] - 2)


@dataclass(frozen=True, eq=False)
class _Held:
    """``lefts`` : the left sides of all rows, in any order. ``places`` : (N,) where among them each row is."""

    lefts: NDArray[np.float32]
    places: NDArray[np.intp]

    def left(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return self.lefts[self.places[rows]]

    def in_order(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        others = np.ones(len(self.places), dtype=bool)
        others[rows] = False
        order = np.append(rows, np.flatnonzero(others))
        now = self.places[order]
        for column in range(0, self.lefts.shape[1], _MOVED):
            self.lefts[:, column : column + _MOVED] = self.lefts[now, column : column + _MOVED]
        self.places[order] = np.arange(len(order))
        return self.lefts[: len(rows)]


def _plain(space: NDArray[Any], center: NDArray[np.float64], threads: int | None) -> Shadow:
    """The inputs themselves, shifted and scaled on access, so that no copy is kept."""
    scale = _largest(space, center, threads)
    width = space.shape[1]

    def left(rows: NDArray[np.intp]) -> NDArray[np.float32]:
        block = np.empty((len(rows), width + 2), dtype=np.float32)
        for top in range(0, len(rows), _BLOCK):
            part = block[top : top + _BLOCK]
            values = ((space[rows[top : top + _BLOCK]] - center) / scale).astype(np.float32)
            lengths = np.sqrt(np.einsum("ij,ij->i", values, values, dtype=np.float64))
            part[:, :-2], part[:, -2], part[:, -1] = values, -_offsets(values, _ERROR * lengths), 1
        return block

    return Shadow(left, left, scale, width)


def _largest(space: NDArray[Any], center: NDArray[np.float64], threads: int | None) -> float:
    """The largest absolute coordinate times the root of the width: no row is longer."""

    def farthest(top: int) -> float:
        block = space[top : top + _BLOCK]
        return max(float((block.max(axis=0) - center).max()), float((center - block.min(axis=0)).max()))

    found = on_cores(range(0, len(space), _BLOCK), farthest, threads=threads)
    return max(found) * float(np.sqrt(space.shape[1]))


def _offsets(values: NDArray[np.float32], errors: NDArray[np.float64]) -> NDArray[np.float64]:
    half = np.einsum("ij,ij->i", values, values, dtype=np.float64) / 2
    room = 4 * (values.shape[1] + 4) * _HALF_STEP  # c: four times Higham's gamma, for the product and the offsets in it
    return np.asarray((1 - room) * half - (1 + 1 / _SPARE) * errors**2)
