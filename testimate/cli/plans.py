"""The verbs around a plan: select, continue, estimate."""

from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer

from testimate.cli.options import Auxiliary, Features, Json, Quiet, Seed, Table, Tolerance, Training, Variant
from testimate.cli.output import ShownProgress, write_json
from testimate.cli.tables import inputs_of_plan, read_inputs
from testimate.core.errors import BadInput
from testimate.core.estimate import Estimate
from testimate.core.selector import Request

verbs = typer.Typer()

INTERVALS: tuple[Literal["ordinary", "conservative"], ...] = ("ordinary", "conservative")
MODELS: tuple[Literal["difference", "regression"], ...] = ("difference", "regression")


@verbs.command(epilog="Example: testimate select table.csv --technique rrs --budget 200 --seed 1 --out plan.json")
def select(
    table: Table,
    budget: Annotated[int, typer.Option(help="How many labels.")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The plan to write.")],
    technique: Annotated[
        str | None, typer.Option(help="See: testimate techniques. rrs by default, srs where no score is known.")
    ] = None,
    auxiliary: Auxiliary = None,
    features: Features = None,
    training: Training = None,
    variant: Variant = None,
    options: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of it.")] = None,
    tolerance: Tolerance = None,
    quiet: Quiet = False,
) -> None:
    """Choose which inputs to label and write them, in labeling order, to a plan."""
    from testimate.plans.known_inputs import FILE_FEATURES
    from testimate.plans.objectives import advise
    from testimate.plans.plan import make_plan

    with ShownProgress(quiet):
        inputs = read_inputs(table, features, training, tolerance)
        if technique is None:
            advice = advise(inputs, "tight interval", live=False)
            technique, auxiliary = advice.technique, auxiliary or advice.auxiliary
        request = Request(
            technique=technique,
            budget=budget,
            seed=seed,
            auxiliary=auxiliary or "confidence",
            features=FILE_FEATURES if features else "LHL",
            variant=variant,
            options=dict(key_and_value(text) for text in options or ()),
        )
        sources = {"table": str(table), "features_file": str(features or ""), "training": str(training or "")}
        plan = make_plan(inputs, request, **sources)
    plan.write(out)
    more = (
        "" if len(plan.draws) == budget else f", the rest follows with: testimate continue {out} VOTES.csv --out {out}"
    )
    typer.echo(f"{len(plan.draws)} inputs to label, by {technique}, are in {out}{more}")


@verbs.command("continue", epilog="Example: testimate continue plan.json votes.csv --out plan.json")
def continue_(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv")],
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The longer plan to write.")],
) -> None:
    """Draw what follows in a plan whose technique learns from the labels."""
    from testimate.plans.plan import check_fingerprint, continue_plan, read_plan
    from testimate.plans.votes import read_votes, verdicts_of_votes

    plan = read_plan(plan_file)
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is None:
        raise BadInput(
            f"The plan's table {plan.table} was not found, and what follows depends on it. Restore the table."
        )
    check_fingerprint(plan, inputs)
    kind, votes = read_votes(votes_file)
    longer = continue_plan(inputs, plan, verdicts_of_votes(plan.draws, kind, votes, inputs))
    longer.write(out)
    typer.echo(f"{len(longer.draws) - len(plan.draws)} more inputs to label, {len(longer.draws)} in all, are in {out}")


@verbs.command(epilog="Example: testimate estimate plan.json votes.csv --json -")
def estimate(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv", help="row and one of failed, loss, label.")],
    level: Annotated[float, typer.Option(help="How sure the interval is, above 0 and below 1.")] = 0.95,
    interval: Annotated[
        str, typer.Option(help="ordinary, or conservative: rather too wide than too narrow.")
    ] = "ordinary",
    assisted: Annotated[
        str | None,
        typer.Option(help="Helped by a model of the losses: difference (chances as they are) or regression."),
    ] = None,
    auxiliary: Annotated[str | None, typer.Option(help="Score the model takes; the confidence by default.")] = None,
    tolerance: Tolerance = None,
    to: Json = "",
) -> None:
    """The accuracy of the whole set from the votes on a plan's inputs."""
    from testimate.estimators import estimator_of
    from testimate.plans.plan import check_fingerprint, read_plan
    from testimate.plans.votes import read_votes, verdicts_of_votes

    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; it must lie between 0 and 1. Give 0.95, for example.")
    width = one_of(interval, INTERVALS, "interval")
    model = None if assisted is None else one_of(assisted, MODELS, "model")
    plan = read_plan(plan_file)
    inputs = inputs_of_plan(plan_file, plan, tolerance)
    if inputs is not None:
        check_fingerprint(plan, inputs)
    elif model is None:
        typer.echo(f"The plan's table {plan.table} was not found; whether it has changed is not checked.", err=True)
    kind, votes = read_votes(votes_file)
    verdicts = verdicts_of_votes(plan.draws, kind, votes, inputs)
    bound = 1.0 if kind == "failed" else plan.loss_bound
    result = estimator_of(plan.design, width).estimate(plan.design, verdicts, level=level, loss_bound=bound)
    more = ""
    if model is not None:
        from testimate.plans.assisted import assisted_estimate

        if inputs is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and the guesses come from it. Restore the table."
            )
        found = assisted_estimate(
            inputs,
            plan.design,
            verdicts,
            result,
            model=model,
            auxiliary=auxiliary,
            interval=width,
            loss_bound=bound,
        )
        result, more = found.estimate, found.words
    if to:
        write_json(result.to_json(), to)
        return
    say(result, more)


def say(result: Estimate, more: str) -> None:
    """The estimate on stdout, with ``more`` to say of how it came about."""
    typer.echo(
        f"accuracy {result.accuracy:.4f} from {result.labeled} labels, {result.skipped} skipped ({result.method})"
    )
    if result.low is not None and result.high is not None:
        typer.echo(
            f"{result.level:.0%} interval {result.low:.4f} to {result.high:.4f}, good at a size fixed beforehand"
        )
    for sentence in (result.why, more):
        if sentence:
            typer.echo(sentence)
    if result.always_low is not None and result.always_high is not None:
        ends = f"{result.always_low:.4f} to {result.always_high:.4f}"
        typer.echo(f"{result.level:.0%} interval {ends}, good whenever you stop")


Name = TypeVar("Name", bound=str)


def one_of(value: str, names: tuple[Name, ...], what: str) -> Name:
    """The name that the value is; BadInput where it is none of them."""
    for name in names:
        if value == name:
            return name
    raise BadInput(f"The {what} is {value!r:.60}; there are {' and '.join(names)}. Choose one of these.")


def key_and_value(text: str) -> tuple[str, str]:
    """KEY=VALUE taken apart."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise BadInput(f"--set got {text!r:.60}; needed is KEY=VALUE, such as --set alpha=0.8.")
    return key.strip(), value.strip()
