"""The verb that orders all inputs by how much their labels are worth."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.leaks import tell_leaks
from testimate.cli.options import (
    Columns,
    Features,
    InputFiles,
    Others,
    Quiet,
    Seed,
    Table,
    TaskSaid,
    Tolerance,
    TopK,
    Training,
    Variant,
    key_and_value,
)
from testimate.cli.output import ShownProgress, are, check_output
from testimate.cli.tables import read_inputs, table_choices, tell_files, tell_others
from testimate.core.selector import Request
from testimate.core.words import counted

verbs = typer.Typer()


@verbs.command(epilog="Example: testimate prioritize table.csv --technique severity-first --seed 1 --out order.csv")
def prioritize(
    table: Table,
    technique: Annotated[str, typer.Option(help="severity-first, deepgini, dsa, ...; see: testimate techniques")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="ORDER.csv", help="The order to write, all inputs.")],
    other: Others = None,
    features: Features = None,
    training: Training = None,
    training_features: Annotated[
        Path | None, typer.Option(metavar="F.npy", help="(M, width) features of the training inputs.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(help="Number of labels that the order is made for, used by severity-first.")
    ] = None,
    variant: Variant = None,
    options: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of the technique.")
    ] = None,
    tolerance: Tolerance = None,
    task: TaskSaid = None,
    column: Columns = None,
    top_k: TopK = 1,
    inputs_at: InputFiles = None,
    quiet: Quiet = False,
) -> None:
    """Order all inputs by how much their label is worth; with known answers, testimate metrics judges the order."""
    from testimate.planning.build import technique_named
    from testimate.planning.needs import default_auxiliary
    from testimate.planning.priority import check_takes_others, priority, write_order
    from testimate.subjects.table_features import FILE_FEATURES

    check_output(out, table, features, training, training_features, *(other or ()))
    technique_named(technique)  # a name that is none is refused before a table is read for minutes
    if other:
        check_takes_others(technique)
    choices = table_choices(column, inputs_at, top_k)
    with ShownProgress(quiet) as progress:
        inputs = read_inputs(
            table, features, training, tolerance, training_features, task=task, choices=choices, others=other
        )
        request = Request(
            technique=technique,
            budget=len(inputs) if budget is None else budget,
            seed=seed,
            auxiliary=(default_auxiliary(inputs) if other else None) or "confidence",
            features=FILE_FEATURES if features else "LHL",
            variant=variant,
            options=dict(key_and_value(text) for text in options or ()),
        )
        order = priority(inputs, request, progress=progress)
        tell_leaks(inputs, [technique], [request.auxiliary])
    write_order(inputs, order, out)
    tell_files(inputs)
    tell_others(inputs)
    typer.echo(f"{counted(len(order.rows), 'input')} in order of priority {are(len(order.rows))} in {out}")
    if order.learned:
        typer.echo(f"{technique} learned from the table's answers, one after another, as it would from a tester's.")
    elif inputs.losses is None:
        typer.echo("The table has no answers: failed is empty in it, to be filled in by whoever labels.")
