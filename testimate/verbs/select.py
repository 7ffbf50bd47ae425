"""Which inputs to label: the plan for a subject."""

from collections.abc import Mapping, Sequence
from typing import Any

from testimate.advice.advice import plan_request
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.subject import Subject
from testimate.planning.parts import each_part_plan, each_part_request, grouping
from testimate.planning.plan import Plan, make_plan
from testimate.verbs.known import known_inputs_of


def select(
    subject: Subject | Inputs,
    *,
    budget: int | None = None,
    seed: int,
    technique: str | None = None,
    auxiliary: str | Sequence[str] | None = None,
    features: str | None = None,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    each: Mapping[str, Sequence[Any]] | None = None,
    half_width: float | None = None,
) -> Plan:
    """The inputs to label, in labeling order, each with its probability and the reason why it was picked.

    Parameters
    ----------
    subject : the result of ``open_subject``, or inputs.
    budget : number of labels, 1..N. seed : the same seed draws the same inputs.
    technique : a name in SELECTORS; rrs by default, srs if no score is known.
    auxiliary : the auxiliary variable, among ``subject.inputs.scores``; NAME:lower if smaller means likelier to fail;
        several are averaged. By default combined if there are other models, else confidence.
    features : layers for techniques that need features, such as "LHL"; by default those of the table, else LHL.
    variant, options : of the technique; those it does not have are refused.
    each : a column, name -> N values, such as ``{"light": frame["light"]}``: each value gets labels of its own, so that the
        accuracy of each has the same width. The plan then draws a random sample from every part, so it takes no
        technique.
    half_width : for ``each``, wanted half-width in place of a budget, which follows from it: 0.05 for +- 5 points.

    Returns
    -------
    Plan; ``rows`` are the inputs to label, ``to_frame()`` a DataFrame, ``write(path)`` makes a PLAN.json for the
    terminal.

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
    if each is not None:
        return make_plan(inputs, _each_part(inputs, each, half_width, budget, seed, technique))
    if budget is None or half_width is not None:
        raise BadInput(
            f"The budget is {budget} and the half-width {half_width}; expected a budget, or each= with one of them. Give "
            "budget=200, for example."
        )
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


def _each_part(
    inputs: Inputs,
    each: Mapping[str, Sequence[Any]],
    half_width: float | None,
    budget: int | None,
    seed: int,
    technique: str | None,
) -> Request:
    if len(each) != 1 or technique is not None:
        raise BadInput(
            f"each has {len(each)} columns and the technique is {technique}; expected one column and no technique. Give each="
            '{"light": values}, for example.'
        )
    ((name, values),) = each.items()
    plan = each_part_plan(inputs, grouping(name, values, len(inputs)), half_width=half_width, budget=budget)
    return each_part_request(plan, seed)
