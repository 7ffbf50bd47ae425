"""The draws of a session beside its plan: which votes reach, known answers among them, and votes still lacking.

Inputs whose answer is known, slipped in among the others to see how often testers err; never in an estimate.
"""

import zlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.session_record import Event, SessionRecord
from testimate.core.task import Task
from testimate.planning.draws import AskedDraws, reached_by
from testimate.session.votes import NOBODY, Ballot, StandingVotes


class HasLoss(Protocol):
    """The standing result of a row: its loss, None where nobody could tell."""

    @property
    def loss(self) -> float | None:
        """0 and above; None where nobody could tell."""


class ReachedVerdicts:
    """A verdict for each draw up to the last that was voted on or put off, and the repeats of settled rows right after it.

    A verdict that did not change stays the same object, so that a caller who kept the last list sees quickly what is
    new.
    """

    def __init__(self, asked: AskedDraws, standing: Mapping[int, HasLoss]) -> None:
        self._asked, self._standing = asked, standing
        self._acted: set[int] = set()  # rows that were voted on or put off
        self._last = 0  # draws up to the last of them
        self._changed: set[int] = set()
        self._now: tuple[Verdict, ...] = ()

    def change(self, row: int, acted: bool) -> None:
        """Notes a change of the row; ``acted``: whether it now has a vote or is put off."""
        self._changed.add(row)
        position = self._asked.positions[row][0] + 1
        if acted:
            self._acted.add(row)
            self._last = max(self._last, position)
            return
        self._acted.discard(row)
        if position == self._last:
            self._last = max((self._asked.positions[other][0] + 1 for other in self._acted), default=0)

    def settled(self, rows: Iterable[int]) -> None:
        """Notes that these rows stand by a label known before; they are reached once the draws before them are."""
        self._changed.update(rows)

    def extended(self) -> None:
        """Notes that draws were added after the last one; those of settled rows right after it are reached, too."""
        self._changed.add(self._asked.draws[-1].row)

    def now(self) -> tuple[Verdict, ...]:
        """The verdicts in draw order, each with the loss of the standing answer; None where there is none."""
        if self._changed:
            self._now = self._brought_up_to_date()
            self._changed.clear()
        return self._now

    def _brought_up_to_date(self) -> tuple[Verdict, ...]:
        draws, standing = self._asked.draws, self._standing
        reached = reached_by(draws, self._last, standing)
        verdicts = list(self._now[:reached])
        places = [place for row in self._changed for place in self._asked.positions[row] if place < len(verdicts)]
        for place in (*places, *range(len(verdicts), reached)):
            draw = draws[place]
            settled = standing.get(draw.row)
            verdict = Verdict(draw, None if settled is None else settled.loss)
            if place < len(verdicts):
                verdicts[place] = verdict
            else:
                verdicts.append(verdict)
        return tuple(verdicts)


# These answers are counted and enter no estimate: decision 63.
EVERY = 10
"""After about one in this many of a tester's answers to the plan comes an input whose answer is known."""


@dataclass(frozen=True)
class KnownAnswersGiven:
    """What one tester said about inputs whose answer is known: how many they answered, and how many of these correctly."""

    tester: str
    answered: int
    right: int


def checked_known_answers(inputs: Inputs, pairs: Sequence[tuple[int, Any]]) -> tuple[tuple[int, Any], ...]:
    """The rows and answers in stored form; BadInput where a row is invalid or repeated, or an answer does not fit."""
    rows = [row for row, _ in pairs]
    strange = next((row for row in rows if not 0 <= row < len(inputs)), None)
    if strange is not None or len(set(rows)) < len(rows):
        found = f"row {max(rows, key=rows.count)} twice" if strange is None else f"row {strange}"
        raise BadInput(
            f"The known answers name {found}. Expected rows 0 to {len(inputs) - 1}, each once. Correct them."
        )
    return tuple((int(row), inputs.task.stored_answer(answer)) for row, answer in pairs)


