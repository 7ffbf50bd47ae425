"""What other settings would find: the clusters by layer and min_cluster_size, and how separated and stable they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.progress import Progress, silent
from testimate.structure.density_clusters import Reduction, adjusted_rand, find_clusters
from testimate.structure.spanning_tree import SpanningTree

RESAMPLES, SHARE = 8, 0.8
"""Samples drawn without replacement, and the share of the inputs in each."""

MOST = 10_000
"""Most inputs clustered for the table; of more, a seeded sample with min_cluster_size in proportion."""


@dataclass(frozen=True)
class SettingRow:
    """One setting.

    Attributes
    ----------
    features, min_cluster_size : the setting.
    clusters : how many. outside : share of the inputs in the minority space, 0..1.
    validity : as ``Clustering.validity``; None without a cluster.
    stability : mean adjusted Rand index of the clusters with those of samples, on the inputs of the sample; ``lowest`` and
        ``highest`` of it. None without a cluster.
    faults_outside : share of the faults in the minority space; None where the truth is not known or there are none.
    """

    features: str
    min_cluster_size: int
    clusters: int
    outside: float
    validity: float | None
    stability: float | None
    lowest: float | None
    highest: float | None
    faults_outside: float | None


def settings_table(
    layers: Mapping[str, ArrayLike],
    sizes: Sequence[int],
    *,
    seed: int,
    min_samples: int = 4,
    reduction: Reduction = "auto",
    components: int = 2,
    failed: NDArray[np.bool_] | None = None,
    resamples: int = RESAMPLES,
    threads: int | None = None,
    progress: Progress = silent,
) -> list[SettingRow]:
    """A row for each of the layers with each ``min_cluster_size``, in that order.

    Parameters
    ----------
    layers : (N, width) features by name. sizes : from 2. failed : (N,) where the truth is known.
    resamples : samples of 80% of the inputs that are clustered again, with ``min_cluster_size`` in proportion.

    Notes
    -----
    One spanning tree for each layer and sample serves all sizes. Agreement between samples shows how much of a
    clustering is in the data and how much is chance (Ben-Hur, Elisseeff and Guyon 2002; Hennig 2007).
    """
    size = len(np.asarray(next(iter(layers.values()))))
    rows, share = np.arange(size), 1.0
    if size > MOST:
        rows = np.sort(np.random.default_rng([seed, 0x7461]).choice(size, MOST, replace=False))
        share = MOST / size
    samples = [
        np.sort(np.random.default_rng([seed, 0x7373, turn]).choice(len(rows), int(SHARE * len(rows)), replace=False))
        for turn in range(resamples)
    ]
    steps, found = len(layers) * (1 + resamples), []
    for place, (name, features) in enumerate(layers.items()):
        array = np.asarray(features)[rows]
        labelings, validities = [], []
        for turn, taken in enumerate([None, *samples]):
            progress(place * (1 + resamples) + turn, steps, f"trying settings on {name}")
            trees: dict[str, SpanningTree] = {}  # min_cluster_size does not change them
            part, labels = array if taken is None else array[taken], []
            for wanted in sizes:
                shrunk = max(2, round(wanted * share * (1.0 if taken is None else SHARE)))
                clusters = find_clusters(
                    part,
                    seed=seed,
                    min_cluster_size=shrunk,
                    min_samples=min_samples,
                    reduction=reduction,
                    components=components,
                    threads=threads,
                    trees=trees,
                )
                labels.append(clusters.labels)
                if taken is None:
                    validities.append(clusters.validity)
            labelings.append(labels)
        whole, others = labelings[0], labelings[1:]
        for column, wanted in enumerate(sizes):
            agreed = [
                adjusted_rand(whole[column][taken], other[column]) for taken, other in zip(samples, others, strict=True)
            ]
            found.append(
                _row(name, wanted, whole[column], validities[column], agreed, None if failed is None else failed[rows])
            )
    progress(steps, steps, "settings tried")
    return found


def _row(
    name: str,
    size: int,
    labels: NDArray[np.intp],
    validity: float | None,
    agreed: list[float],
    failed: NDArray[np.bool_] | None,
) -> SettingRow:
    count = int(labels.max(initial=-1)) + 1
    agreement: dict[str, Any] = {"stability": None, "lowest": None, "highest": None}
    if count and agreed:
        agreement = {"stability": float(np.mean(agreed)), "lowest": min(agreed), "highest": max(agreed)}
    outside = labels < 0
    faults = None if failed is None or not failed.any() else float(outside[failed].mean())
    return SettingRow(name, size, count, float(outside.mean()), validity, faults_outside=faults, **agreement)


def advised(rows: Sequence[SettingRow], *, outside_at_most: float = 0.8) -> SettingRow | None:
    """The setting to try: at least two clusters, not nearly all outside, and the largest product of stability and validity.

    Ties go to the earlier row; None where no row has two clusters. A validity below 0 counts as 0.
    """
    fit = [row for row in rows if row.clusters >= 2 and row.outside <= outside_at_most and row.stability is not None]
    if not fit:
        return None

    def worth(row: SettingRow) -> tuple[float, float]:
        valid = max(row.validity or 0.0, 0.0)
        return valid * max(row.stability or 0.0, 0.0), row.stability or 0.0

    return max(fit, key=worth)
