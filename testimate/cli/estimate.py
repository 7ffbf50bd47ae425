"""The verbs that read votes: estimate with its slices and gates, the metrics of an order, and a second look at answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from testimate.cli.options import Json, Mlflow, Seed, Tolerance, Verbs, VoteReading, check_is_file
from testimate.cli.output import aside, check_json, check_output, in_percent, write_json
from testimate.core.checks import check_level
from testimate.core.draw import Estimate
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.task import ROUGH, SHARE_RIGHT, Measure
from testimate.core.words import commas, counted, is_or_are
from testimate.reports.words import skipped_words

if TYPE_CHECKING:
    from testimate.core.inputs import Inputs
    from testimate.estimators.failure_codes import FailureCodes
    from testimate.estimators.parts import ClassScores
    from testimate.estimators.right_above import RightAbove
    from testimate.estimators.version_difference import Difference
    from testimate.estimators.weights import PartEstimate
    from testimate.planning.estimate import Headline, PlanEstimate
    from testimate.planning.parts import Slice
    from testimate.planning.plan import Plan
    from testimate.planning.votes import Votes
    from testimate.planning.weak_spots import WeakSpots
    from testimate.reports.calibration import ConfidenceWords
    from testimate.reports.gaps import ColumnGaps
    from testimate.reports.gate import By, Check
    from testimate.tasks.verdict import Criterion


@dataclass(frozen=True)
class Gate:
    """What a gate asks of the accuracy, and the files it writes."""

    fail_under: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="A gate: exit status 0 where the accuracy reaches X (0 to 1), 1 where it does not, 3 where that is undecided.",
        ),
    ] = None
    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="low|estimate", help="For a gate: the interval that counts, or the estimate alone."
        ),
    ] = "low"
    junit: Annotated[Path | None, typer.Option(metavar="FILE.xml", help="Write what the gate found as JUnit XML.")] = (
        None
    )
    summary: Annotated[Path | None, typer.Option(metavar="FILE.md", help="Write what the gate found as Markdown.")] = (
        None
    )

    def check(self, *read: Path | None, other_check: bool = False) -> None:
        """BadInput where an option has no gate to belong to. ``read`` : files that may not be overwritten."""
        if self.fail_under is not None and not 0 <= self.fail_under <= 1:
            raise BadInput(f"--fail-under is {self.fail_under:g}. Expected a share from 0 to 1. Give 0.9 for 90%.")
        if self.by not in ("low", "estimate"):
            raise BadInput(f"--by is {self.by!r:.40}. Expected low or estimate. Choose one of these.")
        nothing_to_check = self.fail_under is None and not other_check
        if nothing_to_check and (self.junit is not None or self.summary is not None):
            raise BadInput("There is nothing to check, so no result to write. Expected a gate. Add --fail-under.")
        check_output(self.junit, self.summary, *read)
        check_output(self.summary, *read)

    @property
    def end(self) -> By:
        """What counts: the lower end of the interval, or the estimate."""
        return "low" if self.by == "low" else "estimate"

    def finish(self, checks: Sequence[Check], *, quietly: bool) -> None:
        """Writes the files, prints each check (on stderr if ``quietly``), and ends the command with exit status 0, 1 or 3."""
        from testimate.reports.gate import junit, markdown, status_of

        if not checks:
            return
        if self.junit is not None:
            write_whole(self.junit, junit(checks))
        if self.summary is not None:
            write_whole(self.summary, markdown(checks))
        for one in checks:
            typer.echo(f"{one.outcome}: {one.name}. {one.why}", err=quietly)
        raise typer.Exit(status_of(checks))


def log_to_mlflow(
    experiment: str,
    name: str,
    estimate: Estimate,
    headline: Headline | None,
    result: Mapping[str, Any],
    checks: Sequence[Check] = (),
    difference: Difference | None = None,
    difference_headline: Headline | None = None,
) -> None:
    """Logs numbers, ``result`` as result.json and the checks of a gate as checks.md, and says so on stderr."""
    from testimate.reports.gate import markdown
    from testimate.reports.mlflow_run import LoggedResult, log_run

    files = {"result.json": json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"}
    if checks:
        files["checks.md"] = markdown(checks)
    run = log_run(experiment, name, LoggedResult(estimate, headline, files, difference, difference_headline))
    aside(f"Logged to MLflow as run {run} of {experiment}.")


verbs = Verbs()

INTERVALS: tuple[Literal["ordinary", "conservative"], ...] = ("ordinary", "conservative")
MODELS: tuple[Literal["learned", "difference", "regression"], ...] = ("learned", "difference", "regression")


@dataclass(frozen=True)
class EstimateSettings:
    """How the accuracy is estimated."""

    level: Annotated[float, typer.Option(help="How sure the interval is, above 0 and below 1.")] = 0.95
    interval: Annotated[str, typer.Option(help="ordinary, or conservative: too wide rather than too narrow.")] = (
        "ordinary"
    )
    assisted: Annotated[
        str | None,
        typer.Option(
            help="Use a model of the losses: learned (from the labels, round by round), difference (chances as they "
            "are) or regression."
        ),
    ] = None
    auxiliary: Annotated[
        str | None, typer.Option(help="The score that the model of --assisted uses; the confidence by default.")
    ] = None
    tolerance: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER|PERCENT",
            help="Regression: the error beyond which an input has failed, 0.5 or 10%, instead of the plan's.",
        ),
    ] = None
    recheck: Annotated[
        Path | None,
        typer.Option(metavar="CHECKED.csv", help="Second looks at some of the answers, which correct testers' errors."),
    ] = None
    prices: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL,JUDGE",
            help="Prices of a label and of a judged output, such as 1.5,0.02: what judging saves.",
        ),
    ] = None
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require",
            metavar="CRITERION=X",
            help="A gate: a criterion of the plan reaches X (0 to 1); the intervals of several hold together. May be repeated.",
        ),
    ] = None

    def required(self, criteria: Sequence[Criterion]) -> dict[str, float]:
        """What each criterion has to reach, by its name; BadInput for another name, or what is no share."""
        names = {one.name.casefold(): one.name for one in criteria}
        found = {}
        for typed in self.require or ():
            name, _, value = typed.rpartition("=")
            try:
                least = float(value)
            except ValueError:
                least = -1.0
            if name.strip().casefold() not in names or not 0 <= least <= 1:
                raise BadInput(
                    f"--require got {typed!r:.60}. Expected CRITERION=X with a share from 0 to 1 and one of "
                    f"{', '.join(names.values()) or 'no criteria, which this plan has not'}. Write it so."
                )
            found[names[name.strip().casefold()]] = least
        return found


@dataclass(frozen=True)
class PartSettings:
    """Which parts of the set are looked at besides the whole."""

    slices: Annotated[
        list[str] | None,
        typer.Option(
            "--slice", metavar="COLUMN[,COLUMN]", help="Also the accuracy by a column of the table, or by two crossed."
        ),
    ] = None
    classes: Annotated[
        bool, typer.Option("--classes", help="Also precision, recall and F1 of each class, and the confusion matrix.")
    ] = False
    simultaneous: Annotated[
        bool,
        typer.Option(
            "--simultaneous", help="Intervals of slices, classes or criteria that hold together (Bonferroni)."
        ),
    ] = False
    gaps: Annotated[
        bool,
        typer.Option("--gaps", help="Of each --slice also how far each group is from the rest, and the largest gap."),
    ] = False
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration", help="Also whether the confidence is too high, and how well it tells right from wrong."
        ),
    ] = False
    right_above: Annotated[
        float | None,
        typer.Option(metavar="X", help="Also above which confidence at least X (0.95) of the inputs are right."),
    ] = None
    weak_spots: Annotated[
        bool,
        typer.Option(
            "--weak-spots",
            help="Also parts that fail more often than the rest and that nobody named, among the table's columns and what the "
            "network says.",
        ),
    ] = False
    codes: Annotated[
        bool,
        typer.Option("--codes", help="Also why it failed: the share of each failure code in the votes' column codes."),
    ] = False
    merge: Annotated[
        list[str] | None,
        typer.Option(
            "--merge", metavar="CODE[,CODE]=CODE", help="Rename failure codes; those with one name are merged."
        ),
    ] = None
    table: Annotated[
        Path | None, typer.Option(help="The table with the columns of --slice and --weak-spots, instead of the plan's.")
    ] = None

    @property
    def merged(self) -> dict[str, str]:
        """Old name -> new name of --merge; BadInput where it has another form, or there are no codes to rename."""
        if self.merge and not self.codes:
            raise BadInput("--merge renames failure codes. Expected --codes. Add it, or leave --merge out.")
        found = dict[str, str]()
        for said in self.merge or ():
            old, sign, new = said.rpartition("=")
            if not sign or not old.strip() or not new.strip():
                raise BadInput(f"--merge is {said!r:.60}. Expected CODE=CODE or CODE,CODE=CODE. Correct it.")
            found |= {name.strip(): new.strip() for name in old.split(",")}
        return found


@verbs.command(epilog="Example: testimate estimate plan.json votes.csv --json -")
def estimate(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[
        Path,
        typer.Argument(metavar="VOTES.csv", help="row and failed, loss, label or each criterion."),
    ],
    settings: EstimateSettings,
    asked: PartSettings,
    gate: Gate,
    voted: VoteReading,
    mlflow: Mlflow = "",
    to: Json = "",
) -> None:
    """Estimate the accuracy of the whole set from the votes on a plan's inputs."""
    from testimate.planning.criteria import ALL_RIGHT, of_all
    from testimate.planning.estimate import cost_sentences, estimate_plan
    from testimate.planning.plan import check_fingerprint, files_of_plan, inputs_of_plan, read_plan
    from testimate.planning.right_above import ladder_share
    from testimate.planning.second_look import corrected_words
    from testimate.selectors import LADDER

    width = one_of(settings.interval, INTERVALS, "interval")
    model = None if settings.assisted is None else one_of(settings.assisted, MODELS, "model")
    check_level(settings.level)
    plan = read_plan(plan_file)
    files = files_of_plan(plan_file, plan)
    check_json(to, plan_file, votes_file, settings.recheck, asked.table, *files)
    required = settings.required(plan.criteria)
    gate.check(plan_file, votes_file, settings.recheck, *files, other_check=bool(required))
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is not None:
        check_fingerprint(plan, inputs)
    elif model is None:
        typer.echo(
            f"warning: the plan's table {plan.table} was not found, so Testimate can't check whether it changed",
            err=True,
        )
    votes = voted.votes(votes_file, plan, files[0], inputs)
    gates = len(required) + (gate.fail_under is not None)
    together = bool(plan.criteria) and (asked.simultaneous or (bool(required) and gates > 1))
    found = estimate_plan(
        plan,
        votes,
        inputs,
        level=plan.level_together(settings.level) if together else settings.level,
        interval=width,
        assisted=model,
        auxiliary=settings.auxiliary,
        tolerance=settings.tolerance,
        recheck=settings.recheck,
        tell=aside,
    )
    ladder = plan.request.technique == LADDER and inputs is not None
    if ladder and asked.right_above is None:
        asked = replace(asked, right_above=ladder_share(plan.request))
    costs = cost_sentences(found, settings.prices)
    parts = asked_parts(found, None if inputs is None else of_all(inputs), votes, asked, asked.table or files[0])
    result, measure, headline = found.estimate, found.measure, found.headline
    errors, second = found.errors, found.recheck
    checks = accuracy_checks(gate, measure, result, headline, None if second is None else second.estimate)
    checks += criterion_checks(found, required, gate.end)
    of_verdicts = {} if found.verdicts_say is None else {"verdicts": found.verdicts_say.to_json()}
    of_boxes = {} if found.boxes_say is None else {"boxes": found.boxes_say.to_json()}
    of_looks = {} if second is None else {"recheck": second.to_json()}
    of_errors = {} if errors is None else {"errors": errors.to_json()}
    of_known = {"known": found.known.to_json()} if plan.known else {}
    said = {"skips": skipped_words(result, measure), "computed_anew": found.computed_anew}
    named = {"measure": measure.title} if found.of_numbers or of_verdicts or of_boxes else {}
    of_costs = {"costs": costs} if costs else {}
    of_gate = {**of_costs, "headline": headline, **({"checks": [one.to_json() for one in checks]} if checks else {})}
    of_criteria = {"criteria": [one.to_json() for one in found.criteria]} if found.criteria else {}
    of_task = {**of_errors, **of_verdicts, **of_criteria, **of_boxes}
    record = {**result.to_json(), **said, **named, **of_task, **of_looks, **of_known, **parts.to_json(), **of_gate}
    if mlflow:
        corrected = result if second is None else second.estimate
        counts = headline if second is None else corrected_headline(headline)
        log_to_mlflow(mlflow, plan_file.stem, corrected, counts, record, checks)
    if to:
        write_json(record, to)
        gate.finish(checks, quietly=True)
        return
    for one in found.criteria:
        typer.echo(one.words())
    if found.criteria:
        typer.echo(f"\n{ALL_RIGHT.capitalize()}:")
    above = () if parts.above is None else (f"{parts.above}",)
    if ladder:
        typer.echo(*above)
    else:
        say(result, measure, headline, (*found.remarks, *costs, *above))
    if together:
        typer.echo(f"All {len(plan.criteria) + 1} intervals hold together at {in_percent(settings.level)}.")
    if second is not None:
        typer.echo(f"\n{corrected_words(second)}")
        say(second.estimate, measure, headline, ())
    say_parts(parts, measure)
    spots = inputs is not None and measure.is_share and not asked.weak_spots
    if votes.codes and not asked.codes:
        aside(f"Why it failed, by the votes' codes: testimate estimate {plan_file} {votes_file} --codes")
    ended = ladder and parts.above is not None and not parts.above.wanted
    aside(_next_command(plan_file, votes_file, plan, votes, spots=spots, ended=ended))
    gate.finish(checks, quietly=False)


