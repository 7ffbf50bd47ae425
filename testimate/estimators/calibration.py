"""Estimate how well a confidence tells right from wrong: its excess over the accuracy, its AUROC and its Brier score.

No calibration error by bins: its estimate is biased upward by more than what it estimates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.core.checks import check_level
from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.core.errors import NotEnoughLabels
from testimate.estimators.intervals import logit_interval
from testimate.estimators.weights import (
    WEIGHED,
    DrawWeights,
    PartEstimate,
    draw_weights,
    mean_ends,
    part_estimates,
    ratios,
)

Floats = NDArray[np.float64]

FEWEST_OF_A_KIND = 5
"""Right answers, and wrong ones, below which there is no AUROC."""


@dataclass(frozen=True)
class Calibration:
    """What labels say about a confidence.

    Attributes
    ----------
    excess : mean confidence less accuracy, over all inputs; above 0 where it is too sure.
    auroc : chance that of a right and a wrong input the right one has the higher confidence, ties counting one half.
    brier : mean of (confidence - right)^2, which is 0 at best.
    """

    excess: PartEstimate
    auroc: PartEstimate
    brier: PartEstimate


def calibration(design: Design, verdicts: Sequence[Verdict], confidence: Floats, *, level: float = 0.95) -> Calibration:
    """Return all three by weighted labels; losses are 0 or 1.

    The mean confidence of all inputs is known, so the interval of the excess is that of the accuracy (``share_ends``). The
    AUROC is a weighted U statistic, linearised in both kinds (Hajek), with a logit interval.

    Parameters
    ----------
    confidence : (N,) chance that each input is right, 0..1.
    """
    check_level(level)
    if not isinstance(design, WEIGHED):
        why = f"a {design.kind} design has no honest interval for a confidence"
        return Calibration(*(PartEstimate(0, why=why),) * 3)
    try:
        weights = draw_weights(design, verdicts)
    except NotEnoughLabels as error:
        return Calibration(*(PartEstimate(0, why=str(error)),) * 3)
    places = weights.positions.tolist()
    right = 1 - np.array([verdicts[place].loss for place in places], dtype=np.float64)
    sure = confidence[[verdicts[place].draw.row for place in places]]
    ones = np.ones((len(right), 1))
    accuracy = part_estimates(ratios(weights, right[:, None], ones), level=level)[0]
    brier = part_estimates(ratios(weights, (sure - right)[:, None] ** 2, ones), level=level, ends_of=mean_ends)[0]
    return Calibration(_excess(float(confidence.mean()), accuracy), _auroc(weights, sure, right, level), brier)


def _excess(mean: float, accuracy: PartEstimate) -> PartEstimate:
    """Return the mean confidence less the accuracy."""
    if accuracy.value is None or accuracy.low is None or accuracy.high is None:
        return accuracy
    return PartEstimate(
        accuracy.labeled,
        mean - accuracy.value,
        accuracy.standard_error,
        mean - accuracy.high,
        mean - accuracy.low,
    )


def _auroc(weights: DrawWeights, sure: Floats, right: Floats, level: float) -> PartEstimate:
    """Return the weighted share of pairs of a right and a wrong label of which the right one has the higher confidence."""
    good = right == 1
    labels, fewest = len(right), int(min(good.sum(), (~good).sum()))
    if fewest < FEWEST_OF_A_KIND:
        kind = "wrong" if (~good).sum() == fewest else "right"
        return PartEstimate(labels, why=f"too few {kind} answers: {fewest} of at least {FEWEST_OF_A_KIND}")
    each = weights.weights
    below = _share_below(sure[good], sure[~good], each[~good])  # of wrong ones, for each right one
    above = 1 - _share_below(sure[~good], sure[good], each[good])  # of right ones, for each wrong one
    value = float(each[good] @ below / each[good].sum())
    parts = np.empty(labels)
    parts[good] = (below - value) / each[good].sum()
    parts[~good] = (above - value) / each[~good].sum()
    error = float(np.sqrt(weights.variance(parts[:, None])[0]))
    if not 0 < value < 1 or error == 0:
        return PartEstimate(
            labels, value, why="no confidence of a right answer is as low as one of a wrong answer so far"
        )
    ends = logit_interval(value, error, level, labels - 1)
    return PartEstimate(labels, value, error, ends.low, ends.high)


def _share_below(values: Floats, others: Floats, each: Floats) -> Floats:
    """Return the weighted share of ``others`` below each value, ties counting one half."""
    order = np.argsort(others, kind="stable")
    ranked, cumulated = others[order], np.append(0.0, np.cumsum(each[order]))
    less = cumulated[np.searchsorted(ranked, values, side="left")]
    upto = cumulated[np.searchsorted(ranked, values, side="right")]
    return np.asarray((less + upto) / (2 * cumulated[-1]))
