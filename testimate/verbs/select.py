"""Which inputs to label: the plan for a subject."""

from collections.abc import Mapping, Sequence
from typing import Any

from testimate.advice.plan_request import plan_request
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.planning.plan import Plan, make_plan
from testimate.verbs.known import known_inputs_of


def select(
    subject: Subject | Inputs,
    *,
    budget: int,
    seed: int,
    technique: str | None = None,
    auxiliary: str | Sequence[str] | None = None,
    features: str | None = None,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Plan:
    """The inputs to label, in labeling order, each with its chance and the reason why it was picked.

    Parameters
    ----------
    subject : what ``open_subject`` gives, or inputs.
    budget : how many labels, 1..N. seed : the same one draws the same inputs.
    technique : a name in SELECTORS; rrs by default, srs where no score is known.
    auxiliary : what predicts failure, among ``subject.inputs.scores``; NAME:lower where smaller is likelier; several are joined
        by their mean. By default combined where there are other models, else confidence.
    features : layers for techniques that need features, such as "LHL"; by default those of the table, else LHL.
    variant, options : of the technique; those it does not have are refused.

    Returns
    -------
    Plan; ``rows`` are what to label, ``to_frame()`` a DataFrame, ``write(path)`` makes a PLAN.json for the terminal.

    Raises
    ------
    BadInput : an unknown name, a budget outside 1..N, or something the technique needs and the subject does not have.

    >>> import numpy as np
    >>> from testimate import open_subject
    >>> subject = open_subject({"prediction": ["a", "b"] * 50, "confidence": np.linspace(0.5, 1, 100)})
    >>> select(subject, budget=20, seed=1)
    Plan: 20 inputs to label of 100, by rrs with seed 1.
    """
    inputs = known_inputs_of(subject)
    request = plan_request(
        inputs,
        budget=budget,
        seed=seed,
        technique=technique,
        auxiliary=[auxiliary] if isinstance(auxiliary, str) else list(auxiliary or ()),
        features=features,
        variant=variant,
        options=options or {},
    )
    return make_plan(inputs, request)
