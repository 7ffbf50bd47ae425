"""What a new labeling session is planned with, checked before anything of it is stored."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypedDict

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector
from testimate.core.session_record import HALF_WIDTH, SessionRecord, checked_colours
from testimate.core.subject import Subject
from testimate.planning.build import build, interval_method, resolve
from testimate.session.next_inputs import HAND, HAND_KEPT_OPEN
from testimate.session.slipped_in import checked_known_answers
from testimate.tasks.question import checked_question, checked_reasons, checked_rubric
from testimate.tasks.verdict import Judgement


class SessionOptions(TypedDict, total=False):
    """What a new session may be given besides its request.

    Attributes
    ----------
    show_prediction : whether the tester sees what the network predicted; by default not.
    level : of the intervals, 0 to 1; by default 0.95. half_width : that the tester wants to reach.
    votes_per_input : of a team, how many answers each input gets; None for a tester alone.
    others : fingerprints of the other models that the plan takes, of those kept with the subject.
    question : what the tester is asked, one line. rubric : what the grades mean.
    reasons : when a reason is to be given with an answer, "never", "faults" or "always".
    colours : of the classes' buttons, #rrggbb by class.
    known_answers : rows slipped in, each with its answer.
    """

    show_prediction: bool
    level: float
    half_width: float
    votes_per_input: int | None
    others: Sequence[str]
    question: str
    known_answers: Sequence[tuple[int, Any]]
    rubric: str
    reasons: str
    colours: Mapping[str, str] | None


def planned_session(
    subject: Subject, inputs: Inputs, request: Request, options: SessionOptions
) -> tuple[SessionRecord, Selector]:
    """The record of a new session and what draws its inputs; ``inputs`` are known with the other models it is planned with.

    Raises BadInput if the request or a text cannot be used, an option has an unknown value, a colour is not one or its
    class
    does not exist, or reasons are asked for though nothing is judged.
    """
    reasons = checked_reasons(options.get("reasons", "never"))
    if reasons != "never" and not isinstance(inputs.task, Judgement):
        raise BadInput(
            f"Reasons were asked for in a {inputs.task.kind} task; expected verdicts on outputs. Ask for none; a flag "
            "holds a note."
        )
    team = options.get("votes_per_input") is not None
    resolved = resolve(inputs, request) | ({HAND_KEPT_OPEN: HAND} if team else {})
    selector = build(inputs, request, resolved)
    record = SessionRecord(
        id=secrets.token_hex(5),
        subject=subject.key,
        subject_name=subject.name,
        fingerprint=inputs.fingerprint,
        request=request,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        show_prediction=options.get("show_prediction", False),
        level=options.get("level", 0.95),
        half_width=options.get("half_width", HALF_WIDTH),
        votes_per_input=options.get("votes_per_input"),
        interval_method=interval_method(inputs.task),
        resolved=resolved,
        prepared=subject.prepared,
        question=checked_question(options.get("question", "")),
        known_answers=checked_known_answers(inputs, options.get("known_answers", ())),
        rubric=checked_rubric(options.get("rubric", "")),
        reasons=reasons,
        colours=checked_colours(options.get("colours") or {}, inputs.task.classes),
    )
    return record, selector
