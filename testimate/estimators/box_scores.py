"""Precision and recall of a detector, class by class and of all classes, pictures being the units that were drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from testimate.core.boxes import BoxCounts
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.draw_weights import WEIGHED, draw_weights
from testimate.estimators.ratios import PartEstimate, Ratios, part_estimates, ratios


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

    Boxes of one picture go wrong together, so pictures are groups of boxes, and the intervals are those of whole groups
    (decision 180): until the variance shows, a picture counts as if its boxes all shared one outcome, and Student's t has as
    many degrees of freedom as there are pictures less strata. A design without weights, or with too few labels, gives counts.

    Parameters
    ----------
    counts : (n, C) each, of every verdict; where one has no loss they count for nothing.
    simultaneous : whether the intervals of the classes' precisions hold together with chance ``level``; so for the recalls.
    """
    count = counts.boxes.shape[1]
    if not isinstance(design, WEIGHED):
        return _counts_only(f"a {design.kind} design has no honest interval for precision and recall", verdicts, count)
    try:
        weights = draw_weights(design, verdicts)
    except NotEnoughLabels as error:
        return _counts_only(str(error), verdicts, count)
    right, boxes, objects = (
        np.column_stack([each, each.sum(axis=1)])[weights.positions]
        for each in (counts.right, counts.boxes, counts.objects)
    )
    strata = len({verdicts[place].draw.stratum for place in weights.positions.tolist()})
    degrees = min(weights.degrees, float(max(len(weights.positions) - strata, 1)))
    made = []
    for whole in (boxes, objects):
        found = ratios(weights, right, whole)._replace(degrees=degrees)
        every = part_estimates(found, level=level)
        first = Ratios(found.values[:-1], found.variances[:-1], found.squares[:-1], found.labels[:-1], found.degrees)
        each = part_estimates(first, level=level, simultaneous=simultaneous)
        made.append((*each, every[-1]))
    *classes, total = (BoxScore(precision, recall) for precision, recall in zip(*made, strict=True))
    return BoxScores(tuple(classes), total)


def _counts_only(why: str, verdicts: Sequence[Verdict], count: int) -> BoxScores:
    """The number of labels and nothing else."""
    nothing = PartEstimate(sum(one.loss is not None for one in verdicts), why=why)
    score = BoxScore(nothing, nothing)
    return BoxScores((score,) * count, score)
