"""DeepAbstraction with other clusterings than k-means and other regions than boxes, on the networks over MNIST.

Run by `make study` with the page on its boxes; what is kept is not run again.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage

from testimate.core.inputs import Inputs
from testimate.metrics import order_metrics
from testimate.planning.needs import classes_of, training_classes
from testimate.selectors.deepabstraction import ACCEPTED, REJECTED, UNCERTAIN, grown_clusters
from testimate.selectors.optimum_allocation import ByClass, by_class
from testimate.selectors.pace import k_means_groups

COUNT = 5
TAUS = (0.4, 0.05)
"""Of the authors' experiments, as the abstract of their next paper (DeepAbstraction++, AISoLA 2023) tells."""

MOST = 12
"""Clusters up to which the rule with tau goes; no class here stops there with 0.4."""

SEVERE = 0.8
WITHIN = 99  # percent of a cluster's inputs that a region "for 99 %" holds

Points = NDArray[np.float32]
Labels = NDArray[np.intp]
Region = Callable[[Points], NDArray[np.float64]]
"""How far each point lies outside, (n,); 0 inside."""


def fixed(points: Points) -> Labels:
    """Five clusters by k-means, as the default was."""
    return k_means_groups(points, seed=0, count=COUNT, starts=1, rounds=20, dtype=np.float32)


def grown(tau: float) -> Callable[[Points], Labels]:
    """By k-means, one cluster more as long as it takes at least the share ``tau`` of the squared distances."""
    return lambda points: grown_clusters(points, MOST, tau)


def ward(points: Points) -> Labels:
    """Five clusters by Ward's agglomeration."""
    return _joined(points, "ward")


def complete(points: Points) -> Labels:
    """Five clusters by the farthest pair of inputs (complete linkage)."""
    return _joined(points, "complete")


def _joined(points: Points, method: str) -> Labels:
    if len(points) < 2:
        return np.zeros(len(points), dtype=np.intp)
    tree = linkage(points.astype(np.float64), method=method)
    return np.asarray(fcluster(tree, COUNT, criterion="maxclust") - 1, dtype=np.intp)


def mixture(points: Points) -> Labels:
    """Five normal distributions with a variance for each neuron."""
    from sklearn.mixture import GaussianMixture

    if len(points) < 2 * COUNT:
        return np.zeros(len(points), dtype=np.intp)
    found = GaussianMixture(COUNT, covariance_type="diag", reg_covar=1e-3, max_iter=30, random_state=0)
    return np.unique(found.fit_predict(points), return_inverse=True)[1].astype(np.intp)


CLUSTERINGS: dict[str, Callable[[Points], Labels]] = {
    "k-means, 5": fixed,
    **{f"k-means, tau {tau:g}": grown(tau) for tau in TAUS},
    "Ward, 5": ward,
    "complete linkage, 5": complete,
    "normal mixture, 5": mixture,
}
"""How the training inputs of a class are clustered; regions are boxes."""


def box(points: Points) -> Region:
    """From the least to the greatest value of each neuron; the distance is Euclidean."""
    return _between(points.min(axis=0), points.max(axis=0))


def narrow_box(points: Points) -> Region:
    """The same without the outermost half percent at each end of each neuron."""
    return _between(*np.percentile(points, [(100 - WITHIN) / 2, (100 + WITHIN) / 2], axis=0))


def _between(low: Any, high: Any) -> Region:
    def outside(other: Points) -> NDArray[np.float64]:
        beyond = np.maximum(low - other, 0) + np.maximum(other - high, 0)
        return np.asarray(np.sqrt((beyond**2).sum(axis=1)), dtype=np.float64)

    return outside


def ball(points: Points) -> Region:
    """Around the mean, as far as the farthest input of the cluster."""
    return _round(points, points.mean(axis=0), np.ones(points.shape[1]), 100)


def small_ball(points: Points) -> Region:
    """Around the mean, as far as 99 % of the cluster's inputs."""
    return _round(points, points.mean(axis=0), np.ones(points.shape[1]), WITHIN)


def scaled_ball(points: Points) -> Region:
    """The same where each neuron is measured in its standard deviation."""
    return _round(points, points.mean(axis=0), 1 / (points.std(axis=0) + 1e-3), WITHIN)


def _round(points: Points, centre: Any, scale: Any, percent: float) -> Region:
    def distance(other: Points) -> NDArray[np.float64]:
        return np.asarray(np.sqrt((((other - centre) * scale) ** 2).sum(axis=1)), dtype=np.float64)

    reach = np.percentile(distance(points), percent)
    return lambda other: np.maximum(distance(other) - reach, 0)


