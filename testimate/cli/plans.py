"""The verbs that make a plan: select, and continue where its technique learns.

Warnings on the terminal about scores that look as if they were made from the answers.

The verb that orders all inputs by how much their labels are worth.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.output import (
    Columns,
    Features,
    Further,
    Grades,
    InputFiles,
    LeastScore,
    Others,
    Quiet,
    Seed,
    ShownProgress,
    Table,
    TaskSaid,
    Tolerance,
    TopK,
    Training,
    Variant,
    are,
    aside,
    check_output,
    key_and_value,
    read_inputs,
    table_choices,
    tell_files,
    tell_groups,
    tell_others,
)
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import counted, spaced

if TYPE_CHECKING:
    from testimate.core.inputs import Inputs
    from testimate.core.selector import Request


def tell_leaks(inputs: Inputs, techniques: Sequence[str], auxiliaries: Sequence[str]) -> None:
    """Warns on stderr of each score these techniques take that was probably made from the true labels, where they are known.

    Scores made from the outputs alone cannot be; fewer than 20 failures cannot tell.
    """
    from testimate.auxiliary import AUXILIARY
    from testimate.auxiliary.leak import leaks_truth

    if inputs.losses is None or not inputs.single_class:
        return
    for name in _taken(techniques, auxiliaries):
        if name not in inputs.scores or name in AUXILIARY:
            continue
        try:
            found = leaks_truth(inputs.scores[name], inputs.predictions, inputs.losses, name=f"The score {name}")
        except NotEnoughLabels:
            return
        if found.warning:
            typer.echo(found.warning, err=True)


def _taken(techniques: Sequence[str], auxiliaries: Sequence[str]) -> list[str]:
    """The scores that these techniques take, each once."""
    from testimate.planning.build import technique_named
    from testimate.planning.needs import uses_of

    taken: list[str] = []
    for technique in map(technique_named, techniques):
        arguments = (*technique.needs, *uses_of(technique))
        if "scores" in arguments:
            taken += [auxiliary.partition(":")[0] for auxiliary in auxiliaries]
        taken += arguments
    return list(dict.fromkeys(taken))


verbs = typer.Typer()


@verbs.command(epilog="Example: testimate select table.csv --technique rrs --budget 200 --seed 1 --out plan.json")
def select(
    table: Table,
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The plan to write.")],
    budget: Annotated[int | None, typer.Option(help="How many labels; with --each --half-width it follows.")] = None,
    each: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Give every value of a column, or of prediction, its own labels, so that the accuracy of each has the same "
            "width.",
        ),
    ] = None,
    half_width: Annotated[
        float | None, typer.Option(help="For --each: how wide, 0.05 for ± 5 points; --budget follows from it.")
    ] = None,
    technique: Annotated[
        str | None, typer.Option(help="See: testimate techniques. rrs by default, srs where no score is known.")
    ] = None,
    auxiliary: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that predicts failure, by default combined where there are other models, else confidence; "
            "NAME:lower where smaller means more likely. Several are combined by their mean, each scaled to 0..1."
        ),
    ] = None,
    other: Others = None,
    features: Features = None,
    training: Training = None,
    variant: Variant = None,
    options: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of the technique.")
    ] = None,
    tolerance: Tolerance = None,
    task: TaskSaid = None,
    column: Columns = None,
    top_k: TopK = 1,
    inputs_at: InputFiles = None,
    further: Further = None,
    grades: Grades = None,
    least_score: LeastScore = 0.0,
    quiet: Quiet = False,
) -> None:
    """Choose which inputs to label and write them, in labeling order, to a plan."""
    from testimate.advice.advice import plan_request
    from testimate.planning.build import technique_named
    from testimate.planning.forecast import no_estimate_follows
    from testimate.planning.plan import make_plan
    from testimate.subjects.table_features import FILE_FEATURES

    check_output(out, table, features, training, *(other or ()))
    if technique is not None:
        technique_named(technique)  # a name that is none is refused before a table is read for minutes
    choices = table_choices(column, inputs_at, top_k, further, grades, least_score)
    with ShownProgress(quiet):
        inputs = read_inputs(table, features, training, tolerance, task=task, choices=choices, others=other)
        if each is None:
            if budget is None or half_width is not None:
                raise BadInput(
                    "--half-width belongs to --each; expected --each COLUMN with it. Add that, or leave it out."
                    if half_width is not None
                    else "There is no --budget; expected how many labels. Give --budget 200, for example."
                )
            request = plan_request(
                inputs,
                budget=budget,
                seed=seed,
                technique=technique,
                auxiliary=auxiliary or (),
                features=FILE_FEATURES if features else "LHL",
                variant=variant,
                options=dict(key_and_value(text) for text in options or ()),
            )
            words = ""
        else:
            if technique or options or variant:
                raise BadInput(
                    "--each draws from every part at random; expected no --technique, --variant or --set with it. "
                    "Leave these out."
                )
            request, words = each_part_of_table(table, inputs, each, half_width, budget, seed)
        plan = make_plan(
            inputs,
            request,
            table=str(table),
            features_file=str(features or ""),
            training=str(training or ""),
            columns=choices.columns,
            further=choices.further,
            others=tuple(str(one) for one in other or ()),
            least_score=least_score,
            pictures=str(inputs_at or ""),
        )
        tell_leaks(inputs, [request.technique], [request.auxiliary])
    plan.write(out)
    tell_files(inputs)
    tell_others(inputs)
    tell_groups(inputs, request.technique)
    budget = request.budget
    if words:
        typer.echo(words)
    more = (
        "" if len(plan.draws) == budget else f", the rest follows with: testimate continue {out} VOTES.csv --out {out}"
    )
    typer.echo(
        f"{counted(len(plan.draws), 'input')} to label, by {request.technique}, {are(len(plan.draws))} in {out}{more}"
    )
    for sentence in (plan.warning, no_estimate_follows(plan.design, plan.draws, budget)):
        if sentence:
            typer.echo(sentence)


def each_part_of_table(
    table: Path, inputs: "Inputs", column: str, half_width: float | None, budget: int | None, seed: int
) -> "tuple[Request, str]":
    """The request of a plan that gives each value of a column its labels, and what it costs in words."""
    from testimate.planning.parts import each_part_plan, each_part_request
    from testimate.planning.table_columns import groupings_of_table

    (grouping,) = groupings_of_table(table, [column], len(inputs))
    plan = each_part_plan(inputs, grouping, half_width=half_width, budget=budget)
    return each_part_request(plan, seed), plan.words()


@verbs.command("continue", epilog="Example: testimate continue plan.json votes.csv --out plan.json")
def continue_(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv")],
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The longer plan to write.")],
) -> None:
    """Draw what follows in a plan whose technique learns from the labels."""
    from testimate.planning.plan import check_fingerprint, continue_plan, files_of_plan, inputs_of_plan, read_plan
    from testimate.planning.votes import read_votes, verdicts_of_votes

    plan = read_plan(plan_file)
    check_output(out, votes_file, *files_of_plan(plan_file, plan))
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is None:
        raise BadInput(
            f"The plan's table {plan.table} was not found, and what follows depends on it. Restore the table."
        )
    check_fingerprint(plan, inputs)
    kind, votes = read_votes(votes_file, aside)
    longer = continue_plan(inputs, plan, verdicts_of_votes(plan.draws, kind, votes, inputs))
    longer.write(out)
    more = len(longer.draws) - len(plan.draws)
    typer.echo(f"{counted(more, 'more input')} to label, {spaced(len(longer.draws))} in all, {are(more)} in {out}")


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
