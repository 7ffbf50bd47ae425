"""Groups of inputs by density (HDBSCAN), and the minority space of inputs that belong to none."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from hdbscan._hdbscan_linkage import label
from hdbscan._hdbscan_tree import outlier_scores
from hdbscan.hdbscan_ import _tree_to_labels
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.structure.reduction import independent_components, min_max_scaled
from testimate.structure.spanning_tree import spanning_tree

Reduction = Literal["auto", "none", "fastica"]

_TREE = np.dtype([("parent", np.intp), ("child", np.intp), ("lambda_val", np.float64), ("child_size", np.intp)])


@dataclass(frozen=True, eq=False)
class Clustering:
    """How N inputs group.

    Attributes
    ----------
    labels : (N,) cluster of each input, 0..; -1 = minority space (noise).
    glosh : (N,) GLOSH outlier score, 0 (in the thick of things) to 1.
    membership : (N,) how firmly an input belongs to its cluster, 0..1; 0 in the minority space.
    space : (N, d) where distances were taken: the min-max scaled features, or FastICA's components.
    engine : how the tree was made, for the report.
    reduced : whether ``space`` is FastICA's.
    warning : sentences on what to beware of; "" if nothing.
    condensed_tree : records of parent, child, lambda_val (1 / distance), child_size.
        Children below N are inputs; N is the root. Empty where nothing was clustered.
    """

    labels: NDArray[np.intp]
    glosh: NDArray[np.float64]
    membership: NDArray[np.float64]
    space: NDArray[Any]
    engine: str
    reduced: bool
    warning: str
    condensed_tree: NDArray[np.void]

    @property
    def count(self) -> int:
        """Number of clusters, the minority space not counted."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def noise_share(self) -> float:
        """Share of the inputs in the minority space, 0..1."""
        return float(np.mean(self.labels == -1))


def find_clusters(
    features: ArrayLike,
    *,
    seed: int,
    min_cluster_size: int = 80,
    min_samples: int = 4,
    reduction: Reduction = "auto",
    few_clusters: int = 3,
    large_share: float = 0.8,
    components: int = 2,
    progress: Progress = silent,
) -> Clustering:
    """Clusters of the min-max scaled features by HDBSCAN, as PACE makes them (Chen et al. 2020, sections 3.2 and 4.4).

    Parameters
    ----------
    features : (N, width) finite.
    seed : of FastICA's start; HDBSCAN itself is deterministic.
    min_cluster_size : the fewest inputs that make a cluster, from 2.
    min_samples : neighbours, the input itself not counted, whose distance tells the density; from 1.
    reduction : "none" clusters the scaled features; "fastica" their first independent components; "auto" is PACE's rule:
        the scaled features, and, if that gives at most ``few_clusters`` clusters or more than ``large_share`` of the
        inputs in one, FastICA's components instead. Features no wider than ``components`` are never reduced.
    few_clusters, large_share, components : the rule's numbers; PACE's are 3, 0.8 and 2.
    progress : called before each step.

    Returns
    -------
    Clustering. Fewer inputs than ``min_cluster_size``, or inputs that are all equal, are all minority space.

    Raises
    ------
    BadInput : features not finite, or an option outside its range.

    Notes
    -----
    The minimum spanning tree is exact, where the hdbscan package's default is approximate in few dimensions. A cluster
    that lasts over no range of distances at all (a tie cut in two) is minority space.

    Examples
    --------
    >>> blobs = np.random.default_rng(0).normal(size=(300, 2)) + 9 * np.repeat([[0, 0], [0, 1], [1, 0]], 100, axis=0)
    >>> find_clusters(blobs, seed=0, min_cluster_size=20).count
    3
    """
    _check_options(min_cluster_size, min_samples, reduction, components)
    space = min_max_scaled(features)
    if len(space) < min_cluster_size:
        told = f"There are {len(space)} inputs, fewer than the {min_cluster_size} that make a cluster: all are minority space."
        return _all_noise(space, told)
    if not space.any():
        return _all_noise(
            space, "All inputs have the same features: there is nothing to cluster, all are minority space."
        )
    reducible = space.shape[1] > components
    if reduction != "fastica" or not reducible:
        progress(0, 2, "clusters")
        first = _clustered(space, min_cluster_size, min_samples)
        if reduction == "none" or not reducible or not _poor(first, few_clusters, large_share):
            return first
    progress(1, 2, "clusters after FastICA")
    sources, told = independent_components(space, components, seed=seed)
    return _clustered(sources, min_cluster_size, min_samples, reduced=True, warning=told)


def _clustered(
    space: NDArray[Any], min_cluster_size: int, min_samples: int, *, reduced: bool = False, warning: str = ""
) -> Clustering:
    tree = spanning_tree(space, min_samples)
    labels, membership, persistence, condensed, _ = _tree_to_labels(space, label(tree.edges), min_cluster_size)
    # A cluster that ends at the distance at which it began is a tie cut in two, such as many equal inputs.
    lasting = np.append(np.asarray(persistence) > 0, False)  # the last place is the minority space's, -1
    numbers = np.where(lasting, np.cumsum(lasting) - 1, -1)
    labels = numbers[labels].astype(np.intp)
    return Clustering(
        labels=labels,
        glosh=np.asarray(outlier_scores(condensed), dtype=np.float64),
        membership=np.where(labels >= 0, membership, 0.0),
        space=space,
        engine=tree.engine,
        reduced=reduced,
        warning=" ".join(filter(None, [warning, _beware(labels)])),
        condensed_tree=condensed.astype(_TREE),
    )


def _poor(clustering: Clustering, few_clusters: int, large_share: float) -> bool:
    """PACE's rule for reducing first (section 4.4)."""
    largest = np.bincount(clustering.labels + 1)[1:].max(initial=0)
    return clustering.count <= few_clusters or bool(largest > large_share * len(clustering.labels))


def _beware(labels: NDArray[np.intp]) -> str:
    counts = np.bincount(labels + 1, minlength=1)
    noise, clusters = counts[0] / len(labels), len(counts) - 1
    if clusters == 0:
        return "HDBSCAN found no cluster: all inputs are minority space."
    if clusters == 1:
        return "HDBSCAN found one cluster only."
    return f"HDBSCAN calls {noise:.0%} of the inputs minority space." if noise > 0.8 else ""


def _all_noise(space: NDArray[Any], warning: str) -> Clustering:
    size = len(space)
    return Clustering(
        labels=np.full(size, -1, dtype=np.intp),
        glosh=np.zeros(size),
        membership=np.zeros(size),
        space=space,
        engine="none",
        reduced=False,
        warning=warning,
        condensed_tree=np.empty(0, dtype=_TREE),
    )


def _check_options(min_cluster_size: int, min_samples: int, reduction: str, components: int) -> None:
    if reduction not in get_args(Reduction):
        raise BadInput(f"The reduction is {reduction!r:.60}; known are auto, none and fastica. Choose one of these.")
    if min_cluster_size < 2 or min_samples < 1 or components < 1:
        raise BadInput(
            f"min_cluster_size is {min_cluster_size}, min_samples {min_samples} and components {components}; "
            "needed are at least 2, 1 and 1. Change them."
        )
