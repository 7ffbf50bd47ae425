"""Bets aimed at the number of labels a plan has: the interval that is valid whenever you stop is narrow there.

Voracek and Orabona 2025, "STaR-Bets: Sequential Target-Recalculating Bets for Tighter Confidence Intervals"
(arXiv 2505.22422), beside the constant bets of ``betting``.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.betting import BET_HORIZONS, SHARE_AT_RISK, Game, mean_grid, moving_ends, running_product
from testimate.estimators.kept_games import KeptGame, KeptGames, Reached, Stretch

# What the other shares cost is in decision 66.
AIMED_SHARE = 0.85  # of the capital is in the aimed bets; the constant bets share the rest evenly
AIMED_AT_RISK = 0.99  # of its capital that one outcome may take
FURTHEST = 40.0  # upper limit of the logarithm of the growth still wanted
STRETCHES = 32  # into which the way to the number aimed at is cut; the aim is taken again at the start of each
SETTLED = 20  # from this draw on the spread of the outcomes themselves counts
PSEUDO_DRAWS = 30  # how many draws the predicted variance counts as, beside it

PARTS = np.append(AIMED_SHARE, np.full(len(BET_HORIZONS), (1 - AIMED_SHARE) / len(BET_HORIZONS)))
"""Shares of the capital that the aimed bets and each of the constant ones start with."""


_kept = KeptGames()


def ends_of_bets(game: Game, alpha: float, aimed_at: int | None, *, keep: bool = True) -> NDArray[np.float64]:
    """The least and greatest mean not ruled out after each round, (T, 2): by the aimed bets, or by constant ones alone.

    ``keep``: whether another label will continue this game, so that its states are kept.
    """
    return moving_ends(game, alpha) if aimed_at is None else aimed_ends(game, alpha, aimed_at, keep=keep)


def aimed_ends(game: Game, alpha: float, aimed_at: int, *, keep: bool = True) -> NDArray[np.float64]:
    """The least and greatest mean not ruled out after each round, (T, 2), nested; low above high where none is left.

    Each cell of the grid of means has a capital up and one down. ``AIMED_SHARE`` of it is in bets that aim at 2 / alpha by
    the draw ``aimed_at``: where these have grown to K after k draws, q = min(1, AIMED_SHARE K alpha / 2) and lambda is
    sqrt(2 ln(1 / q) / (v (aimed_at - k))), v the variance of X. The other bets are those of ``betting``. As K may
    rise and fall with the mean, up bets are computed at the upper end of the cell and down bets at its lower end, where for the
    same lambda every factor is least. So whatever the mean is, the capitals of its cell grow no more than
    supermartingales, and the cell is ruled out, for good, with a probability of at most alpha (Ville).
    """
    states, grid = reached(game, alpha, aimed_at, keep=keep), mean_grid()
    ends = np.concatenate([state.ends for state in states]) if states else np.empty((0, 2), np.intp)
    return np.column_stack([grid[ends[:, 0]], grid[ends[:, 1] + (ends[:, 0] <= ends[:, 1])]])


def aimed_capitals(game: Game, mean: float, alpha: float, aimed_at: int) -> NDArray[np.float64]:
    """Capitals up and down at the end of each round, (2, T), against one ``mean``; each starts at 1.

    The bets are those of ``aimed_ends`` in a cell that holds this mean alone, so where it is the mean of X the capitals are
    supermartingales, and either reaches 2 / alpha with a probability of at most alpha / 2 (Ville).
    """
    variance, means = settled_variance(game), np.full((2, 1), mean)
    capital, found = np.ones((2, len(PARTS), 1)), np.empty((2, len(game.ends)))
    for one in stretches(game.ends, aimed_at):
        path = _grown(game, variance, one, means, capital, alpha)
        at_ends = path[game.ends[one.rounds] - one.draws.start]
        found[:, one.rounds] = np.einsum("b,rsbm->srm", PARTS, at_ends)[:, :, 0]
        capital = path[-1]
    return found


def reached(game: Game, alpha: float, aimed_at: int, *, keep: bool = True) -> Sequence[Reached]:
    """The game after each stretch; stretches shared with games played recently are taken from the cache.

    So one label more costs one stretch, and so does an undo; a change of an early answer costs the whole game.
    """
    ahead = list(stretches(game.ends, aimed_at))
    states = list(_kept.shared(game, ahead, (alpha, aimed_at)))
    grid, variance = mean_grid(), settled_variance(game)
    possible = _possible_cells(game, grid)
    cells = len(grid) - 1
    everything = Reached(0, np.ones(cells, bool), np.ones((2, len(PARTS), cells)), np.empty((0, 2), np.intp))
    for one in ahead[len(states) :]:
        before = states[-1] if states else everything
        states.append(_played(game, variance, grid, possible, one, before, alpha))
    if keep:
        _kept.keep(KeptGame(game, ahead, states), (alpha, aimed_at))
    return states


def stretches(ends: NDArray[np.intp], aimed_at: int) -> Iterator[Stretch]:
    """The rounds, whose last draws have the places ``ends`` (T,), cut into stretches that are known before their first draw.

    The number aimed at doubles where less than half a round is left to it.
    """
    aim, start, first = float(aimed_at), 0, 0
    length = aim / STRETCHES
    while first < len(ends):
        while aim - start < (int(ends[first]) + 1 - start) / 2:
            length, aim = aim / STRETCHES, 2 * aim
        last = max(first, int(np.searchsorted(ends, start + length - 1, side="right")) - 1)
        stop = int(ends[last]) + 1
        yield Stretch(slice(start, stop), slice(first, last + 1), aim - start)
        start, first = stop, last + 1


def settled_variance(game: Game) -> NDArray[np.float64]:
    """The variance of X before each round, (n,): the predicted one, later mixed with that of the outcomes before."""
    starts = np.append(0, game.ends[:-1] + 1)
    sums, squares = np.append(0.0, np.cumsum(game.outcomes)), np.append(0.0, np.cumsum(game.outcomes**2))
    around = np.maximum(squares[starts] - sums[starts] ** 2 / np.maximum(starts, 1), 0.0)
    predicted = game.variance[starts]
    mixed = (PSEUDO_DRAWS * predicted + around) / (PSEUDO_DRAWS - 1 + starts)
    return np.repeat(np.where(starts < SETTLED, predicted, mixed), game.ends + 1 - starts)


def _possible_cells(game: Game, grid: NDArray[np.float64]) -> NDArray[np.intp]:
    """First and last cell that holds a mean within [smallest, largest] of every round so far, (T, 2)."""
    least = np.searchsorted(grid, np.maximum.accumulate(game.smallest[game.ends]), side="left") - 1
    greatest = np.searchsorted(grid, np.minimum.accumulate(game.largest[game.ends]), side="right") - 1
    return np.column_stack([least, greatest]).clip(0, len(grid) - 2)


def _played(
    game: Game,
    variance: NDArray[np.float64],
    grid: NDArray[np.float64],
    possible: NDArray[np.intp],
    one: Stretch,
    before: Reached,
    alpha: float,
) -> Reached:
    """The state after the stretch; where no cell is left, one without cells."""
    first, count = before.first, len(before.alive)
    means = np.stack([grid[first + 1 : first + count + 1], grid[first : first + count]])  # (2, m): upper and lower ends
    path = _grown(game, variance, one, means, before.capital, alpha)  # (draws, 2, bets, m)
    total = np.einsum("b,rsbm->rsm", PARTS, path[game.ends[one.rounds] - one.draws.start])
    out: NDArray[np.bool_] = np.logical_or.accumulate(np.any(total >= 2 / alpha, axis=1), axis=0)  # (rounds, m)
    alive: NDArray[np.bool_] = before.alive & ~out
    places = np.arange(first, first + count)
    alive &= (places >= possible[one.rounds, :1]) & (places <= possible[one.rounds, 1:])
    left: NDArray[np.bool_] = np.any(alive, axis=1)
    ends = np.tile(np.array([1, 0], np.intp), (len(alive), 1))
    if left.any():
        ends[left, 0] = first + alive[left].argmax(axis=1)
        ends[left, 1] = first + count - 1 - alive[left, ::-1].argmax(axis=1)
    if not left[-1]:
        return Reached(0, np.empty(0, bool), np.empty((2, len(PARTS), 0)), ends)
    kept = slice(ends[-1, 0] - first, ends[-1, 1] + 1 - first)
    return Reached(int(ends[-1, 0]), alive[-1, kept], path[-1, :, :, kept].copy(), ends)


def _grown(
    game: Game,
    variance: NDArray[np.float64],
    one: Stretch,
    means: NDArray[np.float64],
    capital: NDArray[np.float64],
    alpha: float,
) -> NDArray[np.float64]:
    """Capitals after each draw of the stretch, (draws, 2, bets, m), from (2, bets, m) before it."""
    part = one.draws
    gain, cap = np.empty((2, part.stop - part.start, 2, means.shape[1]))  # each (draws, 2, m)
    np.subtract(game.outcomes[part, None], means[0], out=gain[:, 0])
    np.subtract(means[1], game.outcomes[part, None], out=gain[:, 1])
    np.subtract(means[0], game.smallest[part, None], out=cap[:, 0])
    np.subtract(game.largest[part, None], means[1], out=cap[:, 1])
    np.divide(1.0, np.maximum(cap, 1e-12, out=cap), out=cap)  # the bet by which the worst outcome would take all
    wanted = np.log(2 / (alpha * AIMED_SHARE)) - np.log(np.maximum(capital[:, 0], 1e-300))  # ln(1 / q), (2, m)
    aimed = np.sqrt(2 * wanted.clip(0.0, FURTHEST) / (variance[part.start] * one.left))
    constant = np.sqrt(2 * np.log(2 / alpha) / (variance[part, None] * BET_HORIZONS))  # (draws, bets)
    factors = np.empty((len(gain), 2, len(PARTS), means.shape[1]))
    np.minimum(constant[:, None, :, None], SHARE_AT_RISK * cap[:, :, None], out=factors[:, :, 1:])
    np.minimum(aimed, AIMED_AT_RISK * cap, out=factors[:, :, 0])
    factors *= gain[:, :, None]
    factors += 1
    return running_product(factors, capital)
