"""A vote is an event: what one tester said about one input at one time; the history is the audit log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

EventKind = Literal["answer", "cannot tell", "skip", "undo", "flag", "adjudication", "extend"]
REASON = "reason"
"""Under which an event's detail holds what a tester gives as the reason for an answer."""

REOPENS = "reopens"
"""Under which the detail of a lead's "undo" says that it takes back a lead's word, whoever's, and not a vote of their own."""

Stream = Literal["selection", "exploration", "known answer"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing a tester did. Later events change earlier ones; none is ever removed.

    Attributes
    ----------
    id : made by the client, unique in the session; the same id again is the same event.
    kind : "answer" (with ``answer``), "cannot tell", "skip" (comes back later), "undo" (takes this row's answer back),
        "flag" (with a note in ``detail``), "adjudication" (a lead's word on an input the testers dispute, with ``answer``, or
        None where the lead cannot tell either), "extend" (the plan goes on to the ``budget`` in ``detail``).
    row : the input that was on the screen; 0 for "extend", which is about none.
    tester : who; "tester" when one labels alone.
    at : when the client did it, ISO 8601 in UTC.
    answer : class place, number or list of class places, as the task takes it; None unless kind is "answer" or
        "adjudication".
    seconds : time the input was on the screen, 0..; None where unknown.
    stream : "selection" for inputs the plan asked for; "exploration" for those a tester picked and "known answer" for those
        slipped in because their answer is known, neither ever in an estimate.
    detail : further facts worth keeping (prediction shown in advance, note, position of the draw); plain JSON values.
    """

    id: str
    kind: EventKind
    row: int
    tester: str
    at: str
    answer: Any = None
    seconds: float | None = None
    stream: Stream = "selection"
    detail: Mapping[str, Any] = field(default_factory=dict)


class LabelStore(Protocol):
    """Append-only record of events, in the order they became durable."""

    def add(self, session: str, events: Sequence[Event]) -> Sequence[str]:
        """Stores the events, idempotently by id, all or none; returns the ids now on disk (old ones included).

        Raises StoreUnavailable where they could not be made durable.
        """
        ...

    def history(self, session: str, after: int = 0) -> Sequence[Event]:
        """The session's events, oldest first, without the first ``after`` of them."""
        ...
