"""Cuts of one number into groups of least squared error: k-means in one dimension, without starts."""

import numpy as np
from numpy.typing import NDArray

CELLS = 2048
"""Cells of the histogram; among cuts at their borders, the first cuts are optimal."""

ROUNDS = 300
"""Most rounds in which the cuts then move to halfway between the means; as in scikit-learn's k-means."""


def natural_breaks(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Groups 0..H-1 of the values by rising value, (N,), H at most ``count``; equal values share one.

    The cuts between the cells of a histogram with the least sum of squared distances to the groups' means are found exactly, by
    dynamic programming (Fisher 1958; Wang and Song 2011). From there, the cuts over all values move halfway between the
    means until they no longer change. Time and memory are those of sorting the values once, for any ``count``.

    >>> natural_breaks(np.array([0.0, 0.1, 5.0, 5.1, 9.0]), 3).tolist()
    [0, 0, 1, 1, 2]
    """
    ranked = np.sort(values)
    low, reach = ranked[0] / 2, ranked[-1] / 2 - ranked[0] / 2  # halved, or the widest range would overflow
    if reach == 0 or count == 1:
        return np.zeros(len(values), dtype=np.intp)
    ranked /= 2
    ranked -= low
    ranked /= reach  # 0..1
    sums = np.cumsum(ranked)
    ends = np.searchsorted(ranked, np.arange(1, CELLS + 1) / CELLS, side="right")  # values up to the end of each cell
    ends = np.unique(ends[ends > 0])
    cuts = _best_cuts(ends, sums[ends - 1], _squares_up_to(ranked, ends), min(count, len(ends)))
    borders = _settled(ranked, sums, cuts)
    groups: NDArray[np.intp] = np.searchsorted(borders, (values / 2 - low) / reach, side="left").astype(np.intp)
    return groups


def _squares_up_to(ranked: NDArray[np.float64], ends: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sum of the squared values before each end, (K,)."""
    starts = np.concatenate([[0], ends[:-1]])
    return np.cumsum(
        [float(np.dot(ranked[a:b], ranked[a:b])) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    )


def _best_cuts(
    ends: NDArray[np.intp], sums: NDArray[np.float64], squares: NDArray[np.float64], count: int
) -> list[int]:
    """The numbers of values below each cut, ``count`` - 1 of them, by the values, their sum and squares up to each end (K,)."""
    sizes, sums, squares = (np.concatenate([[0.0], array]) for array in (ends, sums, squares))
    kinds = len(ends)

    def error(first: int | NDArray[np.intp], last: int | NDArray[np.intp]) -> NDArray[np.float64]:
        """The error of one group of the cells from ``first`` up to, but not including, ``last``."""
        inside: NDArray[np.float64] = sums[last] - sums[first]
        found: NDArray[np.float64] = squares[last] - squares[first] - inside**2 / (sizes[last] - sizes[first])
        return found

    least = np.concatenate([[0.0], error(0, np.arange(1, kinds + 1))])  # by the number of cells
    came_from = []
    for groups in range(2, count + 1):
        best, cut = np.full(kinds + 1, np.inf), np.zeros(kinds + 1, dtype=np.intp)
        for last in range(groups, kinds + 1):
            first = np.arange(groups - 1, last)
            total = least[first] + error(first, last)
            place = int(np.argmin(total))
            best[last], cut[last] = total[place], first[place]
        least = best
        came_from.append(cut)
    cuts, last = [], kinds
    for cut in reversed(came_from):
        last = int(cut[last])
        cuts.append(int(ends[last - 1]))
    return cuts[::-1]


def _settled(ranked: NDArray[np.float64], sums: NDArray[np.float64], cuts: list[int]) -> NDArray[np.float64]:
    """Borders halfway between the groups' means, (H-1,), once these no longer move."""
    borders = np.zeros(0)
    for _ in range(ROUNDS):
        starts = np.array([0, *cuts], dtype=np.intp)
        stops = np.array([*cuts, len(ranked)], dtype=np.intp)
        filled = stops > starts
        starts, stops = starts[filled], stops[filled]
        before = np.where(starts > 0, sums[np.maximum(starts, 1) - 1], 0.0)
        means = (sums[stops - 1] - before) / (stops - starts)
        borders = (means[1:] + means[:-1]) / 2
        moved = np.searchsorted(ranked, borders, side="right").tolist()
        if moved == cuts:
            break
        cuts = moved
    return borders
