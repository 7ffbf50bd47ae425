"""The page on DeepAbstraction's boxes: how many, how wide, of which clusters and regions, and what they do to severe faults."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage

from research.studies.page_text import table, write_page
from research.studies.study_subjects import data_folder, kept_folder
from testimate.core.inputs import Inputs
from testimate.feature_cache import FeatureCache
from testimate.metrics import order_metrics
from testimate.models.description import ModelDescription
from testimate.planning.known_inputs import known_inputs
from testimate.planning.needs import classes_of, training_classes
from testimate.selectors.deepabstraction import ACCEPTED, REJECTED, UNCERTAIN, grown_clusters, monitor_verdicts
from testimate.selectors.optimum_allocation import ByClass, by_class
from testimate.selectors.pace import k_means_groups
from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

COUNT = 5
TAUS = (0.4, 0.05)
"""Of the authors' experiments, as the abstract of their next paper (DeepAbstraction++, AISoLA 2023) tells."""

MOST = 12
"""Clusters up to which the rule with tau goes; no class here stops there with 0.4."""

SEVERE = 0.8
WITHIN = 99  # percent of a cluster's inputs that a region "for 99%" holds

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
    """Around the mean, as far as 99% of the cluster's inputs."""
    return _round(points, points.mean(axis=0), np.ones(points.shape[1]), WITHIN)


def scaled_ball(points: Points) -> Region:
    """The same where each neuron is measured in its standard deviation."""
    return _round(points, points.mean(axis=0), 1 / (points.std(axis=0) + 1e-3), WITHIN)


def _round(points: Points, center: Any, scale: Any, percent: float) -> Region:
    def distance(other: Points) -> NDArray[np.float64]:
        return np.asarray(np.sqrt((((other - center) * scale) ** 2).sum(axis=1)), dtype=np.float64)

    reach = np.percentile(distance(points), percent)
    return lambda other: np.maximum(distance(other) - reach, 0)


