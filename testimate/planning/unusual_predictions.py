"""Signs in the predictions that the inputs were not prepared as in the network's training."""

import numpy as np

from testimate.core.inputs import Inputs
from testimate.core.words import percent, spaced
from testimate.tasks.classification import Classification

CERTAIN, MOST_CERTAIN = 0.9999, 0.95
"""A confidence that hardly occurs, and the share of the inputs beyond which that many are unusual."""


def unusual_predictions(inputs: Inputs) -> tuple[str, ...]:
    """A sentence for each sign of a wrong scale, channel order or class list; none for a network that is read correctly.

    More than 95 % of the confidences above 0.9999, or fewer than half of the classes ever predicted (of at most as many
    classes as there are inputs).
    """
    said = []
    if inputs.confidence is not None and len(inputs):
        certain = float((inputs.confidence > CERTAIN).mean())
        if certain > MOST_CERTAIN:
            said.append(
                f"{percent(certain)} of the confidences exceed {CERTAIN}: networks are rarely that sure. The numbers may "
                "not be on the scale that the model was trained with; look at the preprocessing."
            )
    if isinstance(inputs.task, Classification):
        first = inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
        count, possible = len(np.unique(first)), len(inputs.task.classes)
        if 2 * count < min(possible, len(inputs)):
            said.append(
                f"Only {spaced(count)} of {spaced(possible)} classes are ever predicted. Either the data hold no others, or "
                "the inputs are not prepared as the model was trained; look at the preprocessing."
            )
    return tuple(said)
