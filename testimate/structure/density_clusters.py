"""Groups of inputs by density (HDBSCAN), and the minority space of inputs that belong to none."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.progress import Progress, silent
from testimate.core.selector import Option, check_options
from testimate.core.words import commas
from testimate.structure.reduction import METHODS, min_max_scaled, reduced_features
from testimate.structure.spanning_tree import BLOCKS_FROM, Exactness, SpanningTree, single_linkage, spanning_tree


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


SAMPLE = 100_000
"""Inputs clustered exactly when there are too many to cluster them all."""

CONDENSED = np.dtype([("parent", np.intp), ("child", np.intp), ("lambda_val", np.float64), ("child_size", np.intp)])
"""Of the condensed tree."""

SMALLER_SAMPLE = 20_000
"""Inputs clustered exactly where somebody asked for a sample: seconds, whatever the data."""

_BLOCK = 8192
_NEIGHBORS = 12  # sampled neighbors among which each other input looks for the one it joins first


@dataclass(frozen=True, eq=False)
class DensityClusters:
    """Labels (N,), -1 = noise; GLOSH scores (N,); membership (N,); the condensed tree; how it was made; the persistence of
    each cluster, 0..1; ``relative_validity``; what to know."""

    labels: NDArray[np.intp]
    glosh: NDArray[np.float64]
    membership: NDArray[np.float64]
    tree: NDArray[np.void]
    engine: str
    persistence: NDArray[np.float64]
    validity: float | None
    note: str = ""


def density_clusters(
    space: NDArray[Any],
    min_cluster_size: int,
    min_samples: int,
    *,
    exactness: Exactness = "exact",
    tree: SpanningTree | None = None,
    blocks_from: int = BLOCKS_FROM,
    threads: int | None = None,
    progress: Progress = silent,
) -> DensityClusters:
    """HDBSCAN (Campello, Moulavi and Sander 2013), clusters by excess of mass, outliers by GLOSH (the same, 2015).

    A cluster that lasts over no range of distances at all (a tie cut in two) is noise, except "as published".
    ``tree`` : the spanning tree of this space by ``min_samples``, if already computed.
    """
    from hdbscan._hdbscan_tree import outlier_scores  # a second to load; a list of techniques must not wait
    from hdbscan.hdbscan_ import _tree_to_labels

    found = tree or spanning_tree(
        space, min_samples, exactness=exactness, blocks_from=blocks_from, threads=threads, progress=progress
    )
    merges = single_linkage(*found.edges.T)
    labels, membership, persistence, condensed, _ = _tree_to_labels(space, merges, min_cluster_size)
    lasts = np.asarray(persistence, dtype=np.float64)
    if exactness == "exact":
        # A cluster that ends at the distance at which it began is a tie cut in two, such as many equal inputs.
        lasting = np.append(np.asarray(persistence) > 0, False)  # the last place is the minority space's, -1
        labels = np.where(lasting, np.cumsum(lasting) - 1, -1)[labels]
        lasts = lasts[lasts > 0]
    return DensityClusters(
        labels=labels.astype(np.intp),
        glosh=np.asarray(outlier_scores(condensed), dtype=np.float64),
        membership=np.where(labels >= 0, membership, 0.0),
        tree=condensed.astype(CONDENSED),
        engine=found.engine,
        persistence=lasts,
        validity=relative_validity(labels, found.edges),
    )


def sampled_clusters(
    space: NDArray[Any],
    min_cluster_size: int,
    min_samples: int,
    *,
    seed: int,
    count: int = SAMPLE,
    blocks_from: int = BLOCKS_FROM,
    threads: int | None = None,
    progress: Progress = silent,
) -> DensityClusters:
    """Exact clusters of ``count`` inputs drawn by ``seed``; every other input joins one of them, or the noise.

    Parameters
    ----------
    count : below N; ``min_cluster_size`` shrinks in proportion, but not to less than ``min_samples`` + 1.

    Notes
    -----
    An input reaches a sampled one at the larger of their distance and its own core distance among the sample. It joins
    the one by which it enters the tree first, though not before that one enters itself, and belongs to the innermost
    cluster that exists at that distance; so it can be noise when its neighbor is not.
    """
    from hdbscan._hdbscan_tree import outlier_scores

    size = len(space)
    rows = np.sort(np.random.default_rng(seed).permutation(size)[:count])
    smallest = max(min_samples + 1, round(min_cluster_size * count / size))
    core = density_clusters(
        space[rows], smallest, min_samples, blocks_from=blocks_from, threads=threads, progress=progress
    )
    rest = np.setdiff1d(np.arange(size), rows, assume_unique=True)
    tree, first = core.tree, core.tree["parent"].min()
    home, leaves = np.zeros(len(rows), dtype=np.intp), tree["child"] < first
    left_at = np.zeros(len(rows))
    home[tree["child"][leaves]], left_at[tree["child"][leaves]] = tree["parent"][leaves], tree["lambda_val"][leaves]
    near, density = _joined(space, rows, rest, left_at, min_samples, progress)
    nodes = _innermost(home[near], density, tree)
    extended = _extended(tree, rows, rest, nodes, density, size)
    labels, membership = np.full(size, -1, dtype=np.intp), np.zeros(size)
    labels[rows], membership[rows] = core.labels, core.membership
    for label, node in enumerate(cluster_nodes(core.labels, tree)):
        inside = np.isin(nodes, list(_below(node, tree)))
        labels[rest[inside]] = label
        ends = float(tree["lambda_val"][tree["parent"] == node].max())
        membership[rest[inside]] = np.minimum(density[inside] / ends, 1.0)
    return DensityClusters(
        labels=labels,
        glosh=np.asarray(outlier_scores(extended), dtype=np.float64),
        membership=membership,
        tree=extended,
        persistence=core.persistence,
        validity=core.validity,
        engine=f"approximate, from {commas(count)} of {commas(size)}; {core.engine}",
        note=(
            f"A sample of {commas(count)} of the {commas(size)} inputs was clustered, with at least {smallest} to a cluster; "
            "the others joined their nearest core point or the minority space."
        ),
    )


def _joined(
    space: NDArray[Any],
    rows: NDArray[np.intp],
    rest: NDArray[np.intp],
    left_at: NDArray[np.float64],
    min_samples: int,
    progress: Progress,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The sampled input that each other input joins, (rest,), and 1 / the distance at which it does."""
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=min(max(_NEIGHBORS, min_samples), len(rows))).fit(space[rows])
    chosen, density = np.empty(len(rest), dtype=np.intp), np.empty(len(rest))
    for top in range(0, len(rest), _BLOCK):
        progress(top, len(rest), "joining the rest to the sample")
        apart, near = index.kneighbors(space[rest[top : top + _BLOCK]])
        apart = np.maximum(apart, apart[:, min(min_samples, apart.shape[1]) - 1 :][:, :1])  # its own core distance
        densities = np.minimum(1 / np.maximum(apart, 1 / left_at.max()), left_at[near])
        best = np.argmax(densities, axis=1)  # of equal ones the nearest
        chosen[top : top + _BLOCK] = near[np.arange(len(near)), best]
        density[top : top + _BLOCK] = densities[np.arange(len(near)), best]
    return chosen, density


