"""What a tester answers: one file for each kind of task, which says all that its kind needs.

A kind inherits ``core.task.Task``, which answers as a kind that is right or wrong by the names of its classes, and overrides
what differs. Code that depends on the task asks by these names, never for the task's type.

=====================================================  =============================================================
``kind``, ``title``, ``meaning``                       its name in files, and what people read where they choose it
``classes``, ``choices``, ``objects``                  the names an answer is made of
``numeric``, ``by_name``, ``one_choice``, ``several``  the form of an answer: a number, one name, a set of names
``boxed``                                              or what is wrong of the boxes in a picture
``one_class``, ``graded``, ``compares``                what the answer is about: the class predicted, or the output shown
``score_trust``                                        how far a score is believed as the chance of a failure
``top_k``, ``tolerance``, ``relative``, ``grades``     what a plan keeps of it, with ``numbers_to_json``
``check_answer``, ``losses``, ``failed``, ``outcomes``  an answer, what it costs, and what that counts
``errors``, ``in_unit``, ``within``, ``tolerance_at``  the size of an error, where it has one
``outside``, ``names_outside``, ``stored_answer``      answers that are none of the classes, and how events hold them
``answer_text``, ``written_answer``                    an answer as exports write it, and read back
``separator``, ``of_cells``                            a table's cells that hold several names
``typed_answer``, ``entered_answer``                   an answer that a person typed into a file of votes, or a field
``typed_names``                                        its names, of which one that is no class makes a prediction wrong
``answer_names``, ``answer_named``                     an answer as a labeling tool holds it, and back
``true_answer``, ``truth_text``, ``prediction_text``   the truth and the prediction
``predicted_places``, ``predicted_counts``, ``counts``  what was predicted, and how often
``comparable``, ``same_answer``, ``agreeing``, ``settled``  several testers' answers
``measure``, ``fault_words``, ``judged``               what the accuracy and a fault are called
``severity_basis``, ``severity_from``, ``severe_words``  how severe a fault is
``usual_question``, ``outcome_words``                  what a tester is asked, and told afterwards
``accepts``, ``swipes``, ``answers``, ``no_class``     what the surface's keys, swipes and fields answer
=====================================================  =============================================================

A sixth kind is a file here and its line in ``TASKS``; on the labeling surface, a script and its line in ``kinds.ts``.
"""

from testimate.core.plug_ins import LazyMapping
from testimate.core.task import Task, TaskKind

TASKS: LazyMapping[TaskKind, type[Task]] = LazyMapping(
    __name__,
    {
        "classification": "classification:Classification",
        "multi-label": "classification:MultiLabel",
        "regression": "regression:Regression",
        "verdict": "verdict:Judgment",
        "boxes": "boxes:Boxes",
    },
    "kind of task",
)
"""The class of each kind."""


def check_kind(kind: TaskKind) -> None:
    """BadInput where there is no such kind of task.

    >>> check_kind("boxes")
    """
    TASKS[kind]
