"""Predict from what earlier models got wrong how likely the tested one fails on each input.

The one-parameter logistic model of item response theory (Rasch 1960), fitted by marginal maximum likelihood: Bock and Aitkin
1981, Psychometrika 46. A model of ability a fails on an input of difficulty b with chance 1 / (1 + exp(a - b)).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.errors import BadInput

Array = NDArray[np.float64]

NODES = 41
"""Points of the grid over the difficulties, equally spaced from -5 to 5 standard deviations."""

ROUNDS = 200
"""Steps of expectation and maximization at most; they end once no ability moves by more than ``CLOSE``."""

CLOSE = 1e-4

WEAKEST = 1 / 9
"""Precision of the belief that abilities are about 0: it keeps that of a model without a fault finite."""

DECIMALS = 6
"""Of the chances, so that another machine's last digits draw no other inputs."""


@dataclass(frozen=True)
class Difficulties:
    """What earlier models' results say.

    Attributes
    ----------
    abilities : (M,) of each earlier model, in log-odds.
    spread : standard deviation of the difficulties in log-odds; about 0 if all inputs are alike to them.
    chances : (N,) chance that a model like these fails on each input, or its expected loss where losses are grades.
    """

    abilities: Array
    spread: float
    chances: Array


def difficulties(losses: ArrayLike) -> Difficulties:
    """Fit abilities and difficulties to the losses of M earlier models on N inputs.

    Inputs on which the models fared alike have the same chance; one without a result has that of a usual input.

    Parameters
    ----------
    losses : (N, M) from 0, right, to 1, wrong; nan where a model has no result.

    >>> found = difficulties([[1, 1], [0, 1], [0, 0], [0, 0], [0, 0]])
    >>> bool(found.chances[0] > found.chances[1] > found.chances[2] == found.chances[4])
    True
    """
    table = np.asarray(losses, dtype=np.float64)
    if table.ndim != 2 or not table.size or np.nanmin(table, initial=0) < 0 or np.nanmax(table, initial=0) > 1:
        raise BadInput(
            f"Earlier results have the shape {table.shape}. Expected a loss from 0 to 1 for each input and model. Correct "
            "them."
        )
    seen_by_input = np.isfinite(table)
    losses_seen = np.where(seen_by_input, table, 0.0)
    # by the models that have a result, the sum of losses is sufficient for the difficulty
    known = np.column_stack([losses_seen.sum(axis=1).round(9), np.packbits(seen_by_input, axis=1)])
    _, inverse, counts = np.unique(known, axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    lost, seen = (_means(one, inverse, counts) for one in (losses_seen, seen_by_input.astype(np.float64)))
    nodes = np.linspace(-5, 5, NODES)
    prior = np.exp(-(nodes**2) / 2)
    prior /= prior.sum()
    share = np.clip((counts @ lost) / np.maximum(counts @ seen, 1), 1e-4, 1 - 1e-4)
    abilities, spread = np.log((1 - share) / share), 1.0
    for _ in range(ROUNDS):
        before = abilities
        chance = _chance(abilities, spread * nodes)
        belief = _belief(lost, seen, chance, prior) * counts[:, None]  # (G, Q)
        failed, tried = lost.T @ belief, seen.T @ belief  # (M, Q)
        slope = (tried * chance - failed).sum(axis=1) - WEAKEST * abilities
        curve = (tried * chance * (1 - chance)).sum(axis=1) + WEAKEST
        abilities = abilities + np.clip(slope / curve, -1, 1)
        spread = float(spread * np.sqrt((belief @ nodes**2).sum() / counts.sum()))
        if np.abs(abilities - before).max() < CLOSE:
            break
    chance = _chance(abilities, spread * nodes)
    expected = _belief(lost, seen, chance, prior) @ chance.mean(axis=0)
    return Difficulties(abilities, spread, np.round(expected, DECIMALS)[inverse])


def _means(values: Array, groups: NDArray[np.intp], counts: NDArray[np.intp]) -> Array:
    """Return the mean of each group's rows, (G, M)."""
    return np.column_stack([np.bincount(groups, column, len(counts)) for column in values.T]) / counts[:, None]


def _chance(abilities: Array, difficulty: Array) -> Array:
    """Return the chance that each model fails at each node, (M, Q)."""
    return np.asarray(1 / (1 + np.exp(np.clip(abilities[:, None] - difficulty, -30, 30))))


def _belief(lost: Array, seen: Array, chance: Array, prior: Array) -> Array:
    """Return how likely each node is by the results of each group of inputs, (G, Q)."""
    log = lost @ np.log(chance) + (seen - lost) @ np.log1p(-chance) + np.log(prior)
    belief = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(belief / belief.sum(axis=1, keepdims=True))


LEAST = 1e-4
"""Chances are taken to be at least this, and at most 1 less this, before their log-odds are."""


def chances_of_failure(found: Difficulties, doubt: ArrayLike | None = None) -> Array:
    """Return the chance that the tested model fails on each input, (N,).

    Of the history and the model's own doubt the mean of their log-odds: in simulations with like models it drew as well as
    the better of the two, or better.

    Parameters
    ----------
    doubt : (N,) 1 - confidence of the tested model, or None.
    """
    if doubt is None:
        return found.chances
    odds = [np.log(one / (1 - one)) for one in (_inside(found.chances), _inside(np.asarray(doubt, dtype=np.float64)))]
    return np.asarray(np.round(1 / (1 + np.exp(-(odds[0] + odds[1]) / 2)), DECIMALS))


def _inside(chances: Array) -> Array:
    return np.clip(chances, LEAST, 1 - LEAST)
