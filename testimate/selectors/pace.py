"""PACE: the most typical inputs of every cluster, and the most diverse ones among those that belong to none."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_features
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.k_means_groups import k_means_groups
from testimate.selectors.pace_as_published import last_apart, published_shares
from testimate.selectors.pace_shares import shares
from testimate.selectors.settings import check_options, check_seed, check_variant
from testimate.selectors.shuffled_strata import visits
from testimate.structure.allocation import interleave
from testimate.structure.farthest_first import farthest_first
from testimate.structure.hdbscan_clusters import Clustering, find_clusters
from testimate.structure.mmd_critic import KERNEL_GAMMA, criticisms, l2_normalised, median_heuristic, prototypes
from testimate.structure.one_thread import one_thread

NEARLY_ALL = 0.8  # share of minority space above which the clusters say nothing of the whole set


class Pace(FixedList):
    """Practical accuracy estimation: alpha n prototypes of clusters, the rest diverse inputs of the minority space.

    Features are min-max scaled and clustered by HDBSCAN, after FastICA where that works poorly. Every cluster gives
    prototypes (MMD-critic) in proportion to its size, at least 1 each while the budget allows, else 1 of each of the
    largest. The minority space gives the input of the highest GLOSH outlier score, then always the one farthest from
    those chosen; what it cannot hold goes to the clusters, and the reverse. Where HDBSCAN finds no cluster or calls more
    than 80 % minority space, the groups are k-means' and there is no minority space; ``warning`` and the reasons say so.

    Two runs give the same list, bit for bit. The seed matters only where FastICA, k-means or the median heuristic is used.

    Parameters
    ----------
    features : (N, width), of the last hidden layer by default.
    budget : n, draws to plan, 1..N.
    seed : whole number.
    variant : "as published" is the authors' program: after the first two, the minority space gives the *last* input at
        a distance above 0 instead of the farthest, and numbers are rounded cluster by cluster, so that the list can
        be some inputs longer or shorter than n (``design.planned`` and ``warning`` tell).
    alpha : share of the draws from clusters, 0..1.
    min_cluster_size, min_samples, reduction, components : see ``find_clusters``.
    gamma : of the RBF kernel on L2-normalised vectors; 0 takes the median heuristic.

    Attributes
    ----------
    warning : sentences on what to beware of; "" if nothing.

    Source: Chen et al., Practical accuracy estimation for efficient deep neural network testing (2020), section 3.
    """

    name: ClassVar[str] = "pace"
    title: ClassVar[str] = "PACE: prototypes of clusters and diverse outliers"
    needs: ClassVar[tuple[Need, ...]] = ("features",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs are chosen, not drawn: the accuracy among them is a guess without any guarantee.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Chen et al., Practical accuracy estimation for efficient DNN testing (PACE, 2020)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("alpha", 0.8, "Share of the draws that come from clusters.", low=0.0, high=1.0),
        Option("min_cluster_size", 80, "Fewest inputs that make a cluster.", low=2),
        Option("min_samples", 4, "Neighbours whose distance tells the density.", low=1),
        Option("reduction", "auto", "Whether FastICA comes before clustering.", choices=("auto", "none", "fastica")),
        Option("components", 2, "Dimensions FastICA reduces to.", low=1, high=64),
        Option("gamma", KERNEL_GAMMA, "Of the kernel; 0 takes the median heuristic.", low=0.0),
    )
    variants: ClassVar[tuple[str, ...]] = ("as published",)
    warning: str

    def __init__(
        self,
        features: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        alpha: float = 0.8,
        min_cluster_size: int = 80,
        min_samples: int = 4,
        reduction: str = "auto",
        components: int = 2,
        gamma: float = KERNEL_GAMMA,
    ) -> None:
        array = check_features(features)
        budget, seed = check_budget(budget, len(array)), check_seed(seed)
        self._published = check_variant(variant, self.variants) == "as published"
        settings: dict[str, Any] = {
            "min_cluster_size": min_cluster_size,
            "min_samples": min_samples,
            "reduction": reduction,
            "components": components,
        }
        check_options(self.options, alpha=alpha, gamma=gamma, **settings)
        clustering = find_clusters(array, seed=seed, **settings)
        self._form_groups(clustering, seed)
        self._vectors = l2_normalised(clustering.space)  # (N, d)
        self._gamma = float(gamma) or median_heuristic(self._vectors, seed=seed)
        sizes, minority = np.array([len(group) for group in self._groups]), len(self._minority)
        share_out = published_shares if self._published else shares
        counts = share_out(sizes, minority, budget, float(alpha))  # (K + 1,), the minority space last
        lists = [*map(self._prototypes, self._groups, counts), self._diverse(clustering, int(counts[-1]))]
        order = interleave(counts)  # (n,)
        self._visit = visits(order)
        rows = np.array([lists[group][visit] for group, visit in zip(order, self._visit, strict=True)], dtype=np.intp)
        if len(rows) != budget:
            self.warning = (
                f"{self.warning} As published, {len(rows)} inputs are chosen for a budget of {budget}.".strip()
            )
        group_sizes = tuple(sizes.tolist()) + ((minority,) if minority else ())
        super().__init__(Purposive(group_sizes, len(rows)), rows, self._why, strata=order)

    def criticisms(self, group: int, count: int) -> tuple[int, ...]:
        """Rows of a group that its chosen prototypes explain worst, to be shown, not labeled; fewer where it has fewer.

        ``group`` is the place in ``design.stratum_sizes``; BadInput for the minority space and for groups without draws.
        """
        chosen = self._rows[self._strata == group]
        if not 0 <= group < len(self._groups) or not chosen.size:
            raise BadInput(
                f"Group {group} has no prototypes; needed is a cluster from 0 to {len(self._groups) - 1} that was drawn "
                "from. Choose one."
            )
        members = self._groups[group]
        places = np.searchsorted(members, chosen)
        with one_thread():
            count = min(count, len(members) - len(places))
            found = criticisms(self._vectors[members], places, count, gamma=self._gamma)
        return tuple(members[found].tolist())

    def _form_groups(self, clustering: Clustering, seed: int) -> None:
        labels, self._group_name = clustering.labels, "cluster"
        self.warning = clustering.warning
        if clustering.count == 0 or clustering.noise_share > NEARLY_ALL:
            labels, self._group_name = k_means_groups(clustering.space, seed=seed), "k-means group"
            told = "Instead of clusters, the prototypes stand for groups by k-means."
            self.warning = f"{self.warning} {told}".strip()
        self._groups: list[NDArray[np.intp]] = [
            np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)
        ]
        self._minority: NDArray[np.intp] = np.flatnonzero(labels == -1)

    def _prototypes(self, members: NDArray[np.intp], count: int) -> NDArray[np.intp]:
        if not count:
            return members[:0]
        with one_thread():
            return members[prototypes(self._vectors[members], int(count), gamma=self._gamma)]

    def _diverse(self, clustering: Clustering, count: int) -> NDArray[np.intp]:
        if not count:
            return self._minority[:0]
        points, start = clustering.space[self._minority], int(np.argmax(clustering.glosh[self._minority]))
        order = (
            last_apart(points, count, start=start) if self._published else farthest_first(points, count, start=start)
        )
        return self._minority[order]

    def _why(self, position: int) -> str:
        group, visit = int(self._strata[position]), int(self._visit[position])
        if group < len(self._groups):
            return f"prototype {visit + 1} of {self._group_name} {group + 1}"
        if visit == 0:
            return "minority space, highest GLOSH score"
        return f"minority space, {'last of those apart' if self._published else 'farthest'} from those chosen"
