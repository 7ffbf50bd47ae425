"""Logistic regression with normal priors: chances of failure as the labels so far tell them, by one number or by several."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
    line, height = start, _minus_log_posterior_of_line(x, outcomes, prior, start)
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
            lower = _minus_log_posterior_of_line(x, outcomes, prior, tried)
            if lower <= height:
                break
            share /= 2
        else:
            break  # no better line but for rounding
        line, height = tried, lower
    return line


def _minus_log_posterior_of_line(
    x: NDArray[np.float64], outcomes: NDArray[np.float64], prior: Prior, line: Line
) -> float:
    """Minus the log of the posterior density, but for a constant."""
    log_odds = line.intercept + line.slope * x
    surprise = np.maximum(log_odds, 0) + np.log1p(np.exp(-np.abs(log_odds))) - outcomes * log_odds
    away = (
        ((line.intercept - prior.mean.intercept) / prior.sd.intercept) ** 2
        + ((line.slope - prior.mean.slope) / prior.sd.slope) ** 2
    ) / 2
    return float(surprise.sum() + away)


@dataclass(frozen=True, eq=False)
class Terms:
    """What predicts the failures, and what is believed of its weights before any label.

    Attributes
    ----------
    columns : t arrays (N,); the first one is all 1.
    groups : (N,) group of each input, 0..C-1, each with a weight of its own.
    mean, sd : (t,), of the columns' weights. group_mean : (C,), group_sd : of the groups' weights.
    """

    columns: tuple[Array, ...]
    groups: NDArray[np.intp]
    mean: Array
    sd: Array
    group_mean: Array
    group_sd: float


@dataclass(frozen=True, eq=False)
class Weights:
    """Of the columns (t,) and of the groups (C,)."""

    columns: Array
    groups: Array

    def log_odds(self, terms: Terms) -> Array:
        """Log-odds of failure of each input, (N,)."""
        total = self.groups[terms.groups]
        for weight, column in zip(self.columns, terms.columns, strict=True):
            total += weight * column
        return total


def prior_weights(terms: Terms) -> Weights:
    """The most likely weights before any label."""
    return Weights(terms.mean.copy(), terms.group_mean.copy())


def most_likely_weights(terms: Terms, rows: NDArray[np.intp], outcomes: Array, start: Weights) -> Weights:
    """The weights of highest posterior density (MAP) given k outcomes, by Newton's method.

    A group's weight meets no other group's in the Hessian, so a step costs a t x t system and a pass over the labels, however
    many groups there are. Sums are plain sums in the order given, as in ``most_likely_line``.

    Parameters
    ----------
    rows, outcomes : (k,) labeled inputs and whether they failed, in [0, 1].
    start : where to begin; the answer does not depend on it beyond rounding.
    """
    known = _at(terms, rows)
    weights, height = start, _minus_log_posterior(known, outcomes, start)
    for _ in range(100):
        step = _newton_step(known, outcomes, weights)
        if np.abs(step.columns).sum() + np.abs(step.groups).sum() < 1e-8:
            break
        share = 1.0  # of the step; the whole one may overshoot where the chances are near 0 or 1
        while share > 1e-6:
            tried = Weights(weights.columns - share * step.columns, weights.groups - share * step.groups)
            lower = _minus_log_posterior(known, outcomes, tried)
            if lower <= height:
                break
            share /= 2
        else:
            break  # no better weights but for rounding
        weights, height = tried, lower
    return weights


def log_evidence(terms: Terms, rows: NDArray[np.intp], outcomes: Array, weights: Weights) -> float:
    """Log of the chance of k outcomes under the priors alone, but for a constant, by Laplace's approximation at the MAP.

    It compares priors that differ in ``group_sd``: half the log of the determinant of the Hessian times the priors' variances
    is what the weights' freedom costs.
    """
    known = _at(terms, rows)
    hessian, own, _ = _hessian(known, chances_of(weights.log_odds(known)))
    freedom = np.linalg.slogdet(hessian)[1] + 2 * np.log(known.sd).sum()
    freedom += np.log(own).sum() + 2 * own.size * np.log(known.group_sd)
    return float(-_minus_log_posterior(known, outcomes, weights) - freedom / 2)


def _at(terms: Terms, rows: NDArray[np.intp]) -> Terms:
    """The terms of these inputs alone."""
    return replace(terms, columns=tuple(column[rows] for column in terms.columns), groups=terms.groups[rows])


def chances_of(log_odds: Array) -> Array:
    """The logistic function, without overflow, in [1e-9, 1 - 1e-9]."""
    chances: Array = np.clip(1 / (1 + np.exp(-np.clip(log_odds, -500, 500))), 1e-9, 1 - 1e-9)
    return chances


def _newton_step(known: Terms, outcomes: Array, weights: Weights) -> Weights:
    """Inverse Hessian times gradient of minus the log posterior; the groups' part of the Hessian is diagonal."""
    chances = chances_of(weights.log_odds(known))
    error = chances - outcomes
    gradient = np.array([(error * column).sum() for column in known.columns])
    gradient += (weights.columns - known.mean) / known.sd**2
    of_groups: Array = np.bincount(known.groups, error, len(weights.groups)).astype(np.float64)
    of_groups = of_groups + (weights.groups - known.group_mean) / known.group_sd**2
    hessian, own, between = _hessian(known, chances)
    reduced = gradient - (between * (of_groups / own)).sum(axis=1)
    step = np.linalg.solve(hessian, reduced)
    return Weights(step, (of_groups - (between * step[:, None]).sum(axis=0)) / own)


def _hessian(known: Terms, chances: Array) -> tuple[Array, Array, Array]:
    """Of minus the log posterior: the columns' part less what the groups explain (Schur complement; t, t), the diagonal of
    the groups' (C,), and what is between them (t, C). ``chances`` : (k,) that each input fails, by the weights."""
    spread, count = chances * (1 - chances), len(known.group_mean)
    table = np.array(known.columns)  # (t, k)
    spread_table = spread * table
    between = np.array([np.bincount(known.groups, row, count) for row in spread_table])  # (t, C)
    own: Array = np.bincount(known.groups, spread, count) + np.float64(known.group_sd**-2)  # (C,)
    hessian = np.diag(known.sd**-2.0)
    for one, row in enumerate(spread_table):
        hessian[one] += (row * table).sum(axis=1) - (between[one] * between / own).sum(axis=1)
    hessian = (hessian + hessian.T) / 2
    return hessian, own, between


def _minus_log_posterior(known: Terms, outcomes: Array, weights: Weights) -> float:
    """Minus the log of the posterior density, but for a constant."""
    log_odds = weights.log_odds(known)
    surprise = np.maximum(log_odds, 0) + np.log1p(np.exp(-np.abs(log_odds))) - outcomes * log_odds
    away = (((weights.columns - known.mean) / known.sd) ** 2).sum() / 2
    away += (((weights.groups - known.group_mean) / known.group_sd) ** 2).sum() / 2
    return float(surprise.sum() + away)
