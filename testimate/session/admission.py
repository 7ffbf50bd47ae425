"""Which events belong in a session: what is new before it is stored, and what is stored when it is replayed."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from testimate.core.errors import BadInput, ReplayMismatch, UnknownRow
from testimate.core.session_record import SessionRecord
from testimate.core.task import Task
from testimate.core.vote import Event
from testimate.session.asked_draws import AskedDraws
from testimate.session.event_checks import check_event
from testimate.session.standing_votes import StandingVotes


@dataclass(frozen=True)
class Sifted:
    """A batch of events: those that can be stored, as they would be; ids stored already; by id why others are refused."""

    accepted: list[Event] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


class Admission:
    """Checks events against the session's record, its ``size`` inputs, the draws given so far and the standing votes.

    ``extended`` : the draws of a plan of so many; BadInput where the plan cannot go on to them.
    """

    def __init__(
        self,
        record: SessionRecord,
        task: Task,
        size: int,
        asked: AskedDraws,
        votes: StandingVotes,
        extended: Callable[[Any], AskedDraws],
    ) -> None:
        self._record, self._task, self._size, self._asked, self._votes = record, task, size, asked, votes
        self._extended = extended

    def as_stored(self, event: Event) -> Event:
        """The event as it would be stored; BadInput or UnknownRow says why it cannot be."""
        event = check_event(event, self._task, self._size)
        if event.kind == "extend":
            self._extended(event.detail.get("budget"))
            return event
        if event.kind == "adjudication" and self._record.votes_per_input is None:
            raise BadInput(
                "An adjudication settles what testers dispute, and this session is labeled by one person. Give an answer "
                "instead."
            )
        if event.answer is not None and not np.isfinite(self._votes.loss(event.row, event.answer)):
            raise BadInput(f"The answer {event.answer!r:.60} is too far from the prediction to be squared. Correct it.")
        detail: dict[str, Any] = {**event.detail, "prediction_shown": self._record.show_prediction}
        detail.pop("position", None)
        if event.stream == "selection":
            detail["position"] = self._asked.first_position(event.row)
        return replace(event, detail=detail)

    def sift(self, events: Sequence[Event], stored: Collection[str], *, lead: bool) -> Sifted:
        """What becomes of each event; ``stored``: ids on disk, ``lead``: whether a lead sent them."""
        found = Sifted()
        for event in events:
            if isinstance(event.id, str) and event.id in stored:
                found.known.append(event.id)
                continue
            try:
                if event.kind == "adjudication" and not lead:
                    raise BadInput("Only a lead settles a dispute; you are a tester here. Ask a lead.")
                if event.kind == "extend" and not lead:
                    raise BadInput("Only a lead extends a plan; you are a tester here. Ask a lead.")
                found.accepted.append(self.as_stored(event))
            except (BadInput, UnknownRow) as error:
                found.refused[str(event.id)] = str(error)
        return found

    def check_replayed(self, event: Event) -> None:
        """ReplayMismatch where a stored event is not of the row drawn there, or its answer none the task takes."""
        if event.stream == "selection" and event.kind != "extend":
            self._check_position(event)
            self._check_answer(event)

    def _check_position(self, event: Event) -> None:
        draws, position = self._asked.draws, event.detail.get("position")
        if position is None and event.row in self._asked.positions:
            return
        there = draws[position] if isinstance(position, int) and 0 <= position < len(draws) else None
        if there is not None and there.row == event.row:
            return
        now = "no draw" if there is None else f"row {there.row}"
        raise ReplayMismatch(
            f"The stored event {event.id!r:.70} is about row {event.row} as draw {position}, where there is {now} now; they "
            "must be the same. Open the session with the data and the version it was made with."
        )

    def _check_answer(self, event: Event) -> None:
        try:
            if event.kind == "answer" or event.answer is not None:
                self._task.check_answer(event.answer)
        except BadInput as error:
            raise ReplayMismatch(f"The stored event {event.id!r:.70} does not fit the task. {error}") from None