def _next_command(plan_file: Path, votes_file: Path, plan: Plan, votes: Votes, *, spots: bool, ended: bool) -> str:
    """What follows the estimate, in a sentence that ends with its command.

    ``spots`` : whether weak spots may be looked for. ``ended`` : whether a ladder goes no further.
    """
    left = len({*plan.rows} - {*votes.cells})
    command = f"testimate estimate {plan_file} {votes_file}"
    if left:
        return f"{counted(left, 'input')} of the plan {is_or_are(left)} not labeled yet. When they are: {command}"
    if ended:
        return "The ladder ended. Another plan says what the accuracy of the whole set is."
    if len(plan.draws) < plan.request.budget:
        return f"What to label next: testimate continue {plan_file} {votes_file} --out {plan_file}"
    if spots:
        return f"Where it fails more often: {command} --weak-spots"
    return (
        f"To look at some answers again: testimate recheck {plan_file} {votes_file} --count 40 --seed 1 --out check.csv"
    )


def accuracy_checks(
    gate: Gate, measure: Measure, result: Estimate, headline: Headline | None, corrected: Estimate | None
) -> list[Check]:
    """What the gate asks of the estimate, or of the corrected one where there is one, whose interval is of a fixed size."""
    if gate.fail_under is None:
        return []
    from testimate.reports.gate import accuracy_check

    if not measure.is_share:
        raise BadInput(
            f"--fail-under is a share of right answers, and this is {measure.title}. Give --tolerance, by which numbers "
            "are right or wrong."
        )
    if corrected is not None:
        return [accuracy_check(corrected, corrected_headline(headline), gate.fail_under, gate.end)]
    return [accuracy_check(result, headline, gate.fail_under, gate.end)]


