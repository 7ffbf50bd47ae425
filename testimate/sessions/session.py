"""A labeling session: what to label next, what was said, and what is known by now; rebuilt from its stored history."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from testimate.core.draw import Draw, Verdict
from testimate.core.errors import BadInput, ReplayMismatch, SubjectChanged, UnknownRow
from testimate.core.estimate import Estimate
from testimate.core.inputs import Inputs
from testimate.core.selector import Selector
from testimate.core.session_record import SessionRecord, SessionStore
from testimate.core.subject import Shown
from testimate.core.vote import Event
from testimate.estimators import estimator_of
from testimate.sessions.asked_draws import AskedDraws
from testimate.sessions.ballot import Ballot
from testimate.sessions.event_checks import check_event


@dataclass(frozen=True)
class Recorded:
    """What became of a batch: ids that are on disk, and for each id that was refused the sentence that says why."""

    acknowledged: tuple[str, ...]
    refused: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Labeled:
    """An input that was voted on: its standing answer and loss; both None where the tester could not tell."""

    row: int
    answer: Any
    loss: float | None
    seconds: float | None


class Session:
    """One labeling session over its inputs; may be shared by threads and browser tabs.

    Everything is applied in the order of the store: events come from there only, whoever sent them. After each one the
    selector is asked for all it will give, so the same history leads to the same asks, the same tells and the same draws.

    Parameters
    ----------
    record : the session as it was planned.
    inputs : what it was planned for; SubjectChanged where their fingerprint is another.
    selector : freshly built from ``record.request`` over these inputs.
    store : where ``record`` was stored; its history is replayed. ReplayMismatch where it does not fit the draws.
    show : what a person sees of a row.
    """

    def __init__(
        self,
        record: SessionRecord,
        inputs: Inputs,
        selector: Selector,
        store: SessionStore,
        show: Callable[[int], Shown],
    ) -> None:
        if inputs.fingerprint != record.fingerprint:
            raise SubjectChanged(
                f"{record.subject_name} has the fingerprint {inputs.fingerprint[:8]}; this session needs the one it was "
                f"planned for, {record.fingerprint[:8]}. Restore the subject, or start a new session."
            )
        self._record, self._inputs, self._selector, self._store, self._show = record, inputs, selector, store, show
        self._lock = threading.RLock()
        self._events: list[Event] = []
        self._ids: set[str] = set()
        self._asked = AskedDraws(selector)
        self._ballots: dict[int, Ballot] = {}
        self._standing: dict[int, Labeled] = {}  # oldest vote first
        self._explored: dict[int, Ballot] = {}
        self._verdicts: tuple[Verdict, ...] | None = None
        self.refresh()

    # What the session is

    @property
    def session_record(self) -> SessionRecord:
        """The session as it was planned."""
        return self._record

    @property
    def inputs(self) -> Inputs:
        """What is known of each input before any label."""
        return self._inputs

    @property
    def selector(self) -> Selector:
        """The technique at work; look at its class and its design, never ask or tell it."""
        return self._selector

    # What to label next

    def upcoming(self, count: int) -> tuple[Draw, ...]:
        """The next inputs to label, each once, at most ``count``.

        First those whose vote was taken back, the latest first; then the draws in their order; last those that were
        skipped, in the order of skipping. Fewer when all is labeled or, with a technique that adapts, while ``waiting``.
        """
        with self._lock:
            return self._asked.upcoming(count)

    @property
    def draws(self) -> tuple[Draw, ...]:
        """Every draw the technique has given so far, in draw order; the whole plan unless ``waiting``."""
        with self._lock:
            return tuple(self._asked.draws)

    @property
    def waiting(self) -> bool:
        """Whether the technique has more draws to give, once it is told what the present ones are."""
        with self._lock:
            return self._selector.remaining > 0

    def draw_of(self, row: int) -> Draw:
        """The first draw of the row; UnknownRow where it was not drawn so far."""
        with self._lock:
            if row not in self._asked.positions:
                raise _unknown(row)
            return self._asked.first(row)

    def position_of(self, row: int) -> int:
        """The place of the row's first draw in the plan, 0..; UnknownRow where it was not drawn so far."""
        with self._lock:
            if row not in self._asked.positions:
                raise _unknown(row)
            return self._asked.positions[row][0]

    def show(self, row: int) -> Shown:
        """What a person sees of an input."""
        return self._show(row)

    # What was said

    def check(self, event: Event) -> Event:
        """The event as it would be stored; BadInput or UnknownRow says why it cannot be.

        Its detail is given the position of the row's first draw and whether the prediction was shown beforehand.
        """
        event = check_event(event, self._inputs.task, len(self._inputs))
        if event.kind == "answer" and not np.isfinite(self._loss(event)):
            raise BadInput(
                f"The answer {event.answer!r:.60} is too far from the prediction to be squared; needed is a smaller number. "
                "Correct it."
            )
        detail: dict[str, Any] = {**event.detail, "prediction_shown": self._record.show_prediction}
        detail.pop("position", None)
        if event.stream == "selection":
            with self._lock:
                if event.row not in self._asked.positions:
                    raise _unknown(event.row)
                detail["position"] = self._asked.positions[event.row][0]
        return replace(event, detail=detail)

    def record(self, events: Sequence[Event]) -> Recorded:
        """Stores the events, then applies them; those that cannot be stored are refused and do not hold up the others.

        An event whose id is stored already is acknowledged and changes nothing. Raises StoreUnavailable where the store
        could not make them durable; then nothing has changed, and the same events may be sent again.
        """
        with self._lock:
            self.refresh()
            accepted: list[Event] = []
            known: list[str] = []
            refused: dict[str, str] = {}
            for event in events:
                if isinstance(event.id, str) and event.id in self._ids:
                    known.append(event.id)
                    continue
                try:
                    accepted.append(self.check(event))
                except (BadInput, UnknownRow) as error:
                    refused[str(event.id)] = str(error)
            stored = self._store.add(self._record.id, accepted) if accepted else ()
            self.refresh()
            acknowledged = tuple(dict.fromkeys((*known, *stored)))
            return Recorded(acknowledged, {id: why for id, why in refused.items() if id not in acknowledged})

    def refresh(self) -> None:
        """Applies what was stored since, by this session or by another process; ReplayMismatch where it does not fit."""
        with self._lock:
            for event in self._store.history(self._record.id, len(self._events)):
                self._apply(event)

    def history(self) -> tuple[Event, ...]:
        """Every event so far, oldest first, both streams."""
        with self._lock:
            return tuple(self._events)

    def answers(self) -> dict[int, Any]:
        """The standing answer of each row the plan asked for; rows nobody could tell are absent."""
        with self._lock:
            return {row: vote.answer for row, vote in self._standing.items() if vote.loss is not None}

    def explored(self) -> dict[int, Any]:
        """The standing answer of each row a tester picked; these never enter an estimate."""
        with self._lock:
            standing = {row: ballot.standing for row, ballot in self._explored.items()}
            return {row: vote.answer for row, vote in standing.items() if vote is not None and vote.kind == "answer"}

    def recent(self, count: int) -> tuple[Labeled, ...]:
        """The rows voted on last, newest first, at most ``count``."""
        with self._lock:
            return tuple(reversed(self._standing.values()))[: max(count, 0)]

    # What is known

    def verdicts(self) -> tuple[Verdict, ...]:
        """A verdict for each draw up to the last one reached, in draw order.

        The loss is of the latest vote; None where the tester could not tell, skipped the input, took the answer back or
        has not come to it though later draws are labeled. Draws beyond the last one reached are absent.
        """
        with self._lock:
            if self._verdicts is None:
                reached = self._reached()
                losses = {row: vote.loss for row, vote in self._standing.items()}
                self._verdicts = tuple(Verdict(draw, losses.get(draw.row)) for draw in self._asked.draws[:reached])
            return self._verdicts

    def _reached(self) -> int:
        """How many draws count as reached: up to the last that was voted on or skipped, and the repeats right after it."""
        draws, positions = self._asked.draws, self._asked.positions
        reached = max((positions[row][0] + 1 for row, ballot in self._ballots.items() if ballot.acts), default=0)
        while reached < len(draws) and draws[reached].row in self._standing:
            reached += 1
        return reached

    def estimate(self) -> Estimate:
        """The accuracy of the whole set by now; NotEnoughLabels where there is no honest number yet."""
        return self.estimate_of(self.verdicts())

    def estimate_of(self, verdicts: Sequence[Verdict]) -> Estimate:
        """The estimate from some verdicts of this session, such as its first ones; NotEnoughLabels as above."""
        design, bound = self._selector.design, self._inputs.task.loss_bound
        return estimator_of(design).estimate(design, verdicts, level=self._record.level, loss_bound=bound)

    @property
    def planned(self) -> int:
        """Draws of the whole plan, repeats included."""
        with self._lock:
            return len(self._asked.draws) + self._selector.remaining

    @property
    def labeled(self) -> int:
        """Draws reached that have a loss."""
        return sum(verdict.loss is not None for verdict in self.verdicts())

    @property
    def skipped(self) -> int:
        """Draws reached without a loss: could not tell, put off or taken back."""
        return sum(verdict.loss is None for verdict in self.verdicts())

    @property
    def remaining(self) -> int:
        """Inputs still to be asked, those put off included; a repeat is not asked again."""
        with self._lock:
            return len(self._asked.positions) - len(self._standing) + self._selector.remaining

    @property
    def finished(self) -> bool:
        """Whether every planned draw has been voted on."""
        return self.remaining == 0

    # How an event changes what is known

    def _apply(self, event: Event) -> None:
        if event.stream == "selection":
            self._check_position(event)
            self._check_answer(event)
        self._events.append(event)
        self._ids.add(event.id)
        if event.kind == "flag":
            return
        if event.stream == "exploration":
            self._explored.setdefault(event.row, Ballot()).add(event)
            return
        self._verdicts = None
        ballot = self._ballots.setdefault(event.row, Ballot())
        before = len(ballot.acts)
        ballot.add(event)
        if ballot.standing is not None:
            self._settle(ballot.standing, event)
            return
        self._standing.pop(event.row, None)
        if event.kind == "skip":
            self._asked.put_off(event.row)
        elif len(ballot.acts) < before:  # something was there to take back
            self._asked.take_back(event.row)

    def _settle(self, vote: Event, event: Event) -> None:
        """Notes the vote that stands after the event; a new one is the newest, one that stands again keeps its place."""
        loss = self._loss(vote) if vote.kind == "answer" else None
        if vote is event:
            self._standing.pop(vote.row, None)
        self._standing[vote.row] = Labeled(vote.row, vote.answer, loss, vote.seconds)
        self._asked.settle(vote.row, loss)

    def _loss(self, vote: Event) -> float:
        task, predictions = self._inputs.task, self._inputs.predictions
        with np.errstate(over="ignore"):
            return float(task.losses(predictions[vote.row : vote.row + 1], [task.check_answer(vote.answer)])[0])

    def _check_answer(self, event: Event) -> None:
        """ReplayMismatch where the answer is none the task takes."""
        try:
            if event.kind == "answer":
                self._inputs.task.check_answer(event.answer)
        except BadInput as error:
            raise ReplayMismatch(f"The stored event {event.id!r:.70} does not fit the task. {error}") from None

    def _check_position(self, event: Event) -> None:
        """ReplayMismatch where the event's row does not lie where it was drawn."""
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


def _unknown(row: int) -> UnknownRow:
    return UnknownRow(
        f"Row {row} was not drawn by the plan, so its chance is not known; needed is an input that was asked. "
        "Label it as exploration instead."
    )
