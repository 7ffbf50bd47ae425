"""What each tester sees next: everybody the same where one person labels alone, in a team each their own turns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from testimate.core.draw import Draw
from testimate.core.session_record import ChooseTurns, SessionRecord, SessionStore
from testimate.core.vote import Event
from testimate.session.asked_draws import AskedDraws
from testimate.session.standing_votes import Counted, StandingVotes

TURN_SECONDS = 600.0
"""How long an input stays a tester's turn while nothing is heard from them; then others may get it too."""

NOBODY: Mapping[int, frozenset[str]] = {}
"""Turns that nobody holds."""


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
        if (
            hand is not None and hand.until - TURN_SECONDS <= now < hand.until - TURN_SECONDS / 2
        ):  # a clock may be set back
            still = tuple(row for row in hand.rows if still_wanted(row))
            if 2 * len(still) >= count:
                return still
        rows = self._store.take_turns(self._session, tester, choose, now=now, until=now + TURN_SECONDS)
        self._hands[tester] = _Hand(rows, now + TURN_SECONDS)
        return rows

    def choose_anew(self, tester: str) -> None:
        """The order of the tester's inputs has changed; the next look chooses again."""
        self._hands.pop(tester, None)


class RowQueue:
    """Rows still to be labeled: first those taken back, the latest first; then in draw order; last those put off."""

    def __init__(self, asked: AskedDraws) -> None:
        self._asked = asked
        self._done: set[int] = set()
        self._taken_back: dict[int, None] = {}  # the latest stands last
        self._put_off: dict[int, None] = {}  # the latest stands last
        self._open_from = 0  # no row first drawn before this position waits for its turn

    def done(self, row: int) -> None:
        """The row has a vote."""
        self._leave(row)
        self._done.add(row)
        self._move_on()

    def put_off(self, row: int) -> None:
        """The row comes after all others."""
        self._leave(row)
        self._put_off[row] = None
        self._move_on()

    def take_back(self, row: int) -> None:
        """The row comes before all others."""
        self._leave(row)
        self._taken_back[row] = None
        self._move_on()

    def rows(self) -> Iterator[int]:
        """The rows to label, each once, in their order."""
        yield from reversed(self._taken_back)
        for position in range(self._open_from, len(self._asked.draws)):
            row = self._asked.draws[position].row
            if self._asked.positions[row][0] == position and self._waits(row):
                yield row
        yield from self._put_off

    def _leave(self, row: int) -> None:
        self._done.discard(row)
        self._put_off.pop(row, None)
        self._taken_back.pop(row, None)

    def _waits(self, row: int) -> bool:
        return not (row in self._done or row in self._put_off or row in self._taken_back)

    def _move_on(self) -> None:
        draws = self._asked.draws
        while self._open_from < len(draws) and not self._waits(draws[self._open_from].row):
            self._open_from += 1


def not_asked(record: SessionRecord) -> Mapping[int, frozenset[str]]:
    """Who is not asked a row: in a second look, the testers who gave its first answer."""
    looks, names = (record.request.options.get(name, ()) for name in ("looks", "not_by"))
    return {int(row): frozenset(who) for (row, _), who in zip(looks, names, strict=False)}


class NextInputs:
    """The queue of each tester over the draws given so far; in a team also whose turn an input is."""

    def __init__(
        self,
        record: SessionRecord,
        store: SessionStore,
        clock: Callable[[], float],
        asked: AskedDraws,
        votes: StandingVotes,
    ) -> None:
        self._team = record.votes_per_input is not None
        self._asked, self._votes = asked, votes
        self._not_by = not_asked(record)
        self._queues: dict[str, RowQueue] = {}
        self._turns = Turns(record.id, store, clock)

    def upcoming(self, count: int, tester: str | None) -> tuple[Draw, ...]:
        """At most ``count`` draws, each of an input of its own; StoreUnavailable where turns cannot be taken."""
        queue = self._queue(tester)
        if not self._team or tester is None:
            rows = (row for row in queue.rows() if row not in self._votes.standing)
            return tuple(self._asked.first(row) for row in islice(rows, max(count, 0)))

        def wanted(held: Mapping[int, frozenset[str]]) -> list[int]:
            missing = (row for row in queue.rows() if self._votes.missing(row, held) > 0)
            return list(islice((row for row in missing if tester not in self._not_by.get(row, ())), count))

        own = self._votes.said_by(tester)
        turns = self._turns.of(
            tester, count, wanted, lambda row: row not in own and self._votes.missing(row, NOBODY) > 0
        )
        return tuple(self._asked.first(row) for row in turns)

    def move(self, event: Event, counted: Counted) -> None:
        """The row goes where the event puts it in the queue of the tester who sent it."""
        queue = self._queue(event.tester)
        if counted.voted:
            queue.done(event.row)
            return
        self._turns.choose_anew(event.tester)
        if event.kind == "skip":
            queue.put_off(event.row)
        elif counted.taken_back:
            queue.take_back(event.row)

    def _queue(self, tester: str | None) -> RowQueue:
        """The queue of a tester of a team; one for everybody where one person labels alone."""
        name = tester if self._team and tester is not None else ""
        return self._queues.setdefault(name, RowQueue(self._asked))
