"""What a tester is asked of each input, in one line."""

from testimate.core.errors import BadInput
from testimate.core.task import MultiLabel, Regression, Task
from testimate.core.whole_characters import whole_characters

QUESTION_LETTERS = 200
"""Letters of a question at most: it stands on one line above the input, or on two."""


def checked_question(text: str) -> str:
    """The question on one line without spaces around it; BadInput where it is longer than ``QUESTION_LETTERS``.

    >>> checked_question("  Which letter\\nis this? ")
    'Which letter is this?'
    """
    line = " ".join(whole_characters(text, "The question").split())
    if len(line) > QUESTION_LETTERS:
        raise BadInput(
            f"The question has {len(line)} letters; expected at most {QUESTION_LETTERS}. Shorten it; what takes longer to say "
            "belongs into a document for the testers."
        )
    return line


def usual_question(task: Task) -> str:
    """The question where nobody wrote one, by the kind of answer.

    >>> usual_question(Regression(0.5, unit="degrees"))
    'What is the right number (degrees)?'
    """
    if isinstance(task, Regression):
        return f"What is the right number ({task.unit})?" if task.unit else "What is the right number?"
    return "Which of these are right?" if isinstance(task, MultiLabel) else "Which of these is it?"
