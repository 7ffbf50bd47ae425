"""Betting on a mean: capitals that cannot grow while the mean is right, and the moving ends of what they rule out.

Waudby-Smith and Ramdas 2020, "Estimating means of bounded random variables by betting" (arXiv 2010.09686; JRSS B 2024).

Bets aimed at the number of labels a plan has: the interval that is valid whenever you stop is narrow there.

Voracek and Orabona 2025, "STaR-Bets: Sequential Target-Recalculating Bets for Tighter Confidence Intervals"
(arXiv 2505.22422), beside the constant bets of ``betting``.

A cache of aimed bets already computed, with their state after each stretch, so that one more label costs one stretch.
"""

import threading
from collections.abc import Hashable, Iterator, Sequence
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


MOST = 12
"""Games kept: of some sessions of a server, each perhaps twice, where inputs were skipped."""


@dataclass(frozen=True)
class Stretch:
    """Rounds with one aim: the places of their draws and of the rounds, and the draws left to the aim at their start."""

    draws: slice
    rounds: slice
    left: float


@dataclass(frozen=True, eq=False)
class Reached:
    """The game after a stretch, for the m cells of the grid from ``first`` on that lie between those not ruled out.

    Attributes
    ----------
    first : place of the first of these cells.
    alive : (m,) which of them are not ruled out.
    capital : (2, bets, m) up and down, the aimed bets first; each started at 1.
    ends : (rounds, 2) places of the first and the last cell left after each round of the stretch; 1 and 0 where none is.
    """

    first: int
    alive: NDArray[np.bool_]
    capital: NDArray[np.float64]
    ends: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class KeptGame:
    """A game, the stretches it was played in, and the state after each."""

    game: Game
    stretches: Sequence[Stretch]
    states: Sequence[Reached]

    def shared(self, game: Game, stretches: Sequence[Stretch]) -> Sequence[Reached]:
        """The states that the other game will reach as well: after the stretches in which nothing differs."""
        same = min(_same_until(getattr(self.game, name), getattr(game, name)) for name in _COLUMNS)
        pairs = zip(self.stretches, stretches, strict=False)
        count = next((place for place, (old, new) in enumerate(pairs) if old != new or new.draws.stop > same), None)
        return self.states[: min(len(self.stretches), len(stretches)) if count is None else count]


_COLUMNS = ("outcomes", "smallest", "largest", "variance")


class KeptGames:
    """The games played last, by what else they depend on; nothing in them is ever changed. May be shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._games: list[tuple[Hashable, KeptGame]] = []  # the latest comes last

    def shared(self, game: Game, stretches: Sequence[Stretch], settings: Hashable) -> Sequence[Reached]:
        """The states after the first stretches, as many as any game kept with these settings has in common with this one."""
        with self._lock:
            games = [kept for known, kept in self._games if known == settings]
        return max((kept.shared(game, stretches) for kept in games), key=len, default=())

    def keep(self, played: KeptGame, settings: Hashable) -> None:
        """Keeps the game in place of those that it continues, and of the oldest."""
        with self._lock:
            others = [
                (known, kept)
                for known, kept in self._games
                if known != settings or len(kept.shared(played.game, played.stretches)) < len(kept.states) - 1
            ]
            self._games = [*others, (settings, played)][-MOST:]


def _same_until(one: NDArray[np.float64], other: NDArray[np.float64]) -> int:
    """How many numbers from the first one on are the same."""
    shorter = min(len(one), len(other))
    differ = one[:shorter] != other[:shorter]
    return int(differ.argmax()) if differ.any() else shorter


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
