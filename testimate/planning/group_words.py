"""What to say where inputs belong together, or seem to, and a technique draws them one by one."""

from testimate.core.inputs import Inputs
from testimate.planning.resolved import technique_named


def drawn_apart(inputs: Inputs, technique: str) -> str:
    """A sentence on inputs of groups that are drawn one by one; "" where they are drawn as wholes or belong to none."""
    if "groups" in technique_named(technique).needs:
        return ""
    if inputs.groups is None:
        return inputs.looks_grouped
    return (
        f"The inputs belong together by {inputs.groups.column:.60}, and {technique} draws them one by one: the "
        "estimate holds for this set, but is less certain for new groups than its interval says. srs-groups and "
        "rrs-groups draw groups as wholes."
    )
