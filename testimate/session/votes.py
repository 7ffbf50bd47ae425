"""The votes on one input, without those that were taken back, and what they settle.

The votes on each input and the answer that stands, updated event by event.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from testimate.core.inputs import Inputs
from testimate.core.session_record import REOPENS, Event
from testimate.core.task import Task


@dataclass(frozen=True)
class Settled:
    """The result of an input: its answer, None where nobody could tell; ``at_last`` is the vote that settled it."""

    answer: Any
    at_last: Event


@dataclass(slots=True)
class Ballot:
    """The votes and skips of one input, oldest first, less those that were taken back."""

    acts: list[Event] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Counts a vote or a skip, or takes back the latest one of the same tester; a tester without one undoes nothing.

        A lead who reopens takes back the latest decision of a lead, whichever lead made it.
        """
        if event.kind != "undo":
            self.acts.append(event)
            return
        reopens = bool(event.detail.get(REOPENS))
        own = [
            place
            for place, act in enumerate(self.acts)
            if (act.kind == "adjudication" if reopens else act.tester == event.tester)
        ]
        if own:
            del self.acts[own[-1]]

    @property
    def standing(self) -> Event | None:
        """The latest "answer" or "cannot tell"; None while there is none. A skip does not take a vote away."""
        return next((act for act in reversed(self.acts) if act.kind != "skip"), None)

    @property
    def adjudication(self) -> Event | None:
        """The latest decision of a lead about it; None while there is none."""
        return next((act for act in reversed(self.acts) if act.kind == "adjudication"), None)

    @property
    def votes(self) -> Mapping[str, Event]:
        """The latest vote of each tester, by name, in the order of their first votes; adjudications do not count."""
        return {act.tester: act for act in self.acts if act.kind in ("answer", "cannot tell")}

    def settled(self, task: Task, votes_per_input: int | None) -> Settled | None:
        """What the input is so far, or None while it is open or disputed.

        Alone (``votes_per_input`` None) the latest vote stands. In a team a lead's decision stands; without one there
        must be ``votes_per_input`` votes, and more than half of them must agree: on the class, on the set of classes,
        or on a number up to the task's tolerance, of which the median is then taken. "Cannot tell" is a vote like the
        others.
        """
        if votes_per_input is None:
            latest = self.standing
            return None if latest is None else Settled(latest.answer, latest)
        if (word := self.adjudication) is not None:
            return Settled(word.answer, word)
        votes = list(self.votes.values())
        if len(votes) < votes_per_input:
            return None
        answers = [vote.answer for vote in votes]
        agreeing = task.agreeing(answers)
        if 2 * len(agreeing) <= len(votes):
            return None
        return Settled(task.settled([answers[place] for place in agreeing]), votes[agreeing[-1]])

    def disputed(self, task: Task, votes_per_input: int | None) -> bool:
        """Whether enough testers have voted and no answer has more than half of them."""
        enough = votes_per_input is not None and len(self.votes) >= votes_per_input
        return enough and self.settled(task, votes_per_input) is None


NOBODY: Mapping[int, frozenset[str]] = {}
"""No inputs are held by anybody."""


@dataclass(frozen=True, slots=True)
class LabeledInput:
    """An input that was voted on: the answer that stands and its loss; both None where nobody could tell.

    The loss alone is None where the answer leaves open whether the output is right.
    """

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
    put_off : rows that were skipped and have no vote. known : drawn rows that stand by a label known before, and no vote.
    """

    def __init__(self, inputs: Inputs, votes_per_input: int | None, known: Mapping[int, Any] | None = None) -> None:
        self._inputs, self._needed, self._known_answers = inputs, votes_per_input, known or {}
        self.known: set[int] = set()
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
        stands = self._known_of(event.row) if settled is None else self._labeled(settled)
        (self.known.add if settled is None and stands is not None else self.known.discard)(event.row)
        if stands is None or (settled is not None and settled.at_last is event):
            self.standing.pop(event.row, None)  # a new vote is the newest; one that stands again keeps its place
        if stands is not None:
            self.standing[event.row] = stands
        return VoteChange(bool(ballot.acts), self._note_own(event, ballot), len(ballot.acts) < before, stands)

    def settle_known(self, rows: Iterable[int]) -> None:
        """The rows were drawn; those whose label is known stand by it until a vote does."""
        for row in rows:
            if row not in self.standing and (stands := self._known_of(row)) is not None:
                self.standing[row] = stands
                self.known.add(row)

    def contradicted(self) -> list[int]:
        """The rows on which a standing answer contradicts the label that was known before."""
        task, known = self._inputs.task, self._known_answers
        return [
            row
            for row, one in self.standing.items()
            if row in known and one.answer is not None and not task.same_answer(one.answer, known[row])
        ]

    def _known_of(self, row: int) -> LabeledInput | None:
        if row not in self._known_answers:
            return None
        answer = self._known_answers[row]
        return LabeledInput(row, answer, self.loss(row, answer), None)

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

    def loss(self, row: int, answer: Any) -> float | None:
        """The loss of the row's prediction under this answer, None where that is open; infinite where it is too large."""
        return self._inputs.settled_loss(row, answer)

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
        losses = [loss for answer in answers if (loss := self.loss(row, answer)) is not None]
        return fmean(losses) if losses else None

    def state(self, row: int) -> str:
        """One of "answered", "cannot tell", "skipped", "not settled" and "to do"."""
        if row in self.standing:
            return "cannot tell" if self.standing[row].answer is None else "answered"
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