def criterion_checks(found: PlanEstimate, required: Mapping[str, float], by: By) -> list[Check]:
    """What the gate asks of each criterion by its name; one without a number is undecided."""
    from testimate.reports.gate import Check, accuracy_check

    checks = []
    for one in found.criteria:
        name = one.criterion.name
        if name not in required:
            continue
        if one.found is None:
            checks.append(Check(name, "undecided", one.why))
            continue
        check = accuracy_check(one.found.estimate, one.found.headline, required[name], by)
        checks.append(replace(check, name=f"{name}, {check.name}"))
    return checks


def corrected_headline(headline: Headline | None) -> Headline | None:
    """Which interval counts for an estimate that a second look corrected: it has only the one for a fixed size."""
    return "fixed" if headline == "fixed" else None


def say(result: Estimate, measure: Measure, headline: Headline | None, more: Sequence[str]) -> None:
    """The estimate on stdout, the interval that counts first, with ``more`` to say about how it came about."""
    noun = measure.noun.removeprefix("the ")
    skipped = f", {commas(result.skipped)} without an answer" if result.skipped else ""
    typer.echo(
        f"{noun[0].upper()}{noun[1:]} {measure.value(result.accuracy)} from {counted(result.labeled, 'label')}{skipped} "
        f"({result.method})"
    )
    level, intervals = in_percent(result.level), []
    if result.low is not None and result.high is not None:
        ends = measure.range(result.low, result.high)
        rough = "" if measure.is_share else f". {ROUGH}"
        when = "" if headline == "fixed" else ": valid only at the planned number of labels"
        intervals = [f"{measure.interval(level)} {ends} (fixed-size{when}){rough}"]
    if result.always_low is not None and result.always_high is not None:
        ends = measure.range(result.always_low, result.always_high)
        intervals.insert(int(headline == "fixed"), f"{level} interval {ends} (stop-safe: valid whenever you stop)")
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
        f"The {what} is {value!r:.60}. Expected {', '.join(names[:-1])} or {names[-1]}. Choose one of these."
    )