REGIONS: dict[str, Callable[[Points], Region]] = {
    "box for 99 % of each neuron": narrow_box,
    "ball": ball,
    "ball for 99 %": small_ball,
    "ball for 99 %, neurons in standard deviations": scaled_ball,
}
"""What is drawn around each of five k-means clusters instead of a box."""


def known_by_class(inputs: Inputs) -> ByClass:
    """The last hidden layer of the inputs and of the training set, class by class."""
    assert inputs.training is not None
    return by_class(
        inputs.feature("LHL"),
        classes_of(inputs),
        inputs.training.feature("LHL"),
        training_classes(inputs),
        inputs.training.losses,
    )


def measured(inputs: Inputs) -> list[dict[str, Any]]:
    """A line for each clustering with boxes, each other region with k-means, and the rejected by distance, not by Gini."""
    known = known_by_class(inputs)
    rows = []
    for name, cluster in CLUSTERINGS.items():
        verdicts, distance, boxes = _verdicts(known, cluster, box)
        rows.append(_judged(inputs, f"{name}; box", verdicts, inputs.scores["gini"], boxes))
        if cluster is fixed:
            rows.append(_judged(inputs, f"{name}; box, rejected by distance", verdicts, distance, boxes))
    for name, region in REGIONS.items():
        verdicts, _, regions = _verdicts(known, fixed, region)
        rows.append(_judged(inputs, f"k-means, 5; {name}", verdicts, inputs.scores["gini"], regions))
    return rows


def _verdicts(
    known: ByClass, cluster: Callable[[Points], Labels], region: Callable[[Points], Region]
) -> tuple[NDArray[np.int8], NDArray[np.float64], float]:
    """Verdict (N,), distance from the nearest region of right inputs (N,), and regions of right inputs a class has."""
    size = len(known.features)
    verdicts = np.full(size, REJECTED, dtype=np.int8)
    distance, counts = np.zeros(size), []
    for rows, trained in known:
        points = np.asarray(known.features[rows], dtype=np.float32)
        wrong = known.wrong[trained]
        right = _nearest(points, known.training[trained[~wrong]], cluster, region)
        faulty = _nearest(points, known.training[trained[wrong]], cluster, region)
        in_right, in_wrong = right[0] <= 0, faulty[0] <= 0
        verdicts[rows[in_right]] = ACCEPTED
        verdicts[rows[in_right & in_wrong]] = UNCERTAIN
        distance[rows] = np.where(np.isfinite(right[0]), right[0], 1e9)
        counts.append(right[1])
    return verdicts, distance, float(np.mean(counts))


def _nearest(
    points: Points, trained: Any, cluster: Callable[[Points], Labels], region: Callable[[Points], Region]
) -> tuple[NDArray[np.float64], int]:
    """Distance from the nearest region, (n,), infinite where there is none; and how many regions."""
    nearest, count = np.full(len(points), np.inf), 0
    if len(trained):
        own = np.asarray(trained, dtype=np.float32)
        for members in _groups(own, cluster(own)):
            np.minimum(nearest, region(members)(points), out=nearest)
            count += 1
    return nearest, count


def _groups(points: Points, labels: Labels) -> Iterator[Points]:
    for one in np.unique(labels):
        yield points[labels == one]


def _judged(
    inputs: Inputs, name: str, verdicts: NDArray[np.int8], score: NDArray[np.float64], regions: float
) -> dict[str, Any]:
    """The order judged with as many labels as faults; percent."""
    assert inputs.losses is not None
    assert inputs.confidence is not None
    failed, sure = inputs.task.failed(inputs.losses), inputs.confidence
    faults, severe = int(failed.sum()), failed & (sure >= SEVERE)
    order = np.lexsort((-score, -verdicts))
    metrics, first = order_metrics(failed[order], sure[order]), order[:faults]
    return {
        "name": name,
        "regions": regions,
        "rejected": int((verdicts == REJECTED).sum()),
        "severe rejected": 100 * float((severe & (verdicts == REJECTED)).sum() / severe.sum()),
        "severe": 100 * float(severe[first].sum() / severe.sum()),
        "fdro": 100 * float(failed[first].mean()),
        "wfdr": 100 * float(metrics.wfdr or 0),
        "sfdr": 100 * float(metrics.sfdr or 0),
    }
