"""The verb that turns votes on a plan's inputs into the accuracy of the whole set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from testimate.cli.gate import ByEnd, FailUnder, Gate, Junit, Summary, gate_of
from testimate.cli.options import Json
from testimate.cli.output import aside, check_json, in_percent, write_json
from testimate.core.draw import Verdict
from testimate.core.errors import BadInput
from testimate.core.estimate import Estimate
from testimate.core.inputs import Inputs
from testimate.core.measure import ROUGH, Measure, measure_of
from testimate.core.rounding import decimal, decimal_ends, spaced
from testimate.core.task import Regression, Task
from testimate.core.tolerance import regression
from testimate.planning.error_estimate import error_estimate, outcomes_of
from testimate.planning.honest_interval import with_honest_interval
from testimate.planning.interval_method import computed_anew
from testimate.reports.plurals import counted
from testimate.reports.words import skipped_words

if TYPE_CHECKING:  # named only, as in the other verbs
    from testimate.planning.headline import Headline
    from testimate.planning.plan import Plan
    from testimate.reports.gate import Check

verbs = typer.Typer()

INTERVALS: tuple[Literal["ordinary", "conservative"], ...] = ("ordinary", "conservative")
MODELS: tuple[Literal["learned", "difference", "regression"], ...] = ("learned", "difference", "regression")


@verbs.command(epilog="Example: testimate estimate plan.json votes.csv --json -")
def estimate(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv", help="row and one of failed, loss, label.")],
    level: Annotated[float, typer.Option(help="How sure the interval is, above 0 and below 1.")] = 0.95,
    interval: Annotated[
        str, typer.Option(help="ordinary, or conservative: too wide rather than too narrow.")
    ] = "ordinary",
    assisted: Annotated[
        str | None,
        typer.Option(
            help="Helped by a model of the losses: learned (from the labels, round by round), difference (chances as they "
            "are) or regression."
        ),
    ] = None,
    auxiliary: Annotated[
        str | None, typer.Option(help="The score that the model of --assisted uses; the confidence by default.")
    ] = None,
    tolerance: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER|PERCENT",
            help="Regression: the error beyond which an input has failed, 0.5 or 10%, instead of the plan's.",
        ),
    ] = None,
    recheck: Annotated[
        Path | None,
        typer.Option(metavar="CHECKED.csv", help="Second looks at some of the answers, which correct testers' errors."),
    ] = None,
    fail_under: FailUnder = None,
    by: ByEnd = "low",
    junit: Junit = None,
    summary: Summary = None,
    to: Json = "",
) -> None:
    """The accuracy of the whole set from the votes on a plan's inputs."""
    from testimate.estimators import estimator_of
    from testimate.planning.headline import headline_of, is_complete
    from testimate.planning.plan import check_fingerprint, read_plan
    from testimate.planning.plan_inputs import files_of_plan, inputs_of_plan
    from testimate.planning.votes_file import read_votes, verdicts_of_votes

    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; it must lie between 0 and 1. Give 0.95, for example.")
    width = one_of(interval, INTERVALS, "interval")
    model = None if assisted is None else one_of(assisted, MODELS, "model")
    if auxiliary is not None and model is None:
        raise BadInput(
            f"--auxiliary is {auxiliary!r:.60} and nothing uses it; expected --assisted, whose model does. Add that, or "
            "leave --auxiliary out."
        )
    plan = read_plan(plan_file)
    check_json(to, plan_file, votes_file, recheck, *files_of_plan(plan_file, plan))
    gate = gate_of(fail_under, by, junit, summary, plan_file, votes_file, recheck, *files_of_plan(plan_file, plan))
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is not None:
        check_fingerprint(plan, inputs)
    elif model is None:
        typer.echo(f"The plan's table {plan.table} was not found; whether it has changed is not checked.", err=True)
    kind, votes = read_votes(votes_file, aside)
    task = plan.numbers if inputs is None else inputs.task
    if tolerance is not None:
        task = with_tolerance(task, tolerance, kind)
        inputs = None if inputs is None else replace(inputs, task=task)
    voted = verdicts_of_votes(plan.draws, kind, votes, inputs)
    verdicts, measure, bound = voted, measure_of(kind == "failed" or plan.loss_bound == 1), plan.loss_bound
    if kind == "failed":
        bound = 1.0
    elif isinstance(task, Regression):
        verdicts, bound = outcomes_of(task, voted), task.outcome_bound
    if isinstance(task, Regression) and (kind != "failed" or task.tolerance):
        measure = task.measure
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
    again = computed_anew(plan.interval_method, task, result, "plan")
    errors = None
    if isinstance(task, Regression) and model is None and kind != "failed":
        squared = squared_errors(voted, kind, votes, plan, inputs, task)
        if squared is not None:
            errors = error_estimate(task, plan.design, squared, technique=plan.request.technique, level=level)
    second = None
    if recheck is not None:
        from testimate.planning.second_look import corrected, corrected_words, read_looks

        if model is not None:
            raise BadInput("--recheck corrects the plain estimate, not that of --assisted. Leave one of them out.")
        looks = read_looks(recheck, plan.draws, inputs, isinstance(task, Regression) and task.tolerance > 0, aside)
        second = corrected(inputs, plan.design, verdicts, result, looks)
    headline = headline_of(is_complete(plan, votes), result.low, result.always_low)
    checks = accuracy_checks(gate, measure, result, headline, None if second is None else second.estimate)
    if to:
        of_looks = {} if second is None else {"recheck": second.to_json()}
        of_errors = {} if errors is None else {"errors": errors.to_json()}
        said = {"skips": skipped_words(result, measure), "computed_anew": again}
        named = {"measure": measure.title} if isinstance(task, Regression) else {}
        of_gate = {"headline": headline, **({"checks": [one.to_json() for one in checks]} if checks else {})}
        write_json({**result.to_json(), **said, **named, **of_errors, **of_looks, **of_gate}, to)
        gate.finish(checks, quietly=True)
        return
    say(result, measure, headline, (more, again, "" if errors is None else errors.words()))
    if second is not None:
        typer.echo(f"\n{corrected_words(second)}")
        say(second.estimate, measure, headline, ())
    gate.finish(checks, quietly=False)


