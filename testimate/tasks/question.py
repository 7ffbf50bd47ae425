"""What a tester is asked of each input: the question in one line, the rubric by which to grade, and when to give a reason."""

from typing import get_args

from testimate.core.errors import BadInput
from testimate.core.session_record import RUBRIC_LETTERS, Reasons
from testimate.core.task import Task
from testimate.core.visible_text import check_text

QUESTION_LETTERS = 200
"""Letters of a question at most: it stands on one line above the input, or on two."""

REASONS: tuple[Reasons, ...] = get_args(Reasons)


def checked_question(text: str) -> str:
    """The question on one line without spaces around it; BadInput if it is longer than ``QUESTION_LETTERS`` or does not show.

    >>> checked_question("  Which letter\\nis this? ")
    'Which letter is this?'
    """
    return check_text(" ".join(text.split()), "question", QUESTION_LETTERS)


def checked_rubric(text: str) -> str:
    """The rubric without spaces around it; BadInput if it is longer than ``RUBRIC_LETTERS`` or does not show."""
    return check_text(text.strip(), "rubric", RUBRIC_LETTERS)


def checked_reasons(reasons: str) -> Reasons:
    """When a tester has to give a reason; BadInput where it is none of ``REASONS``."""
    if reasons not in REASONS:
        raise BadInput(
            f"A reason is to be given {reasons!r:.40}. Expected one of {', '.join(REASONS)}. Choose one of these."
        )
    return reasons


def reason_needed(reasons: str, task: Task, loss: float) -> bool:
    """Whether an answer with this loss needs a reason.

    >>> from testimate.tasks.verdict import Judgment
    >>> reason_needed("faults", Judgment(), 0.5), reason_needed("faults", Judgment(), 0.0)
    (True, False)
    """
    if task.compares:  # asked for on one side only, it would say where A stands
        return reasons != "never"
    return reasons == "always" or (reasons == "faults" and bool(task.failed([loss])[0]))