@dataclass(frozen=True)
class AskedParts:
    """The slices, scores of classes, weak spots and failure codes that were asked for; None where they were not."""

    slices: tuple[Slice, ...] | None
    scores: ClassScores | None
    classes: tuple[str, ...]
    spots: WeakSpots | None
    outside: tuple[str, ...] = ()
    """The names of labels that are none of the classes, one for each label."""
    gaps: tuple[ColumnGaps, ...] | None = None
    confidence: ConfidenceWords | None = None
    codes: FailureCodes | None = None
    above: RightAbove | None = None

    def to_json(self) -> dict[str, Any]:
        """What the estimate's JSON gains: slices, gaps, scores of classes, weak spots, codes, each where it was asked for."""
        from testimate.planning.parts import classes_to_json

        of_slices = {} if self.slices is None else {"slices": [one.to_json() for one in self.slices]}
        of_spots = {} if self.spots is None else {"weak_spots": self.spots.to_json()}
        of_classes = {} if self.scores is None else classes_to_json(self.scores, self.classes)
        of_gaps = {} if self.gaps is None else {"gaps": [one.to_json() for one in self.gaps]}
        of_confidence = {} if self.confidence is None else {"calibration": self.confidence.to_json()}
        of_codes = {} if self.codes is None else {"failure_codes": self.codes.to_json()}
        of_above = {} if self.above is None else {"right_above": asdict(self.above)}
        return {**of_slices, **of_gaps, **of_classes, **of_confidence, **of_above, **of_spots, **of_codes}


