"""Several models on the same inputs: ranked without a label, and with few; the techniques that label for this, by name."""

from typing import Any

from testimate.comparison.predictions import Predictions
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.plug_ins import LazyMapping

COMPARING: LazyMapping[str, Any] = LazyMapping(
    "testimate.comparison",
    {"tell-apart": "differences:TellingApart", "sds": "ranking:MostDiscriminating"},
    "technique that compares models",
)
"""For inputs that several models predict; the others, such as srs, work there too."""


def compared_predictions(inputs: Inputs) -> Predictions:
    """What the models that are compared on these inputs predict; BadInput where it is one model alone."""
    if inputs.compared_predictions is None or not inputs.task.one_class:
        raise BadInput(
            "These inputs belong to one model. Expected the predictions of several. Choose them under Models, Compare."
        )
    return Predictions(inputs.compared, inputs.compared_predictions, inputs.task.classes)
