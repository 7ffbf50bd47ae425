"""Tables as verbs read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from testimate.core.inputs import Inputs

if TYPE_CHECKING:  # named only: a verb that reads no plan need not load what plans need
    from testimate.plans.plan import Plan


def read_inputs(table: Path, features: Path | None, training: Path | None, tolerance: float | None) -> Inputs:
    """What a table, and a features file and a training table beside it, say of the inputs."""
    from testimate.plans.known_inputs import inputs_of_table

    return inputs_of_table(table, features, training, tolerance=tolerance)


def inputs_of_plan(plan_file: Path, plan: Plan, tolerance: float | None = None) -> Inputs | None:
    """The inputs a plan was made from, looked for as named and beside the plan; None where they are not found."""
    found = []
    for name in (plan.table, plan.features_file, plan.training):
        places = [place for place in (Path(name), plan_file.parent / Path(name).name) if name and place.is_file()]
        if name and not places:
            return None
        found.append(places[0] if places else None)
    return read_inputs(found[0], found[1], found[2], tolerance) if found[0] else None
