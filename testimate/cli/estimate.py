"""The verb that turns votes on a plan's inputs into the accuracy of the whole set."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer

from testimate.cli.options import Json
from testimate.cli.output import check_json, in_percent, write_json
from testimate.cli.tables import files_of_plan, inputs_of_plan
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.estimate import Estimate
from testimate.core.inputs import Inputs
from testimate.core.measure import Measure, measure_of
from testimate.core.rounding import decimal, decimal_ends, spaced
from testimate.core.task import Regression
from testimate.planning.error_estimate import error_estimate, share_words, with_losses
from testimate.planning.honest_interval import with_honest_interval
from testimate.planning.interval_method import computed_anew
from testimate.reports.plurals import counted
from testimate.reports.words import skipped_words

verbs = typer.Typer()

INTERVALS: tuple[Literal["ordinary", "conservative"], ...] = ("ordinary", "conservative")
MODELS: tuple[Literal["difference", "regression"], ...] = ("difference", "regression")


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
    auxiliary: Annotated[
        str | None, typer.Option(help="Score the model of --assisted takes; the confidence by default.")
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Regression: the error beyond which an input has failed; the accuracy is then of the others."
        ),
    ] = None,
    to: Json = "",
) -> None:
    """The accuracy of the whole set from the votes on a plan's inputs."""
    from testimate.estimators import estimator_of
    from testimate.planning.plan import check_fingerprint, read_plan
    from testimate.planning.votes_file import read_votes, verdicts_of_votes

    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; it must lie between 0 and 1. Give 0.95, for example.")
    width = one_of(interval, INTERVALS, "interval")
    model = None if assisted is None else one_of(assisted, MODELS, "model")
    if auxiliary is not None and model is None:
        raise BadInput(
            f"--auxiliary is {auxiliary!r:.60} and nothing takes it; expected --assisted, whose model does. Add that, or "
            "leave --auxiliary out."
        )
    plan = read_plan(plan_file)
    check_json(to, plan_file, votes_file, *files_of_plan(plan_file, plan))
    inputs = inputs_of_plan(plan_file, plan, tolerance)
    if inputs is not None:
        check_fingerprint(plan, inputs)
    elif model is None:
        typer.echo(f"The plan's table {plan.table} was not found; whether it has changed is not checked.", err=True)
    kind, votes = read_votes(votes_file)
    verdicts = verdicts_of_votes(plan.draws, kind, votes, inputs)
    if tolerance is not None:
        verdicts = within_tolerance(verdicts, kind, inputs)
    bound = 1.0 if kind == "failed" or tolerance is not None else plan.loss_bound
    result = estimator_of(plan.design, width).estimate(plan.design, verdicts, level=level, loss_bound=bound)
    result, more = with_honest_interval(result, plan.request.technique), ""
    if model is not None:
        from testimate.planning.assisted_estimate import assisted_estimate

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
        result, more = with_honest_interval(found.estimate, plan.request.technique), found.words
    if tolerance is not None:
        result = replace(result, method=f"{result.method}; right within {tolerance:g}")
    measure, anew = measure_of(bound == 1), computed_anew(plan.interval_method, result, "plan")
    errors = None
    if inputs is not None and tolerance is None and model is None and kind != "failed":
        errors = error_estimate(inputs.task, plan.design, verdicts, result, technique=plan.request.technique)
    if to:
        of_errors = {} if errors is None else {"errors": errors.to_json()}
        write_json(
            {**result.to_json(), "skips": skipped_words(result, measure), "computed_anew": anew, **of_errors}, to
        )
        return
    if errors is not None:
        typer.echo(f"{share_words(errors, plan.design.size, at_random=plan.design.at_random)}.\n{errors.words(result)}")
    say(result, measure, (more, anew))


def within_tolerance(verdicts: Sequence[Verdict], kind: str, inputs: Inputs | None) -> tuple[Verdict, ...]:
    """The verdicts as 1 where the error lies beyond the tolerance, else 0; BadInput where there is no error to compare."""
    if kind == "failed":
        raise BadInput(
            "The votes say failed, which no --tolerance changes; expected votes with the column label or loss. Give these, "
            "or leave --tolerance out."
        )
    if inputs is None or not isinstance(inputs.task, Regression):
        what = "was not found" if inputs is None else "is of classes, which are right or wrong"
        raise BadInput(f"The plan's table {what}; --tolerance needs that of a regression. Leave it out.")
    task = inputs.task
    return with_losses(verdicts, lambda loss: float(task.failed([loss])[0]))


def say(result: Estimate, measure: Measure, more: Sequence[str]) -> None:
    """The estimate on stdout, with ``more`` to say of how it came about."""
    typer.echo(
        f"accuracy {decimal(result.accuracy)} from {counted(result.labeled, 'label')}, {spaced(result.skipped)} "
        f"without an answer "
        f"({result.method})"
    )
    level = in_percent(result.level)
    if result.low is not None and result.high is not None:
        ends = " to ".join(decimal_ends(result.low, result.high))
        typer.echo(f"{level} interval {ends}, good at a size fixed in advance")
    for sentence in (result.why, *more):
        if sentence:
            typer.echo(sentence)
    if result.always_low is not None and result.always_high is not None:
        ends = " to ".join(decimal_ends(result.always_low, result.always_high))
        typer.echo(f"{level} interval {ends}, good whenever you stop")
    if result.skipped_high is not None:
        typer.echo(skipped_words(result, measure))


Name = TypeVar("Name", bound=str)


def one_of(value: str, names: tuple[Name, ...], what: str) -> Name:
    """The name that the value is; BadInput where it is none of them."""
    for name in names:
        if value == name:
            return name
    raise BadInput(f"The {what} is {value!r:.60}; there are {' and '.join(names)}. Choose one of these.")
