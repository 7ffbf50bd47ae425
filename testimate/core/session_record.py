"""A session as it is stored: its record, its events and its testers.

What a labeling session is made of, apart from its events: enough to rebuild it anywhere.

A vote is an event: what one tester said about one input at one time; the history is the audit log.

Someone who labels: a name, and what they may do.

The colors a team gives to its classes, as its other tools have them; on the buttons that answer with the class.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from sys import float_info
from typing import Annotated, Any, Literal, Protocol

from msgspec import Meta

from testimate.core.errors import BadInput
from testimate.core.selector import Request
from testimate.core.stored_record import From0, From1, Rule, ShortText, Time, read_record
from testimate.core.visible_text import STORABLE

EventKind = Literal["answer", "cannot tell", "skip", "undo", "flag", "adjudication", "extend", "codes", "rename code"]
NOT_VOTES = frozenset({"flag", "extend", "codes", "rename code"})
"""Kinds of events that say nothing about what an input is."""

CODES = "codes"
"""Under which the detail of "codes" holds why the input failed, a list of names; an empty one takes them back."""

OLD_NAME, NEW_NAME = "from", "to"
"""Under which the detail of "rename code" holds a code's name now and its new one; "" gives back those it was merged of."""

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
        None where the lead cannot tell either), "extend" (the plan goes on to the ``budget`` in ``detail``), "codes" (why the
        input failed), "rename code" (for all inputs).
    row : the input that was on the screen; 0 for "extend" and "rename code", which are about none.
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


HALF_WIDTH = 0.02
"""Of the stop-safe interval at which one may stop, where nobody asked for another; 0..1."""


RUBRIC_LETTERS = 4000
"""Letters of a rubric at most: it stays in view while one labels."""

Reasons = Literal["never", "faults", "always"]
"""When a tester has to say why: of no answer, of those that are faults, or of every one."""

SessionId = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_-]{1,64}\Z", description="1 to 64 letters, digits, - or _")]
KnownAnswers = Annotated[
    Sequence[tuple[From0, Any]],
    Rule(
        lambda pairs: len({row for row, _ in pairs}) == len(pairs),
        "pairs of a row and its answer, each row once",
    ),
]
Color = Annotated[str, Meta(pattern=r"\A#[0-9a-f]{6}\Z")]


STORED_AS: Mapping[str, str] = {"colors": "colours"}
"""Fields of a session's record that are stored by the name of the first versions."""

SPELLED_NOW: Mapping[str, str] = {stored: now for now, stored in STORED_AS.items()}


@dataclass(frozen=True)
class SessionRecord:
    """One labeling session as it was planned; it never changes.

    Attributes
    ----------
    id : short, unique, fit for a URL.
    subject, subject_name : the subject's key in the project, and its name for people.
    fingerprint : of the inputs it was planned for; others are refused with SubjectChanged.
    request : technique, budget, seed and settings; with the inputs they determine every draw.
    created : ISO 8601 in UTC.
    show_prediction : whether the tester sees the model's prediction before answering (it anchors; logged with each vote).
    level : of the intervals, 0..1.
    half_width : the always-valid interval's half-width at which the tester may stop, 0..1.
    votes_per_input : how many testers answer each input, at least 1, in a session of a team; None where one person labels
        alone, and the latest vote stands.
    interval_method : of the intervals when it was made (``planning.build.interval_method``); "" in earlier sessions.
    resolved : what the request left open, as it was settled then (``planning.build.resolve``); empty in earlier sessions,
        which stay as they were.
    prepared : how the inputs were prepared for the model, and who or what decided it; "" of tables, and in earlier sessions.
    question : what the tester is asked of each input, one line; "" where nobody wrote one.
    known_answers : rows slipped in among the plan's to see how often testers err, each with its answer as a tester gives it;
        none of them enters the estimate. Empty where that was not asked for, and in earlier sessions.
    known_labels : inputs whose answer was known before, with it: those that are drawn are not asked and count as known; the
        others enter no estimate. Empty where there were none, and in earlier sessions.
    rubric : what a grade means, in view while one labels; "" where nobody wrote one.
    reasons : when a tester has to give a reason with an answer; see ``Reasons``.
    colors : of the buttons that answer with a class, class name -> #rrggbb; empty where nobody chose any.
    criteria : asked of each output, as ``tasks.verdict.Criterion`` has them; empty where one question is, and in earlier
        sessions.
    """

    id: SessionId
    subject: ShortText
    subject_name: ShortText
    fingerprint: ShortText
    request: Request
    created: Time
    show_prediction: bool = False
    level: Annotated[float, Meta(gt=0, lt=1)] = 0.95
    half_width: Annotated[float, Meta(gt=0, le=float_info.max, description="a finite number above 0")] = HALF_WIDTH
    votes_per_input: From1 | None = None
    interval_method: ShortText = ""
    resolved: Mapping[str, Any] = field(default_factory=dict)
    prepared: ShortText = ""
    question: ShortText = ""
    known_answers: KnownAnswers = ()
    known_labels: KnownAnswers = ()
    rubric: Annotated[str, Meta(max_length=RUBRIC_LETTERS, pattern=STORABLE)] = ""
    reasons: Reasons = "never"
    colors: Annotated[Mapping[ShortText, Color], Meta(description="colors such as #0072b2 by class")] = field(
        default_factory=dict
    )
    criteria: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        # a store gives lists where the record had tuples; what are no pairs is left as it is, to be refused by its name
        for name in ("known_answers", "known_labels"):
            stored = getattr(self, name)
            if isinstance(stored, list) and all(isinstance(one, list) and len(one) == 2 for one in stored):
                object.__setattr__(self, name, tuple((row, answer) for row, answer in stored))
        if isinstance(self.criteria, list):
            object.__setattr__(self, "criteria", tuple(self.criteria))

    def as_stored(self) -> dict[str, Any]:
        """Its values by the names that they are stored under."""
        return {STORED_AS.get(name, name): value for name, value in asdict(self).items()}

    @classmethod
    def of_stored(cls, stored: object) -> "SessionRecord":
        """The record that was stored; raises as ``read_record``."""
        if isinstance(stored, Mapping):
            stored = {SPELLED_NOW.get(name, name): value for name, value in stored.items()}
        return read_record(cls, stored)


