"""How many inputs PACE takes from each cluster and from the minority space."""

import math

import numpy as np
from numpy.typing import NDArray

from testimate.structure.allocation import proportional


def shares(sizes: NDArray[np.intp], minority: int, budget: int, alpha: float) -> NDArray[np.intp]:
    """Inputs from each of K clusters and, last, from the minority space: (K + 1,), summing to the budget.

    alpha n from the clusters in proportion to their sizes, at least 1 each, the rest from the minority space; what one
    side cannot hold the other gives. A budget below K gives 1 of each of the largest clusters.

    Source: PACE, section 3.5 and algorithm 1, lines 8 and 12.

    >>> shares(np.array([50, 30, 10]), 10, 20, 0.8).tolist(), shares(np.array([5, 30, 10]), 10, 2, 0.8).tolist()
    ([9, 5, 2, 4], [0, 1, 1, 0])
    """
    wanted = max(math.floor(alpha * budget + 0.5), min(len(sizes), budget))
    from_clusters = min(max(wanted, budget - minority), int(sizes.sum()))
    if from_clusters < len(sizes):
        each = np.zeros(len(sizes), dtype=np.intp)
        each[np.argsort(-sizes, kind="stable")[:from_clusters]] = 1
    else:
        each = proportional(sizes, from_clusters, minimum=1)
    return np.append(each, budget - from_clusters)
