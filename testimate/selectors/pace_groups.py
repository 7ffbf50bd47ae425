"""The groups PACE chooses from: clusters and the minority space, or k-means groups if clustering finds too little."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.fingerprint import of_array
from testimate.selectors.k_means_groups import k_means_groups
from testimate.structure.cores import one_thread
from testimate.structure.density_clusters import EXACT_UP_TO, Clustering, find_clusters
from testimate.structure.prototypes import prototypes
from testimate.structure.rbf_kernel import l2_normalised

BY_RULE = ("auto pca", "auto nmf", "auto fa")
"""Reductions besides those of ``find_clusters``: by the paper's rule, but not FastICA."""

NEARLY_ALL = 0.8  # share of minority space above which the clusters do not represent the whole set
_PRIM_ABOVE = 60  # dimensions, in the hdbscan package's choice of an algorithm
_KEPT_BYTES = 1 << 28  # a clustering whose space is larger is not kept


@dataclass(frozen=True, eq=False)
class PaceGroups:
    """Where the draws come from.

    Attributes
    ----------
    members : rows of each group, rising, K arrays.
    minority : rows of the minority space, rising; empty where the groups are k-means'.
    name : what a group is called, "cluster" or "k-means group".
    clustering : what HDBSCAN found.
    warning : sentences on what to watch out for; "" if nothing.
    """

    members: tuple[NDArray[np.intp], ...]
    minority: NDArray[np.intp]
    name: str
    clustering: Clustering
    warning: str
    _orders: dict[tuple[int, float] | str, NDArray[np.intp]] = field(default_factory=dict)

    @property
    def sizes(self) -> NDArray[np.intp]:
        """Inputs in each group, (K,)."""
        return np.array([len(rows) for rows in self.members], dtype=np.intp)

    @cached_property
    def vectors(self) -> NDArray[np.float64]:
        """The clustered space with rows of length 1, as the kernel takes them, (N, d)."""
        return l2_normalised(self.clustering.space)

    def prototypes(self, group: int, count: int, gamma: float) -> NDArray[np.intp]:
        """The first ``count`` prototypes of a group, as rows; the order is cached, and a larger count continues it."""
        if count == 0:
            return self.members[group][:0]
        known = self._orders.get((group, gamma))
        if known is None or len(known) < count:
            with one_thread():
                places = prototypes(self.vectors[self.members[group]], count, gamma=gamma)
            known = self._orders[group, gamma] = self.members[group][places]
        return known[:count]

    def diverse(self, count: int, order: Callable[..., NDArray[np.intp]]) -> NDArray[np.intp]:
        """The first ``count`` rows of the minority space in an order that begins at its highest GLOSH score; cached.

        ``order`` : ``farthest_first`` or ``last_apart``.
        """
        if count == 0:
            return self.minority[:0]
        known = self._orders.get(order.__name__)
        if known is None or len(known) < count:
            start = int(np.argmax(self.clustering.glosh[self.minority]))
            places = order(self.clustering.space[self.minority], count, start=start)
            known = self._orders[order.__name__] = self.minority[places]
        return known[:count]


def pace_groups(features: NDArray[Any], *, seed: int, **settings: Any) -> PaceGroups:
    """The clusters that ``find_clusters`` finds with these settings, or k-means groups (at most 10) in their place.

    ``settings`` are those of ``find_clusters``; a ``reduction`` of "auto pca", "auto nmf" or "auto fa" follows the paper's
    rule, as "auto" does, and takes that instead of FastICA.

    K-means stands in where there is no cluster, or more than 80 % of the inputs are minority space: then the clusters
    represent few inputs. The last result is cached, because another budget or alpha needs the same one (section 5.1);
    the seed matters only for a reduction, k-means or a sample of the inputs.
    """
    global _last
    key, kept = (of_array(features), *sorted(settings.items())), _last
    if kept is not None and kept.key == key and kept.seed in (None, seed):
        return kept.groups
    clustering = _clustering(features, seed, settings)
    labels, name, warning = clustering.labels, "cluster", " ".join(clustering.notes)
    failed = clustering.count == 0 or clustering.noise_share > NEARLY_ALL
    if failed:
        labels, name = k_means_groups(clustering.space, seed=seed), "k-means group"
        warning = f"{warning} Instead of clusters, the prototypes represent groups by k-means.".strip()
    members = tuple(np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1))
    groups = PaceGroups(members, np.flatnonzero(labels == -1), name, clustering, warning)
    if clustering.space.nbytes <= _KEPT_BYTES:
        seeded = failed or clustering.reduced or len(labels) > EXACT_UP_TO
        _last = _Kept(key, seed if seeded else None, groups)
    return groups


def _clustering(features: NDArray[Any], seed: int, settings: Mapping[str, Any]) -> Clustering:
    """``find_clusters`` with reductions it does not have, and, for "as published", the earlier count of neighbours.

    hdbscan 0.8.22, which the authors ran, counted the input itself among the neighbours where it took Prim's algorithm, above
    60 dimensions (issue 393 of the package, fixed in 2020).
    """
    rule, _, kind = str(settings["reduction"]).partition(" ")
    wide = settings.get("exactness") == "as published" and features.shape[1] > _PRIM_ABOVE
    neighbours = max(settings["min_samples"] - wide, 1) if rule in ("auto", "none") else settings["min_samples"]
    found = find_clusters(features, seed=seed, **{**settings, "reduction": rule, "min_samples": neighbours})
    if rule == "auto" and found.reduced and (kind or wide):
        found = find_clusters(features, seed=seed, **{**settings, "reduction": kind or "fastica"})
    return found


@dataclass(frozen=True, eq=False)
class _Kept:
    key: tuple[Any, ...]
    seed: int | None
    groups: PaceGroups


_last: _Kept | None = None
