"""Points in the order of a tree's dendrogram: the largest edge between two of them is the largest gap on the way."""

import numpy as np
from numpy.typing import NDArray

from testimate.structure.merges import single_linkage
from testimate.structure.pairs import Tree


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
