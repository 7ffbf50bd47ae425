"""The dendrogram of a spanning tree: the merges of single linkage, and its points in the order of its leaves."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.structure.pairs import Tree


def single_linkage(low: ArrayLike, high: ArrayLike, weights: ArrayLike) -> NDArray[np.float64]:
    """The P - 1 merges of P points, the shortest edge first, (P - 1, 4): two nodes, the weight, and the number of points.

    Parameters
    ----------
    low, high, weights : (P - 1,) the edges of a tree, the shortest first.

    Notes
    -----
    Nodes below P are points; node P + m is merge m. The same as the hdbscan package's private ``label``, in a third of
    its time.
    """
    ones, others = np.asarray(low, dtype=np.intp).tolist(), np.asarray(high, dtype=np.intp).tolist()
    size = len(ones) + 1
    above = list(range(size))  # union-find with path halving and union by size
    held = [1] * size
    node = list(range(size))  # of each root
    left, right, together = [0] * (size - 1), [0] * (size - 1), [0] * (size - 1)
    for merge, (one, other) in enumerate(zip(ones, others, strict=True)):
        while above[one] != one:
            above[one] = one = above[above[one]]
        while above[other] != other:
            above[other] = other = above[above[other]]
        left[merge], right[merge] = node[one], node[other]
        if held[one] < held[other]:
            one, other = other, one
        above[other] = one
        held[one] += held[other]
        together[merge] = held[one]
        node[one] = size + merge
    return np.column_stack([left, right, np.asarray(weights, dtype=np.float64), together]).astype(np.float64)


def dendrogram_order(tree: Tree) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The order of the tree's P points, (P,), and the gaps between one and the next, (P - 1,).

    For positions a < b, the largest weight on the tree's path between them is ``gaps[a:b].max()``.
    """
    size = len(tree.low) + 1
    merges = single_linkage(tree.low, tree.high, tree.weights)
    left, right = merges[:, 0].astype(np.intp).tolist(), merges[:, 1].astype(np.intp).tolist()
    held = np.concatenate([np.ones(size), merges[:, 3]]).astype(np.intp).tolist()
    begin = [0] * (2 * size - 1)
    cut = [0] * (size - 1)
    for merge in range(size - 2, -1, -1):  # from the root down; node P + merge
        one, other, start = left[merge], right[merge], begin[size + merge]
        begin[one] = start
        begin[other] = start + held[one]
        cut[merge] = begin[other] - 1
    order = np.empty(size, dtype=np.intp)
    order[begin[:size]] = np.arange(size)
    gaps = np.empty(size - 1)
    gaps[cut] = tree.weights
    return order, gaps
