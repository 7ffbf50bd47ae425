"""The mean loss of grades, such as right, partly and wrong: a share of full marks, with the interval of a share."""

from collections.abc import Sequence

import numpy as np

from testimate.core.design import Design
from testimate.core.draw import Verdict
from testimate.estimators.as_accuracy import MeanLoss
from testimate.estimators.draw_weights import draw_weights
from testimate.estimators.grades import OF_GRADES
from testimate.estimators.intervals import Interval
from testimate.estimators.ratios import ratios, share_ends


def graded_mean(design: Design, verdicts: Sequence[Verdict], *, level: float, limits: Interval, name: str) -> MeanLoss:
    """The weighted mean with the interval that slices of graded losses have (see ``share_ends``; decision 221).

    ``limits`` : what the labels leave possible. ``name`` : of the estimate, for its method.
    """
    weights = draw_weights(design, verdicts, 1.0)
    losses = np.array([verdicts[place].loss for place in weights.positions.tolist()], dtype=np.float64)
    found = ratios(weights, losses[:, None], np.ones((len(losses), 1)))
    ends = share_ends(found, level)
    interval = Interval(float(ends.low[0]), float(ends.high[0])).within(*limits)
    return MeanLoss(float(found.values[0]), float(np.sqrt(found.variances[0])), interval, f"{name}, {OF_GRADES}")
