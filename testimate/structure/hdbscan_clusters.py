"""Groups of inputs by density (HDBSCAN), and the minority space of inputs that belong to none."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.structure.density_clusters import (
    CONDENSED,
    SAMPLE,
    SMALLER_SAMPLE,
    DensityClusters,
    density_clusters,
    sampled_clusters,
)
from testimate.structure.reduction import METHODS, min_max_scaled, reduced_features
from testimate.structure.spanning_tree import BLOCKS_FROM, Exactness, SpanningTree, spanning_tree

Reduction = Literal["auto", "none", "fastica", "pca", "nmf", "fa"]

EXACT_UP_TO = 200_000
"""By default, more inputs than this are clustered by a sample."""


@dataclass(frozen=True, eq=False)
class Clustering:
    """How N inputs group.

    Attributes
    ----------
    labels : (N,) cluster of each input, 0..; -1 = minority space (noise).
    glosh : (N,) GLOSH outlier score, 0 (inside a dense group) to 1.
    membership : (N,) how firmly an input belongs to its cluster, 0..1; 0 in the minority space.
    space : (N, d) where distances were taken: the min-max scaled features, or the components they were reduced to.
    engine : how the tree was made, for the report.
    reduced : whether ``space`` is reduced.
    warning : sentences on what to watch out for; "" if nothing.
    condensed_tree : records of parent, child, lambda_val (1 / distance), child_size.
        Children below N are inputs; N is the root. Empty where nothing was clustered.
    reduction : how ``space`` was reduced, "none" if it was not.
    notes : sentences for the screen, one each: those of ``warning``, and how the clusters were found if not exactly.
    persistence : (clusters,) how long each lasts while the distances shrink, 0..1 (hdbscan's ``cluster_persistence_``).
    validity : ``relative_validity`` of the clusters, -1 to 1; None without one.
    """

    labels: NDArray[np.intp]
    glosh: NDArray[np.float64]
    membership: NDArray[np.float64]
    space: NDArray[Any]
    engine: str
    reduced: bool
    warning: str
    condensed_tree: NDArray[np.void]
    reduction: Reduction = "none"
    notes: tuple[str, ...] = ()
    persistence: tuple[float, ...] = ()
    validity: float | None = None

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
    exactness: Exactness = "exact",
    exact_up_to: int = EXACT_UP_TO,
    blocks_from: int = BLOCKS_FROM,
    trees: MutableMapping[str, SpanningTree] | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Clustering:
    """Clusters of the min-max scaled features by HDBSCAN, as PACE makes them (Chen et al. 2020, sections 3.2 and 4.4).

    Parameters
    ----------
    features : (N, width) finite.
    seed : of the reduction's start, and of the sample beyond ``exact_up_to``; HDBSCAN itself is deterministic.
    min_cluster_size : the fewest inputs that make a cluster, from 2.
    min_samples : the neighbour, the input itself not counted, whose distance measures the density; from 1.
    reduction : "none" clusters the scaled features; "fastica" their first independent components; "auto" is PACE's rule:
        the scaled features, and, if that gives at most ``few_clusters`` clusters or more than ``large_share`` of the
        inputs in one, FastICA's components instead. "pca", "nmf" (non-negative matrix factorisation) and "fa" (factor
        analysis) are PACE's alternatives (section 5.4). Features no wider than ``components`` are never reduced.
    few_clusters, large_share, components : the rule's numbers; PACE's are 3, 0.8 and 2; it also tried 4, 8 and 16.
    exactness : "exact"; "as published": the hdbscan package's default, approximate in few dimensions; "sampled": of more than
        20,000 inputs as many, drawn by the seed, are clustered exactly, and the others join them.
    exact_up_to : with more inputs than this, a seeded sample of at most 100,000 is clustered exactly and the others
        join it; at least 1,000.
    blocks_from : dimensions from which the exact tree is found in blocks of all pairs; see ``spanning_tree``.
    trees : the exact spanning trees of these features by reduction, for the same ``min_samples``, ``components`` and ``seed``:
        those available are used and new ones are added, so that another ``min_cluster_size`` costs little.
    threads : at most; None = all cores. The result does not depend on it.
    progress : called before each step, and often during a long one; raises to stop.

    Returns
    -------
    Clustering. Fewer inputs than ``min_cluster_size``, or inputs that are all equal, are all minority space.

    Raises
    ------
    BadInput : features not finite, or an option outside its range.

    Notes
    -----
    The minimum spanning tree is exact, where the hdbscan package's default is approximate in few dimensions. A cluster
    that lasts over no range of distances at all (a tie cut in two) is minority space, unless "as published".

    Examples
    --------
    >>> blobs = np.random.default_rng(0).normal(size=(300, 2)) + 9 * np.repeat([[0, 0], [0, 1], [1, 0]], 100, axis=0)
    >>> find_clusters(blobs, seed=0, min_cluster_size=20).count
    3
    """
    _check_options(min_cluster_size, min_samples, reduction, components, exactness, exact_up_to)
    space = min_max_scaled(features)
    if len(space) < min_cluster_size:
        few = f"There are {len(space)} inputs, fewer than the {min_cluster_size} that make a cluster: all are minority space."
        return _all_noise(space, few)
    if not space.any():
        return _all_noise(
            space, "All inputs have the same features: there is nothing to cluster, all are minority space."
        )

    def clustered(space: NDArray[Any], reduction: Reduction = "none", warning: str = "") -> Clustering:
        count = min(exact_up_to, SAMPLE) if exactness == "exact" else SMALLER_SAMPLE
        if exactness != "as published" and len(space) > (exact_up_to if exactness == "exact" else count):
            found = sampled_clusters(
                space,
                min_cluster_size,
                min_samples,
                seed=seed,
                count=count,
                blocks_from=blocks_from,
                threads=threads,
                progress=progress,
            )
        else:
            of_all: Exactness = "as published" if exactness == "as published" else "exact"
            tree = None if trees is None or of_all != "exact" else trees.get(reduction)
            if trees is not None and of_all == "exact" and tree is None:
                tree = trees[reduction] = spanning_tree(
                    space, min_samples, blocks_from=blocks_from, threads=threads, progress=progress
                )
            found = density_clusters(
                space,
                min_cluster_size,
                min_samples,
                exactness=of_all,
                tree=tree,
                blocks_from=blocks_from,
                threads=threads,
                progress=progress,
            )
        return _described(found, space, reduction, warning)

    reducible = space.shape[1] > components
    if reduction in ("auto", "none") or not reducible:
        progress(0, 2, "clusters")
        first = clustered(space)
        if reduction == "none" or not reducible or not _poor(first, few_clusters, large_share):
            return first
    chosen: Reduction = "fastica" if reduction == "auto" else reduction
    progress(1, 2, f"clusters after {METHODS[chosen]}")
    columns, warning = reduced_features(space, components, method=chosen, seed=seed)
    return clustered(columns, chosen, warning)


def _described(found: DensityClusters, space: NDArray[Any], reduction: Reduction, warning: str) -> Clustering:
    warnings = [sentence for sentence in (warning, _beware(found.labels)) if sentence]
    return Clustering(
        labels=found.labels,
        glosh=found.glosh,
        membership=found.membership,
        space=space,
        engine=found.engine,
        reduced=reduction != "none",
        warning=" ".join(warnings),
        condensed_tree=found.tree,
        reduction=reduction,
        notes=tuple(filter(None, [*warnings, found.note])),
        persistence=tuple(found.persistence.tolist()),
        validity=found.validity,
    )


def _poor(clustering: Clustering, few_clusters: int, large_share: float) -> bool:
    """Whether the clusters are poor enough for PACE to reduce first (section 4.4)."""
    largest = np.bincount(clustering.labels + 1)[1:].max(initial=0)
    return clustering.count <= few_clusters or bool(largest > large_share * len(clustering.labels))


def _beware(labels: NDArray[np.intp]) -> str:
    counts = np.bincount(labels + 1, minlength=1)
    noise, clusters = counts[0] / len(labels), len(counts) - 1
    if clusters == 0:
        return "HDBSCAN found no cluster: all inputs are minority space."
    if clusters == 1:
        return "HDBSCAN found only one cluster."
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
        condensed_tree=np.empty(0, dtype=CONDENSED),
        notes=(warning,),
    )


def _check_options(
    min_cluster_size: int, min_samples: int, reduction: str, components: int, exactness: str, exact_up_to: int
) -> None:
    for what, value, known in (
        ("reduction", reduction, get_args(Reduction)),
        ("exactness", exactness, get_args(Exactness)),
    ):
        if value not in known:
            raise BadInput(f"The {what} is {value!r:.60}; expected one of {', '.join(known)}. Choose one of these.")
    if min_cluster_size < 2 or min_samples < 1 or components < 1 or exact_up_to < 1000:
        raise BadInput(
            f"min_cluster_size is {min_cluster_size}, min_samples {min_samples}, components {components} and exact_up_to "
            f"{exact_up_to}; expected at least 2, 1, 1 and 1000. Change them."
        )
