"""PACE: the most typical inputs of every cluster, and the most diverse ones among those that belong to none.

Its groups are clusters and the minority space, or k-means groups if clustering finds too little. Diverse inputs are picked
farthest first. The variants each leave one part out, so that its effect can be measured: random inputs instead of
prototypes of a cluster, or of diverse ones in the minority space; adaptive random selection or MMD-critic over the whole
set, without clusters. What the published program does differently from its paper is kept to reproduce the published
figures.
"""

import math
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from testimate.core.checks import check_budget, check_features
from testimate.core.design import Purposive
from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_array
from testimate.core.progress import Progress, silent
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.selectors.base import FixedList, check_seed, check_variant, visits
from testimate.structure.cores import one_thread
from testimate.structure.density_clusters import (
    COMPONENTS,
    EXACT_UP_TO,
    MIN_CLUSTER_SIZE,
    MIN_SAMPLES,
    REDUCTION,
    Clustering,
    find_clusters,
)
from testimate.structure.orders import lowest_best
from testimate.structure.prototypes import SampledObjective, criticisms, prototypes, sampled_objective
from testimate.structure.rbf_kernel import KERNEL_GAMMA, l2_normalized, median_heuristic, sampled_mean_kernel
from testimate.structure.reduction import min_max_scaled
from testimate.structure.spanning_tree import BLOCKS_FROM
from testimate.structure.strata import interleave, proportional

_ROWS = 16_384  # rows read at a time: 11 MB at a width of 84


def farthest_first(points: NDArray[Any], count: int, *, start: int) -> NDArray[np.intp]:
    """The first ``count`` rows of the max-min order that begins with ``start``, none twice.

    Parameters
    ----------
    points : (N, d) where the Euclidean distance is meant.
    count : 1 to N.
    start : row that comes first, 0..N-1.

    Returns
    -------
    (count,) rows in the order they were picked; of equally far rows the lowest comes first.

    Raises
    ------
    BadInput : a point is not finite, or count or start is outside its range.

    Notes
    -----
    Adaptive random testing (Chen, Leung and Mak 2004) with every input as a candidate, as PACE uses it in its minority
    space (Chen et al. 2020, section 3.4). Each pick computes one column of distances, block by block; memory is a few
    numbers per input and a few megabytes, besides the points, which may be in a file.

    Examples
    --------
    >>> farthest_first(np.array([[0.0], [1.0], [9.0], [5.0]]), 3, start=0)
    array([0, 2, 3])
    """
    space = check_features(points, "points")
    size = len(space)
    if not 1 <= count <= size:
        raise BadInput(
            f"{count} points are wanted. Expected a number from 1 to {size}, as many as there are. Change it."
        )
    if not 0 <= start < size:
        raise BadInput(f"The first row is {start}. Expected a row from 0 to {size - 1}. Choose one of these.")
    order = np.empty(count, dtype=np.intp)
    order[0] = start
    nearest = np.full(size, np.inf)  # (N,) squared distance to the nearest row picked
    scale = 0.0
    for position in range(1, count):
        last = order[position - 1]
        distances = _from_one(space, int(last))
        scale = max(scale, float(distances.max()))
        np.minimum(nearest, distances, out=nearest)
        nearest[last] = -np.inf  # never again
        order[position] = lowest_best(nearest, 1e-12 * scale)
    return order


def _from_one(space: NDArray[Any], row: int) -> NDArray[np.float64]:
    """Squared distances of all points from one, (N,)."""
    center = space[row : row + 1].astype(np.float64)
    distances = np.empty(len(space))
    for top in range(0, len(space), _ROWS):
        block = space[top : top + _ROWS].astype(np.float64, copy=False)
        distances[top : top + _ROWS] = cdist(block, center, "sqeuclidean")[:, 0]
    return distances


PUBLISHED_COMPONENTS = {
    "LeNet-1": 8,
    "ResNet-20 on CIFAR-10": 2,
    "VGG-16 on CIFAR-10": 2,
    "ResNet-20 on CIFAR-100": 2,
    "LeNet-5 on SVHN": 2,
}
"""FastICA's dimensions in the published figures: by a list of models, where the paper names a rule (section 4.4).

From the names of the result files beside the authors' program. LeNet-4 and LeNet-5 on MNIST, its mutants and the inputs
changed by BIM were clustered as they are.
"""


