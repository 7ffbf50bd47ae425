"""The clusters of a subject as a reviewer looks at them: what each holds, its prototypes and its criticisms."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.structure.hdbscan_clusters import Clustering, find_clusters
from testimate.structure.mmd_critic import KERNEL_GAMMA, criticisms, l2_normalised, prototypes
from testimate.structure.planar_map import PlanarMap, planar_map

PROTOTYPES = 6
CRITICISMS = 6


@dataclass(frozen=True, eq=False)
class ClusterCard:
    """One cluster: its rows, who stands for it and whom it represents badly.

    ``purity`` : share of its inputs with the most frequent prediction, 0..1; ``commonest`` : that prediction's place.
    ``mean_confidence`` : 0..1, or None. ``mean_loss`` : where the truth is known, or None.
    """

    number: int
    rows: NDArray[np.intp]
    prototypes: NDArray[np.intp]
    criticisms: NDArray[np.intp]
    commonest: int | None
    purity: float | None
    mean_confidence: float | None
    mean_loss: float | None


@dataclass(frozen=True, eq=False)
class ClusterView:
    """The clustering, a map of it, a card per cluster, and the minority space from the most outlying input on.

    ``nodes`` : the node of the condensed tree that each cluster is.
    """

    clustering: Clustering
    planar: PlanarMap
    cards: tuple[ClusterCard, ...]
    minority: NDArray[np.intp]
    nodes: tuple[int, ...]


def view_clusters(
    inputs: Inputs,
    *,
    features: str = "LHL",
    min_cluster_size: int = 80,
    min_samples: int = 4,
    seed: int = 0,
    progress: Progress = silent,
) -> ClusterView:
    """Clusters the inputs by HDBSCAN as PACE does and describes what was found (PACE, sections 3.1 and 3.2)."""
    array = inputs.feature(features)
    progress(0, 3, "finding clusters")
    clustering = find_clusters(array, seed=seed, min_cluster_size=min_cluster_size, min_samples=min_samples)
    progress(1, 3, "drawing the map")
    planar = planar_map(array, seed=seed)
    progress(2, 3, "choosing prototypes and criticisms")
    vectors = l2_normalised(array)
    cards = tuple(
        _card(number, np.flatnonzero(clustering.labels == number), vectors, inputs)
        for number in range(clustering.count)
    )
    minority = np.flatnonzero(clustering.labels == -1)
    minority = minority[np.argsort(-clustering.glosh[minority], kind="stable")]
    progress(3, 3, "clusters ready")
    return ClusterView(clustering, planar, cards, minority, _nodes(clustering))


def _nodes(clustering: Clustering) -> tuple[int, ...]:
    """The node of each cluster in the condensed tree: the lowest one that all of its inputs fall out below."""
    tree = clustering.condensed_tree
    parent = dict(zip(tree["child"].tolist(), tree["parent"].tolist(), strict=True))

    def upwards(node: int) -> list[int]:
        path = [node]
        while path[-1] in parent:
            path.append(parent[path[-1]])
        return path[::-1]  # the root first

    nodes = []
    for number in range(clustering.count):
        homes = {parent[int(row)] for row in np.flatnonzero(clustering.labels == number)}
        shared = [level for level in zip(*map(upwards, homes), strict=False) if len(set(level)) == 1]
        nodes.append(shared[-1][0])
    return tuple(nodes)


def _card(number: int, rows: NDArray[np.intp], vectors: NDArray[np.float64], inputs: Inputs) -> ClusterCard:
    inside = vectors[rows]
    chosen = prototypes(inside, min(PROTOTYPES, len(rows)), gamma=KERNEL_GAMMA)
    spare = len(rows) - len(chosen)
    criticised = criticisms(inside, chosen, min(CRITICISMS, spare), gamma=KERNEL_GAMMA) if spare else chosen[:0]
    commonest = purity = None
    if inputs.task.kind == "classification" and inputs.predictions.ndim == 1:
        counts = np.bincount(inputs.predictions[rows])
        commonest, purity = int(counts.argmax()), float(counts.max() / len(rows))
    return ClusterCard(
        number=number,
        rows=rows,
        prototypes=rows[chosen],
        criticisms=rows[criticised],
        commonest=commonest,
        purity=purity,
        mean_confidence=None if inputs.confidence is None else float(inputs.confidence[rows].mean()),
        mean_loss=None if inputs.losses is None else float(inputs.losses[rows].mean()),
    )
