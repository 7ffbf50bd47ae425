"""All inputs in order of priority."""

from collections.abc import Mapping
from typing import Any

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.planning.priority import Priority, priority
from testimate.subjects.table_features import FILE_FEATURES
from testimate.verbs.known import known_inputs_of


def prioritize(
    subject: Subject | Inputs,
    technique: str,
    *,
    seed: int,
    budget: int | None = None,
    features: str | None = None,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Priority:
    """All inputs in the order in which to label them, by a technique such as severity-first, deepgini or dsa.

    Parameters
    ----------
    budget : number of labels that the order is made for, used by severity-first; all inputs by default.
    features : layers, by default those of the table, else "LHL".
    variant, options : of the technique.

    Raises
    ------
    BadInput : the technique is unknown, needs what the subject does not have, or may draw an input twice.

    >>> from testimate import open_subject
    >>> table = open_subject({"prediction": ["a", "b", "a"], "confidence": [0.9, 0.5, 0.7]})
    >>> prioritize(table, "severity-first", seed=1).rows.size
    3
    """
    inputs = known_inputs_of(subject)
    request = Request(
        technique=technique,
        budget=len(inputs) if budget is None else budget,
        seed=seed,
        features=features or (FILE_FEATURES if FILE_FEATURES in inputs.features else "LHL"),
        variant=variant,
        options=options or {},
    )
    return priority(inputs, request, progress=progress)