def asked_parts(
    found: PlanEstimate, inputs: Inputs | None, votes: Votes, asked: PartSettings, table: Path | None
) -> AskedParts:
    """The slices, scores, weak spots and failure codes; BadInput where what they need is not available."""
    from testimate.planning.known_labels import with_known_labels
    from testimate.planning.parts import scores_of_classes, slices_of

    plan, level = found.plan, found.estimate.level
    if asked.simultaneous and not asked.slices and not asked.classes and not found.criteria:
        raise BadInput(
            "--simultaneous is about slices, classes and criteria. Expected --slice, --classes, or a plan with criteria. Add "
            "one, or leave it out."
        )
    if asked.gaps and not asked.slices:
        raise BadInput("--gaps is about groups. Expected a column of them. Add --slice COLUMN.")
    of_slices = scores = of_gaps = None
    if asked.slices:
        from testimate.planning.table_columns import groupings_of_table

        if table is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and the slices are its columns. Name it with --table."
            )
        groupings = groupings_of_table(table, asked.slices, plan.design.size)
        if asked.gaps:
            from testimate.reports.gaps import gaps_of

            of_gaps = gaps_of(groupings, found.labels, simultaneous=asked.simultaneous)
        of_slices = slices_of(groupings, found.labels, simultaneous=asked.simultaneous)
    if asked.classes:
        if inputs is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and --classes needs its predictions. Restore it."
            )
        is_one_class = not inputs.task.numeric and inputs.predictions.ndim == 1
        scores = scores_of_classes(
            inputs.task,
            inputs.predictions,
            plan.design,
            found.verdicts,
            with_known_labels(plan, votes, inputs).classes(inputs) if is_one_class else {},
            technique=plan.request.technique,
            level=level,
            simultaneous=asked.simultaneous,
        )
    of_confidence = None
    if asked.calibration:
        from testimate.reports.calibration import confidence_words

        if inputs is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and --calibration needs its confidence. Restore it."
            )
        of_confidence = confidence_words(inputs, plan.request, found.labels)
    found_spots = None
    if asked.weak_spots:
        from testimate.planning.table_columns import further_columns_of_table

        if table is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and weak spots are looked for in its columns. Name it with "
                "--table."
            )
        found_spots = found.weak_spots(further_columns_of_table(table, plan))
    outside = tuple(cell for cell in votes.cells.values() if cell in votes.outside)
    classes, merged = () if inputs is None else inputs.task.classes, asked.merged
    codes = found.codes(merged) if asked.codes else None
    above = found.right_above(asked.right_above) if asked.right_above is not None else None
    return AskedParts(of_slices, scores, classes, found_spots, outside, of_gaps, of_confidence, codes, above)


