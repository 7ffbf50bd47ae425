"""The tables that a plan was made of, found again by their names or beside it."""

from pathlib import Path

from testimate.core.inputs import Inputs
from testimate.core.tolerance import as_said
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.plan import Plan


def files_of_plan(plan_file: Path, plan: Plan) -> tuple[Path | None, Path | None, Path | None]:
    """Table, features and training table of a plan, looked for as named and beside it; None for what is not found."""
    found: list[Path | None] = []
    for name in (plan.table, plan.features_file, plan.training):
        found.append(_looked_for(plan_file, name))
    return found[0], found[1], found[2]


def _looked_for(plan_file: Path, name: str) -> Path | None:
    """A file of the plan, as named or beside it; None where it is not found."""
    places = (place for place in (Path(name), plan_file.parent / Path(name).name) if name and place.exists())
    return next(places, None)


def inputs_of_plan(plan_file: Path, plan: Plan) -> Inputs | None:
    """The inputs a plan was made from, of the task they had; None where one of its files is not found."""
    from testimate.subjects.prediction_table import TableChoices  # PyArrow, which the files' names do without

    table, features, training = files_of_plan(plan_file, plan)
    lost = (plan.features_file and features is None) or (plan.training and training is None)
    others = [other for name in plan.others if (other := _looked_for(plan_file, name)) is not None]
    if table is None or lost or len(others) < len(plan.others):
        return None
    tolerance = None if plan.numbers is None else as_said(plan.numbers)
    choices = TableChoices(
        columns=plan.columns or (),
        probabilities_by_name=plan.columns is not None,
        class_names=plan.class_names,
        top_k=plan.top_k,
        further=plan.further,
    )
    return inputs_of_table(
        table,
        features,
        training,
        tolerance=tolerance,
        task=plan.task,
        undecided="classes",
        choices=choices,
        others=others,
    )
