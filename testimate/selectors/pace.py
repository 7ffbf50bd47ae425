"""PACE: the most typical inputs of every cluster, and the most diverse ones among those that belong to none."""

import math
from collections.abc import Collection
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_features
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.fixed_list import FixedList
from testimate.selectors.pace_as_published import last_apart, published_shares
from testimate.selectors.pace_groups import BY_RULE, NEARLY_ALL, PaceGroups, pace_groups
from testimate.selectors.settings import check_options, check_seed, check_variant
from testimate.selectors.shuffled_strata import visits
from testimate.structure.cores import one_thread
from testimate.structure.density_clusters import Reduction
from testimate.structure.farthest_first import farthest_first
from testimate.structure.prototypes import criticisms
from testimate.structure.rbf_kernel import KERNEL_GAMMA, median_heuristic
from testimate.structure.spanning_tree import BLOCKS_FROM
from testimate.structure.strata import interleave, proportional

__all__ = ["NEARLY_ALL", "Pace", "shares"]


class Pace(FixedList):
    """Practical accuracy estimation: alpha n prototypes of clusters, the rest diverse inputs of the minority space.

    Features are min-max scaled and clustered by HDBSCAN, after FastICA where that works poorly. Every cluster gives
    prototypes (MMD-critic) in proportion to its size, at least 1 each while the budget allows, else 1 of each of the
    largest. The minority space gives the input of the highest GLOSH outlier score, then always the one farthest from
    those chosen; draws it has no inputs for go to the clusters, and the reverse. Where HDBSCAN finds no cluster or
    calls more than 80 % minority space, the groups are k-means' and there is no minority space; ``warning`` and the
    reasons say so.

    Two runs give the same list, bit for bit. The seed matters only where a reduction, k-means or the median heuristic is used.

    Parameters
    ----------
    features : (N, width): ORI, FL, LHL (the paper's default), CON, or several side by side.
    budget : n, draws to plan, 1..N.
    seed : whole number.
    variant : "as published" is the authors' program: after the first two, the minority space gives the *last* input at
        a distance above 0 instead of the farthest, and numbers are rounded cluster by cluster, so that the list can
        be some inputs longer or shorter than n (see ``design.planned`` and ``warning``). HDBSCAN is the package's
        default, approximate in few dimensions, and above 60 ``min_samples`` counts the input itself, as in the package
        of the time. The program looks the reduction up in a list of models instead of using the paper's rule: see
        ``PUBLISHED_COMPONENTS``.
    alpha : share of the draws from clusters, 0..1.
    min_cluster_size, min_samples, components : see ``find_clusters``.
    reduction : see ``pace_groups``.
    gamma : of the RBF kernel on L2-normalised vectors; 0 takes the median heuristic.
    blocks_from : see ``spanning_tree``; stored with a session, which then replays by the same tree.

    Attributes
    ----------
    warning : sentences on what to watch out for; "" if nothing.
    groups : the clusters and the minority space, or what stands in for them.

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
        Option("min_samples", 4, "The neighbour whose distance measures the density.", low=1),
        Option(
            "reduction",
            "auto",
            "The reduction before clustering; auto: FastICA, or the method named after it, where the unreduced features "
            "cluster poorly.",
            choices=(*get_args(Reduction), *BY_RULE),
        ),
        Option("components", 2, "Dimensions to reduce to; the paper tries 2, 4, 8 and 16.", low=1, high=64),
        Option("gamma", KERNEL_GAMMA, "Gamma of the kernel; 0 takes the median heuristic.", low=0.0),
    )
    variants: ClassVar[tuple[str, ...]] = ("as published",)
    warning: str
    groups: PaceGroups

    @staticmethod
    def resolved(
        _scores_are_chances: bool, _available: Collection[str] = (), _options: object = None
    ) -> dict[str, Any]:
        """The arguments that are stored with a session besides its options, with their present defaults."""
        return {"blocks_from": BLOCKS_FROM}

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
        blocks_from: int = BLOCKS_FROM,
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
        self._rng = np.random.default_rng(seed)  # of those variants that choose at random
        exactness = "as published" if self._published else "exact"
        self.groups = pace_groups(array, seed=seed, exactness=exactness, blocks_from=blocks_from, **settings)
        self._gamma = float(gamma) or median_heuristic(self.groups.vectors, seed=seed)
        counts = self._shares(budget, float(alpha))  # (K + 1,), the minority space last
        lists = [self._from_group(group, int(count)) for group, count in enumerate(counts[:-1])]
        lists.append(self._from_minority(int(counts[-1])))
        order = interleave(counts)  # (n,)
        self._visit = visits(order)
        rows = np.array([lists[group][visit] for group, visit in zip(order, self._visit, strict=True)], dtype=np.intp)
        self.warning = self.groups.warning
        if len(rows) != budget:
            sentence = f"As published, {len(rows)} inputs are chosen for a budget of {budget}."
            self.warning = f"{self.warning} {sentence}".strip()
        minority = len(self.groups.minority)
        group_sizes = tuple(self.groups.sizes.tolist()) + ((minority,) if minority else ())
        super().__init__(Purposive(group_sizes, len(rows)), rows, self._why, strata=order)

    def criticisms(self, group: int, count: int) -> tuple[int, ...]:
        """Rows of a group that its chosen inputs explain worst, to be shown, not labeled; fewer if the group has fewer.

        ``group`` is the place in ``design.stratum_sizes``; BadInput for the minority space and for groups without draws.
        """
        members = self.groups.members
        chosen = self._rows[self._strata == group]
        if not 0 <= group < len(members) or not chosen.size:
            raise BadInput(
                f"Group {group} has no prototypes; expected a cluster from 0 to {len(members) - 1} that was drawn "
                "from. Choose one."
            )
        places = np.searchsorted(members[group], chosen)
        with one_thread():
            count = min(count, len(members[group]) - len(places))
            found = criticisms(self.groups.vectors[members[group]], places, count, gamma=self._gamma)
        return tuple(members[group][found].tolist())

    def _shares(self, budget: int, alpha: float) -> NDArray[np.intp]:
        """Draws from each of K groups and, last, from the minority space, (K + 1,)."""
        share_out = published_shares if self._published else shares
        return share_out(self.groups.sizes, len(self.groups.minority), budget, alpha)

    def _from_group(self, group: int, count: int) -> NDArray[np.intp]:
        return self.groups.prototypes(group, count, self._gamma)

    def _from_minority(self, count: int) -> NDArray[np.intp]:
        return self.groups.diverse(count, last_apart if self._published else farthest_first)

    def _why(self, position: int) -> str:
        group, visit = int(self._strata[position]), int(self._visit[position])
        if group < len(self.groups.members):
            return self._why_from_group(f"{self.groups.name} {group + 1}", visit)
        return self._why_from_minority(visit)

    def _why_from_group(self, group: str, visit: int) -> str:
        return f"prototype {visit + 1} of {group}"

    def _why_from_minority(self, visit: int) -> str:
        if visit == 0:
            return "minority space, highest GLOSH score"
        return f"minority space, {'last of those apart' if self._published else 'farthest'} from those chosen"


def shares(sizes: NDArray[np.intp], minority: int, budget: int, alpha: float) -> NDArray[np.intp]:
    """Inputs from each of K clusters and, last, from the minority space: (K + 1,), summing to the budget.

    alpha n from the clusters in proportion to their sizes, at least 1 each, the rest from the minority space; if one
    side has too few, the other gives more. A budget below K gives 1 from each of the largest clusters.

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
