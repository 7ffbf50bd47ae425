"""How often each label of a set is right, by the same design that estimates how often the whole set is."""

from dataclasses import dataclass, replace

import numpy as np

from testimate.core.draw import Estimate
from testimate.core.errors import NotEnoughLabels
from testimate.session.session import Session
from testimate.tasks.classification import MultiLabel

MOST = 200
"""Labels in a table."""


@dataclass(frozen=True)
class LabelAccuracy:
    """One label: how often it was found present and predicted, and the share of inputs where its absence or presence is right.

    ``estimate`` : None while there are too few labels.
    """

    label: str
    present: int
    predicted: int
    estimate: Estimate | None


def label_accuracies(session: Session) -> list[LabelAccuracy]:
    """Every label of a multi-label task, in the task's order; empty for other tasks.

    An input counts as right for a label where prediction and answer agree about it; the estimator is that of the session's
    design, so that the chances of the draws are respected.
    """
    task = session.inputs.task
    if not isinstance(task, MultiLabel):
        return []
    answers, verdicts = session.answers(), session.verdicts()
    said = {
        row: np.asarray(task.check_answer(answer)) for row, answer in answers.items() if answer is not None
    }  # (C,) each
    found = []
    for place, label in enumerate(task.classes[:MOST]):
        losses = {row: float(marks[place] != session.inputs.predictions[row, place]) for row, marks in said.items()}
        of_label = [
            verdict if verdict.loss is None else replace(verdict, loss=losses[verdict.draw.row], answer=None)
            for verdict in verdicts
        ]
        try:
            estimate = session.estimate_of(of_label)
        except NotEnoughLabels:
            estimate = None
        rows = list(said)
        found.append(
            LabelAccuracy(
                label=label,
                present=int(sum(marks[place] for marks in said.values())),
                predicted=int(session.inputs.predictions[rows, place].sum()) if rows else 0,
                estimate=estimate,
            )
        )
    return found


def in_words(one: LabelAccuracy) -> str:
    """The share with its ends, such as "91.6 %, 88.1 to 94.0 %"; a dash where there is none."""
    if one.estimate is None:
        return "–"
    measure = MultiLabel.measure
    said = measure.value(one.estimate.accuracy)
    if one.estimate.low is None or one.estimate.high is None:
        return said
    return f"{said}, {' to '.join(measure.ends(one.estimate.low, one.estimate.high))}"
