"""The number x that predicts a failure in a logistic fit, and the prior of that fit before any label."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from testimate.core.errors import BadInput
from testimate.selectors.logistic_regression import Line, Prior

CONFIDENCE_PRIOR = Prior(Line(0.6, 0.9), Line(0.5, 0.25))
"""Of log-odds of failure in those of 1 - confidence: networks are overconfident, and less so the less confident."""

SCORE_PRIOR = Prior(Line(-1.5, 0.9), Line(1.5, 0.5))
"""Of log-odds of failure in normal scores: a rank is not a failure rate, so the prior of the intercept is wide."""

AT_A_TIME = 1 << 16
"""Chances whose logarithms are taken at a time."""


def prior_of(numbers: Sequence[float]) -> tuple[float, float, float, float]:
    """The prior of intercept, slope and their standard deviations; BadInput where these are not four such numbers."""
    values = np.asarray(numbers, dtype=object).ravel().tolist()
    if (
        len(values) != 4
        or not all(type(one) in (int, float) and math.isfinite(one) for one in values)
        or min(values[2:]) <= 0
    ):
        raise BadInput(
            f"The prior is {numbers!r:.80}; expected an intercept, a slope and their standard deviations above 0."
        )
    return values[0], values[1], values[2], values[3]


def log_odds(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """x = logit(c) of chances of failure c, (N,), clipped to [1e-4, 1 - 1e-4]; BadInput outside [0, 1]."""
    if not (chances.min() >= 0 and chances.max() <= 1):
        raise BadInput(
            f"The scores run from {chances.min():.4g} to {chances.max():.4g}; chances of failure are between 0 and 1. "
            "Pass chances, or state that the scores are not chances."
        )
    found = np.clip(chances, 1e-4, 1 - 1e-4)
    for start in range(0, found.size, AT_A_TIME):
        part = found[start : start + AT_A_TIME]
        np.log(part / (1 - part), out=part)
    return found


def normal_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard normal quantile of each score's rank, (N,); tied scores share the middle of their ranks.

    >>> normal_scores(np.array([7.0, -1e300, 7.0])).round(2)
    array([ 0.43, -0.97,  0.43])
    """
    _, group, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2  # (distinct,)
    return np.asarray(ndtri(middle[group] / scores.size), dtype=np.float64)
