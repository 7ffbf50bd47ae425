"""How well clusters are separated by density, from the spanning tree they come from; and how stable they are."""

import numpy as np
from numpy.typing import NDArray


def relative_validity(labels: NDArray[np.intp], edges: NDArray[np.float64]) -> float | None:
    """The relative validity of a clustering by density, -1 to 1, as the hdbscan package computes it.

    A fast stand-in for DBCV (Moulavi, Jaskowiak, Campello, Zimek and Sander 2014, definitions 5 to 8): from the spanning tree
    of all inputs instead of one for each cluster. Good only for comparing settings on the same features.

    Parameters
    ----------
    labels : (N,) clusters, -1 = minority space.
    edges : (N - 1, 3) two rows and the mutual reachability between them.

    Returns
    -------
    The mean over all inputs of (separation - sparseness) / max of both, of their cluster, 0 for the minority space; None
    without a cluster.

    Notes
    -----
    Sparseness is the longest edge within a cluster, separation the shortest to another one. A cluster with no edge to another
    is given twice the tree's longest edge; a single one twice the shortest edge to the minority space.
    """
    sizes = np.bincount(labels + 1)
    count = len(sizes) - 1
    if count < 1:
        return None
    ends, lengths = edges[:, :2].astype(np.intp), edges[:, 2]
    one, other = labels[ends[:, 0]], labels[ends[:, 1]]
    longest = float(lengths.max(initial=0.0))
    sparse, apart = np.zeros(count), np.full(count, np.inf)
    within = (one == other) & (one >= 0)
    between = (one != other) & (one >= 0) & (other >= 0)
    outward = (one < 0) != (other < 0)
    np.maximum.at(sparse, one[within], lengths[within])
    np.minimum.at(apart, one[between], lengths[between])
    np.minimum.at(apart, other[between], lengths[between])
    alone = float(lengths[outward].min()) if outward.any() else longest
    apart[np.isinf(apart)] = 2 * (longest if count > 1 else alone)
    larger = np.maximum(apart, sparse)
    index = np.divide(apart - sparse, larger, out=np.zeros(count), where=larger > 0)
    return float((sizes[1:] * index).sum() / sizes.sum())


def adjusted_rand(one: NDArray[np.intp], other: NDArray[np.intp]) -> float:
    """The adjusted Rand index of two labelings, (N,) each (Hubert and Arabie 1985): 1 for the same, about 0 by chance.

    The minority space counts as a group of its own.
    """
    pairs = np.unique(np.stack([one, other]), axis=1, return_counts=True)[1].astype(np.float64)
    sums = [np.unique(side, return_counts=True)[1].astype(np.float64) for side in (one, other)]
    together, left, right = ((counts * (counts - 1) / 2).sum() for counts in (pairs, *sums))
    every = len(one) * (len(one) - 1) / 2
    chance = left * right / every if every else 0.0
    most = (left + right) / 2
    return 1.0 if most == chance else float((together - chance) / (most - chance))
