"""The request a plan is made from: what was specified, completed by the advice."""

from collections.abc import Mapping, Sequence
from typing import Any

from testimate.advice.objectives import advise
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.planning.needs import default_auxiliary
from testimate.subjects.table_features import FILE_FEATURES


def plan_request(
    inputs: Inputs,
    *,
    budget: int,
    seed: int,
    technique: str | None,
    auxiliary: Sequence[str],
    features: str | None,
    variant: str | None,
    options: Mapping[str, Any],
) -> Request:
    """The request for a list that is known before any label is.

    ``technique`` is by default the one advised for such a list, ``auxiliary`` its own, else what several models say together,
    else confidence; several are joined. ``features`` are by default those given with a table, else the last hidden layer.
    """
    chosen = "+".join(auxiliary)
    if technique is None:
        advice = advise(inputs, "tight interval", live=False)
        technique, chosen = advice.technique, chosen or advice.auxiliary
    return Request(
        technique=technique,
        budget=budget,
        seed=seed,
        auxiliary=chosen or (default_auxiliary(inputs) if inputs.others else None) or "confidence",
        features=features or (FILE_FEATURES if FILE_FEATURES in inputs.features else "LHL"),
        variant=variant,
        options=options,
    )
