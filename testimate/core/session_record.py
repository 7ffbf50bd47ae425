"""What a labeling session is made of, apart from its events: enough to rebuild it anywhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from testimate.core.selector import Request
from testimate.core.vote import LabelStore

HALF_WIDTH = 0.02
"""Of the stop-safe interval at which one may stop, where nobody asked for another; 0..1."""


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
    interval_method : of the intervals when it was made (``planning.interval_method``); "" in earlier sessions.
    resolved : what the request left open, as it was settled then (``planning.resolved.resolve``); empty in earlier sessions,
        which stay as they were.
    prepared : how the inputs were prepared for the model, and who or what decided it; "" of tables, and in earlier sessions.
    question : what the tester is asked of each input, one line; "" where nobody wrote one.
    known_answers : rows slipped in among the plan's to see how often testers err, each with its answer as a tester gives it;
        none of them enters the estimate. Empty where that was not asked for, and in earlier sessions.
    rubric : what a grade means, in view while one labels; "" where nobody wrote one.
    reasons : when a tester has to give a reason with an answer; see ``question.Reasons``.
    colours : of the buttons that answer with a class, class name -> #rrggbb; empty where nobody chose any.
    """

    id: str
    subject: str
    subject_name: str
    fingerprint: str
    request: Request
    created: str
    show_prediction: bool = False
    level: float = 0.95
    half_width: float = HALF_WIDTH
    votes_per_input: int | None = None
    interval_method: str = ""
    resolved: Mapping[str, Any] = field(default_factory=dict)
    prepared: str = ""
    question: str = ""
    known_answers: Sequence[tuple[int, Any]] = ()
    rubric: str = ""
    reasons: str = "never"
    colours: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # a store gives lists where the record had tuples; what are no pairs is left as it is, to be refused by its name
        stored = self.known_answers
        if isinstance(stored, list) and all(isinstance(one, list) and len(one) == 2 for one in stored):
            object.__setattr__(self, "known_answers", tuple((row, answer) for row, answer in stored))


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
