"""What each version says about the inputs, in the classes that were answered in."""

from collections.abc import Sequence

from testimate.core.errors import TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.labels.notes import DrawnPlan
from testimate.planning.reused_labels import LabeledPlan, renumbered
from testimate.project.project import Project
from testimate.project.versions import Version

Known = dict[str, Inputs | str]
"""What each version says about the inputs, in the numbering of classes that was answered in; or why that is not known."""


def inputs_of_versions(project: Project, versions: Sequence[Version], classes: Sequence[str] | None) -> Known:
    """What each of the versions says, in this numbering of classes; a sentence where it cannot be said."""
    found: Known = {}
    for one in versions:
        if project.compute(one.key) is not None:
            found[one.key] = "Its model is still running over the inputs. Try again in a while."
            continue
        try:
            inputs = project.inputs(one.key)
            found[one.key] = inputs if classes is None else renumbered(inputs, classes)
        except TestimateError as error:
            found[one.key] = str(error)
    return found


def inputs_in(known: Known, key: str) -> Inputs:
    """What the version of that key says, where this is known."""
    inputs = known[key]
    assert isinstance(inputs, Inputs)
    return inputs


def answered_classes(drawn: Sequence[DrawnPlan], plans: Sequence[LabeledPlan]) -> tuple[str, ...] | None:
    """The classes that could be answered in every plan, in the first one's order; None without a plan."""
    if not plans:
        return None
    used = [one.classes for one in drawn]
    return tuple(name for name in used[0] if all(name in other for other in used))


def other_of_version(known: Known, one: Version) -> OtherModel:
    """The version as another model, which helps to judge the others."""
    inputs = inputs_in(known, one.key)
    return OtherModel(one.name, inputs.predictions, inputs.confidence)
