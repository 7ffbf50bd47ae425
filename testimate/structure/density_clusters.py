"""HDBSCAN of one space: the tree, its labels, and, for very many inputs, a clustered sample that the rest joins."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.progress import Progress, silent
from testimate.core.words import spaced
from testimate.structure.cluster_validity import relative_validity
from testimate.structure.dendrogram import single_linkage
from testimate.structure.spanning_tree import BLOCKS_FROM, Exactness, SpanningTree, spanning_tree

SAMPLE = 100_000
"""Inputs clustered exactly when there are too many to cluster them all."""

CONDENSED = np.dtype([("parent", np.intp), ("child", np.intp), ("lambda_val", np.float64), ("child_size", np.intp)])
"""Of the condensed tree."""

SMALLER_SAMPLE = 20_000
"""Inputs clustered exactly where somebody asked for a sample: seconds, whatever the data."""

_BLOCK = 8192
_NEIGHBOURS = 12  # sampled neighbours among which each other input looks for the one it joins first


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
    cluster that exists at that distance; so it can be noise when its neighbour is not.
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
    for label, node in enumerate(_cluster_nodes(core.labels, home, tree)):
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
        engine=f"approximate, from {spaced(count)} of {spaced(size)}; {core.engine}",
        note=(
            f"A sample of {spaced(count)} of the {spaced(size)} inputs was clustered, with at least {smallest} to a cluster; "
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

    index = NearestNeighbors(n_neighbors=min(max(_NEIGHBOURS, min_samples), len(rows))).fit(space[rows])
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


def _cluster_nodes(labels: NDArray[np.intp], home: NDArray[np.intp], tree: NDArray[np.void]) -> list[int]:
    """The node of every cluster: the lowest node that contains all of its inputs."""
    above = dict(zip(tree["child"].tolist(), tree["parent"].tolist(), strict=True))
    found = []
    for label in range(int(labels.max(initial=-1)) + 1):
        nodes = set(home[labels == label].tolist())
        while len(nodes) > 1:  # a node's number is above its parent's
            deepest = max(nodes)
            nodes = nodes - {deepest} | {above[deepest]}
        found.append(int(nodes.pop()))
    return found


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
