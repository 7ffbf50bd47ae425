"""What a verb works on: the inputs of a subject, or inputs themselves."""

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject


def known_inputs_of(subject: Subject | Inputs) -> Inputs:
    """The inputs; BadInput for a subject whose model has not run on them yet."""
    if isinstance(subject, Inputs):
        return subject
    if subject.inputs is None:
        raise BadInput(
            f"{subject.name} is a model with its data, which says nothing about its inputs until it has run; expected a "
            f"table of predictions. Take what a project computes once: Project(folder).inputs({subject.key!r})"
        )
    return subject.inputs