def say_parts(parts: AskedParts, measure: Measure) -> None:
    """Prints the slices, weak spots and failure codes, then the classes, one per line."""
    from testimate.core.class_index import UNKNOWN
    from testimate.planning.parts import MANY, outside_row, true_class

    if parts.slices is not None:
        typer.echo(f"\n{measure.title} by group (fixed-size intervals). {MANY}")
        for one in parts.slices:
            typer.echo(f"  {one.column} = {one.value}, {commas(one.size)} inputs: {_in_words(one.estimate, measure)}")
    for column in parts.gaps or ():
        typer.echo(f"\nGaps by {column.column}, each group minus the rest (fixed-size intervals)")
        for value, words in column.lines():
            typer.echo(f"  {value}: {words}")
        if largest := column.largest():
            typer.echo(f"  {largest}")
    if parts.confidence is not None:
        from testimate.reports.calibration import EXPLAINED

        typer.echo(f"\nThe confidence. {EXPLAINED}")
        for name, words in parts.confidence.lines():
            typer.echo(f"  {name}: {words}")
        for sentence in parts.confidence.sentences():
            typer.echo(f"  {sentence}")
    if parts.spots is not None:
        typer.echo(
            f"\nWeak spots, among {commas(parts.spots.traits)} traits and their pairs: one half of the labels finds them, the "
            "other half measures them"
        )
        for sentence in parts.spots.sentences():
            typer.echo(f"  {sentence}")
    if parts.codes is not None:
        typer.echo(f"\n{parts.codes.heading}")
        for sentence in (*(code.words(parts.codes.labeled) for code in parts.codes.codes), *parts.codes.remarks):
            typer.echo(f"  {sentence}")
    scores = parts.scores
    if scores is None:
        return
    typer.echo("\nPrecision, recall and F1 of each class, then their means (macro) and of all inputs alike (micro)")
    named = [*zip(parts.classes, scores.classes, strict=True), ("macro", scores.macro), ("micro", scores.micro)]
    for name, score in named:
        for what, part in (("precision", score.precision), ("recall", score.recall), ("F1", score.f1)):
            typer.echo(f"  {name}, {what}: {_in_words(part)}")
    typer.echo("\nConfusion of all inputs: the true class, the predicted one, and the share of all inputs")
    for cell in scores.confusion:
        typer.echo(
            f"  {true_class(cell.true, parts.classes)}, {parts.classes[cell.predicted]}: {_in_words(cell.share)}"
        )
    if parts.outside:
        typer.echo(f"\n{outside_row(true_class(UNKNOWN, parts.classes), parts.outside)}")