def _innermost(nodes: NDArray[np.intp], density: NDArray[np.float64], tree: NDArray[np.void]) -> NDArray[np.intp]:
    """The lowest node at or above each of ``nodes`` that exists at that density already."""
    first = tree["parent"].min()
    above, born = np.full(tree["parent"].max() + 1, first), np.zeros(tree["parent"].max() + 1)
    inner = tree["child"] >= first
    above[tree["child"][inner]], born[tree["child"][inner]] = tree["parent"][inner], tree["lambda_val"][inner]
    nodes = nodes.copy()
    while (early := born[nodes] > density).any():
        nodes[early] = above[nodes[early]]
    return nodes


def cluster_nodes(labels: NDArray[np.intp], tree: NDArray[np.void]) -> tuple[int, ...]:
    """Return the node of each cluster in its condensed tree: the lowest one that all of its inputs fall out below.

    Parameters
    ----------
    labels : (N,) cluster of each input, 0.. without a gap; -1 = minority space. tree : as ``Clustering.condensed_tree``.
    """
    above = dict(zip(tree["child"].tolist(), tree["parent"].tolist(), strict=True))
    found = []
    for label in range(int(labels.max(initial=-1)) + 1):
        nodes = {above[row] for row in np.flatnonzero(labels == label).tolist()}
        while len(nodes) > 1:  # a node's number is above its parent's
            deepest = max(nodes)
            nodes = nodes - {deepest} | {above[deepest]}
        found.append(int(nodes.pop()))
    return tuple(found)