REGIONS: dict[str, Callable[[Points], Region]] = {
    "box for 99% of each neuron": narrow_box,
    "ball": ball,
    "ball for 99%": small_ball,
    "ball for 99%, neurons in standard deviations": scaled_ball,
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


Lines = list[dict[str, Any]]

NETWORKS = ("LeNet-5", "LeNet-1", "mutant1")
BOXES = (1, 3, 5, 8)
MARGINS = (0.0, 0.1, 0.2)
PUBLISHED = (40.0, 78.55)
"""Severe faults that DeepAbstraction found within m, percent, the least and the most of eight networks (table V)."""

STUDIES = Path(__file__).parents[2] / "docs" / "studies"


def write(here: Path) -> None:
    """Runs what is missing and writes deepabstraction.md."""
    found, regions = _kept("deepabstraction", _measured), _kept("deepabstraction_regions", measured)
    write_page(here / "deepabstraction.md", [_page(found, regions)])


def _kept(name: str, measure: Callable[[Inputs], Lines]) -> dict[str, Lines]:
    """What was measured of each network; what is missing is measured now, and kept."""
    kept = kept_folder() / f"{name}.json"
    found: dict[str, Lines] = json.loads(kept.read_text()) if kept.exists() else {}
    for network in NETWORKS:
        if network not in found:
            found[network] = measure(_inputs(network))
            kept.write_text(json.dumps(found))
    return found


def _inputs(network: str) -> Inputs:
    model = ModelDescription(data_folder() / "pace" / f"{network}.h5")
    own = open_uploaded_subject(SubjectDescription(model, data_folder() / "mnist" / "mnist.npz"))
    return known_inputs(own.subject, FeatureCache(kept_folder() / "features"), auxiliary=())


def _measured(inputs: Inputs) -> Lines:
    assert inputs.losses is not None
    assert inputs.confidence is not None
    known = known_by_class(inputs)
    failed, sure, gini = inputs.task.failed(inputs.losses), inputs.confidence, inputs.scores["gini"]
    faults, severe = int(failed.sum()), failed & (sure >= SEVERE)
    rows = []
    for boxes in BOXES:
        for margin in MARGINS:
            verdicts = monitor_verdicts(known, boxes, REJECTED, margin)
            order = np.lexsort((-gini, -verdicts))
            metrics, first = order_metrics(failed[order], sure[order]), order[:faults]
            rows.append(
                {
                    "boxes": boxes,
                    "margin": margin,
                    "rejected": int((verdicts == REJECTED).sum()),
                    "uncertain": int((verdicts == UNCERTAIN).sum()),
                    "accepted": int((verdicts == ACCEPTED).sum()),
                    "faults": faults,
                    "severe rejected": 100 * float((severe & (verdicts == REJECTED)).sum() / severe.sum()),
                    "fdro": 100 * float(failed[first].mean()),
                    "severe": 100 * float(severe[first].sum() / severe.sum()),
                    "wfdr": 100 * float(metrics.wfdr or 0),
                    "sfdr": 100 * float(metrics.sfdr or 0),
                }
            )
    return rows


USUAL = f"k-means, tau {TAUS[1]:g}; box"


def _page(found: dict[str, Lines], regions: dict[str, Lines]) -> str:
    parts = [
        f"""# DeepAbstraction's boxes, and why it misses severe faults here

Made by `make study`; no number measured here is typed by hand. The text that describes DeepAbstraction (Al-Qadasi et al.
2023) leaves open how many boxes a class has and how they are made. The abstract of its authors' next paper
([DeepAbstraction++](https://doi.org/10.1007/978-3-031-46002-9_5)) says that a clustering parameter tau sets the boxes' size and
that they took {TAUS[0]:g} and {TAUS[1]:g}; in public programs of such monitors k-means makes one cluster more as long
as that takes
at least the share tau of the squared distances. So that is the default, with {TAUS[1]:g}, and everything else a
variant: a fixed number of boxes (options `tau` 0 and
`clusters`), wider
ones (`margin`), and, in the study alone, other clusterings and regions. Right and wrong training inputs are clustered apart.
Rejected inputs come first, then uncertain, then accepted ones, by Gini impurity inside each. The published share of severe
faults found within m is {PUBLISHED[0]:.0f} to {PUBLISHED[1]:.0f}%.

- **box**: the least and the greatest value of every neuron. **box for 99%**: without half a percent at either end.
- **ball**: around the cluster's mean, as far as its farthest input, or as 99% of them; the distance is Euclidean, or each
  neuron is measured in its standard deviation.
- **rejected by distance**: the rejected are ordered by how far outside all boxes of right inputs they lie, not by Gini.
"""
    ]
    for network, rows in found.items():
        head = ["clusters; region", "regions of a class", "rejected", "severe among rejected, %", "severe found, %"]
        lines = [
            [
                row["name"] + (" (the default)" if row["name"] == USUAL else ""),
                f"{row['regions']:.1f}",
                f"{row['rejected']:,}",
                *(f"{row[name]:.1f}" for name in ("severe rejected", "severe", "fdro", "wfdr", "sfdr")),
            ]
            for row in regions[network]
        ]
        parts.append(f"## {network}: {rows[0]['faults']:,} faults\n")
        parts.append(table([*head, "FDRO", "WFDR", "SFDR"], lines))
        parts.append("A fixed number of boxes by k-means, and boxes widened by a share of their width:\n")
        head = ["boxes, margin", "rejected", "uncertain", "accepted", "severe among rejected, %", "severe found, %"]
        lines = [
            [
                f"{row['boxes']}, {row['margin']:g}",
                *(f"{row[name]:,}" for name in ("rejected", "uncertain", "accepted")),
                *(f"{row[name]:.1f}" for name in ("severe rejected", "severe", "fdro", "wfdr", "sfdr")),
            ]
            for row in rows
        ]
        parts.append(table([*head, "FDRO", "WFDR", "SFDR"], lines))
    parts.append(_why(found, regions))
    return "\n".join(parts)


def _why(found: dict[str, Lines], regions: dict[str, Lines]) -> str:
    said, best_wfdr, reach = [], [], []
    for network, rows in found.items():
        every = [
            {**row, "name": f"{row['boxes']} box{'' if row['boxes'] == 1 else 'es'}, margin {row['margin']:g}"}
            for row in rows
        ] + regions[network]
        most = max(every, key=lambda row: row["severe"])
        [usual] = [row for row in regions[network] if row["name"] == USUAL]
        said.append(
            f"- {network}: at most {most['severe']:.1f}% of the severe faults are found ({most['name']}; WFDR "
            f"{most['wfdr']:.1f}), {usual['severe']:.1f}% with the default (WFDR {usual['wfdr']:.1f}), which rejects "
            f"{usual['rejected'] / rows[0]['faults']:.1f} inputs for each fault."
        )
        most = max(every, key=lambda row: row["wfdr"])
        best_wfdr.append(f"{usual['wfdr']:.1f} and {most['wfdr']:.1f} ({most['name']}) on {network}")
        if max(row["severe"] for row in every) >= PUBLISHED[0]:
            reach.append(network)
    return f"""## Why

{chr(10).join(said)}

Two things work against each other. Small regions leave more severe faults outside, but many right inputs with them; as soon
as more are rejected than labels are given, Gini impurity decides among the rejected, and it puts the severe ones last.
Wide regions reject few, so all rejected are reached, but most severe faults lie inside a region of right inputs: the last
hidden layer takes them for what the network says they are. How the training inputs are clustered, into {COUNT} by four
methods or by tau, changes that little, and a ball instead of a box does not change it either. The published share is reached
on {", ".join(reach) or "none"} only. The published networks have last layers of 512 and more neurons, in which an input is
outside a box in some neuron more easily; whether that is the reason cannot be determined without them.

WFDR of the default, and the best one: {"; ".join(best_wfdr)}. No setting is better on all three, so the one that follows the
authors' text stays the default.
"""
