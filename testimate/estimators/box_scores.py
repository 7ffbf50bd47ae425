"""Precision and recall of a detector, class by class and of all classes, pictures being the units that were drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.clustered_shares import clustered_ends, clusters_of
from testimate.estimators.draw_weights import WEIGHED, draw_weights
from testimate.estimators.ratios import PartEstimate, part_estimates, ratios
from testimate.tasks.boxes import BoxCounts


@dataclass(frozen=True)
class BoxScore:
    """Precision: right boxes over boxes. Recall: right boxes over objects. ``labeled`` counts pictures that have some."""

    precision: PartEstimate
    recall: PartEstimate


@dataclass(frozen=True)
class BoxScores:
    """``classes`` one for each class; ``all`` of every box and object alike."""

    classes: tuple[BoxScore, ...]
    all: BoxScore


def box_scores(
    design: Design,
    verdicts: Sequence[Verdict],
    counts: BoxCounts,
    *,
    level: float = 0.95,
    simultaneous: bool = False,
) -> BoxScores:
    """Ratios of weighted totals over pictures (Sarndal, Swensson and Wretman 1992, eq. 5.6.10; see ``ratios``).

    Boxes of one picture go wrong together, so pictures, or the groups that were drawn, are clusters of boxes, and the intervals
    are those of ``clustered_ends`` (decision 181). A design without weights, or with too few labels, gives counts.

    Parameters
    ----------
    counts : (n, C) each, of every verdict; where one has no loss they count for nothing.
    simultaneous : whether the intervals of the classes' precisions hold together with chance ``level``; so for the recalls.
    """
    count = counts.boxes.shape[1]
    if not isinstance(design, WEIGHED):
        return _box_counts_only(
            f"a {design.kind} design has no honest interval for precision and recall", verdicts, count
        )
    try:
        weights = draw_weights(design, verdicts)
    except NotEnoughLabels as error:
        return _box_counts_only(str(error), verdicts, count)
    right, boxes, objects = (
        np.column_stack([each, each.sum(axis=1)])[weights.positions]
        for each in (counts.right, counts.boxes, counts.objects)
    )
    strata = len({verdicts[place].draw.stratum for place in weights.positions.tolist()})
    degrees = min(weights.degrees, float(max(len(weights.positions) - strata, 1)))

    def parts(whole: NDArray[np.float64], columns: slice, *, together: bool) -> tuple[PartEstimate, ...]:
        of, some = right[:, columns], whole[:, columns]
        found = ratios(weights, of, some)
        clusters = clusters_of(weights, found, of, some, degrees=degrees)
        return part_estimates(
            found,
            level=level,
            simultaneous=together,
            ends_of=lambda filled, each: clustered_ends(filled, clusters, each),
        )

    made = [
        (*parts(one, slice(count), together=simultaneous), *parts(one, slice(count, None), together=False))
        for one in (boxes, objects)
    ]
    *classes, total = (BoxScore(precision, recall) for precision, recall in zip(*made, strict=True))
    return BoxScores(tuple(classes), total)


def _box_counts_only(why: str, verdicts: Sequence[Verdict], count: int) -> BoxScores:
    """The number of labels and nothing else."""
    nothing = PartEstimate(sum(one.loss is not None for one in verdicts), why=why)
    score = BoxScore(nothing, nothing)
    return BoxScores((score,) * count, score)
