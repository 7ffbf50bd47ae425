"""What each tester sees next: with one tester the same for everybody, in a team each tester's own inputs."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil
from typing import Any

from testimate.core.draw import Draw
from testimate.core.session_record import Event, SessionRecord, SessionStore
from testimate.planning.draws import AskedDraws
from testimate.session.draws import OpenVotes
from testimate.session.votes import NOBODY, StandingVotes, VoteChange

TURN_SECONDS = 600.0
"""Seconds after the last key for which the input in view stays reserved for a tester."""

IDLE_SECONDS = 60.0
"""A tester who has pressed no key for this long gives back all inputs but the one in view."""

RENEWED = 15.0
"""Seconds of labeling after which a tester's reservation is renewed in the store."""

GRACE = RENEWED + 5.0
"""Seconds beyond that minute within which the page reports which input is in view."""

HAND_KEPT_OPEN = "hand_kept_open"
"""The setting of a team's session: inputs to keep open for each tester present; sessions of earlier versions lack it."""

HAND = 8
"""Inputs that are reserved for one tester of a team at a time: nobody else is asked about them."""

KEPT = 2
"""Inputs that are never taken from a tester who is present: the one in view and the next."""

QUIET_SECONDS = 20.0
"""A tester who has pressed no key for this long keeps only the one in view if somebody else has nothing."""

RESERVE = 4
"""While a technique has draws to make, one tester takes at most this part of the free inputs."""


@dataclass(frozen=True)
class StillOpen:
    """What is left of a team's plan when a tester has nothing to label.

    Attributes
    ----------
    disputes : inputs that wait for a lead.
    held : inputs reserved for other testers, ``holders`` of them, that this tester could answer if they were given
    back.
    answered : inputs that this tester has answered and that lack other testers' answers.
    to_draw : draws that the technique still has to make.
    """

    disputes: int
    held: int
    holders: int
    answered: int
    to_draw: int

    @property
    def over(self) -> bool:
        """Whether all is drawn and nobody holds more than KEPT inputs, so that only an input given back can be labeled."""
        return not self.to_draw and self.held <= KEPT * self.holders


@dataclass(frozen=True)
class _Hand:
    """The inputs a tester holds, the one in view first, and the tester's last key press at the time they were taken."""

    rows: tuple[int, ...]
    heard: float


_NONE = _Hand((), 0.0)

Lacks = Callable[[str, int], bool]

ChooseRows = Callable[[int, Sequence[int], Mapping[int, frozenset[str]]], Sequence[int]]