class SlippedIn:
    """The inputs of a session whose answers are known, in an order of its own for each tester, and the answers given.

    A row that the plan has drawn (``asked``) belongs to the plan and is no longer slipped in.
    """

    def __init__(self, record: SessionRecord, task: Task, asked: AskedDraws) -> None:
        self._seed, self._task, self._asked = record.request.seed, task, asked
        self._known: dict[int, Any] = {int(row): answer for row, answer in record.known_answers}
        self._ballots: dict[str, dict[int, Ballot]] = {}
        self._places: dict[str, dict[int, int]] = {}

    def __contains__(self, row: object) -> bool:
        """Whether the row is slipped in, and not one of the plan's draws."""
        return row in self._known and row not in self._asked.positions

    def count(self, event: Event) -> None:
        """Counts a tester's vote on one of them."""
        self._ballots.setdefault(event.tester, {}).setdefault(event.row, Ballot()).add(event)

    def among(self, draws: Sequence[Draw], count: int, tester: str, said: int) -> tuple[Draw, ...]:
        """The tester's next inputs, at most ``count``: the plan's ``draws`` with those that are due between them.

        ``said`` : how many of the plan's inputs the tester has answered. The place of a known one depends only on that
            number, the session's seed and the tester's name, so nothing on a screen moves.
        """
        if not self._known or not draws:
            return tuple(draws)
        own, mixed = self._ballots.get(tester, {}), list(draws)
        due = [
            (place, row)
            for row, place in self._places_of(tester).items()
            if row in self and not (row in own and own[row].acts) and place - said <= len(draws)
        ]
        for later, (place, row) in enumerate(sorted(due)):
            mixed.insert(max(place - said, 0) + later, Draw(row))
        return tuple(mixed[: max(count, 0)])

    def _places_of(self, tester: str) -> dict[int, int]:
        """After how many answers to the plan each row comes, for this tester."""
        if tester not in self._places:
            rng = np.random.default_rng([self._seed, 0x4B0, zlib.crc32(tester.encode())])
            rows = rng.permutation(sorted(self._known)).tolist()
            late = rng.integers(1, EVERY, len(rows)).tolist()
            self._places[tester] = {
                row: EVERY * turn + more for turn, (row, more) in enumerate(zip(rows, late, strict=True))
            }
        return self._places[tester]

    def within(self, planned: int, tester: str) -> int:
        """How many of them a tester gets who answers ``planned`` inputs of the plan."""
        return (
            sum(place < planned and row in self for row, place in self._places_of(tester).items()) if self._known else 0
        )

    def said_by(self, tester: str) -> dict[int, Event]:
        """The tester's standing vote on each, the oldest row first; those left out are absent."""
        found = {row: ballot.standing for row, ballot in self._ballots.get(tester, {}).items() if row in self}
        return {row: vote for row, vote in found.items() if vote is not None}

    def given(self) -> list[KnownAnswersGiven]:
        """What each tester who answered any of them said, by name; "cannot tell" does not count as an answer."""
        found = []
        for tester in sorted(self._ballots):
            votes = {row: ballot.standing for row, ballot in self._ballots[tester].items()}
            answers = {row: vote.answer for row, vote in votes.items() if vote is not None and vote.kind == "answer"}
            if answers:
                right = sum(
                    self._task.same_answer(answer, self._known[row])
                    for row, answer in answers.items()
                    if row in self._known
                )
                found.append(KnownAnswersGiven(tester, len(answers), right))
        return found


# As much is open as those present need, so that nobody waits: decision 175.
LATEST = 200
"""A tester counts as present if one of this many latest events is theirs."""


class OpenVotes:
    """The votes that the inputs drawn so far still lack, in all and of each tester.

    Attributes
    ----------
    total : votes still lacking, whoever gives them.
    """

    def __init__(self, asked: AskedDraws, votes: StandingVotes, votes_per_input: int) -> None:
        self._asked, self._votes, self._needed = asked, votes, votes_per_input
        self._lacking: dict[int, int] = {}  # row -> votes
        self._not_theirs: dict[str, int] = {}  # tester -> votes lacking on inputs that this tester has voted on
        self._voters: dict[int, frozenset[str]] = {}
        self._latest: deque[str] = deque(maxlen=LATEST)
        self._drawn = 0
        self.total = 0
        self.draws_came()

    def draws_came(self) -> None:
        """Counts the inputs drawn since the last call as lacking every vote."""
        draws = self._asked.draws
        for draw in draws[self._drawn :]:
            if draw.row not in self._lacking:
                needed = 0 if draw.row in self._votes.standing else self._needed  # its label was known before
                self._lacking[draw.row] = needed
                self.total += needed
        self._drawn = len(draws)

    def change(self, row: int, tester: str) -> None:
        """Counts what the tester did with the row."""
        self._latest.append(tester)
        self._move(row, -1)
        self._lacking[row] = max(self._votes.missing(row, NOBODY), 0)
        self._voters[row] = self._votes.voters(row)
        self._move(row, 1)

    def _move(self, row: int, sign: int) -> None:
        lacking = sign * self._lacking[row]
        self.total += lacking
        for tester in self._voters.get(row, ()):
            self._not_theirs[tester] = self._not_theirs.get(tester, 0) + lacking

    def open_to(self, tester: str) -> int:
        """Votes lacking on inputs that this tester has not voted on."""
        return self.total - self._not_theirs.get(tester, 0)

    def share(self, present: int) -> int:
        """Inputs that each of the testers present can hold without taking any from the others, at least 1."""
        return max(self.total // present, 1) if present > self._needed else max(self.total, 1)

    def too_few(self, hand: int) -> bool:
        """Whether a tester who is present may find fewer than ``hand`` inputs, or the reserve falls short.

        ``hand`` : inputs that a tester holds. The inputs of the reserve lack every vote.
        """
        present = set(self._latest)
        wanted = hand * (len(present) + self._needed)
        return min(map(self.open_to, present), default=self.total) < wanted
