"""Logistic regression with normal priors: chances of failure learned from the labels, by one number or several."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

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
        odds = np.multiply(x, -self.slope)  # in place, because every round computes it for all inputs
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
    prior : makes the answer unique even where all outcomes are the same.
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
        share = 1.0  # halved, because the whole step may overshoot where chances are near 0 or 1
        while share > 1e-6:
            tried = Line(float(line.intercept - share * step0), float(line.slope - share * step1))
            lower = _minus_log_posterior_of_line(x, outcomes, prior, tried)
            if lower <= height:
                break
            share /= 2
        else:
            break  # what is left is rounding
        line, height = tried, lower
    return line


def _minus_log_posterior_of_line(
    x: NDArray[np.float64], outcomes: NDArray[np.float64], prior: Prior, line: Line
) -> float:
    """Minus the log of the posterior density, up to a constant."""
    log_odds = line.intercept + line.slope * x
    surprise = np.maximum(log_odds, 0) + np.log1p(np.exp(-np.abs(log_odds))) - outcomes * log_odds
    away = (
        ((line.intercept - prior.mean.intercept) / prior.sd.intercept) ** 2
        + ((line.slope - prior.mean.slope) / prior.sd.slope) ** 2
    ) / 2
    return float(surprise.sum() + away)


class ByInput(Protocol):
    """A number for each input, (N,), looked up some at a time: an array, or what follows from one."""

    def __getitem__(self, places: Any, /) -> Any:
        """The numbers at these places, or of a slice."""
        ...


@dataclass(frozen=True, eq=False)
class Terms:
    """What predicts the failures, and the prior of its weights before any label.

    Attributes
    ----------
    columns : t of (N,); the first one is all 1.
    groups : (N,) group of each input, 0..C-1, each with a weight of its own.
    mean, sd : (t,), of the columns' weights. group_mean : (C,), group_sd : of the groups' weights.
    """

    columns: tuple[ByInput, ...]
    groups: NDArray[np.integer[Any]]
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
        total: Array = self.groups[terms.groups]
        for weight, column in zip(self.columns, terms.columns, strict=True):
            total += weight * column[:]
        return total


def prior_weights(terms: Terms) -> Weights:
    """The most likely weights before any label."""
    return Weights(terms.mean.copy(), terms.group_mean.copy())


def most_likely_weights(terms: Terms, rows: NDArray[np.intp], outcomes: Array, start: Weights) -> Weights:
    """The weights of highest posterior density (MAP) given k outcomes; see ``fits``."""
    return fits([terms], rows, outcomes, [start])[0].weights


@dataclass(frozen=True, eq=False)
class Fit:
    """The most likely weights, and the log of the evidence for the priors, up to a constant.

    The evidence, by Laplace's approximation at the weights, compares priors: half the log of the determinant of the
    Hessian times the priors' variances is the penalty for the freedom of the weights.
    """

    weights: Weights
    log_evidence: float


def fits(terms: Sequence[Terms], rows: NDArray[np.intp], outcomes: Array, starts: Sequence[Weights]) -> list[Fit]:
    """The weights of highest posterior density (MAP) given k outcomes under each of m priors, by Newton's method.

    The Hessian has no terms between two groups, so a step costs a t x t system and a pass over the labels, however many
    groups there are. Sums are plain sums in the order given, as in ``most_likely_line``, so a fit does not depend on
    the others made beside it.

    Parameters
    ----------
    terms : m of the same columns and groups, which differ in their priors.
    rows, outcomes : (k,) labeled inputs and whether they failed, in [0, 1].
    starts : where to begin, m; the answer does not depend on it beyond rounding.
    """
    known = _labeled(terms, rows, outcomes)
    columns, groups = np.array([one.columns for one in starts]), np.array([one.groups for one in starts])
    going = np.arange(len(terms))
    odds = known.log_odds(columns, groups)
    height = known.minus_log_posterior(going, columns, groups, odds)
    for _ in range(100):
        of_columns, of_groups = known.newton_steps(going, columns[going], groups[going], odds[going])
        far = np.abs(of_columns).sum(axis=1) + np.abs(of_groups).sum(axis=1) >= 1e-8
        going, of_columns, of_groups = going[far], of_columns[far], of_groups[far]
        behind, share = (
            np.arange(going.size),
            1.0,
        )  # halved, because the whole step may overshoot where chances are near 0 or 1
        while behind.size and share > 1e-6:
            which = going[behind]
            tried = columns[which] - share * of_columns[behind], groups[which] - share * of_groups[behind]
            tried_odds = known.log_odds(*tried)
            lower = known.minus_log_posterior(which, *tried, tried_odds)
            better = lower <= height[which]
            taken = which[better]
            columns[taken], groups[taken] = tried[0][better], tried[1][better]
            odds[taken], height[taken] = tried_odds[better], lower[better]
            behind, share = behind[~better], share / 2
        going = np.delete(going, behind)  # what is left is rounding
        if not going.size:
            break
    likely = known.log_evidence(odds, height)
    return [Fit(Weights(columns[one], groups[one]), float(likely[one])) for one in range(len(terms))]


@dataclass(frozen=True, eq=False)
class _Labeled:
    """The k labeled inputs alone, and m priors of the weights of t columns and C groups.

    Attributes
    ----------
    columns : (t, k). groups : (k,). outcomes : (k,) in [0, 1].
    mean, sd : (m, t). group_mean : (C,). group_sd, group_square, group_precision : (m,) with the square and 1 over it.
    """

    columns: Array
    groups: NDArray[np.integer[Any]]
    outcomes: Array
    mean: Array
    sd: Array
    group_mean: Array
    group_sd: Array
    group_square: Array
    group_precision: Array

    def log_odds(self, columns: Array, groups: Array) -> Array:
        """Log-odds of failure (m, k), by weights (m, t) and (m, C)."""
        total = np.take(groups, self.groups, axis=1)  # row by row in memory, so that sums go along it
        for place, column in enumerate(self.columns):
            total += columns[:, place, None] * column
        return total

    def minus_log_posterior(self, which: NDArray[np.intp], columns: Array, groups: Array, odds: Array) -> Array:
        """Minus the log of the posterior density under the priors ``which``, up to a constant."""
        surprise = np.maximum(odds, 0) + np.log1p(np.exp(-np.abs(odds))) - self.outcomes * odds
        away = (((columns - self.mean[which]) / self.sd[which]) ** 2).sum(axis=1) / 2
        away += (((groups - self.group_mean) / self.group_sd[which][:, None]) ** 2).sum(axis=1) / 2
        found: Array = surprise.sum(axis=1) + away
        return found

    def newton_steps(self, which: NDArray[np.intp], columns: Array, groups: Array, odds: Array) -> tuple[Array, Array]:
        """Inverse Hessian times gradient of minus the log posterior; the groups' part of the Hessian is diagonal."""
        chances = chances_of(odds)
        error = chances - self.outcomes  # (m, k)
        gradient = (error[:, None] * self.columns).sum(axis=2)
        gradient += (columns - self.mean[which]) / self.sd[which] ** 2
        of_groups = self._by_group(error[:, None])[:, 0]
        of_groups = of_groups + (groups - self.group_mean) / self.group_square[which][:, None]
        hessian, own, between = self.hessian(which, chances)
        reduced = gradient - (between * (of_groups / own)[:, None]).sum(axis=2)
        step = np.linalg.solve(hessian, reduced[..., None])[..., 0]
        return step, (of_groups - (between * step[..., None]).sum(axis=1)) / own

    def hessian(self, which: NDArray[np.intp], chances: Array) -> tuple[Array, Array, Array]:
        """The Hessian of minus the log posterior, in three parts, at the ``chances`` of failure (m, k).

        The columns' part less what the groups explain (Schur complement; m, t, t), the diagonal of the groups' part (m, C),
        and the mixed part (m, t, C).
        """
        spread = chances * (1 - chances)
        spread_table = spread[:, None] * self.columns  # (m, t, k)
        between = self._by_group(spread_table)
        own: Array = self._by_group(spread[:, None])[:, 0] + self.group_precision[which][:, None]  # (m, C)
        explained = (between[:, :, None] * between[:, None] / own[:, None, None]).sum(axis=3)
        hessian = self.sd[which][:, None] ** -2.0 * np.eye(len(self.columns))
        hessian += (spread_table[:, :, None] * self.columns).sum(axis=3) - explained
        return (hessian + hessian.transpose(0, 2, 1)) / 2, own, between

    def log_evidence(self, odds: Array, height: Array) -> Array:
        """Of all m, see ``Fit``; ``height`` : minus the log posterior, (m,)."""
        hessian, own, _ = self.hessian(np.arange(len(odds)), chances_of(odds))
        freedom = np.linalg.slogdet(hessian)[1] + 2 * np.log(self.sd).sum(axis=1)
        freedom += np.log(own).sum(axis=1) + 2 * own.shape[1] * np.log(self.group_sd)
        found: Array = -height - freedom / 2
        return found

    def _by_group(self, values: Array) -> Array:
        """Sums of (m, t, k) within each group, (m, t, C)."""
        shape = (*values.shape[:2], len(self.group_mean))
        cells = self.groups + shape[2] * np.arange(shape[0] * shape[1]).reshape(*shape[:2], 1)
        return np.bincount(cells.ravel(), values.ravel(), shape[0] * shape[1] * shape[2]).reshape(shape)


def _labeled(terms: Sequence[Terms], rows: NDArray[np.intp], outcomes: Array) -> _Labeled:
    same, spreads = terms[0], [one.group_sd for one in terms]
    return _Labeled(
        *(np.array([column[rows] for column in same.columns]), same.groups[rows], outcomes),
        *(np.array([one.mean for one in terms]), np.array([one.sd for one in terms]), same.group_mean),
        *(np.array(spreads), np.array([one**2 for one in spreads]), np.array([one**-2 for one in spreads])),
    )


def chances_of(log_odds: Array) -> Array:
    """The logistic function, without overflow, in [1e-9, 1 - 1e-9]."""
    chances: Array = np.clip(1 / (1 + np.exp(-np.clip(log_odds, -500, 500))), 1e-9, 1 - 1e-9)
    return chances
