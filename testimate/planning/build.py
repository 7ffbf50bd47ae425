"""A tester's request and what is known of the inputs become the selector that draws them."""

from collections.abc import Callable, Mapping
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.selector import Request, Selector
from testimate.planning.needs import arguments_of
from testimate.planning.resolved import constructor_settings, resolve, stored_settings, technique_named


def build(inputs: Inputs, request: Request, resolved: Mapping[str, Any] | None = None) -> Selector:
    """The selector that the request asks for, over these inputs.

    The same inputs, request and settings give the same draws. A ``variant`` that the technique does not know leaves it at its
    only definition. Raises BadInput for an unknown technique, option, auxiliary variable or layer, for a task the technique is
    not for, and for a budget outside 1..N.

    Parameters
    ----------
    resolved : the settings stored with a session or plan (see ``resolve``); empty where it was made before they were stored.
        None for a new one, which takes the present defaults.
    """
    technique = technique_named(request.technique)
    if inputs.task.kind not in technique.claims.tasks:
        raise BadInput(
            f"{technique.name} is for {', '.join(technique.claims.tasks)} and this is a {inputs.task.kind} task. "
            "Choose another technique, such as srs."
        )
    settings = resolve(inputs, request) if resolved is None else stored_settings(inputs, request, resolved)
    make: Callable[..., Selector] = technique
    return make(
        **arguments_of(inputs, technique, request),
        budget=request.budget,
        seed=request.seed,
        variant=request.variant if request.variant in technique.variants else None,
        **constructor_settings(technique, settings),
    )
