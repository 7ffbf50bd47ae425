"""Judges' grades of all outputs, read by the scale of the people, and the chance of a fault that follows from it."""

from dataclasses import replace

import numpy as np

from testimate.core.inputs import Inputs
from testimate.planning.needs import JUDGES
from testimate.tasks.verdict import USUAL_SCALE, JudgeGrades, read_judge


def judges_of(inputs: Inputs) -> dict[str, JudgeGrades | None]:
    """Return the grades of each judge of these outputs by its name; None of one whose numbers lie on no scale of grades.

    Judges are the confidence and the columns that are a judge's; see ``Inputs.judges``. Nobody's grades say which of two
    systems is better.
    """
    if not inputs.task.graded or inputs.task.compares:
        return {}
    columns = dict(inputs.judges)
    if inputs.confidence is not None:
        named = () if inputs.reading is None else inputs.reading.with_role("confidence")
        columns = {named[0] if named else "confidence": inputs.confidence, **columns}
    return {
        name: read_judge(name, values, USUAL_SCALE if values is inputs.confidence else inputs.task.grades)
        for name, values in columns.items()
    }


def with_judges_score(inputs: Inputs) -> Inputs:
    """Return the inputs with the chance of a fault by the mean of all judges, where no confidence says it.

    A blank counts as that judge's mean. Judges that give every output the same grade say nothing.
    """
    if not inputs.judges or inputs.confidence is not None or JUDGES in inputs.scores:
        return inputs
    found = [one.scores for one in judges_of(inputs).values() if one is not None and np.nanstd(one.scores) > 0]
    if not found:
        return inputs
    filled = [np.where(np.isfinite(one), one, np.nanmean(one)) for one in found]
    return replace(inputs, scores={**inputs.scores, JUDGES: 1 - np.mean(filled, axis=0)})
