"""The verbs that judge: metrics of an order, studies of techniques."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import Features, Json, Quiet, Seed, Table, Tolerance, Training, Variant
from testimate.cli.output import ShownProgress, write_json
from testimate.cli.tables import read_inputs

verbs = typer.Typer()


@verbs.command(epilog="Example: testimate metrics order.csv --size 10000 --json -")
def metrics(
    order_file: Annotated[Path, typer.Argument(metavar="ORDER.csv", help="failed and probability, by priority.")],
    size: Annotated[int, typer.Option(help="Inputs in the whole set.")],
    faults: Annotated[int | None, typer.Option(help="Faults in the whole set, where the order is cut short.")] = None,
    gamma: Annotated[float, typer.Option(help="SFDR's penalty for a correct input, above 0 and below 1.")] = 0.5,
    to: Json = "",
) -> None:
    """How well an order of priority finds the faults: FDRO, APFD, RAUC, ATRC, WFDR, SFDR and their severity."""
    from testimate.metrics import order_metrics
    from testimate.plans.order import read_order

    order = read_order(order_file)
    result = order_metrics(order.failed, order.probability, size=size, faults=faults, gamma=gamma).to_json()
    if to:
        write_json(result, to)
        return
    for name, value in result.items():
        typer.echo(f"{name:<9} {value:.4f}" if isinstance(value, float) else f"{name:<9} {value}")


@verbs.command(
    epilog="Example: testimate study table.csv --technique rrs --technique srs --budget 200 --repetitions 300 --seed 1"
)
def study(
    table: Table,
    technique: Annotated[list[str], typer.Option(help="May stand several times.")],
    budget: Annotated[list[int], typer.Option(help="May stand several times.")],
    seed: Seed,
    repetitions: Annotated[int, typer.Option(min=1, help="Campaigns per technique and budget.")] = 300,
    auxiliary: Annotated[list[str] | None, typer.Option(help="May stand several times.")] = None,
    variant: Variant = None,
    features: Features = None,
    training: Training = None,
    tolerance: Tolerance = None,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Techniques side by side where the truth is known: errors, bias, coverage and failures over many campaigns."""
    from testimate.plans.known_inputs import FILE_FEATURES
    from testimate.studies import study as run_study
    from testimate.studies.tables import to_markdown

    with ShownProgress(quiet) as progress:
        rows = run_study(
            read_inputs(table, features, training, tolerance),
            techniques=technique,
            auxiliaries=auxiliary or ["confidence"],
            budgets=budget,
            repetitions=repetitions,
            seed=seed,
            variant=variant,
            features=FILE_FEATURES if features else "LHL",
            progress=progress,
        )
    if to:
        write_json([row.to_json() for row in rows], to)
        return
    typer.echo(to_markdown(rows))
