"""The nearest trace of the same class, or of another: searched for in float32, decided in float64.

Blocks of inputs are worked on by all cores. Where all references would take hours, a sample of them is compared with.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from testimate.core.machine import cores
from testimate.core.progress import Progress
from testimate.core.words import commas
from testimate.structure.cores import one_thread

_CHUNK = 1024  # traces per product: with 512 inputs a tile of 2 MB, about a core's cache
_GROUP = 16  # neighboring traces of which only the nearest is kept at first; divides _CHUNK
_PAIRS = 1 << 18  # numbers compared in float64 at a time
_UNIT = float(np.finfo(np.float32).eps) / 2  # rounding of one float32 operation
_TINY = 2.0 * float(np.finfo(np.float32).tiny)  # what a float32 product can lose by underflow


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest trace of each of n inputs.

    Attributes
    ----------
    places : (n,) its place in the search; -1 where no trace was allowed.
    distances : (n,) to it, in the search's unit; infinite where no trace was allowed.
    """

    places: NDArray[np.intp]
    distances: NDArray[np.float64]


class NearestTraces:
    """Traces sorted by class, and by length inside a class, each kept once per class.

    Minimizes |t|^2 / 2 - t q over traces t, one float32 matrix product for many q. A bound on its rounding tells which
    traces could be the nearest; these few are compared in float64, as the definition says, so that the result is that of
    the plain double loop. Holds one float32 copy of the traces.

    Parameters
    ----------
    traces : (M, d) finite.
    classes : (M,) class of each.
    scale : distances are multiplied by this power of two, against overflow in float64.

    Attributes
    ----------
    rows : (P,) the lowest row of each place, P <= M.
    classes : (P,) its class, rising.
    place_of_row : (M,) where each row's trace is kept.
    copies : (P,) how many rows have this trace and class.
    """

    def __init__(self, traces: NDArray[Any], classes: NDArray[np.intp], scale: float) -> None:
        self._traces, self._scale = traces, scale
        size, width = traces.shape
        everyone = np.arange(size)
        self._mean = sum(self._scaled(rows).sum(axis=0) for rows in _chunks(everyone)) / size  # (d,)
        self._arrange(classes)
        longest = max(np.sqrt(_squares(block).max()) for _, block in self._blocks())
        self._shrink = 2.0 ** min(-np.ceil(np.log2(longest)), 1000.0) if longest > 0 else 1.0  # longest becomes <= 1
        self._factors = np.empty((len(self.rows), width + 1), dtype=np.float32)  # (P, d + 1): t, |t|^2 / 2
        lengths = np.empty(len(self.rows), dtype=np.float32)
        for part, block in self._blocks():
            block *= self._shrink
            squares = _squares(block)
            self._factors[part, :width] = block
            self._factors[part, width] = squares / 2.0
            lengths[part] = np.sqrt(squares)
        self._lengths = lengths  # (P,)
        self._error = 1.01 * (width + 12) * _UNIT  # Higham 2002, eq. 3.5, with the rounding of operands and result

    def _arrange(self, classes: NDArray[np.intp]) -> None:
        """Sorts the rows, equal traces of a class side by side, and keeps the first of them."""
        size, width = self._traces.shape
        mixer = np.random.default_rng(0).normal(size=width)  # tells apart traces of equal length
        squares, mixed = np.empty(size), np.empty(size)
        for rows in _chunks(np.arange(size)):
            block = self._scaled(rows) - self._mean
            squares[rows], mixed[rows] = _squares(block), np.einsum("ij,j->i", block, mixer)
        order = np.lexsort((np.arange(size), mixed, squares, classes))
        alike = np.diff(classes[order]) == 0
        alike &= (np.diff(squares[order]) == 0) & (np.diff(mixed[order]) == 0)
        new = np.ones(size, dtype=np.bool_)
        for places in _chunks(np.flatnonzero(alike) + 1):
            new[places] = (self._traces[order[places]] != self._traces[order[places - 1]]).any(axis=1)
        self.rows: NDArray[np.intp] = order[new]
        self.classes: NDArray[np.intp] = classes[self.rows]
        self.place_of_row: NDArray[np.intp] = np.empty(size, dtype=np.intp)
        self.place_of_row[order] = np.cumsum(new) - 1
        self.copies: NDArray[np.intp] = np.bincount(self.place_of_row)

    def of_class(self, queries: NDArray[Any], kind: int, left_out: NDArray[np.intp] | None = None) -> Nearest:
        """The nearest trace of class ``kind`` to each query, (n, d); ``left_out`` (n,) names a place not to take, or -1."""
        start, stop = np.searchsorted(self.classes, [kind, kind + 1])
        return self._search(queries, int(start), int(stop), [], left_out)

    def of_other_classes(self, queries: NDArray[Any], kinds: NDArray[np.intp]) -> Nearest:
        """The nearest trace to each query, (n, d), that is not of its class in ``kinds``, (n,), which must rise."""
        edges = np.flatnonzero(np.diff(kinds, prepend=kinds[0] - 1, append=kinds[-1] + 1))
        own = []
        for left, right in pairwise(edges):
            first, last = np.searchsorted(self.classes, [kinds[left], kinds[left] + 1])
            own.append((slice(int(left), int(right)), int(first), int(last)))
        return self._search(queries, 0, len(self.rows), own, None)

    def _search(
        self,
        queries: NDArray[Any],
        start: int,
        stop: int,
        forbidden: list[tuple[slice, int, int]],
        left_out: NDArray[np.intp] | None,
    ) -> Nearest:
        """The nearest of the places from ``start`` to ``stop``; ``forbidden``: queries, first and last place they skip."""
        points = queries.astype(np.float64) * self._scale
        columns, lengths, halves = self._columns(points)
        best = np.full(len(points), np.inf, dtype=np.float32)  # the nearest is at most this
        found: list[NDArray[Any]] = []
        for top in range(start, stop, _CHUNK):
            end = min(top + _CHUNK, stop)
            tile = np.full((-(-(end - top) // _GROUP) * _GROUP, len(points)), np.inf, dtype=np.float32)
            np.matmul(self._factors[top:end], columns, out=tile[: end - top])
            for among, low, high in forbidden:
                tile[max(low - top, 0) : max(high - top, 0), among] = np.inf
            if left_out is not None:
                owner = np.flatnonzero((left_out >= top) & (left_out < end))
                tile[left_out[owner] - top, owner] = np.inf
            lows = tile.reshape(-1, _GROUP, len(points)).min(axis=1)  # (groups, n)
            longest = np.maximum.reduceat(self._lengths[top:end], np.arange(0, end - top, _GROUP))[:, None]
            slack = self._error * (longest * (lengths + longest * halves)) + (self._factors.shape[1] * _TINY)
            np.minimum(best, (lows + slack).min(axis=0), out=best)
            lows -= slack
            group, owner = np.nonzero(lows <= np.minimum(best, np.finfo(np.float32).max))
            found.append(np.array([top + _GROUP * group, owner, np.full(len(group), end), lows[group, owner]]))
        if not found:
            return Nearest(np.full(len(points), -1, dtype=np.intp), np.full(len(points), np.inf))
        first, owner, end, low = np.concatenate(found, axis=1)
        kept = low <= best[owner.astype(np.intp)]
        candidates = np.array([first, owner, end])[:, kept].astype(np.intp)
        return self._settled(points, candidates, forbidden, left_out)

    def _columns(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any]]:
        """The queries as (d + 1, n) factors -q, 1, their lengths, (n,), and the constant 1/2, (n,).

        All are divided by a power of two where q is large beside the traces, against overflow in float32.
        """
        centered = (points - self._mean) * self._shrink
        divisors = 2.0 ** np.ceil(np.log2(np.maximum(np.abs(centered).max(axis=1), 1.0)))  # (n,)
        centered /= divisors[:, None]
        columns = np.empty((centered.shape[1] + 1, len(points)), dtype=np.float32)
        columns[:-1] = -centered.T
        columns[-1] = 1.0 / divisors
        return columns, np.sqrt(_squares(centered)).astype(np.float32), (0.5 / divisors).astype(np.float32)

    def _settled(
        self,
        points: NDArray[np.float64],
        candidates: NDArray[np.intp],
        forbidden: list[tuple[slice, int, int]],
        left_out: NDArray[np.intp] | None,
    ) -> Nearest:
        """The nearest among all traces of the candidate groups (first place, query, end), in float64."""
        low, high = np.zeros(len(points), dtype=np.intp), np.zeros(len(points), dtype=np.intp)
        for among, from_place, to_place in forbidden:
            low[among], high[among] = from_place, to_place
        nearest = Nearest(np.full(len(points), -1, dtype=np.intp), np.full(len(points), np.inf))
        step = max(_PAIRS // (_GROUP * points.shape[1]), 1)
        for left in range(0, candidates.shape[1], step):
            first, owner, end = candidates[:, left : left + step]
            places = first[:, None] + np.arange(_GROUP)  # (k, 16)
            allowed = (places < end[:, None]) & ~((places >= low[owner][:, None]) & (places < high[owner][:, None]))
            if left_out is not None:
                allowed &= places != left_out[owner][:, None]
            pair, member = np.nonzero(allowed)
            place, query = places[pair, member], owner[pair]
            gaps = self._scaled(self.rows[place]) - points[query]
            self._keep_nearer(nearest, query, place, np.sqrt(_squares(gaps)))
        return nearest

    def _keep_nearer(
        self, nearest: Nearest, query: NDArray[np.intp], place: NDArray[np.intp], distance: NDArray[np.float64]
    ) -> None:
        """Keeps the nearest of these per query where it is nearer than the one so far; of equals, the lowest row."""
        order = np.lexsort((self.rows[place], distance, query))
        winners = order[np.flatnonzero(np.diff(query[order], prepend=-1))]  # one per query
        query, place, distance = query[winners], place[winners], distance[winners]
        known, known_row = nearest.distances[query], self.rows[nearest.places[query]]
        nearer = (distance < known) | ((distance == known) & (self.rows[place] < known_row))
        nearest.places[query[nearer]], nearest.distances[query[nearer]] = place[nearer], distance[nearer]

    def traces(self, places: NDArray[np.intp]) -> NDArray[Any]:
        """The traces at these places, (k, d), as they were given."""
        found: NDArray[Any] = self._traces[self.rows[places]]
        return found

    def spread(self) -> float:
        """Root of the mean squared distance of a trace to the mean of all, in the search's unit."""
        total = sum(float((self.copies[part] * _squares(block)).sum()) for part, block in self._blocks())
        return float(np.sqrt(total / self.copies.sum()))

    def _scaled(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        scaled: NDArray[np.float64] = self._traces[rows].astype(np.float64) * self._scale
        return scaled

    def _blocks(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Places, and the traces there around the mean, (k, d), a fresh array."""
        for places in _chunks(np.arange(len(self.rows))):
            yield slice(places[0], places[-1] + 1), self._scaled(self.rows[places]) - self._mean


def _chunks(rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for top in range(0, len(rows), _CHUNK):
        yield rows[top : top + _CHUNK]


def _squares(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", vectors, vectors)
    return squares


Block = TypeVar("Block")
Answer = TypeVar("Answer")


def on_all_cores(
    work: Callable[[Block], Answer], blocks: Sequence[Block], progress: Progress, what: str
) -> Iterator[tuple[int, Answer]]:
    """Yields each block's place and result as it finishes, on all cores; see ``core.progress.OnBlocks``."""
    with one_thread(), ThreadPoolExecutor(max_workers=max(min(cores(), len(blocks)), 1)) as pool:
        waiting = {pool.submit(work, block): place for place, block in enumerate(blocks)}
        try:
            progress(0, len(blocks), what)
            for done, finished in enumerate(as_completed(waiting), start=1):
                yield waiting[finished], finished.result()
                progress(done, len(blocks), what)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


# What a sample costs on real networks: decision 173.
LEAST_OF_CLASS = 50
"""References of a predicted class that are kept where it has them, so that a rare class still has neighbors."""


def drawn_references(classes: NDArray[np.intp], most: int, *, seed: int) -> NDArray[np.intp] | None:
    """Rows to compare with, rising, (m,); None where there are at most ``most``, so that all of them are.

    Drawn without replacement in each predicted class, by its share of ``most``, and ``LEAST_OF_CLASS`` where it has them:
    with very many classes a few more than ``most`` in all.

    Parameters
    ----------
    classes : (M,) predicted classes of the training set, or of the inputs where there is none. most : at least 1.

    Examples
    --------
    >>> drawn_references(np.repeat([0, 1], [900, 100]), 500, seed=1).shape, drawn_references(np.zeros(9, int), 10, seed=1)
    ((500,), None)
    """
    if len(classes) <= most:
        return None
    rng = np.random.default_rng(seed)
    chosen = []
    for kind, count in zip(*np.unique(classes, return_counts=True), strict=True):
        size = min(int(count), max(round(most * count / len(classes)), LEAST_OF_CLASS))
        chosen.append(rng.choice(np.flatnonzero(classes == kind), size, replace=False))
    rows: NDArray[np.intp] = np.sort(np.concatenate(chosen))
    return rows


def sampled_words(count: int, size: int) -> str:
    """That only some references were compared with.

    >>> sampled_words(290, 345)
    'Each input was compared with 290 of 345 reference inputs, drawn at random within each predicted class.'
    """
    return (
        f"Each input was compared with {commas(count)} of {commas(size)} reference inputs, drawn at random within each "
        "predicted class."
    )
