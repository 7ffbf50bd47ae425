"""Reading the tables that are given to a verb."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from testimate.cli.output import aside
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.task import TaskKind
from testimate.tasks.regression import SaidTolerance

if TYPE_CHECKING:  # named only: a verb that reads no table need not load what tables need
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
    """What a table, and a features file and a training table beside it, say about the inputs."""
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
        tell=aside,
    )


def tell_others(inputs: Inputs) -> None:
    """Prints on stderr how often other models agree, and which of them may be useless."""
    from testimate.planning.other_models import remarks

    for remark in remarks(inputs):
        typer.echo(remark, err=True)


def table_choices(
    columns: Sequence[str] | None,
    inputs: Path | None = None,
    top_k: int = 1,
    further: Sequence[str] | None = None,
    grades: str | None = None,
    least_score: float = 0.0,
) -> TableChoices:
    """The options about a table: its columns (role=name), where its inputs are, top-k, and further classes.

    ``grades`` : the scale of outputs that are judged. ``least_score`` : of a detector, that of the boxes that are judged.
    """
    from testimate.subjects.prediction_table import TableChoices

    pairs = []
    for said in columns or ():
        role, equals, name = said.partition("=")
        if not (role and equals and name):
            raise BadInput(f"--column got {said!r:.60}; expected ROLE=NAME, such as prediction=guess.")
        pairs.append((role.strip(), name))
    return TableChoices(
        columns=tuple(pairs),
        inputs=inputs,
        top_k=top_k,
        further=tuple(further or ()),
        grades=grades or "",
        least_score=least_score,
    )


def tell_files(inputs: Inputs) -> None:
    """Prints on stderr which rows have no file, and which files belong to no row."""
    from testimate.subjects.media import Names

    if isinstance(inputs.names, Names):
        for remark in inputs.names.remarks:
            typer.echo(remark, err=True)


def tell_groups(inputs: Inputs, technique: str) -> None:
    """Prints on stderr that inputs belong together, or seem to, where the technique draws them one by one."""
    from testimate.planning.forecast import drawn_apart

    words = drawn_apart(inputs, technique)
    if words:
        typer.echo(words, err=True)


def check_is_file(*paths: Path | None) -> None:
    """BadInput where a folder is named instead of a file to read."""
    for path in paths:
        if path is not None and path.is_dir():
            raise BadInput(f"{str(path)!r:.200} is a folder. Name a file in it.")
