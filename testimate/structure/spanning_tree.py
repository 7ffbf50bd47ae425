"""The exact minimum spanning tree of mutual reachability, from which HDBSCAN reads its clusters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hdbscan.hdbscan_ import _hdbscan_boruvka_kdtree, _hdbscan_prims_kdtree
from numpy.typing import NDArray

_BORUVKA_WIDTH = 20  # up to here a tree of the space saves work; above, Prim's plain pass is faster
_EQUAL = 1e-9  # share of the longest edge below which two inputs count as equal


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """The tree and how it was made.

    Attributes
    ----------
    edges : (N - 1, 3) float64: two rows, the lower first, and the edge's length, above 0; shortest first, ties by rows.
    engine : name for the report.
    """

    edges: NDArray[np.float64]
    engine: str


def spanning_tree(space: NDArray[Any], min_samples: int) -> SpanningTree:
    """The tree of least total length, lengths being mutual reachability (Campello, Moulavi and Sander 2013).

    Parameters
    ----------
    space : (N, d) finite, N >= 2, not all rows equal.
    min_samples : the neighbour, the row itself not counted, whose distance is a row's core distance.

    Notes
    -----
    Edges shorter than 1e-9 of the longest count as that long: a length of 0 would be an infinite density, which HDBSCAN
    turns into nan. Edges of equal length come in the order of their rows, on every machine.
    """
    points = np.ascontiguousarray(space, dtype=np.float64)
    neighbour = min(min_samples, len(points) - 1)
    boruvka = points.shape[1] <= _BORUVKA_WIDTH
    options = {"min_samples": neighbour, "metric": "euclidean", "p": None, "gen_min_span_tree": True}
    if boruvka:
        _, found = _hdbscan_boruvka_kdtree(points, approx_min_span_tree=False, core_dist_n_jobs=1, **options)
    else:
        _, found = _hdbscan_prims_kdtree(points, **options)
    ends = np.sort(found[:, :2], axis=1)
    lengths = np.maximum(found[:, 2], _EQUAL * found[:, 2].max())
    order = np.lexsort((ends[:, 1], ends[:, 0], lengths))
    edges = np.column_stack([ends, lengths])[order]
    return SpanningTree(edges=edges, engine="hdbscan, exact Boruvka" if boruvka else "hdbscan, exact Prim")
