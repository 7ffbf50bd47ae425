"""Inputs whose answer is known, slipped in among the others to see how often testers err; never in an estimate."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from testimate.core.draw import Draw
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.session_record import Event, SessionRecord
from testimate.core.task import Task
from testimate.session.asked_draws import AskedDraws
from testimate.session.ballot import Ballot, comparable
from testimate.tasks.regression import Regression

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
            f"The known answers name {found}; expected rows 0 to {len(inputs) - 1}, each once. Correct them."
        )
    return tuple((int(row), as_stored(inputs.task.check_answer(answer))) for row, answer in pairs)


def as_stored(answer: Any) -> Any:
    """An answer as events store it: a set of classes as the places of those present."""
    return [place for place, present in enumerate(answer) if present] if isinstance(answer, tuple) else answer


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
                    self._same(answer, self._known[row]) for row, answer in answers.items() if row in self._known
                )
                found.append(KnownAnswersGiven(tester, len(answers), right))
        return found

    def _same(self, answer: Any, known: Any) -> bool:
        """Whether the answer is the known one; of numbers, whether it lies within the tolerance of it."""
        if isinstance(self._task, Regression):
            return bool(abs(answer - known) <= self._task.tolerance_at(known))
        return comparable(answer) == comparable(known)
