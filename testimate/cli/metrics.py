"""The verb that judges an order of priority."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import Json
from testimate.cli.output import aside, check_json, write_json
from testimate.cli.tables import check_is_file

verbs = typer.Typer()


@verbs.command(epilog="Example: testimate metrics order.csv --size 10000 --json -")
def metrics(
    order_file: Annotated[Path, typer.Argument(metavar="ORDER.csv", help="failed and probability, by priority.")],
    size: Annotated[int, typer.Option(help="Inputs in the whole set.")],
    faults: Annotated[int | None, typer.Option(help="Faults in the whole set, where the order is cut short.")] = None,
    budget: Annotated[int | None, typer.Option(help="Labels that may be given; as many as faults by default.")] = None,
    gamma: Annotated[float, typer.Option(help="SFDR's penalty for a correct input, above 0 and below 1.")] = 0.5,
    to: Json = "",
) -> None:
    """How well an order of priority finds the faults: FDRO, APFD, RAUC, ATRC, WFDR, SFDR and their severity."""
    from testimate.metrics import order_metrics
    from testimate.planning.priority import read_order

    check_is_file(order_file)
    check_json(to, order_file)
    order = read_order(order_file, aside)
    judged = order_metrics(order.failed, order.probability, size=size, faults=faults, budget=budget, gamma=gamma)
    result = judged.to_json()
    if to:
        write_json(result, to)
        return
    for name, value in result.items():
        typer.echo(f"{name:<9} {value:.4f}" if isinstance(value, float) else f"{name:<9} {value}")
    for name, sentence in judged.why:
        typer.echo(f"{name}: {sentence}")
