"""The slices of a session that every subject has: by what the model predicts, and by how sure it is."""

import numpy as np

from testimate.core.rounding import spaced
from testimate.core.task import Classification
from testimate.planning.error_estimate import outcomes_of
from testimate.planning.slices import Grouping, Slice, grouping_of_numbers, slices_of
from testimate.session.session import Session


def groupings_of(session: Session) -> tuple[Grouping, ...]:
    """Predicted class, or bands of predicted numbers, and bands of confidence; none of a session about a part of the inputs.

    None of squared errors either, whose intervals are rough and have no level.
    """
    inputs = session.inputs
    if session.selector.design.size != len(inputs) or not inputs.task.measure.is_share:
        return ()
    found = []
    if isinstance(inputs.task, Classification) and inputs.predictions.ndim == 1:
        groups = inputs.predictions.astype(np.intp)
        there = np.unique(groups)  # a class that is never predicted is not a slice
        names = tuple(inputs.task.classes[place] for place in there.tolist())
        found.append(Grouping("predicted class", names, np.searchsorted(there, groups).astype(np.intp)))
    elif inputs.task.numeric:
        found.append(grouping_of_numbers("predicted number", np.asarray(inputs.predictions, dtype=np.float64)))
    if inputs.confidence is not None:
        found.append(grouping_of_numbers("confidence", inputs.confidence.round(3)))
    return tuple(found)


def session_slices(session: Session, grouping: Grouping, *, simultaneous: bool = False) -> tuple[Slice, ...]:
    """What the session's labels say about each value of the grouping, with intervals that hold at a size fixed in advance."""
    task, record = session.inputs.task, session.session_record
    return slices_of(
        [grouping],
        session.selector.design,
        outcomes_of(task, session.verdicts()),
        technique=record.request.technique,
        level=record.level,
        simultaneous=simultaneous,
        loss_bound=task.outcome_bound,
    )


def slice_words(session: Session, one: Slice) -> str:
    """The number with its interval, "91.2 % (80.1 to 96.0)" in the measure's words, or why there is none."""
    found, measure = one.estimate, session.inputs.task.measure
    if found.value is None:
        return found.why if found.labeled else f"too few labels: {spaced(0)}"
    said = measure.value(found.value)
    if found.low is None or found.high is None:
        return f"{said}; {found.why}"
    return f"{said}, {' to '.join(measure.ends(found.low, found.high))}"
