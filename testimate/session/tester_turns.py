"""Whose turn an input is: the inputs before each tester of a team, so that two never answer the same one unasked."""

from collections.abc import Callable
from dataclasses import dataclass

from testimate.core.session_record import ChooseTurns, SessionStore

SECONDS = 600.0
"""How long an input stays a tester's turn while nothing is heard from them; then others may get it too."""


@dataclass(frozen=True)
class _Hand:
    """The turns a tester holds, and until when."""

    rows: tuple[int, ...]
    until: float


class Turns:
    """The turns of one session, kept in its store so that they hold in every process and outlive a restart.

    While most of what a tester holds still waits for a vote nothing is written: a key is not held up by a turn.
    """

    def __init__(self, session: str, store: SessionStore, clock: Callable[[], float]) -> None:
        self._session, self._store, self._clock = session, store, clock
        self._hands: dict[str, _Hand] = {}

    def of(self, tester: str, count: int, choose: ChooseTurns, still_wanted: Callable[[int], bool]) -> tuple[int, ...]:
        """The tester's turns: those held that are still wanted, or newly chosen ones where fewer than half of ``count`` are."""
        now = self._clock()
        hand = self._hands.get(tester)
        if hand is not None and hand.until - SECONDS <= now < hand.until - SECONDS / 2:  # a clock may be set back
            still = tuple(row for row in hand.rows if still_wanted(row))
            if 2 * len(still) >= count:
                return still
        rows = self._store.take_turns(self._session, tester, choose, now=now, until=now + SECONDS)
        self._hands[tester] = _Hand(rows, now + SECONDS)
        return rows

    def choose_anew(self, tester: str) -> None:
        """The order of the tester's inputs has changed; the next look chooses again."""
        self._hands.pop(tester, None)