def published_shares(
    sizes: NDArray[np.intp], minority: int, budget: int, alpha: float, *, at_random: bool = False
) -> NDArray[np.intp]:
    """The shares as the authors' program counts them, (K + 1,): each is rounded by itself, so the sum can differ from n.

    The minority space gives (1 - alpha) n rounded up, at least 2 if it has them; where its inputs are drawn at random,
    (1 - alpha) n rounded down.

    >>> published_shares(np.array([50, 30, 10]), 10, 20, 0.8).tolist()
    [9, 5, 2, 4]
    """
    share = budget * (1 - alpha)
    wanted = math.floor(share) if at_random else max(math.ceil(share), 2)
    diverse = min(wanted, minority)
    per_draw = sizes.sum() / (
        budget * alpha if diverse == wanted else budget - diverse
    )  # inputs that one prototype stands for
    each = [min(int(size), max(1, round(size / per_draw))) for size in sizes]
    return np.array([*each, diverse], dtype=np.intp)


def last_apart(points: NDArray[Any], count: int, *, start: int) -> NDArray[np.intp]:
    """The order in which the authors' program takes the minority space, (count,) places.

    After ``start`` and the point farthest from it, always the last point that was not picked and equals none that was
    (the program forgets the largest distance so far); where there is none, the first that is not picked.

    >>> last_apart(np.array([[0.0], [1.0], [2.0], [9.0], [3.0]]), 4, start=0).tolist()
    [0, 3, 4, 2]
    """
    space = points.astype(np.float64)
    picked = [start]
    free = np.ones(len(space), dtype=bool)
    free[start] = False
    nearest = np.linalg.norm(space - space[start], axis=1)  # (M,) to the nearest point picked
    while len(picked) < count:
        apart = np.flatnonzero(free & (nearest > 0))
        if not apart.size:
            place = int(np.flatnonzero(free)[0])
        else:
            place = int(apart[np.argmax(nearest[apart])]) if len(picked) == 1 else int(apart[-1])
        picked.append(place)
        free[place] = False
        nearest = np.minimum(nearest, np.linalg.norm(space - space[place], axis=1))
    return np.array(picked, dtype=np.intp)


def k_means_groups(
    space: NDArray[Any],
    *,
    seed: int,
    count: int = 10,
    starts: int = 10,
    rounds: int = 300,
    dtype: type = np.float64,
    progress: Progress = silent,
) -> NDArray[np.intp]:
    """Groups by k-means, (N,), 0.. without gaps: at most ``count`` of them, and no more than there are distinct inputs.

    The best of ``starts`` runs of at most ``rounds`` rounds each; float32 halves time and memory. ``progress`` : called
    before each run; raises to stop.
    """
    from sklearn.cluster import KMeans  # a second to load; a list of techniques must not wait

    state = np.random.RandomState(int(np.random.default_rng(seed).integers(2**32)))
    groups = min(count, len(space))
    points: NDArray[Any] = space.astype(dtype, copy=False)
    best, least = np.zeros(len(space), dtype=np.intp), np.inf
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with fewer distinct inputs than groups some are empty
        for start in range(starts):  # one by one, as scikit-learn does for n_init: each can take minutes
            progress(start, starts, "grouping by k-means")
            found = KMeans(groups, n_init=1, max_iter=rounds, random_state=state).fit(points)
            if found.inertia_ < least and not (start and _same(best, found.labels_)):
                best, least = found.labels_, found.inertia_
    numbered: NDArray[np.intp] = np.unique(best, return_inverse=True)[1].astype(np.intp)
    return numbered


def _same(one: NDArray[np.integer[Any]], other: NDArray[np.integer[Any]]) -> bool:
    """Whether two groupings differ only in the numbers of their groups; a rounding error must not exchange those."""
    pairs = len(np.unique(np.stack([one, other], axis=1), axis=0))
    return pairs == len(np.unique(one)) == len(np.unique(other))


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
        return l2_normalized(self.clustering.space)

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

    K-means stands in where there is no cluster, or more than 80% of the inputs are minority space: then the clusters
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
    """``find_clusters`` with reductions it does not have, and, for "as published", the earlier count of neighbors.

    hdbscan 0.8.22, which the authors ran, counted the input itself among the neighbors where it took Prim's algorithm, above
    60 dimensions (issue 393 of the package, fixed in 2020).
    """
    rule, _, kind = str(settings["reduction"]).partition(" ")
    wide = settings.get("exactness") == "as published" and features.shape[1] > _PRIM_ABOVE
    neighbors = max(settings["min_samples"] - wide, 1) if rule in ("auto", "none") else settings["min_samples"]
    found = find_clusters(features, seed=seed, **{**settings, "reduction": rule, "min_samples": neighbors})
    if rule == "auto" and found.reduced and (kind or wide):
        found = find_clusters(features, seed=seed, **{**settings, "reduction": kind or "fastica"})
    return found


