"""Which events a session accepts, each checked once: new ones before they are stored, stored ones on replay."""

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from testimate.core.bounded_json import DEEPEST, is_nested_at_most
from testimate.core.checks import is_number, is_whole
from testimate.core.errors import BadInput, ReplayMismatch, UnknownRow
from testimate.core.failure_codes import checked_codes
from testimate.core.session_record import (
    CODES,
    NEW_NAME,
    OLD_NAME,
    REASON,
    REOPENS,
    Event,
    EventKind,
    SessionRecord,
    Stream,
)
from testimate.core.spellings import folded
from testimate.core.task import Task
from testimate.core.visible_text import check_line, check_text, texts_in
from testimate.core.words import commas
from testimate.planning.draws import AskedDraws
from testimate.session.codebook import Codebook
from testimate.session.draws import SlippedIn
from testimate.session.votes import StandingVotes
from testimate.tasks.question import reason_needed

ID_LETTERS, NAME_LETTERS, NOTE_LETTERS, FACT_LETTERS = 64, 100, 10_000, 10_000
"""Most characters of an id, a tester's name, a note, and further facts as JSON text."""


@dataclass(frozen=True)
class Sifted:
    """A batch of events, sorted: what can be stored, in stored form; ids already stored; by id, why others are refused."""

    accepted: list[Event] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


class Admission:
    """Checks events against the session's record, its ``size`` inputs, the draws given so far and the standing votes.

    ``extended`` : the draws of a plan of that many; BadInput where the plan cannot be extended to them.
    """

    def __init__(
        self,
        record: SessionRecord,
        task: Task,
        size: int,
        asked: AskedDraws,
        votes: StandingVotes,
        slipped_in: SlippedIn,
        extended: Callable[[Any], AskedDraws],
        codebook: Codebook,
    ) -> None:
        self._record, self._task, self._size, self._asked, self._votes = record, task, size, asked, votes
        self._slipped_in, self._extended, self._codebook = slipped_in, extended, codebook

    def as_stored(self, event: Event) -> Event:
        """The event as it would be stored; BadInput or UnknownRow says why it cannot be."""
        event = check_event(event, self._task, self._size)
        if event.kind == "extend":
            self._extended(event.detail.get("budget"))
            return event
        if event.kind == "rename code":
            return replace(event, detail=self._new_name(event.detail))
        if event.kind == "adjudication" and self._record.votes_per_input is None:
            raise BadInput(
                "An adjudication settles what testers dispute, and this session is labeled by one person. Give an answer "
                "instead."
            )
        loss = None if event.answer is None else self._votes.loss(event.row, event.answer)
        if loss is not None and not np.isfinite(loss):
            raise BadInput(f"The answer {event.answer!r:.60} is too far from the prediction to be squared. Correct it.")
        if event.stream == "known answer" and event.row not in self._slipped_in:
            raise UnknownRow(
                f"Row {event.row} was not slipped into this session. Expected an input that was. Reload the page."
            )
        if event.stream == "selection" and event.row in self._slipped_in:  # the labeling surface does not know it
            event = replace(event, stream="known answer")
        if event.answer is not None and event.kind == "answer":
            self._check_reason(event)
        if event.kind == "codes":
            event = replace(event, detail={**event.detail, CODES: self._codes(event)})
        detail: dict[str, Any] = {**event.detail, "prediction_shown": self._record.show_prediction}
        detail.pop("position", None)
        if event.stream == "selection":
            detail["position"] = self._asked.first_position(event.row)
        return replace(event, detail=detail)

    def _check_reason(self, event: Event) -> None:
        """BadInput where a reason is asked for with this answer, and none was given."""
        loss = self._votes.loss(event.row, event.answer)
        needed = loss is not None and reason_needed(self._record.reasons, self._task, loss)
        if needed and not str(event.detail.get(REASON) or "").strip():
            raise BadInput(
                f"The answer {self._task.answer_text(event.answer)!r:.60} came without a reason, and this session asks for "
                "one. Answer again, and type why."
            )

    def _codes(self, event: Event) -> list[str]:
        """The codes of the event; BadInput where its input is not a failure, or a name cannot be one."""
        names = event.detail.get(CODES)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadInput(f"The failure codes are {names!r:.60}. Expected a list of names. Send those.")
        if event.stream == "known answer":  # a refusal would tell the tester that it is one
            return [*checked_codes(names)]
        vote = self._votes.standing.get(event.row)
        failed = vote is not None and vote.loss is not None and bool(self._task.failed([vote.loss])[0])
        if names and not failed:
            raise BadInput(
                f"Input {event.row} is not a failure by its answer, so it has no failure code. Expected an input whose "
                "prediction is wrong. Correct the answer first."
            )
        return [*checked_codes(names)]

    def _is_own_failure(self, event: Event) -> bool:
        """Whether a tester names the codes of an input that nobody else answers."""
        if event.kind != "codes" or self._record.votes_per_input != 1:
            return False
        return event.row in self._votes.said_by(event.tester) or event.row in self._slipped_in

    def _new_name(self, detail: Mapping[str, Any]) -> dict[str, str]:
        """The names of a renamed code; BadInput where nothing is called so, or the new name cannot be one."""
        old, new = str(detail.get(OLD_NAME, "")), str(detail.get(NEW_NAME, ""))
        known = {folded(name) for codes in self._codebook.codes().values() for name in codes}
        if folded(old) not in known:
            raise BadInput(
                f"There is no failure code {old!r:.60} now. Expected one that an input has. Reload the page."
            )
        return {OLD_NAME: old, NEW_NAME: next(iter(checked_codes([new])), "")}

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
                if REOPENS in event.detail and not lead:
                    raise BadInput("Only a lead reopens what a lead settled; you are a tester here. Ask a lead.")
                if event.kind == "extend" and not lead:
                    raise BadInput("Only a lead extends a plan; you are a tester here. Ask a lead.")
                if event.kind in ("codes", "rename code") and not lead and not self._is_own_failure(event):
                    raise BadInput("Only a lead says why inputs failed; you are a tester here. Ask a lead.")
                found.accepted.append(self.as_stored(event))
            except (BadInput, UnknownRow) as error:
                found.refused[str(event.id)] = str(error)
        return found

    def check_replayed(self, event: Event) -> None:
        """ReplayMismatch where a stored event is about another row than was drawn, or its answer does not fit the task."""
        if event.stream != "selection" or event.kind in ("extend", "rename code"):
            return
        self._check_position(event)
        if event.kind == "answer" or event.answer is not None:
            try:
                self._task.check_answer(event.answer)
            except (BadInput, TypeError, OverflowError) as error:
                words = f"The stored event {event.id!r:.70} does not fit the task. {error}"
                raise ReplayMismatch(words) from None

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


