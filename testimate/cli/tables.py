"""Tables as verbs read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.task import TaskKind
from testimate.core.tolerance import SaidTolerance, as_said

if TYPE_CHECKING:  # named only: a verb that reads no plan need not load what plans need
    from testimate.planning.plan import Plan
    from testimate.subjects.prediction_table import TableChoices


def read_inputs(
    table: Path,
    features: Path | None,
    training: Path | None,
    tolerance: SaidTolerance | None,
    training_features: Path | None = None,
    *,
    task: TaskKind | None = None,
    choices: TableChoices | None = None,
    others: Sequence[Path] | None = None,
) -> Inputs:
    """What a table, and a features file and a training table beside it, say of the inputs."""
    from testimate.planning.known_inputs import inputs_of_table

    check_is_file(features, training, training_features, *(others or ()))
    return inputs_of_table(
        table,
        features,
        training,
        training_features=training_features,
        tolerance=tolerance,
        task=task,
        choices=choices,
        others=others or (),
        tell=lambda sentence: typer.echo(sentence, err=True),
    )


def tell_others(inputs: Inputs) -> None:
    """Says on stderr how often other models agree, and which of them may be of no use."""
    from testimate.planning.other_models import remarks

    for remark in remarks(inputs):
        typer.echo(remark, err=True)


def table_choices(
    columns: Sequence[str] | None,
    inputs: Path | None = None,
    top_k: int = 1,
    further: Sequence[str] | None = None,
) -> TableChoices:
    """What was said of a table: its columns (role=name), where its inputs lie, how many first classes count, further ones."""
    from testimate.subjects.prediction_table import TableChoices

    pairs = []
    for said in columns or ():
        role, equals, name = said.partition("=")
        if not (role and equals and name):
            raise BadInput(f"--column got {said!r:.60}; expected ROLE=NAME, such as prediction=guess.")
        pairs.append((role.strip(), name))
    return TableChoices(columns=tuple(pairs), inputs=inputs, top_k=top_k, further=tuple(further or ()))


def tell_files(inputs: Inputs) -> None:
    """Says on stderr which rows have no file, and which files belong to no row."""
    from testimate.subjects.table_media import Names

    if isinstance(inputs.names, Names):
        for remark in inputs.names.remarks:
            typer.echo(remark, err=True)


def check_is_file(*paths: Path | None) -> None:
    """BadInput where a folder is named in the place of a file to read."""
    for path in paths:
        if path is not None and path.is_dir():
            raise BadInput(f"{str(path)!r:.200} is a folder. Name a file in it.")


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
    from testimate.planning.known_inputs import inputs_of_table
    from testimate.subjects.prediction_table import TableChoices

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