class Turns:
    """The turns of one session, kept in its store so that they hold in every process and outlive a restart.

    While most of what a tester holds still waits for a vote, almost nothing is written, so turns do not slow down a
    key.

    Parameters
    ----------
    lock : of the session's state. ``take`` and ``give_back``, which one thread at a time may call, hold it for moments
        and never while the store is at work; callers of any other method hold it.
    """

    def __init__(
        self, session: str, store: SessionStore, clock: Callable[[], float], lock: AbstractContextManager[Any]
    ) -> None:
        self._session, self._store, self._clock, self._lock = session, store, clock, lock
        self._hands: dict[str, _Hand] = {}
        self._heard: dict[str, float] = {}
        self._held: Mapping[int, frozenset[str]] = NOBODY

    def kept(self, tester: str, count: int, lacks: Lacks, open_votes: OpenVotes) -> tuple[int, ...] | None:
        """The open inputs of the tester, at most ``count``; None if fewer than half are left and new ones have to be taken.

        ``lacks`` : whether a row lacks a vote of that tester. ``open_votes`` : the votes still lacking; when they are
            few, a tester holds fewer inputs, so that all testers present have some.
        """
        hand, now = self._hands.get(tester, _NONE), self._clock()
        heard = self._heard_of(tester, now)
        size, still = self._wanted(tester, count, now, lacks, open_votes)
        stored = still[:1] == hand.rows[:1] if now - heard > IDLE_SECONDS else 0 <= heard - hand.heard <= RENEWED
        return still if stored and 2 * len(still) >= size >= len(still) > 0 else None

    def take(self, tester: str, count: int, choose: ChooseRows, lacks: Lacks, open_votes: OpenVotes) -> tuple[int, ...]:
        """Reserves inputs for the tester, at most ``count``; StoreUnavailable where they cannot be reserved.

        ``choose`` : gives the rows to hold, from how many, the rows held so far and what others hold.
        """
        now = self._clock()
        with self._lock:
            heard = self._heard_of(tester, now)
            size, still = self._wanted(tester, count, now, lacks, open_votes)

        def chosen(held: Mapping[int, frozenset[str]]) -> Sequence[int]:
            with self._lock:
                self._held = held
                return choose(size, still, held) or self._spared(tester, size, lacks)

        since = max(heard, now - IDLE_SECONDS)
        until, longer = since + IDLE_SECONDS + GRACE, since + TURN_SECONDS
        rows = self._store.take_turns(self._session, tester, chosen, now=now, until=until, first_until=longer)
        with self._lock:
            self._hands[tester] = _Hand(rows, heard)
            self._held = {**self._held, **{row: self._held.get(row, frozenset()) | {tester} for row in rows}}
        return rows

    def _wanted(
        self, tester: str, count: int, now: float, lacks: Lacks, open_votes: OpenVotes
    ) -> tuple[int, tuple[int, ...]]:
        """How many inputs the tester should hold, at most ``count``, and which of those held still lack their vote."""
        idle = now - self._heard_of(tester, now) > IDLE_SECONDS
        size = 1 if idle else min(count, open_votes.share(self.present()))
        return size, tuple(row for row in self._hands.get(tester, _NONE).rows if lacks(tester, row))

    def _heard_of(self, tester: str, now: float) -> float:
        """When the tester last pressed a key; ``now`` if that is not known."""
        heard = self._heard[tester] = min(self._heard.get(tester, now), now)  # a clock may be set back
        return heard

    def _spared(self, tester: str, size: int, lacks: Callable[[str, int], bool]) -> tuple[int, ...]:
        """The end of the longest list, if nothing else is left; its tester keeps the input in view and the next."""
        spare: dict[str, list[int]] = {}
        now = self._clock()
        for name, hand in self._hands.items():
            quiet = now - self._heard.get(name, now) > QUIET_SECONDS
            later = [row for row in hand.rows if lacks(name, row)][1 if quiet else KEPT :]
            spare[name] = [row for row in later if lacks(tester, row)] if name != tester else []
        name = max(spare, key=lambda one: len(spare[one]), default=tester)
        rows = tuple(spare.get(name, ()))
        taken = rows[len(rows) - min(ceil(len(rows) / 2), size) :]
        if taken:
            kept = tuple(row for row in self._hands[name].rows if row not in taken)
            self._hands[name] = replace(self._hands[name], rows=kept)
        return taken

    def present(self) -> int:
        """Testers who pressed a key within the last minute, here or, by what they hold, in another process; at least 1."""
        now = self._clock()
        here = {tester for tester, heard in self._heard.items() if abs(now - heard) <= IDLE_SECONDS}
        return max(len(here.union(*self._held.values())), 1)

    def heard_from(self, testers: Collection[str]) -> None:
        """Notes that these testers pressed a key now."""
        self._heard.update(dict.fromkeys(testers, self._clock()))

    def heard(self) -> dict[str, float]:
        """When each tester last pressed a key or opened the page, in seconds since 1970; those who left are absent."""
        return dict(self._heard)

    def held_by_others(self, tester: str) -> Mapping[int, frozenset[str]]:
        """What others held at the last look."""
        return {row: others for row, who in self._held.items() if (others := who - {tester})}

    def choose_again(self, tester: str) -> None:
        """Notes that the order of the tester's inputs has changed, so that the next look chooses again."""
        self._hands.pop(tester, None)

    def give_back(self, tester: str) -> None:
        """Frees all inputs the tester holds."""
        now = self._clock()
        with self._lock:
            self._heard.pop(tester, None)
            held = self._hands.pop(tester, None)
        if held is not None:
            self._store.take_turns(self._session, tester, lambda _: (), now=now, until=now + TURN_SECONDS)


class RowQueue:
    """Rows still to be labeled: first those taken back, the latest first; then in draw order; last those put off."""

    def __init__(self, asked: AskedDraws) -> None:
        self._asked = asked
        self._done: set[int] = set()
        self._taken_back: dict[int, None] = {}  # the latest comes last
        self._put_off: dict[int, None] = {}  # the latest comes last
        self._open_from = 0  # no row first drawn before this position waits for its turn

    def done(self, row: int) -> None:
        """Takes the row out: it has a vote."""
        self._leave(row)
        self._done.add(row)
        self._move_on()

    def put_off(self, row: int) -> None:
        """Moves the row behind all others."""
        self._leave(row)
        self._put_off[row] = None
        self._move_on()

    def take_back(self, row: int) -> None:
        """Moves the row before all others."""
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
    """By row, the testers who are not asked about it: in a second look, those who gave its first answer."""
    looks, names = (record.request.options.get(name, ()) for name in ("looks", "not_by"))
    return {int(row): frozenset(who) for (row, _), who in zip(looks, names, strict=False)}


