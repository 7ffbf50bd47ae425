"""Tables as verbs read them."""

from pathlib import Path

from testimate.core.inputs import Inputs


def read_inputs(table: Path, features: Path | None, tolerance: float | None) -> Inputs:
    """What a table, and a features file beside it, say of the inputs."""
    from testimate.plans.known_inputs import inputs_of_table

    return inputs_of_table(table, features, tolerance=tolerance)


def inputs_of_plan(plan_file: Path, table: str, features: str, tolerance: float | None = None) -> Inputs | None:
    """The inputs a plan was made from, looked for as named and beside the plan; None where they are not found."""
    found = []
    for name in (table, features):
        places = [place for place in (Path(name), plan_file.parent / Path(name).name) if name and place.is_file()]
        if name and not places:
            return None
        found.append(places[0] if places else None)
    return read_inputs(found[0], found[1], tolerance) if found[0] else None
