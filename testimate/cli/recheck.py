"""The verb that chooses which of a plan's answers to look at again."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import Seed, Tolerance
from testimate.cli.output import are, aside, check_output
from testimate.core.files import write_whole
from testimate.core.words import counted, spaced

verbs = typer.Typer()


@verbs.command(epilog="Example: testimate recheck plan.json votes.csv --count 40 --seed 1 --out check.csv")
def recheck(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv", help="row and one of failed, label.")],
    count: Annotated[int, typer.Option(help="How many answers to look at again.")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="CHECK.csv", help="The list to write; it does not show the answers.")],
    tolerance: Tolerance = None,
) -> None:
    """Choose which answers to look at again, so that testers' errors can be corrected: testimate estimate ... --recheck."""
    from testimate.planning.estimate import with_tolerance
    from testimate.planning.plan import check_fingerprint, files_of_plan, inputs_of_plan, read_plan
    from testimate.planning.second_look import check_file, second_looks
    from testimate.planning.task_estimates import outcomes_of
    from testimate.planning.votes import read_votes, verdicts_of_votes

    plan = read_plan(plan_file)
    check_output(out, plan_file, votes_file, *files_of_plan(plan_file, plan))
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is not None:
        check_fingerprint(plan, inputs)
    kind, votes = read_votes(votes_file, aside)
    task = plan.numbers if inputs is None else inputs.task
    if tolerance is not None:
        task = with_tolerance(task, tolerance, kind)
        inputs = None if inputs is None else replace(inputs, task=task)
    verdicts = verdicts_of_votes(plan.draws, kind, votes, inputs)
    if task is not None and kind != "failed":
        verdicts = outcomes_of(task, verdicts)
    second = second_looks(inputs, plan.design, verdicts, count, seed)
    write_whole(out, check_file(second, plan.names))
    chosen = len(second.looks)
    typer.echo(
        f"{counted(chosen, 'answer')} of {spaced(second.of)} to look at again {are(chosen)} in {out}. "
        "Fill in the column label without looking at the first answers, then: "
        f"testimate estimate {plan_file} {votes_file} --recheck {out}"
    )