ChooseTurns = Callable[[Mapping[int, frozenset[str]]], Sequence[int]]
"""From the turns that others hold, row -> who, to the rows wanted."""


class SessionStore(LabelStore, Protocol):
    """A label store that also keeps the records of the sessions, and whose turn which input is."""

    def create(self, record: SessionRecord) -> None:
        """Stores a new session; BadInput where its id is taken, StoreUnavailable where it could not be made durable."""
        ...

    def record(self, session: str) -> SessionRecord:
        """The session's record; BadInput where there is no such session."""
        ...

    def records(self) -> list[SessionRecord]:
        """Every session, newest first."""
        ...

    def take_turns(
        self, session: str, tester: str, choose: ChooseTurns, *, now: float, until: float, first_until: float = 0.0
    ) -> tuple[int, ...]:
        """Reserves the chosen rows for this tester until then (seconds since 1970); rows reserved earlier are given up.

        ``first_until`` : of the first row, which is in view, where it is later.
        ``choose`` learns which rows others hold at ``now``; nobody takes turns of this session meanwhile.
        """
        ...


Role = Literal["lead", "tester"]

ALONE = "tester"
"""The name under which one person labels alone, without a login."""


@dataclass(frozen=True)
class Tester:
    """A member of a team.

    Attributes
    ----------
    name : unique in the project; votes are stored under it.
    role : a lead sees everybody's votes, settles disputes and starts sessions; a tester labels, blind to the others.
    created : ISO 8601 in UTC; empty where it is not known.
    """

    name: str
    role: Role
    created: str = ""

    @property
    def leads(self) -> bool:
        """Whether this is a lead."""
        return self.role == "lead"


def checked_colors(colors: Mapping[str, str], classes: Sequence[str]) -> dict[str, str]:
    """The colors by class, each as #rrggbb in small letters, in the order of the classes; BadInput for any other.

    >>> checked_colors({"dog": "#0072B2"}, ["cat", "dog"])
    {'dog': '#0072b2'}
    """
    strangers = [name for name in colors if name not in classes]
    if strangers:
        raise BadInput(
            f"There is a color for {strangers[0]!r:.60}, not one of the {len(classes)} classes. Use the names they have."
        )
    for name, color in colors.items():
        if not isinstance(color, str) or not re.fullmatch("#[0-9a-fA-F]{6}", color):
            raise BadInput(
                f"The color of {name!r:.60} is {color!r:.40}. Expected # and six hexadecimal "
                "digits, such as #0072b2. Correct it."
            )
    return {name: colors[name].lower() for name in classes if name in colors}
