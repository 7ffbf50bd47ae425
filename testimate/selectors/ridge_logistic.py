"""Logistic regression on one number with a normal prior: the chance of failure as the labels so far tell it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Line:
    """Log-odds of failure as a line in x: intercept + slope x."""

    intercept: float
    slope: float

    def chances(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Chance of failure at each x, (n,) in (0, 1)."""
        odds = np.multiply(x, -self.slope)  # worked on in place: this is asked for all inputs in every round
        odds -= self.intercept
        np.exp(odds, out=odds)
        odds += 1
        return np.divide(1.0, odds, out=odds)


@dataclass(frozen=True, slots=True)
class Prior:
    """Independent normal beliefs about a line before any label: the most likely one and its standard deviations."""

    mean: Line
    sd: Line


def most_likely_line(x: NDArray[np.float64], outcomes: NDArray[np.float64], prior: Prior, start: Line) -> Line:
    """The line of highest posterior density (MAP) given n outcomes, by Newton's method.

    Parameters
    ----------
    x : (n,) finite.
    outcomes : (n,) in [0, 1]; 1 is a failure.
    prior : makes the answer unique, also where the outcomes are all the same.
    start : where to begin; the answer does not depend on it beyond rounding.

    Sums are plain sums in the order given, not matrix products, whose rounding depends on the processor.

    >>> prior = Prior(Line(0.6, 0.9), Line(0.5, 0.25))
    >>> most_likely_line(np.array([]), np.array([]), prior, prior.mean)
    Line(intercept=0.6, slope=0.9)
    """
    line, height = start, _minus_log_posterior(x, outcomes, prior, start)
    for _ in range(100):
        chances = line.chances(x)
        spread, error = chances * (1 - chances), chances - outcomes
        # gradient (g0, g1) and Hessian ((h00, h01), (h01, h11)) of minus the log posterior
        g0 = error.sum() + (line.intercept - prior.mean.intercept) / prior.sd.intercept**2
        g1 = (error * x).sum() + (line.slope - prior.mean.slope) / prior.sd.slope**2
        h00 = spread.sum() + 1 / prior.sd.intercept**2
        h01 = (spread * x).sum()
        h11 = (spread * x**2).sum() + 1 / prior.sd.slope**2
        determinant = h00 * h11 - h01**2
        step0, step1 = (h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant
        if abs(step0) + abs(step1) < 1e-9:
            break
        share = 1.0  # of the step; the whole one may overshoot where the chances are near 0 or 1
        while share > 1e-6:
            tried = Line(float(line.intercept - share * step0), float(line.slope - share * step1))
            lower = _minus_log_posterior(x, outcomes, prior, tried)
            if lower <= height:
                break
            share /= 2
        else:
            break  # no better line but for rounding
        line, height = tried, lower
    return line


def _minus_log_posterior(x: NDArray[np.float64], outcomes: NDArray[np.float64], prior: Prior, line: Line) -> float:
    """Minus the log of the posterior density, but for a constant."""
    log_odds = line.intercept + line.slope * x
    surprise = np.maximum(log_odds, 0) + np.log1p(np.exp(-np.abs(log_odds))) - outcomes * log_odds
    away = (
        ((line.intercept - prior.mean.intercept) / prior.sd.intercept) ** 2
        + ((line.slope - prior.mean.slope) / prior.sd.slope) ** 2
    ) / 2
    return float(surprise.sum() + away)
