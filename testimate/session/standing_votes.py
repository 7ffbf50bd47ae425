"""The votes on each input and the answer that stands, updated event by event."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from testimate.core.inputs import Inputs
from testimate.core.session_record import Event
from testimate.session.ballot import Ballot, Settled

NOBODY: Mapping[int, frozenset[str]] = {}
"""No inputs are held by anybody."""


@dataclass(frozen=True, slots=True)
class LabeledInput:
    """An input that was voted on: the answer that stands and its loss; both None where nobody could tell."""

    row: int
    answer: Any
    loss: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class VoteChange:
    """What an event has changed for its input.

    Attributes
    ----------
    acted : whether anybody has now voted on the input or put it off. voted : whether the sender now has a vote on it.
        taken_back : whether the event took a vote or skip back. stands : the standing answer; None while open or
        disputed.
    """

    acted: bool
    voted: bool
    taken_back: bool
    stands: LabeledInput | None


class StandingVotes:
    """The ballots of a session's plan; for a team, where ``votes_per_input`` is a number, also each tester's own votes.

    Attributes
    ----------
    standing : row -> the standing answer, the oldest vote first. disputed : rows with enough votes and no majority.
    put_off : rows that were skipped and have no vote.
    """

    def __init__(self, inputs: Inputs, votes_per_input: int | None) -> None:
        self._inputs, self._needed = inputs, votes_per_input
        self._ballots: dict[int, Ballot] = {}
        self._own: dict[str, dict[int, LabeledInput]] = {}  # what each tester of a team said, oldest vote first
        self.standing: dict[int, LabeledInput] = {}
        self.disputed: set[int] = set()
        self.put_off: set[int] = set()

    def count(self, event: Event) -> VoteChange:
        """Counts an event of the plan; a flag changes nothing."""
        ballot = self._ballots.setdefault(event.row, Ballot())
        before = len(ballot.acts)
        ballot.add(event)
        task = self._inputs.task
        (self.disputed.add if ballot.disputed(task, self._needed) else self.disputed.discard)(event.row)
        (self.put_off.add if ballot.acts and ballot.standing is None else self.put_off.discard)(event.row)
        settled = ballot.settled(task, self._needed)
        stands = None if settled is None else self._labeled(settled)
        if stands is None or (settled is not None and settled.at_last is event):
            self.standing.pop(event.row, None)  # a new vote is the newest; one that stands again keeps its place
        if stands is not None:
            self.standing[event.row] = stands
        return VoteChange(bool(ballot.acts), self._note_own(event, ballot), len(ballot.acts) < before, stands)

    def _note_own(self, event: Event, ballot: Ballot) -> bool:
        """Notes the tester's latest word on the row; returns whether it is a vote."""
        if self._needed is None:
            return ballot.standing is not None
        own, vote = self._own.setdefault(event.tester, {}), ballot.votes.get(event.tester)
        if vote is None or vote is event:
            own.pop(event.row, None)  # a new vote is the newest
        if vote is not None:
            own[event.row] = self.labeled_by(vote)
        return vote is not None

    def labeled_by(self, vote: Event) -> LabeledInput:
        """The input as labeled by this vote alone."""
        return self._labeled(Settled(vote.answer, vote))

    def _labeled(self, settled: Settled) -> LabeledInput:
        row, answer = settled.at_last.row, settled.answer
        return LabeledInput(row, answer, None if answer is None else self.loss(row, answer), settled.at_last.seconds)

    def loss(self, row: int, answer: Any) -> float:
        """The loss of the row's prediction under this answer; infinite where the difference is too large to be squared."""
        return self._inputs.loss(row, answer)

    def voters(self, row: int) -> frozenset[str]:
        """The testers who have a vote on the row."""
        ballot = self._ballots.get(row)
        return frozenset(ballot.votes) if ballot is not None else frozenset()

    def missing(self, row: int, held: Mapping[int, frozenset[str]]) -> int:
        """Votes the row still lacks besides those given and those by testers who hold it (``held``); 0 where it is settled."""
        if row in self.standing:
            return 0
        return (self._needed or 1) - len(self.voters(row) | held.get(row, frozenset()))

    def loss_so_far(self, row: int) -> float | None:
        """The mean loss over the answers to a row, for a technique to learn from; None where nobody could tell."""
        answers = [vote.answer for vote in self._ballots[row].votes.values() if vote.answer is not None]
        return fmean(self.loss(row, answer) for answer in answers) if answers else None

    def state(self, row: int) -> str:
        """One of "answered", "cannot tell", "skipped", "not settled" and "to do"."""
        if row in self.standing:
            return "cannot tell" if self.standing[row].loss is None else "answered"
        if row in self.put_off:
            return "skipped"
        ballot = self._ballots.get(row)
        return "not settled" if ballot is not None and ballot.acts else "to do"

    def given(self) -> dict[int, dict[str, Any]]:
        """Each tester's answer about each row, by row and name; None for "cannot tell"."""
        votes = {row: ballot.votes for row, ballot in self._ballots.items()}
        return {row: {who: vote.answer for who, vote in given.items()} for row, given in votes.items() if given}

    def adjudicated(self) -> dict[int, str]:
        """The rows that a lead settled, each with the lead's name."""
        words = {row: ballot.adjudication for row, ballot in self._ballots.items()}
        return {row: word.tester for row, word in words.items() if word is not None}

    def pending(self) -> int:
        """Rows with a vote that wait for further testers."""
        voted = sum(bool(ballot.votes) for row, ballot in self._ballots.items() if row not in self.standing)
        return voted - len(self.disputed)

    def said_by(self, tester: str) -> dict[int, LabeledInput]:
        """What a tester of a team said, by row, the oldest vote first."""
        return self._own.get(tester, {})
