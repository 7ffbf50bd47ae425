"""Betting on a mean: capitals that cannot grow while the mean is right, and the moving ends of what they rule out.

Waudby-Smith and Ramdas 2020, "Estimating means of bounded random variables by betting" (arXiv 2010.09686; JRSS B 2024).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

BET_HORIZONS = np.array([60.0, 200.0, 700.0])  # n_j: the number of draws for which each bet is best
SHARE_AT_RISK = 0.9  # of the capital that one outcome may take
GRID_STEPS = 1000
_BLOCK = 16_384  # (draws x means) worked on at once: small enough for the cache
_LONG = 128  # capitals after one draw, from which on multiplying draw by draw is quicker than NumPy's running product


@dataclass(frozen=True, eq=False)
class Game:
    """What is bet on: n outcomes in rounds, in the unit of the mean theta (0..1).

    Attributes
    ----------
    outcomes : (n,) X of each draw; given the past those of a round are independent and their means average to theta.
    smallest, largest : (n,) the least and greatest X any draw of the round could give, known before it.
    variance : (n,) the predicted variance of X, above 0, from past rounds alone.
    ends : (T,) place of the last draw of each round; the capitals count only there.
    """

    outcomes: NDArray[np.float64]
    smallest: NDArray[np.float64]
    largest: NDArray[np.float64]
    variance: NDArray[np.float64]
    ends: NDArray[np.intp]


def mean_grid() -> NDArray[np.float64]:
    """The means tried, (GRID_STEPS + 1,), from 0 to 1: evenly spaced in arcsin sqrt, so a step is a share of a sd."""
    grid: NDArray[np.float64] = np.sin(np.linspace(0, np.pi / 2, GRID_STEPS + 1)) ** 2
    return grid


def capitals(game: Game, means: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Capitals up and down at the end of each round, shape (2, T, M), for M candidate means; each starts at 1.

    Up bets that theta lies above the candidate, down that it lies below. Where the candidate is theta, both are
    supermartingales: E prod_h (1 + lambda (X_h - theta)) = prod_h (1 + lambda (E X_h - theta)) <= 1 by the inequality
    of arithmetic and geometric means, for one lambda per round.
    """
    path = _grow(game, slice(0, len(game.outcomes)), means, np.ones((2, len(BET_HORIZONS), len(means))), alpha)
    mixed: NDArray[np.float64] = path[game.ends].mean(axis=2).swapaxes(0, 1)
    return mixed


def moving_ends(game: Game, alpha: float) -> NDArray[np.float64]:
    """The least and greatest mean not ruled out after each round, one grid step outward; (T, 2), nested.

    A mean is out when its capital up or down has reached 2 / alpha (Ville), or where it lies outside [smallest,
    largest]. Capital up falls and capital down rises with the mean (each factor does), so what is left is an interval.
    """
    grid = mean_grid()
    first, last = 0, len(grid) - 1  # the means not out yet
    found = np.tile(np.array([first, last]), (len(game.ends), 1))  # (T, 2)
    capital = np.ones((2, len(BET_HORIZONS), len(grid)))
    least = np.searchsorted(grid, np.maximum.accumulate(game.smallest[game.ends]), side="left")
    greatest = np.searchsorted(grid, np.minimum.accumulate(game.largest[game.ends]), side="right") - 1
    start, rounds_done = 0, 0
    while start < len(game.outcomes) and first <= last:
        stop = min(len(game.outcomes), start + max(1, _BLOCK // (last - first + 1)))
        active = slice(first, last + 1)
        path = _grow(game, slice(start, stop), grid[active], capital[:, :, active], alpha)
        capital[:, :, active] = path[-1]
        rounds_now = int(np.searchsorted(game.ends, stop))
        here = slice(rounds_done, rounds_now)
        if rounds_now > rounds_done:
            out = path[game.ends[here] - start].mean(axis=2) >= 2 / alpha  # (rounds, 2, active)
            found[here, 0] = np.maximum(np.maximum.accumulate(first + out[:, 0].sum(axis=1)), least[here])
            found[here, 1] = np.minimum(np.minimum.accumulate(last - out[:, 1].sum(axis=1)), greatest[here])
            first, last = int(found[rounds_now - 1, 0]), int(found[rounds_now - 1, 1])
        start, rounds_done = stop, rounds_now
    found[rounds_done:] = first, last
    low, high = grid[np.maximum(found[:, 0] - 1, 0)], grid[np.minimum(found[:, 1] + 1, len(grid) - 1)]
    return np.column_stack([low, high])


def nested(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ends (T, 2), of which low rises and high falls, kept at the last interval that was not empty."""
    empty = ends[:, 0] > ends[:, 1] + 1e-12  # not by rounding alone
    kept = ends.copy()
    if empty.any():
        last = int(np.argmax(empty)) - 1
        kept[last + 1 :] = ends[last] if last >= 0 else (0.0, 1.0)
    kept[:, 1] = np.maximum(kept[:, 0], kept[:, 1])
    return kept


def _grow(
    game: Game, part: slice, means: NDArray[np.float64], capital: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """Capitals after each draw of the part, shape (draws, 2, bets, M), from (2, bets, M) before it."""
    # room: what the worst outcome takes of a bet of 1; both up and down, (draws, 2, 1, M)
    gain, room = np.empty((2, part.stop - part.start, 2, 1, len(means)))
    np.subtract(means, game.smallest[part, None], out=room[:, 0, 0])
    np.subtract(game.largest[part, None], means, out=room[:, 1, 0])
    np.subtract(game.outcomes[part, None], means, out=gain[:, 0, 0])
    np.negative(gain[:, 0], out=gain[:, 1])
    wish = np.sqrt(2 * np.log(2 / alpha) / (game.variance[part, None] * BET_HORIZONS))  # (draws, bets)
    factors = np.minimum(wish[:, None, :, None], _cap(room))
    factors *= gain
    factors += 1
    return running_product(factors, capital)


def running_product(factors: NDArray[np.float64], capital: NDArray[np.float64]) -> NDArray[np.float64]:
    """Capitals after each draw, written over the ``factors`` (draws, ...) by which each draw multiplies ``capital`` (...)."""
    factors[0] *= capital
    with np.errstate(over="ignore"):  # an infinite capital has ruled its mean out, as it should
        if factors[0].size < _LONG:
            np.cumprod(factors, axis=0, out=factors)
        else:
            for before, now in pairwise(factors):
                np.multiply(now, before, out=now)
    return factors


def _cap(room: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest bet that leaves a tenth of the capital after the worst outcome; none where nothing can be lost."""
    with np.errstate(divide="ignore"):
        cap: NDArray[np.float64] = SHARE_AT_RISK / room
    cap[~(room > 0)] = np.inf
    return cap