def accuracy_checks(
    gate: Gate, measure: Measure, result: Estimate, headline: Headline | None, corrected: Estimate | None
) -> list[Check]:
    """What the gate asks of the estimate, or of the corrected one where there is one, whose interval is of a fixed size."""
    if gate.least is None:
        return []
    from testimate.reports.gate import accuracy_check

    if not measure.is_share:
        raise BadInput(
            f"--fail-under is a share of right answers, and this is {measure.title}. Give --tolerance, by which numbers "
            "are right or wrong."
        )
    if corrected is not None:
        return [accuracy_check(corrected, "fixed" if headline == "fixed" else None, gate.least, gate.by)]
    return [accuracy_check(result, headline, gate.least, gate.by)]


def squared_errors(
    voted: Sequence[Verdict], kind: str, votes: dict[int, str], plan: Plan, inputs: Inputs | None, task: Regression
) -> tuple[Verdict, ...] | None:
    """The verdicts with squared errors in the unit; None where the votes hold relative errors alone."""
    from testimate.planning.votes_file import verdicts_of_votes

    if not task.relative:
        return tuple(voted)
    if kind == "loss" or inputs is None:
        return None
    return verdicts_of_votes(plan.draws, kind, votes, replace(inputs, task=task.in_unit()))


def with_tolerance(task: Task | None, tolerance: str, kind: str) -> Regression:
    """The task with another tolerance; BadInput where the votes cannot be judged by it."""
    if kind == "failed":
        raise BadInput(
            "The votes say failed, which no --tolerance changes; expected votes with the column label or loss. Give these, "
            "or leave --tolerance out."
        )
    if not isinstance(task, Regression):
        what = "was not found" if task is None else "is of classes, which are right or wrong"
        raise BadInput(f"The plan's table {what}; --tolerance needs that of a regression. Leave it out.")
    said = regression(tolerance)
    if kind == "loss" and said.relative != task.relative:
        raise BadInput(
            f"The votes hold losses of errors {'relative to the true numbers' if task.relative else 'in the unit'}, which tell "
            f"nothing of a tolerance of {tolerance}. Give votes with the column label, or a tolerance of the same kind."
        )
    return replace(task, tolerance=said.tolerance, relative=said.relative)


def say(result: Estimate, measure: Measure, headline: Headline | None, more: Sequence[str]) -> None:
    """The estimate on stdout, the interval that counts first, with ``more`` to say of how it came about."""
    typer.echo(
        f"{measure.noun.removeprefix('the ')} {decimal(result.accuracy)} from {counted(result.labeled, 'label')}, "
        f"{spaced(result.skipped)} without an answer ({result.method})"
    )
    level, intervals = in_percent(result.level), []
    if result.low is not None and result.high is not None:
        ends = " to ".join(decimal_ends(result.low, result.high))
        rough = "" if measure.is_share else f". {ROUGH}"
        when = "" if headline == "fixed" else ", once the plan is complete as it was made"
        intervals = [
            f"{measure.interval(level)} {ends}, {'for' if rough else 'good at'} a size fixed in advance{when}{rough}"
        ]
    if result.always_low is not None and result.always_high is not None:
        ends = " to ".join(decimal_ends(result.always_low, result.always_high))
        intervals.insert(int(headline == "fixed"), f"{level} interval {ends}, good whenever you stop")
    for sentence in (*intervals, result.why, *more):
        if sentence:
            typer.echo(sentence)
    if result.skipped_high is not None:
        typer.echo(skipped_words(result, measure))


Name = TypeVar("Name", bound=str)


def one_of(value: str, names: tuple[Name, ...], what: str) -> Name:
    """The name that the value is; BadInput where it is none of them."""
    for name in names:
        if value == name:
            return name
    raise BadInput(
        f"The {what} is {value!r:.60}; expected {', '.join(names[:-1])} or {names[-1]}. Choose one of these."
    )
