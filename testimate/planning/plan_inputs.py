"""The tables that a plan was made from, found again by their names or beside it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.subject import Subject
from testimate.planning.known_inputs import inputs_of_table
from testimate.planning.plan import Plan, check_fingerprint
from testimate.tasks.regression import SaidTolerance, as_said

if TYPE_CHECKING:
    from testimate.subjects.prediction_table import TableChoices


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
    table, features, training = files_of_plan(plan_file, plan)
    lost = (plan.features_file and features is None) or (plan.training and training is None)
    others = [other for name in plan.others if (other := _looked_for(plan_file, name)) is not None]
    lost = lost or (plan.pictures and _looked_for(plan_file, plan.pictures) is None)
    if table is None or lost or len(others) < len(plan.others):
        return None
    return inputs_of_table(
        table,
        features,
        training,
        tolerance=_tolerance(plan),
        task=plan.task,
        undecided="classes",
        choices=_choices(plan_file, plan),
        others=others,
    )


def subject_of_plan(plan_file: Path, plan: Plan, files: Path | None = None) -> Subject:
    """The table a plan was made from, with what is to be seen of each row.

    ``files`` : a folder or zip with the files that its rows name. Raises BadInput where the table is not found or they are not
    its files, and SubjectChanged where it is another one.
    """
    from testimate.subjects.prediction_table import read_table

    table = files_of_plan(plan_file, plan)[0]
    if table is None:
        raise BadInput(f"The plan's table {plan.table} was not found, and the inputs are in it. Restore the table.")
    choices = _choices(plan_file, plan)
    subject = read_table(
        table,
        name=table.name,
        tolerance=_tolerance(plan),
        task=plan.task,
        undecided="classes",
        choices=choices if files is None else replace(choices, inputs=files),
    )
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is None:
        raise BadInput(f"A file that the plan names beside its table {plan.table} was not found. Restore it.")
    check_fingerprint(plan, inputs)
    return replace(subject, inputs=inputs)


def _tolerance(plan: Plan) -> SaidTolerance | None:
    return None if plan.numbers is None else as_said(plan.numbers)


def _choices(plan_file: Path, plan: Plan) -> "TableChoices":
    from testimate.subjects.prediction_table import TableChoices  # PyArrow, which the files' names do without

    return TableChoices(
        columns=plan.columns or (),
        probabilities_by_name=plan.columns is not None,
        class_names=plan.class_names,
        top_k=plan.top_k,
        further=plan.further,
        grades=plan.grades,
        inputs=_looked_for(plan_file, plan.pictures),
        least_score=plan.least_score,
    )
