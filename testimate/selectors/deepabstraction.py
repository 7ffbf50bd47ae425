"""DeepAbstraction: first what a monitor made of boxes around the training features rejects, then what it doubts."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import check_budget, check_scores
from testimate.core.design import Purposive
from testimate.core.selector import Claims, Need, Option, check_options
from testimate.core.words import commas
from testimate.selectors.base import FixedList, check_variant
from testimate.selectors.optimum_allocation import ByClass, by_class, memorized
from testimate.selectors.prioritizers import CHOSEN, by_falling, check_length

ACCEPTED, UNCERTAIN, REJECTED = 0, 1, 2
VERDICTS = ("accepted", "uncertain", "rejected")

SEED, ROUNDS = 0, 20  # of k-means: the boxes do not depend on the tester's seed, which breaks ties alone
BLOCK = 1 << 22  # numbers looked at at a time
FIRST = 64  # neurons looked at first

FEWEST, LIKE_GINI = 20, 0.95
"""Inputs in the first tenth, and the share of them that DeepGini has too, from which on the boxes are said to tell nothing."""


class DeepAbstraction(FixedList):
    """Two levels: the verdict of a box monitor, rejected before uncertain before accepted; Gini impurity inside each.

    For each class, the features of the training inputs predicted as it are clustered by k-means, those that are right and
    those that are wrong apart, and each cluster is enclosed by its box: the smallest and largest value of every neuron.
    An input in boxes of both kinds is uncertain, one in boxes of the right kind alone is accepted. One in no box is
    rejected, and so is one in boxes of the wrong kind alone: it looks like what the network got wrong. (``in_wrong_boxes``
    "accepted" is the other reading of the description; see decision 12.)

    No program of it is public. Two things come from elsewhere: that a clustering parameter tau sets the size of the
    boxes, with its values of 0.4 and 0.05, from the abstract of the authors' next paper (DeepAbstraction++, 2023); and
    that tau ends the adding of k-means clusters, from public programs of such monitors (Wu et al., Customizable
    reference runtime monitoring, 2021).

    Parameters
    ----------
    features, classes : (N, width) and (N,), of the inputs and their predicted classes.
    gini : (N,) Gini impurity of the inputs' predicted probabilities.
    training_features, training_classes, training_losses : (M, width), (M,) and (M,) of the training inputs.
    budget : n, 1..N.
    seed : whole number, for ties alone.
    clusters : most boxes of each kind a class may have.
    tau : where above 0, a class gets one box more of a kind only as long as each takes at least this share of the squared
        distance from the clusters' means; at 0 it always gets ``clusters``.
    in_wrong_boxes : verdict on an input in boxes of the wrong kind alone.
    margin : by how much of its own width each box is widened on either side; 0 is the smallest box.

    Attributes
    ----------
    warning : sentences where the boxes tell nothing: hardly a mistake in training, or DeepGini's order; "" otherwise.

    Source: Al-Qadasi et al., "DeepAbstraction: 2-level prioritization for unlabeled test inputs in deep neural networks"
    (2022), as Al-Qadasi et al. 2023 describe it.
    """

    name: ClassVar[str] = "deepabstraction"
    title: ClassVar[str] = "DeepAbstraction: outside the boxes of training first"
    needs: ClassVar[tuple[Need, ...]] = (
        "features",
        "classes",
        "gini",
        "training_features",
        "training_classes",
        "training_losses",
    )
    claims: ClassVar[Claims] = CHOSEN
    instead: ClassVar[str] = "deepgini or severity-first"  # where the training set shows no mistakes
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Al-Qadasi et al., DeepAbstraction (2022)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("clusters", 12, "How many boxes of each kind a class may have at most.", low=1, high=1000),
        Option(
            "in_wrong_boxes",
            "rejected",
            "Verdict on inputs that are only in boxes of training inputs the network got wrong.",
            choices=("rejected", "accepted"),
        ),
        Option("margin", 0.0, "How far a box reaches beyond its training inputs, in widths of it.", low=0.0, high=10.0),
        Option(
            "tau",
            0.05,
            "Add a box only where it takes this share of the squared distances; 0 adds all. The authors took 0.4 and 0.05.",
            low=0.0,
            high=1.0,
        ),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        features: ArrayLike,
        classes: ArrayLike,
        gini: ArrayLike,
        training_features: ArrayLike,
        training_classes: ArrayLike,
        training_losses: ArrayLike,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        **options: Any,
    ) -> None:
        chosen = check_options(self.options, **options)
        check_variant(variant, self.variants)
        known = by_class(features, classes, training_features, training_classes, training_losses)
        size = len(known.features)
        budget = check_budget(budget, size)
        self._gini = check_scores(gini, "Gini impurity")
        check_length(self._gini, size, "Gini impurities")
        wrong_alone = REJECTED if chosen["in_wrong_boxes"] == "rejected" else ACCEPTED
        self._verdicts = monitor_verdicts(known, chosen["clusters"], wrong_alone, chosen["margin"], chosen["tau"])
        mixed = by_falling(self._gini, seed=seed)
        order = mixed[np.argsort(-self._verdicts[mixed], kind="stable")]
        remarks = memorized(known.wrong, self.instead), like_gini(order, mixed)
        self.warning = " ".join(filter(None, remarks))
        super().__init__(Purposive((size,), budget), order[:budget], self._why)

    def _why(self, position: int) -> str:
        row = self._rows[position]
        return f"{VERDICTS[self._verdicts[row]]} by the monitor, Gini impurity {self._gini[row]:.4g}"


def like_gini(order: NDArray[np.intp], by_gini: NDArray[np.intp]) -> str:
    """Say that the boxes change almost nothing of DeepGini's order, each (N,); "" if they do, or if N is below 200."""
    first = len(order) // 10
    same = np.intersect1d(order[:first], by_gini[:first]).size
    if first < FEWEST or same < LIKE_GINI * first:
        return ""
    return (
        f"{commas(same)} of the first {commas(first)} inputs are also DeepGini's first. Expected boxes that tell more. "
        "Take another layer, other clusters, or a training set with more mistakes."
    )


