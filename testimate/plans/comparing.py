"""Techniques that choose what to label so that several models can be ranked, by name."""

from collections.abc import Callable
from typing import Any

from testimate.comparison.predictions import Predictions
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.lazy import LazyMapping
from testimate.core.selector import Request, Selector
from testimate.core.task import Classification

COMPARING: LazyMapping[str, Any] = LazyMapping(
    "testimate.plans",
    {"tell-apart": "telling_apart:TellingApart", "sds": "most_discriminating:MostDiscriminating"},
    "technique that compares models",
)
"""For inputs that several models predict; the others, such as srs, work there too."""


def compared_predictions(inputs: Inputs) -> Predictions:
    """What the models that are compared on these inputs predict; BadInput where it is one model alone."""
    if inputs.compared_predictions is None or not isinstance(inputs.task, Classification):
        raise BadInput(
            "These inputs are of one model; this technique tells several apart. Choose the models on the Compare models page."
        )
    return Predictions(inputs.compared, inputs.compared_predictions, inputs.task.classes)


def build_comparing(inputs: Inputs, request: Request, options: Callable[[Any], dict[str, Any]]) -> Selector:
    """The selector of a request for one of these techniques; ``options`` checks those of the technique."""
    technique, predictions = COMPARING[request.technique], compared_predictions(inputs)
    wanted: Any = predictions.labels if request.technique == "tell-apart" else predictions
    made: Selector = technique(wanted, budget=request.budget, seed=request.seed, **options(technique))
    return made