def _below(node: int, tree: NDArray[np.void]) -> set[int]:
    """The node and all nodes under it."""
    inner = tree[tree["child"] >= tree["parent"].min()]
    found = {node}
    for parent, child in zip(inner["parent"].tolist(), inner["child"].tolist(), strict=True):  # parents come first
        if parent in found:
            found.add(child)
    return found


def _extended(
    tree: NDArray[np.void],
    rows: NDArray[np.intp],
    rest: NDArray[np.intp],
    nodes: NDArray[np.intp],
    density: NDArray[np.float64],
    size: int,
) -> NDArray[np.void]:
    """The sample's condensed tree with the rows of the whole dataset as leaves and nodes from N on."""
    first, shift = int(tree["parent"].min()), size - len(rows)
    whole = np.empty(len(tree) + len(rest), dtype=CONDENSED)
    own = whole[: len(tree)]
    own[:] = tree
    leaves = tree["child"] < first
    own["parent"] += shift
    own["child"] = np.where(leaves, rows[np.minimum(tree["child"], len(rows) - 1)], tree["child"] + shift)
    added = whole[len(tree) :]
    added["parent"], added["child"], added["lambda_val"], added["child_size"] = nodes + shift, rest, density, 1
    held = np.bincount(nodes + shift, minlength=int(own["parent"].max()) + 1)
    for place in np.flatnonzero(~leaves)[::-1].tolist():  # children before their parents
        held[own["parent"][place]] += held[own["child"][place]]
        own["child_size"][place] += held[own["child"][place]]
    return whole


Reduction = Literal["auto", "none", "fastica", "pca", "nmf", "fa"]

EXACT_UP_TO = 200_000
"""By default, more inputs than this are clustered by a sample."""

MIN_CLUSTER_SIZE = Option("min_cluster_size", 80, "Fewest inputs that make a cluster.", low=2)
MIN_SAMPLES = Option("min_samples", 4, "The neighbor whose distance measures the density.", low=1)
REDUCTION = Option("reduction", "auto", "The reduction before clustering.", choices=get_args(Reduction))
COMPONENTS = Option("components", 2, "Dimensions to reduce to.", low=1)
EXACTNESS = Option("exactness", "exact", "How the distances are taken.", choices=get_args(Exactness))
CLUSTERING = (MIN_CLUSTER_SIZE, MIN_SAMPLES, REDUCTION, COMPONENTS, EXACTNESS)
"""What a clustering depends on, besides the features and the seed."""

SIZE_OF_SAMPLE = Option("exact_up_to", EXACT_UP_TO, "More inputs are clustered by a sample.", low=1000)


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
    few_clusters: int = 3,
    large_share: float = 0.8,
    blocks_from: int = BLOCKS_FROM,
    trees: MutableMapping[str, SpanningTree] | None = None,
    threads: int | None = None,
    progress: Progress = silent,
    **options: Any,
) -> Clustering:
    """Clusters of the min-max scaled features by HDBSCAN, as PACE makes them (Chen et al. 2020, sections 3.2 and 4.4).

    Parameters
    ----------
    features : (N, width) finite.
    seed : of the reduction's start, and of the sample beyond ``exact_up_to``; HDBSCAN itself is deterministic.
    min_cluster_size : the fewest inputs that make a cluster, from 2.
    min_samples : the neighbor, the input itself not counted, whose distance measures the density; from 1.
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
    options : those of ``CLUSTERING``, and ``exact_up_to``; by default as they are declared there.

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
    chosen = check_options((*CLUSTERING, SIZE_OF_SAMPLE), **options)
    min_cluster_size: int = chosen[MIN_CLUSTER_SIZE.name]
    min_samples: int = chosen[MIN_SAMPLES.name]
    components: int = chosen[COMPONENTS.name]
    exact_up_to: int = chosen[SIZE_OF_SAMPLE.name]
    reduction: Reduction = chosen[REDUCTION.name]
    exactness: Exactness = chosen[EXACTNESS.name]
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
    method: Reduction = "fastica" if reduction == "auto" else reduction
    progress(1, 2, f"clusters after {METHODS[method]}")
    columns, warning = reduced_features(space, components, method=method, seed=seed)
    return clustered(columns, method, warning)


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