class NextInputs:
    """The queue of each tester over the draws given so far; in a team also whose turn an input is.

    ``lock`` : of the session's state, as of ``Turns``.
    """

    def __init__(
        self,
        record: SessionRecord,
        store: SessionStore,
        clock: Callable[[], float],
        asked: AskedDraws,
        votes: StandingVotes,
        open_votes: OpenVotes,
        lock: AbstractContextManager[Any],
    ) -> None:
        self._team = record.votes_per_input is not None
        self._asked, self._votes, self._open = asked, votes, open_votes
        self._not_by = not_asked(record)
        self._queues: dict[str, RowQueue] = {}
        self._turns = Turns(record.id, store, clock, lock)

    def kept(self, count: int, tester: str | None) -> tuple[Draw, ...] | None:
        """At most ``count`` draws, each of an input of its own; None if a team's tester has to ``take`` new ones."""
        if not self._team or tester is None:
            rows = (row for row in self._queue(tester).rows() if row not in self._votes.standing)
            return tuple(self._asked.first(row) for row in islice(rows, max(count, 0)))
        turns = self._turns.kept(tester, count, self._lacks, self._open)
        return None if turns is None else tuple(map(self._asked.first, turns))

    def take(self, count: int, tester: str) -> tuple[int, ...]:
        """Reserves rows for the tester, at most ``count``; StoreUnavailable where they cannot be reserved."""

        def wanted(size: int, still: Sequence[int], held: Mapping[int, frozenset[str]]) -> list[int]:
            kept = [row for row in still if self._lacks(tester, row, held)][:size]
            queue = self._queue(tester)
            free = [row for row in queue.rows() if row not in kept and self._lacks(tester, row, held)]
            most = ceil(len(free) / RESERVE) if self._asked.more_to_come else len(free)
            return [*kept, *free[: min(size - len(kept), most)]]

        return self._turns.take(tester, count, wanted, self._lacks, self._open)

    def heard_from(self, testers: Collection[str]) -> None:
        """Notes that these testers pressed a key now."""
        self._turns.heard_from(testers)

    def _lacks(self, tester: str, row: int, held: Mapping[int, frozenset[str]] = NOBODY) -> bool:
        """Whether the row lacks a vote of this tester, beyond those ``held``."""
        if row in self._votes.said_by(tester) or tester in self._not_by.get(row, ()):
            return False
        return self._votes.missing(row, held) > 0

    def testers_present(self) -> int:
        """Testers who pressed a key within the last minute, at least 1."""
        return self._turns.present()

    def heard(self) -> dict[str, float]:
        """When each tester last pressed a key, in seconds since 1970."""
        return self._turns.heard()

    def give_back(self, tester: str) -> None:
        """Frees all inputs the tester holds."""
        self._turns.give_back(tester)

    def still_open(self, tester: str, to_draw: int) -> StillOpen:
        """What is left when this tester has nothing to label; ``to_draw``: draws that the technique still has to make."""
        held, own = self._turns.held_by_others(tester), self._votes.said_by(tester)
        left = [row for row in self._asked.positions if self._votes.missing(row, NOBODY) > 0]
        on_others = [row for row in left if row in held and row not in own]
        holders = {who for row in on_others for who in held[row]}
        answered = sum(row in own for row in left)
        return StillOpen(len(self._votes.disputed), len(on_others), len(holders), answered, to_draw)

    def move(self, event: Event, counted: VoteChange) -> None:
        """Moves the row to where the event puts it in its tester's queue."""
        queue = self._queue(event.tester)
        if counted.voted:
            queue.done(event.row)
            return
        self._turns.choose_again(event.tester)
        if event.kind == "skip":
            queue.put_off(event.row)
        elif counted.taken_back:
            queue.take_back(event.row)

    def _queue(self, tester: str | None) -> RowQueue:
        """The queue of a tester of a team; one for everybody where one person labels alone."""
        name = tester if self._team and tester is not None else ""
        return self._queues.setdefault(name, RowQueue(self._asked))
