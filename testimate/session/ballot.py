"""The votes on one input, without those that were taken back, and what they settle."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from testimate.core.session_record import REOPENS, Event
from testimate.core.task import Task
from testimate.tasks.regression import Regression


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
        agreeing = _largest_agreement(votes, task)
        if 2 * len(agreeing) <= len(votes):
            return None
        answer = agreeing[0].answer
        if isinstance(task, Regression) and answer is not None:
            answer = float(median(vote.answer for vote in agreeing))
        return Settled(answer, agreeing[-1])

    def disputed(self, task: Task, votes_per_input: int | None) -> bool:
        """Whether enough testers have voted and no answer has more than half of them."""
        enough = votes_per_input is not None and len(self.votes) >= votes_per_input
        return enough and self.settled(task, votes_per_input) is None


def _largest_agreement(votes: list[Event], task: Task) -> list[Event]:
    """The largest group of votes that agree; of two equally large ones the one that began first."""
    if isinstance(task, Regression):
        return _closest_numbers(votes, task)
    groups: dict[Hashable, list[Event]] = {}
    for vote in votes:
        groups.setdefault(comparable(vote.answer), []).append(vote)
    return max(groups.values(), key=len)


def _closest_numbers(votes: list[Event], task: Regression) -> list[Event]:
    """The most votes whose numbers all lie within the tolerance of each other, or those that could not tell."""
    numbers = [vote for vote in votes if vote.answer is not None]
    groups = [
        [other for other in numbers if 0 <= other.answer - vote.answer <= task.tolerance_at(vote.answer)]
        for vote in numbers
    ]
    return max([*groups, [vote for vote in votes if vote.answer is None]], key=len)


def comparable(answer: Any) -> Hashable:
    """The answer in a form in which equal answers compare equal; a set of classes comes as a list of places."""
    return tuple(sorted(answer)) if isinstance(answer, list | tuple) else answer