def monitor_verdicts(
    known: ByClass, clusters: int, wrong_alone: int, margin: float = 0.0, tau: float = 0.0
) -> NDArray[np.int8]:
    """The monitor's verdict on each input, (N,): ACCEPTED, UNCERTAIN or REJECTED."""
    verdicts = np.full(len(known.features), REJECTED, dtype=np.int8)
    for rows, trained in known:
        wrong = known.wrong[trained]
        in_right = _inside(known.features, rows, _boxes(known.training[trained[~wrong]], clusters, margin, tau))
        in_wrong = _inside(known.features, rows, _boxes(known.training[trained[wrong]], clusters, margin, tau))
        verdicts[rows[in_right]] = ACCEPTED
        verdicts[rows[in_right & in_wrong]] = UNCERTAIN
        verdicts[rows[in_wrong & ~in_right]] = wrong_alone
    return verdicts


def _boxes(features: NDArray[Any], clusters: int, margin: float, tau: float) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Lowest and highest corner, (width,) each, of the box around each cluster; none where there are no inputs."""
    if not len(features):
        return []
    labels = grown_clusters(features, clusters, tau) if tau else _clustered(features, clusters)
    groups = [features[labels == group] for group in range(int(labels.max()) + 1)]
    corners = [(group.min(axis=0), group.max(axis=0)) for group in groups]
    if not margin:
        return corners
    return [(low - margin * (high - low), high + margin * (high - low)) for low, high in corners]


def _clustered(features: NDArray[Any], clusters: int) -> NDArray[np.intp]:
    """The cluster of each input by k-means, (n,), 0.. without gaps."""
    if clusters == 1 or len(features) == 1:
        return np.zeros(len(features), dtype=np.intp)
    from testimate.selectors.pace import k_means_groups

    return k_means_groups(features, seed=SEED, count=clusters, starts=1, rounds=ROUNDS, dtype=np.float32)


def grown_clusters(features: NDArray[Any], clusters: int, tau: float) -> NDArray[np.intp]:
    """The cluster of each of the (n, width) inputs by k-means, (n,), 0.. without gaps, at most ``clusters`` of them.

    One more is made as long as it takes at least the share ``tau`` of what is left of the squared distances.
    """
    labels = _clustered(features, 1)
    left = _squared_distances(features, labels)
    for count in range(2, min(clusters, len(features)) + 1):
        found = _clustered(features, count)
        now = _squared_distances(features, found)
        if now > (1 - tau) * left or not left:
            break
        labels, left = found, now
    return labels


def _squared_distances(features: NDArray[Any], labels: NDArray[np.intp]) -> float:
    """Sum over all inputs of the squared distance from the mean of their cluster."""
    groups = (features[labels == group].astype(np.float64) for group in range(int(labels.max()) + 1))
    return float(sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups))


def _inside(
    features: NDArray[Any], rows: NDArray[np.intp], boxes: list[tuple[NDArray[Any], NDArray[Any]]]
) -> NDArray[np.bool_]:
    """Whether each row lies in one of the boxes, borders included, (rows,)."""
    found = np.zeros(len(rows), dtype=np.bool_)
    step = max(1, BLOCK // features.shape[1])
    for top in range(0, len(rows), step):
        block = features[rows[top : top + step]]
        for low, high in boxes:
            few = block[:, :FIRST]  # most inputs outside a box are so in a few neurons already
            maybe = np.flatnonzero(
                ((few >= low[:FIRST]) & (few <= high[:FIRST])).all(axis=1) & ~found[top : top + step]
            )
            found[top + maybe] = ((block[maybe] >= low) & (block[maybe] <= high)).all(axis=1)
    return found
