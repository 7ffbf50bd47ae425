"""The clusters of a subject as a reviewer looks at them: what each holds, its prototypes and its criticisms.

The minority space in groups: which cluster an outlying input is nearest to, and what it is predicted as.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core.fingerprint import of_array
from testimate.core.inputs import Inputs
from testimate.core.progress import OnBlocks, Progress, one_by_one, silent
from testimate.project.cluster_settings import ClusterSettings, suited_settings
from testimate.selectors.pace import NEARLY_ALL, k_means_groups
from testimate.structure.cores import one_thread
from testimate.structure.density_clusters import Clustering, cluster_nodes, find_clusters
from testimate.structure.prototypes import (
    SampledObjective,
    criticisms,
    discrepancies_of,
    prototypes,
    sampled_objective,
    witness,
)
from testimate.structure.rbf_kernel import KERNEL_GAMMA, l2_normalized, mean_kernel, sampled_mean_kernel

PROTOTYPES = 6
CRITICISMS = 6


@dataclass(frozen=True, eq=False)
class ClusterCard:
    """One cluster: its rows, the prototypes that stand for it, and the inputs they represent badly.

    ``number`` : its place, 0..; ``members`` : fingerprint of its rows. ``witness`` : at each criticism, above 0 where the
    prototypes say too little; ``nearest`` : the place among the prototypes of the one most like it. ``purity`` : share of
    its inputs with the most frequent prediction, 0..1; ``commonest`` : that prediction's place. ``mean_confidence`` : 0..1,
    or None. ``mean_loss`` : where the truth is known, or None. ``mmd2`` : the squared discrepancy that the prototypes leave;
    ``sampled`` : the same with its error, where they were chosen by a sample of a large cluster, else None.
    """

    number: int
    rows: NDArray[np.intp]
    members: str
    prototypes: NDArray[np.intp]
    criticisms: NDArray[np.intp]
    witness: NDArray[np.float64]
    nearest: NDArray[np.intp]
    commonest: int | None
    purity: float | None
    mean_confidence: float | None
    mean_loss: float | None
    mmd2: float
    sampled: SampledObjective | None = None


@dataclass(frozen=True, eq=False)
class ClusterView:
    """The clustering, a card per cluster, and the minority space from the most outlying input on.

    Attributes
    ----------
    fingerprint : names this clustering of these inputs; notes are kept under it.
    labels : (N,) the card each input belongs to, -1 = minority space; the clustering's, or k-means' where ``trouble``.
    trouble : why the clusters say little, in a sentence, and what stands in their place; "" where they are fine.
    nodes : the node of the condensed tree that each cluster is; empty where the cards are k-means groups.
    witness : (N,) at each input of a cluster how much denser its inputs are than its prototypes; nan in the minority space.
    """

    settings: ClusterSettings
    fingerprint: str
    clustering: Clustering
    labels: NDArray[np.intp]
    trouble: str
    cards: tuple[ClusterCard, ...]
    minority: NDArray[np.intp]
    nodes: tuple[int, ...]
    witness: NDArray[np.float64]

    @property
    def group(self) -> str:
        """What a card is called: a cluster, or a k-means group where the clustering failed."""
        return "k-means group" if self.trouble else "cluster"


def view_clusters(
    inputs: Inputs, settings: ClusterSettings, *, progress: Progress = silent, on_blocks: OnBlocks | None = None
) -> ClusterView:
    """Clusters the inputs by HDBSCAN as PACE does and describes what was found (PACE, sections 3.1 and 3.2).

    Where HDBSCAN finds at most one cluster, or leaves nearly all inputs outside, the cards are of k-means groups.
    ``on_blocks`` : who computes the kernel's means of groups that are worth sending; this process by default.
    """
    array = inputs.feature(settings.features)
    clustering = find_clusters(
        array,
        seed=settings.seed,
        min_cluster_size=settings.min_cluster_size,
        min_samples=settings.min_samples,
        reduction=settings.reduction,
        components=settings.components,
        exactness=settings.exactness,
        progress=progress,
    )
    trouble = trouble_of(clustering)
    labels = clustering.labels
    if trouble:
        labels = k_means_groups(clustering.space, seed=settings.seed, progress=progress)
    vectors = l2_normalized(clustering.space)  # as PACE's technique, so that its picks are those shown here
    count = int(labels.max(initial=-1)) + 1
    cards, witness = [], np.full(len(inputs), np.nan)
    for number in range(count):
        progress(number, count, "choosing prototypes and criticisms")
        rows = np.flatnonzero(labels == number)
        card, witness[rows] = _card(number, rows, vectors, inputs, progress, on_blocks)
        cards.append(card)
    minority = np.flatnonzero(clustering.labels == -1)
    minority = minority[np.argsort(-clustering.glosh[minority], kind="stable")]
    progress(max(count, 1), max(count, 1), "clusters ready")
    return ClusterView(
        settings=settings,
        fingerprint=settings.fingerprint(inputs),
        clustering=clustering,
        labels=labels,
        trouble=trouble,
        cards=tuple(cards),
        minority=minority,
        nodes=() if trouble else cluster_nodes(clustering.labels, clustering.condensed_tree),
        witness=witness,
    )


def trouble_of(clustering: Clustering) -> str:
    """Why a clustering says little about the whole set, in a sentence; "" where it says enough."""
    if clustering.count == 0:
        return "HDBSCAN found no cluster: every input is minority space."
    if clustering.count == 1:
        return "HDBSCAN found only one cluster, which separates no inputs."
    if clustering.noise_share > NEARLY_ALL:
        return (
            f"HDBSCAN leaves {clustering.noise_share:.0%} of the inputs in the minority space; its {clustering.count} "
            "clusters say little about the whole set."
        )
    return ""


PURE, WHOLE = 0.95, 0.8
"""Share of a cluster that has one predicted class, and share of that class it holds, from which it matches the class."""


def kind_of(card: ClusterCard, inputs: Inputs) -> str | None:
    """Whether the cluster is "a class", "a part of a class" or "mixed", by predicted class; None where there are none."""
    if card.purity is None or card.commonest is None:
        return None
    if card.purity < PURE:
        return "mixed"
    held = card.purity * len(card.rows) / int((inputs.predictions == card.commonest).sum())
    return "a class" if held >= WHOLE else "a part of a class"


def inputs_below(node: int, tree: NDArray[np.void], size: int) -> NDArray[np.intp]:
    """The inputs under a node of the condensed tree, rising; ``size`` : N, below which a child is an input."""
    inner = tree[tree["child"] >= size]
    nodes = {node}
    for parent, child in zip(inner["parent"].tolist(), inner["child"].tolist(), strict=True):  # parents come first
        if parent in nodes:
            nodes.add(child)
    leaves = tree[(tree["child"] < size) & np.isin(tree["parent"], list(nodes))]
    return np.sort(leaves["child"]).astype(np.intp)


def settings_to_try(settings: ClusterSettings, inputs: Inputs) -> dict[str, ClusterSettings]:
    """Other settings that may tell the inputs apart where these did not, by what changes, the likeliest first."""
    now = vars(settings)
    smaller = [max(2, settings.min_cluster_size // divisor) for divisor in (2, 4, 10)]
    changes: list[tuple[str, dict[str, Any]]] = [("PACE's own settings", vars(suited_settings(inputs)))]
    changes += [(f"min_cluster_size {size}", {"min_cluster_size": size}) for size in dict.fromkeys(smaller)]
    changes += [("min_samples 1", {"min_samples": 1})]
    if settings.reduction != "fastica":
        changes += [("FastICA to 2 dimensions first", {"reduction": "fastica", "components": 2})]
    if settings.reduction != "none":
        changes += [("no reduction", {"reduction": "none"})]
    changes += [(f"features {role}", {"features": role}) for role in ("CON", "LHL") if role in inputs.features]
    tried = {words: ClusterSettings(**{**now, **change}) for words, change in changes}
    found: dict[str, ClusterSettings] = {}
    for words, other in tried.items():
        if other != settings and other not in found.values():
            found[words] = other
    return found


_ALIKE = 0.1  # of a cluster's spread, the distance within which two inputs count as near-duplicates


def _apart(inside: NDArray[np.float64], criticized: NDArray[np.intp], chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The criticisms without near-duplicates of a prototype or of an earlier one.

    The log determinant keeps them apart while there are others to take; of few different inputs it takes copies.
    """
    reach = _ALIKE * float(np.sqrt(inside.var(axis=0).sum()))
    shown = inside[chosen]
    kept = []
    for row in criticized.tolist():
        if np.linalg.norm(shown - inside[row], axis=1).min() > reach:
            kept.append(row)
            shown = np.concatenate([shown, inside[row][None]])
    return np.array(kept, dtype=np.intp)