def check_event(event: Event, task: Task, size: int) -> Event:
    """The event in plain values, with an answer the task allows; BadInput otherwise.

    An answer to a multi-label task is kept as the places of the classes present, in rising order.
    """
    _check_name(event.id, "id", ID_LETTERS)
    _check_name(event.tester, "tester's name", NAME_LETTERS)
    _check_name(event.at, "time", ID_LETTERS)
    _check_choice(event.kind, "kind", get_args(EventKind))
    _check_choice(event.stream, "stream", get_args(Stream))
    answer = None
    if event.kind == "answer" or (event.kind == "adjudication" and event.answer is not None):
        answer = _stored_answer(event.answer, task)
    elif event.answer is not None:
        raise BadInput(
            f"A {event.kind!r} came with the answer {event.answer!r:.60}; only an answer or an adjudication has one. Drop it."
        )
    return replace(
        event,
        row=_checked_row(event.row, size),
        answer=answer,
        seconds=_checked_seconds(event.seconds),
        detail=_checked_detail(event.detail),
    )


def _check_name(value: Any, what: str, longest: int) -> None:
    """BadInput where it is not a visible line of 1 to ``longest`` characters."""
    if not isinstance(value, str):
        raise BadInput(f"The {what} is {value!r:.60}. Expected 1 to {longest} characters. Choose another.")
    check_line(value, what, longest)


def _check_choice(value: Any, what: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise BadInput(f"The event's {what} is {value!r:.60}. Expected one of {', '.join(choices)}. Send one of these.")


def _checked_row(row: Any, size: int) -> int:
    if not is_whole(row, 0, size - 1):
        raise BadInput(f"The event is about row {row!r:.60}; there are rows 0 to {size - 1}. Send one of these.")
    return int(row)


def _stored_answer(answer: Any, task: Task) -> Any:
    try:
        return task.stored_answer(answer)
    except (TypeError, OverflowError):  # a number too large for any float
        raise BadInput(f"The answer {answer!r:.60} cannot be used. Choose one of those offered.") from None


def _checked_seconds(seconds: Any) -> float | None:
    if seconds is None:
        return None
    if not is_number(seconds, 0, sys.float_info.max):
        raise BadInput(f"The time taken is {seconds!r:.60}. Expected seconds, 0 or more. Leave it out if unknown.")
    return float(seconds)


def _checked_detail(detail: Any) -> dict[str, Any]:
    """The detail as plain JSON values, its note and the rest of bounded length and depth, every text in it visible."""
    if not isinstance(detail, Mapping):
        raise BadInput(f"The detail is {detail!r:.60}. Expected a JSON object. Send named values.")
    note = detail.get("note", "")
    if not isinstance(note, str):
        raise BadInput(f"The note is {note!r:.60}. Expected text. Type one.")
    check_text(note, "note", NOTE_LETTERS)
    try:
        rest = json.dumps({key: value for key, value in detail.items() if key != "note"}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"The detail is not plain JSON ({error}). Expected text and numbers. Send those.") from None
    if len(rest) > FACT_LETTERS:
        raise BadInput(
            f"The detail is {commas(len(rest))} characters long; up to {commas(FACT_LETTERS)} are kept. Shorten it."
        )
    facts = json.loads(rest)
    if not is_nested_at_most(DEEPEST, facts):
        raise BadInput(f"The detail is nested too deep. Expected at most {DEEPEST} levels. Send less.")
    for text in texts_in(facts):
        check_text(text, "text in the detail", FACT_LETTERS)
    return {**facts, **({"note": note} if "note" in detail else {})}