def _in_words(part: PartEstimate, measure: Measure = SHARE_RIGHT) -> str:
    """The number with its interval, or why there is none."""
    if part.value is None:
        return part.why
    said = f"{measure.value(part.value)} from {counted(part.labeled, 'label')}"
    if part.low is None or part.high is None:
        return f"{said}; {part.why}"
    return f"{said}, {measure.range(part.low, part.high)}"


@verbs.command(epilog="Example: testimate metrics order.csv --size 10000 --json -")
def metrics(
    order_file: Annotated[Path, typer.Argument(metavar="ORDER.csv", help="failed and probability, by priority.")],
    size: Annotated[int, typer.Option(help="Inputs in the whole set.")],
    faults: Annotated[int | None, typer.Option(help="Faults in the whole set, where the order is cut short.")] = None,
    budget: Annotated[int | None, typer.Option(help="Labels that may be given; as many as faults by default.")] = None,
    gamma: Annotated[float, typer.Option(help="SFDR's penalty for a correct input, above 0 and below 1.")] = 0.5,
    to: Json = "",
) -> None:
    """Judge how well an order of priority finds the faults: FDRO, APFD, RAUC, ATRC, WFDR, SFDR and their severity."""
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
        typer.echo(f"{name:<9} {_in_line(value)}")
    for name, sentence in judged.why:
        typer.echo(f"{name}: {sentence}")


def _in_line(value: Any) -> str:
    """A metric as the terminal prints it; of one by severity each grade.

    >>> _in_line({"low": 4, "moderate": 2, "high": 9}), _in_line(0.25)
    ('severe 9, moderate 2, low 4', '0.2500')
    """
    from testimate.metrics.severity import GRADES

    if isinstance(value, Mapping):
        return ", ".join(f"{grade} {_in_line(value[band])}" for band, grade in GRADES.items())
    return f"{value:.4f}" if isinstance(value, float) else str(value)


@verbs.command(epilog="Example: testimate recheck plan.json votes.csv --count 40 --seed 1 --out check.csv")
def recheck(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv", help="row and one of failed, label.")],
    count: Annotated[int, typer.Option(help="How many answers to look at again.")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="CHECK.csv", help="The list to write; it does not show the answers.")],
    voted: VoteReading,
    tolerance: Tolerance = None,
) -> None:
    """Choose which answers to look at again, so that testers' errors can be corrected: testimate estimate ... --recheck."""
    from testimate.planning.criteria import check_one_answer
    from testimate.planning.estimate import with_tolerance
    from testimate.planning.plan import check_fingerprint, files_of_plan, inputs_of_plan, read_plan
    from testimate.planning.second_look import check_file, second_looks
    from testimate.planning.task_estimates import outcomes_of

    plan = read_plan(plan_file)
    check_one_answer(plan.criteria, "a second look")
    check_output(out, plan_file, votes_file, *files_of_plan(plan_file, plan))
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is not None:
        check_fingerprint(plan, inputs)
    votes = voted.votes(votes_file, plan, files_of_plan(plan_file, plan)[0], inputs)
    task = plan.numbers if inputs is None else inputs.task
    if tolerance is not None:
        task = with_tolerance(task, tolerance, votes.kind)
        inputs = None if inputs is None else replace(inputs, task=task)
    verdicts = votes.verdicts(plan.draws, inputs, plan.known)
    if task is not None and votes.kind != "failed":
        verdicts = outcomes_of(task, verdicts)
    second = second_looks(inputs, plan.design, verdicts, count, seed)
    write_whole(out, check_file(second, plan.names))
    chosen = len(second.looks)
    typer.echo(
        f"Wrote {out}: {commas(chosen)} of {counted(second.of, 'answer')} to look at again. "
        "Fill in the column label without looking at the first answers, then: "
        f"testimate estimate {plan_file} {votes_file} --recheck {out}"
    )