@dataclass(frozen=True, eq=False)
class _Kept:
    key: tuple[Any, ...]
    seed: int | None
    groups: PaceGroups


_last: _Kept | None = None


class Pace(FixedList):
    """Practical accuracy estimation: alpha n prototypes of clusters, the rest diverse inputs of the minority space.

    Features are min-max scaled and clustered by HDBSCAN, after FastICA where that works poorly. Every cluster gives
    prototypes (MMD-critic) in proportion to its size, at least 1 each while the budget allows, else 1 of each of the
    largest. The minority space gives the input of the highest GLOSH outlier score, then always the one farthest from
    those chosen; draws it has no inputs for go to the clusters, and the reverse. Where HDBSCAN finds no cluster or
    calls more than 80% minority space, the groups are k-means' and there is no minority space; ``warning`` and the
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
    gamma : of the RBF kernel on L2-normalized vectors; 0 takes the median heuristic.
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
        MIN_CLUSTER_SIZE,
        MIN_SAMPLES,
        replace(
            REDUCTION,
            help="The reduction before clustering; auto: FastICA, or the method named after it, where the unreduced features "
            "cluster poorly.",
            choices=(*REDUCTION.choices, *BY_RULE),
        ),
        replace(COMPONENTS, help="Dimensions to reduce to; the paper tries 2, 4, 8 and 16.", high=64),
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
        blocks_from: int = BLOCKS_FROM,
        **options: Any,
    ) -> None:
        array = check_features(features)
        budget, seed = check_budget(budget, len(array)), check_seed(seed)
        self._published = check_variant(variant, self.variants) == "as published"
        settings = check_options(self.options, **options)
        alpha, gamma = float(settings.pop("alpha")), float(settings.pop("gamma"))
        self._rng = np.random.default_rng(seed)  # of those variants that choose at random
        exactness = "as published" if self._published else "exact"
        self.groups = pace_groups(array, seed=seed, exactness=exactness, blocks_from=blocks_from, **settings)
        self._gamma = gamma or median_heuristic(self.groups.vectors, seed=seed)
        counts = self._shares(budget, alpha)  # (K + 1,), the minority space last
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
                f"Group {group} has no prototypes. Expected a cluster from 0 to {len(members) - 1} that was drawn "
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


class PaceRandomInGroups(Pace):
    """PACE's clusters, shares and minority space; each cluster gives a simple random sample.

    Parameters and variants are PACE's. The seed determines every draw. Purposive, because the inputs of the minority space
    are chosen.

    Source: PACE, section 4.2, the variant PACE^g_rand.
    """

    name: ClassVar[str] = "pace-rand-g"
    title: ClassVar[str] = "PACE with random inputs of each cluster"
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs of the minority space are chosen, not drawn, and every cluster gets one however small: the "
        "accuracy among them is a guess without any guarantee.",
    )
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2"

    def _from_group(self, group: int, count: int) -> NDArray[np.intp]:
        return self._rng.permutation(self.groups.members[group])[:count]

    def _why_from_group(self, group: str, visit: int) -> str:
        return f"random input {visit + 1} of {group}"


class PaceRandomInMinority(Pace):
    """PACE's clusters, shares and prototypes; the minority space gives a simple random sample.

    Parameters are PACE's; "as published" rounds cluster by cluster and the minority space's share down. The seed determines
    every draw of the minority space.

    Source: PACE, section 4.2, the variant PACE^m_rand.
    """

    name: ClassVar[str] = "pace-rand-m"
    title: ClassVar[str] = "PACE with random inputs of the minority space"
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs of the clusters are chosen, not drawn: the accuracy among them is a guess without any guarantee.",
    )
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2"

    def _shares(self, budget: int, alpha: float) -> NDArray[np.intp]:
        if not self._published:
            return super()._shares(budget, alpha)
        return published_shares(self.groups.sizes, len(self.groups.minority), budget, alpha, at_random=True)

    def _from_minority(self, count: int) -> NDArray[np.intp]:
        return self._rng.permutation(self.groups.minority)[:count]

    def _why_from_minority(self, visit: int) -> str:
        return f"random input {visit + 1} of the minority space"


class PaceAdaptiveRandom(FixedList):
    """A random first input, then always the one farthest from all chosen so far.

    Parameters
    ----------
    features : (N, width), min-max scaled here; distances are Euclidean.
    budget : n, draws to plan, 1..N.
    seed : whole number; it determines the first input, which determines all others. A larger budget continues the list.
    variant : "as published" takes, after the first two, the last input at a distance above 0, as the authors' program.

    Source: PACE, section 4.2, the variant PACE_art.
    """

    name: ClassVar[str] = "pace-art"
    title: ClassVar[str] = "Adaptive random: inputs far from each other"
    needs: ClassVar[tuple[Need, ...]] = ("features",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs are those far from all others, chosen, not drawn: failures are over-represented, and the accuracy "
        "among them is a guess without any guarantee.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2; Chen, Leung and Mak (2004)"
    options: ClassVar[tuple[Option, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ("as published",)

    def __init__(self, features: ArrayLike, *, budget: int, seed: int, variant: str | None = None) -> None:
        array = check_features(features)
        budget, rng = check_budget(budget, len(array)), np.random.default_rng(check_seed(seed))
        self._published = check_variant(variant, self.variants) == "as published"
        space, start = min_max_scaled(array), int(rng.integers(len(array)))
        order = last_apart if self._published else farthest_first
        super().__init__(Purposive((len(array),), budget), order(space, budget, start=start), self._why)

    def _why(self, position: int) -> str:
        if position == 0:
            return "first input, drawn at random"
        return "last of those apart from those chosen" if self._published else "farthest from those chosen"


class PaceWithoutClusters(FixedList):
    """The first n prototypes of the whole set, in MMD-critic's greedy order.

    Two runs give the same list, bit for bit; the seed matters only for the median heuristic and the sample. A larger budget
    continues the list of a smaller one.

    Parameters
    ----------
    features : (N, width), min-max scaled and then L2-normalized here, as PACE does.
    budget : n, draws to plan, 1..N.
    seed : whole number.
    gamma : of the RBF kernel; 0 takes the median heuristic.
    sample : inputs drawn by the seed that represent the whole set when a prototype is chosen; 0 for all, which at a
        million inputs takes half an hour. See ``sampled_mean_kernel`` and decision 173.
    objective : of a sample, what its prototypes leave unexplained of all inputs; None without one. warning : the same in
        words; "" without one.

    Source: PACE, section 4.2, the variant PACE_mmd.
    """

    name: ClassVar[str] = "pace-mmd"
    title: ClassVar[str] = "MMD-critic: prototypes of the whole set"
    needs: ClassVar[tuple[Need, ...]] = ("features",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs are the most typical ones, chosen, not drawn: rare faults are passed over, and the accuracy among "
        "them is a guess without any guarantee.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "PACE (Chen et al. 2020), section 4.2; Kim, Khanna and Koyejo (MMD-critic, 2016)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("gamma", KERNEL_GAMMA, "Gamma of the kernel; 0 takes the median heuristic.", low=0.0),
        Option(
            "sample",
            0,
            "How many inputs, drawn by the seed, represent the whole set in the kernel's means; 0 for all.",
            low=0,
        ),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        features: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        gamma: float = KERNEL_GAMMA,
        sample: int = 0,
    ) -> None:
        array = check_features(features)
        budget, seed = check_budget(budget, len(array)), check_seed(seed)
        check_variant(variant, self.variants)
        check_options(self.options, gamma=gamma, sample=sample)
        self._vectors = l2_normalized(min_max_scaled(array))  # (N, width)
        self.objective: SampledObjective | None = None
        self._gamma = float(gamma) or median_heuristic(self._vectors, seed=seed)
        with one_thread():
            count = sample or len(array)
            self._means = sampled_mean_kernel(self._vectors, count, gamma=self._gamma, seed=seed)
            rows = prototypes(self._vectors, budget, gamma=self._gamma, means=self._means)
            if count < len(array):
                self.objective = sampled_objective(
                    self._vectors, rows, self._means, count, gamma=self._gamma, seed=seed
                )
        self.warning = "" if self.objective is None else self.objective.words()
        super().__init__(Purposive((len(array),), budget), rows, self._why)

    def criticisms(self, count: int) -> tuple[int, ...]:
        """Rows that the chosen prototypes explain worst, to be shown, not labeled; fewer where there are fewer left."""
        with one_thread():
            count = min(count, len(self._vectors) - len(self._rows))
            found = criticisms(self._vectors, self._rows, count, gamma=self._gamma, means=self._means)
            return tuple(found.tolist())

    def _why(self, position: int) -> str:
        return f"prototype {position + 1} of the whole set"
