"""Predictions in the numbering of classes in which labels were given."""

from collections.abc import Sequence
from dataclasses import replace

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.tasks.classification import Classification


def renumbered(inputs: Inputs, classes: Sequence[str]) -> Inputs:
    """The predictions with their classes numbered as in ``classes``, among which they must be."""
    own = inputs.task.classes
    if tuple(own) == tuple(classes):
        return inputs
    places = {name: place for place, name in enumerate(classes)}
    strange = sorted({own[place] for place in set(inputs.predictions.tolist())} - set(places))
    if strange:
        raise BadInput(
            f"It predicts the class {strange[0]!r:.40}, which was not among the answers when these inputs were "
            f"labeled; expected the classes {', '.join(classes)!s:.80}. Use the same names, or label a new plan of it."
        )
    numbers = [places.get(name, -1) for name in own]
    said = inputs.predictions.copy()
    for place in set(said.tolist()):
        said[inputs.predictions == place] = numbers[place]
    return replace(
        inputs, task=Classification(tuple(classes)), predictions=said, probabilities=None, losses=None, truth=None
    )
