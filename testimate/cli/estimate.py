"""The verb that turns votes on a plan's inputs into the accuracy of the whole set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer

from testimate.cli.gate import ByEnd, FailUnder, Gate, Junit, Summary, gate_of
from testimate.cli.mlflow_option import log_to_mlflow
from testimate.cli.options import Json, Mlflow
from testimate.cli.output import aside, check_json, in_percent, write_json
from testimate.core.draw import Estimate
from testimate.core.errors import BadInput
from testimate.core.task import ROUGH, Measure
from testimate.core.words import counted, decimal, decimal_ends, spaced
from testimate.reports.words import skipped_words

if TYPE_CHECKING:  # named only, as in the other verbs
    from testimate.planning.estimate import Headline
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
            help="Use a model of the losses: learned (from the labels, round by round), difference (chances as they "
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
    slices: Annotated[
        list[str] | None,
        typer.Option(
            "--slice", metavar="COLUMN[,COLUMN]", help="Also the accuracy by a column of the table, or by two crossed."
        ),
    ] = None,
    classes: Annotated[
        bool, typer.Option("--classes", help="Also precision, recall and F1 of each class, and the confusion matrix.")
    ] = False,
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="Intervals of slices or classes that hold all together (Bonferroni).")
    ] = False,
    weak_spots: Annotated[
        bool,
        typer.Option(
            "--weak-spots",
            help="Also parts that fail more often than the rest and that nobody named, among the table's columns and what the "
            "network says.",
        ),
    ] = False,
    table: Annotated[
        Path | None, typer.Option(help="The table with the columns of --slice and --weak-spots, instead of the plan's.")
    ] = None,
    fail_under: FailUnder = None,
    by: ByEnd = "low",
    junit: Junit = None,
    summary: Summary = None,
    mlflow: Mlflow = "",
    to: Json = "",
) -> None:
    """The accuracy of the whole set from the votes on a plan's inputs."""
    from testimate.cli.slices import asked_parts, say_parts
    from testimate.planning.estimate import estimate_plan
    from testimate.planning.plan import check_fingerprint, files_of_plan, inputs_of_plan, read_plan
    from testimate.planning.second_look import corrected_words
    from testimate.planning.votes import read_votes

    width = one_of(interval, INTERVALS, "interval")
    model = None if assisted is None else one_of(assisted, MODELS, "model")
    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; it must be between 0 and 1. Give 0.95, for example.")
    plan = read_plan(plan_file)
    check_json(to, plan_file, votes_file, recheck, table, *files_of_plan(plan_file, plan))
    gate = gate_of(fail_under, by, junit, summary, plan_file, votes_file, recheck, *files_of_plan(plan_file, plan))
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is not None:
        check_fingerprint(plan, inputs)
    elif model is None:
        typer.echo(f"The plan's table {plan.table} was not found; whether it has changed is not checked.", err=True)
    kind, votes = read_votes(votes_file, aside)
    found = estimate_plan(
        plan,
        kind,
        votes,
        inputs,
        level=level,
        interval=width,
        assisted=model,
        auxiliary=auxiliary,
        tolerance=tolerance,
        recheck=recheck,
        tell=aside,
    )
    parts = asked_parts(
        found,
        inputs,
        kind,
        votes,
        table=table or files_of_plan(plan_file, plan)[0],
        slices=slices or (),
        classes=classes,
        simultaneous=simultaneous,
        spots=weak_spots,
    )
    result, measure, headline = found.estimate, found.measure, found.headline
    errors, second = found.errors, found.recheck
    checks = accuracy_checks(gate, measure, result, headline, None if second is None else second.estimate)
    of_verdicts = {} if found.verdicts_say is None else {"verdicts": found.verdicts_say.to_json()}
    of_boxes = {} if found.boxes_say is None else {"boxes": found.boxes_say.to_json()}
    of_looks = {} if second is None else {"recheck": second.to_json()}
    of_errors = {} if errors is None else {"errors": errors.to_json()}
    said = {"skips": skipped_words(result, measure), "computed_anew": found.computed_anew}
    named = {"measure": measure.title} if found.of_numbers or of_verdicts or of_boxes else {}
    of_gate = {"headline": headline, **({"checks": [one.to_json() for one in checks]} if checks else {})}
    record = {
        **result.to_json(),
        **said,
        **named,
        **of_errors,
        **of_verdicts,
        **of_boxes,
        **of_looks,
        **parts.to_json(),
        **of_gate,
    }
    if mlflow:
        corrected = result if second is None else second.estimate
        counts = headline if second is None else corrected_headline(headline)
        log_to_mlflow(mlflow, plan_file.stem, corrected, counts, record, checks)
    if to:
        write_json(record, to)
        gate.finish(checks, quietly=True)
        return
    say(result, measure, headline, found.remarks)
    if second is not None:
        typer.echo(f"\n{corrected_words(second)}")
        say(second.estimate, measure, headline, ())
    say_parts(parts, measure)
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
        return [accuracy_check(corrected, corrected_headline(headline), gate.least, gate.by)]
    return [accuracy_check(result, headline, gate.least, gate.by)]


def corrected_headline(headline: Headline | None) -> Headline | None:
    """Which interval counts for an estimate that a second look corrected: it has only the one for a fixed size."""
    return "fixed" if headline == "fixed" else None


def say(result: Estimate, measure: Measure, headline: Headline | None, more: Sequence[str]) -> None:
    """The estimate on stdout, the interval that counts first, with ``more`` to say about how it came about."""
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
    """The name that the value is; BadInput where it is not one of them."""
    for name in names:
        if value == name:
            return name
    raise BadInput(
        f"The {what} is {value!r:.60}; expected {', '.join(names[:-1])} or {names[-1]}. Choose one of these."
    )