WORTH_SENDING = 10_000
"""Inputs of a group from which its kernel's means are computed elsewhere, where somebody does."""


WHOLE_UP_TO, DRAWN, SEED = 100_000, 10_000, 0
"""Inputs of a cluster whose prototypes are chosen by the kernel's means over all of them; and of a larger one how many are
drawn for these, and by what seed. All of a million would take half an hour."""


@dataclass(frozen=True, eq=False)
class _Represented:
    """The prototypes of a cluster, the kernel's means they were chosen by, and what they leave unexplained."""

    chosen: NDArray[np.intp]
    means: NDArray[np.float64]
    mmd2: float
    sampled: SampledObjective | None = None


def _represented(inside: NDArray[np.float64], progress: Progress, on_blocks: OnBlocks) -> _Represented:
    """The prototypes of these inputs, by all of them or, of very many, by a sample."""
    count = min(PROTOTYPES, len(inside))
    if len(inside) <= WHOLE_UP_TO:
        means = mean_kernel(inside, gamma=KERNEL_GAMMA, progress=progress, on_blocks=on_blocks)
        chosen = prototypes(inside, count, gamma=KERNEL_GAMMA, means=means)
        left = discrepancies_of(inside, chosen, gamma=KERNEL_GAMMA, means=means)
        return _Represented(chosen, means, float(left[-1]))
    means = sampled_mean_kernel(inside, DRAWN, gamma=KERNEL_GAMMA, seed=SEED, progress=progress)
    chosen = prototypes(inside, count, gamma=KERNEL_GAMMA, means=means)
    sampled = sampled_objective(inside, chosen, means, DRAWN, gamma=KERNEL_GAMMA, seed=SEED)
    return _Represented(chosen, means, sampled.found, sampled)


