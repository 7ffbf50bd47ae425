"""A cache of aimed bets already computed, with their state after each stretch, so that one more label costs one stretch."""

import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from testimate.estimators.betting import Game

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