def _card(
    number: int,
    rows: NDArray[np.intp],
    vectors: NDArray[np.float64],
    inputs: Inputs,
    progress: Progress,
    on_blocks: OnBlocks | None,
) -> tuple[ClusterCard, NDArray[np.float64]]:
    """The card, and the witness function at each of its rows."""
    inside = vectors[rows]
    with one_thread():
        elsewhere = on_blocks if on_blocks is not None and len(rows) >= WORTH_SENDING else one_by_one
        found = _represented(inside, progress, elsewhere)
        chosen, means = found.chosen, found.means
        spare = min(CRITICISMS, len(rows) - len(chosen))
        criticized = criticisms(inside, chosen, spare, gamma=KERNEL_GAMMA, means=means)
        criticized = _apart(inside, criticized, chosen)
        unexplained = witness(inside, chosen, gamma=KERNEL_GAMMA, means=means)
    commonest = purity = None
    if inputs.single_class:
        counts = np.bincount(inputs.predictions[rows])
        commonest, purity = int(counts.argmax()), float(counts.max() / len(rows))
    card = ClusterCard(
        number=number,
        rows=rows,
        members=of_array(rows.astype(np.int64)),
        prototypes=rows[chosen],
        criticisms=rows[criticized],
        witness=unexplained[criticized],
        nearest=np.linalg.norm(inside[criticized, None] - inside[chosen][None], axis=2).argmin(axis=1),
        commonest=commonest,
        purity=purity,
        mean_confidence=None if inputs.confidence is None else float(inputs.confidence[rows].mean()),
        mean_loss=None if inputs.losses is None else float(inputs.losses[rows].mean()),
        mmd2=found.mmd2,
        sampled=found.sampled,
    )
    return card, unexplained


@dataclass(frozen=True, eq=False)
class MinorityGroup:
    """Outlying inputs that belong together.

    ``nearest`` : number of the cluster whose prototypes are nearest in the features, -1 where there is no cluster.
    ``predicted`` : the predicted class, or None where there are no classes. ``rows`` : the most outlying first.
    """

    nearest: int
    predicted: int | None
    rows: NDArray[np.intp]


def minority_groups(view: ClusterView, inputs: Inputs) -> list[MinorityGroup]:
    """The minority space by nearest cluster and predicted class, the largest group first; each input in one group.

    Nearest is the cluster with the prototype at the least Euclidean distance in the space that was clustered.
    """
    rows = view.minority
    if not len(rows):
        return []
    nearest = _nearest_cluster(view)
    classes = inputs.single_class
    predicted = inputs.predictions[rows].astype(np.intp) if classes else np.full(len(rows), -1)
    pairs, group = np.unique(np.stack([nearest, predicted], axis=1), axis=0, return_inverse=True)
    found = [
        MinorityGroup(int(cluster), int(said) if classes else None, rows[group.ravel() == place])
        for place, (cluster, said) in enumerate(pairs)
    ]
    return sorted(found, key=lambda one: -len(one.rows))


def _nearest_cluster(view: ClusterView) -> NDArray[np.intp]:
    """The number of the cluster nearest to each input of the minority space, (n,); -1 where there is none."""
    rows = view.minority
    if not view.cards or view.trouble:
        return np.full(len(rows), -1, dtype=np.intp)
    space = view.clustering.space
    outside = space[rows].astype(np.float64)  # (n, d)
    distances = np.empty((len(rows), len(view.cards)))  # squared, without what all clusters share
    for card in view.cards:
        stand = space[card.prototypes].astype(np.float64)
        distances[:, card.number] = ((stand**2).sum(axis=1) - 2 * outside @ stand.T).min(axis=1)
    found: NDArray[np.intp] = distances.argmin(axis=1)
    return found
