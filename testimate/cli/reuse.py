"""The verb that judges a new version by the labels of earlier plans.

The verbs about a set of inputs that is no longer the labeled one: it grew, or its mix drifted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.estimate import Gate, log_to_mlflow, one_of, say
from testimate.cli.options import Further, Json, Mlflow, OldLabels, Others, Seed, Verbs, check_is_file
from testimate.cli.output import aside, check_json, check_output, in_percent, write_json
from testimate.core.errors import BadInput
from testimate.core.words import better_or_worse, commas, counted, percent

if TYPE_CHECKING:
    from testimate.planning.changed_sets import Grown
    from testimate.planning.reuse import Drift, Versions
    from testimate.planning.reused_labels import Reused
    from testimate.reports.gate import Check


verbs = Verbs()


@dataclass(frozen=True)
class LabeledPlans:
    """The earlier plans with their votes, and the table that the first was made from."""

    plan: Annotated[
        list[Path] | None, typer.Option(metavar="PLAN.json", help="A plan that was labeled. May be repeated.")
    ] = None
    votes: Annotated[
        list[Path] | None,
        typer.Option(metavar="VOTES.csv", help="Its votes: row and label; with failed (1 / 0) only some can be used."),
    ] = None
    old: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD.csv",
            help="The table the plan was made from, if it has moved: for guesses, and for the difference.",
        ),
    ] = None

    def check(self) -> None:
        """BadInput without a plan and its votes."""
        if not self.plan or not self.votes:
            raise BadInput("A plan or its votes are missing. Expected both. Name them with --plan and --votes.")


@dataclass(frozen=True)
class Rival:
    """The version that the new one may not be worse than, and by how much it may."""

    no_worse_than: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD.csv",
            help="A gate: the version that the new one may not be worse than, by --by-at-most; exit as for --fail-under.",
        ),
    ] = None
    by_at_most: Annotated[
        float | None, typer.Option(metavar="POINTS", help="Percentage points by which it may be worse; 0 by default.")
    ] = None

    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided",
            help="A gate that asks until it is decided: label where the versions differ, in the order of the plan that "
            "--seed and --out write, and look whenever you like.",
        ),
    ] = False
    risk: Annotated[
        float, typer.Option(help="For --until-decided: the chance with which either answer may be wrong.")
    ] = 0.05
    expect: Annotated[
        bool, typer.Option("--expect", help="For --until-decided: how many labels it takes, before it starts.")
    ] = False

    power: Annotated[
        float | None,
        typer.Option(
            metavar="CHANCE",
            help="How many labels where the versions differ show with this chance which is better; 0.9 by default. Without "
            "--plan: before any label.",
        ),
    ] = None

    def check(self) -> None:
        """BadInput for points that are none, or without a version that they are about."""
        points = self.by_at_most
        compares = self.no_worse_than is not None or self.until_decided
        if points is not None and not (compares and 0 <= points <= 100):
            raise BadInput(
                f"--by-at-most is {points:g}. Expected 0 to 100 percentage points, with --no-worse-than OLD.csv or "
                "--until-decided. Add that."
            )
        if not self.until_decided and (self.expect or self.risk != Rival.risk):
            raise BadInput("--expect and --risk are about a gate that asks until it is decided. Add --until-decided.")
        if self.until_decided and self.power is not None:
            raise BadInput("--until-decided asks for as long as it takes. Expected no --power with it. Use --expect.")


@dataclass(frozen=True)
class TopUpOptions:
    """How many more inputs to choose, for what purpose, and the plan to write."""

    count: Annotated[
        int | None,
        typer.Option(
            "--top-up",
            metavar="N",
            help="Choose N more inputs to label, instead of an estimate; with --for, --seed, --out.",
        ),
    ] = None
    purpose: Annotated[
        str | None,
        typer.Option("--for", metavar="accuracy|difference", help="What these are to make more precise; see --top-up."),
    ] = None
    seed: Annotated[int | None, typer.Option(help="For --top-up and --until-decided: same seed, same draws.")] = None
    out: Annotated[
        Path | None,
        typer.Option(metavar="PLAN2.json", help="For --top-up and --until-decided: the plan to write."),
    ] = None


@verbs.command(epilog="Example: testimate reuse new.csv --plan plan.json --votes votes.csv --old table.csv")
def reuse(
    *,
    new: Annotated[list[Path], typer.Argument(metavar="NEW.csv", help="What the new version predicts for the inputs.")],
    labeled: LabeledPlans,
    rival: Rival,
    top_up: TopUpOptions,
    gate: Gate,
    other: Others = None,
    further: Further = None,
    labels: OldLabels,
    mlflow: Mlflow = "",
    to: Json = "",
) -> None:
    """Measure a new version with the labels of earlier plans, without a new label."""
    from testimate.planning.reuse import NOT_CHOSEN, Voting, read_versions
    from testimate.planning.reused_labels import reuse_labels

    table, against = only_version(new), rival.no_worse_than
    files = (table, *(labeled.plan or ()), *(labeled.votes or ()), labeled.old, against, *(other or ()))
    check_json(to, *files)
    gate.check(*files, other_check=against is not None or rival.until_decided)
    rival.check()
    if rival.until_decided:
        run_gate(table, labeled, rival, top_up, gate, further or (), labels, to, files)
        return
    if rival.power is not None and not (labeled.plan or labeled.votes):
        say_power(table, labeled.old or against, rival.power, further or (), labels, to)
        return
    labeled.check()
    found = read_versions(
        table,
        labeled.plan or (),
        labeled.votes or (),
        old=labeled.old,
        against=against,
        others=other or (),
        classes=further or (),
        voting=Voting(labels.key, labels.answers),
        used_for_training=labels.used_for_training,
        tell=aside,
    )
    if top_up.count is not None:
        if mlflow:
            raise BadInput("--mlflow logs an estimate, and --top-up draws inputs. Expected one of them. Leave one out.")
        write_top_up(found, top_up.count, top_up, files)
        return
    if top_up != TopUpOptions():
        raise BadInput("--for, --seed and --out say how a top-up is drawn. Expected --top-up N with them. Add it.")
    reused = reuse_labels(
        found.new,
        found.plans,
        old=found.old,
        against=found.against,
        others=found.others,
        level=labels.level,
    )
    if rival.power is not None:
        reused = reused.at_power(rival.power)
    checks = checks_of(reused, gate, rival)
    result = {**reused.to_json(), **({"checks": [one.to_json() for one in checks]} if checks else {})}
    if mlflow:
        apart = reused.difference, reused.difference_headline
        log_to_mlflow(mlflow, table.stem, reused.estimate, reused.headline, result, checks, *apart)
    if to:
        write_json(result, to)
        gate.finish(checks, quietly=True)
        return
    say_reused(reused)
    say_why_not_subtracted(reused, found)
    if found.old is None:
        typer.echo(
            "The plan's table was not found, or has changed since; with it (--old) the estimate is more precise, and the "
            "difference between the two versions is given."
        )
    typer.echo(NOT_CHOSEN)
    gate.finish(checks, quietly=False)


def say_why_not_subtracted(found: "Reused", versions: "Versions") -> None:
    """Prints why the difference is not that of the two accuracies, where these read as a contradiction."""
    from testimate.planning.reused_labels import reuse_labels
    from testimate.reports.compared_models import subtracted_words

    before = versions.against or versions.old
    if before is None or found.difference is None:
        return
    level = found.estimate.level
    earlier = reuse_labels(
        before, versions.plans, old=versions.old, others=versions.others, level=level
    ).estimate.accuracy
    if why := subtracted_words(found, found.estimate.accuracy, earlier, "the new version", "the old one"):
        typer.echo(f"By these labels, the old version is at {percent(earlier)}. {why}")


def say_power(table: Path, old: Path | None, power: float, further: Sequence[str], labels: OldLabels, to: str) -> None:
    """Prints how many labels show which of two versions is better, before any of them is labeled."""
    from testimate.planning.margin_gate import Margin
    from testimate.planning.reuse import open_gate
    from testimate.planning.reused_labels import labels_before_any, power_words

    now = open_gate(table, (), (), Margin(0.0), old=old, classes=further, tell=aside).now
    needed = labels_before_any(now.size, now.differing, level=labels.level, power=power)
    if to:
        write_json({"inputs": now.size, "differing": now.differing, "power": power, "labels": needed}, to)
        return
    for sentence in power_words(now.size, now.differing, needed, power):
        typer.echo(sentence)


def run_gate(
    table: Path,
    labeled: LabeledPlans,
    rival: Rival,
    asked: TopUpOptions,
    gate: Gate,
    further: Sequence[str],
    labels: OldLabels,
    to: str,
    files: Sequence[Path | None],
) -> None:
    """Says where a gate stands that asks until it is decided; writes its plan, or how many labels it takes, if asked."""
    from testimate.planning.margin_gate import Margin
    from testimate.planning.reuse import Voting, open_gate
    from testimate.reports.gate import margin_check

    if gate.fail_under is not None or asked.count is not None or (asked.seed is None) != (asked.out is None):
        raise BadInput(
            "--until-decided came with another question, or with one of --seed and --out. Expected both of these or neither, "
            "without --fail-under and --top-up. Change that."
        )
    check_output(asked.out, *files)
    against = rival.no_worse_than
    first = labeled.old if labeled.plan or labeled.old else against
    found = open_gate(
        table,
        labeled.plan or (),
        labeled.votes or (),
        Margin(rival.by_at_most or 0.0, rival.risk),
        old=first,
        against=against,
        classes=further,
        voting=Voting(labels.key, labels.answers),
        used_for_training=labels.used_for_training,
        tell=aside,
    )
    if rival.expect:
        for one in found.expect():
            typer.echo(f"if it is {one.points:+g} points better: {one.words}")
        return
    if asked.seed is not None and asked.out is not None and found.outcome == "undecided":
        made = found.plan(asked.seed)
        made.write(asked.out)
        typer.echo(
            f"Wrote {asked.out}: {counted(found.now.left, 'input')} in random order. Label from the first on, and look as "
            f"often as you like. Next: add --plan {asked.out} --votes with the votes."
        )
    check = margin_check(found.now)
    if to:
        write_json({**found.now.to_json(), "checks": [check.to_json()]}, to)
    gate.finish([check], quietly=bool(to))


def write_top_up(found: "Versions", count: int, asked: TopUpOptions, read: Sequence[Path | None]) -> None:
    """Writes the plan of a top-up; BadInput where one of its options was not given."""
    from testimate.planning.top_up import top_up

    if asked.seed is None or asked.out is None or asked.purpose not in ("accuracy", "difference"):
        raise BadInput(
            f"--top-up {count} needs --for accuracy or --for difference, --seed S and --out PLAN2.json. Add what is "
            "missing."
        )
    check_output(asked.out, *read)
    plan = top_up(
        found.new,
        found.plans,
        count,
        purpose="accuracy" if asked.purpose == "accuracy" else "difference",
        seed=asked.seed,
        against=found.against or found.old,
        old=found.old,
        others=found.others,
    )
    plan.write(asked.out)
    typer.echo(
        f"Wrote {asked.out}: {counted(count, 'more input')} to label, at its start. The answers to the rest are known. "
        f"Next: add --plan {asked.out} --votes with the votes on them."
    )


def checks_of(found: "Reused", gate: Gate, rival: Rival) -> "list[Check]":
    """What the gate asks of the new version; BadInput where a difference was asked for and the design gives none."""
    from testimate.reports.gate import accuracy_check, difference_check

    checks = []
    if gate.fail_under is not None:
        checks.append(accuracy_check(found.estimate, found.headline, gate.fail_under, gate.end))
    if rival.no_worse_than is not None:
        if found.difference is None:
            raise BadInput(
                f"The plan's draws are {found.estimate.design}, from which no difference of versions is estimated. Expected "
                "srs, a stratified technique or rra. Leave --no-worse-than out."
            )
        checks.append(difference_check(found.difference, found.difference_headline, rival.by_at_most or 0.0, gate.end))
    return checks


def only_version(tables: list[Path]) -> Path:
    """The one table; BadInput where there are several."""
    if len(tables) > 1:
        raise BadInput(
            f"{commas(len(tables))} tables were given. Expected one version. Run the command once for each, and confirm the "
            "one you choose with fresh labels: the best of many on the same labels looks better than it is."
        )
    return tables[0]


def say_reused(found: "Reused") -> None:
    """Prints what the old labels say about the new version: its accuracy, its difference, and their intervals."""
    from testimate.core.task import measure_of

    typer.echo(
        f"Using {counted(found.labeled, 'earlier label')}. {commas(found.reused)} of them show whether the new version is "
        "right."
    )
    say(found.estimate, measure_of(True), found.headline, ())
    if found.headline == "always":
        typer.echo("A plan stopped before its end, so the stop-safe interval counts.")
    if found.headline is None:
        typer.echo("A plan stopped before its end, and it has no stop-safe interval. Label the rest.")
    gap = found.difference
    if gap is None:
        return
    level = in_percent(found.estimate.level)
    low, high = (
        (gap.low, gap.high)
        if found.difference_headline != "always"
        else (-1.0 if gap.always_low is None else gap.always_low, 1.0 if gap.always_high is None else gap.always_high)
    )
    from testimate.reports.compared_models import points, points_range

    safe = ", stop-safe" if found.difference_headline == "always" else ""
    typer.echo(
        f"New against old: {points(gap.value)} points ({level} interval {points_range(low, high)}{safe}). They differ on "
        f"{counted(found.differing or 0, 'input')}, {commas(found.differing_labeled or 0)} of them labeled."
    )
    typer.echo(f"The new version is {better_or_worse(low, high)} than the old one. {found.how_to_tell}".strip())
    if found.warning:
        typer.echo(found.warning)


@verbs.command(epilog="Example: testimate grown new.csv --old old.csv --plan plan.json --votes votes.csv")
def grown(
    *,
    new: Annotated[Path, typer.Argument(metavar="NEW.csv", help="The model's predictions for the set that grew.")],
    old: Annotated[Path, typer.Option(metavar="OLD.csv", help="The table of the labeled set.")],
    plan: Annotated[Path, typer.Option(metavar="PLAN.json", help="The plan of the old set that was labeled.")],
    votes: Annotated[Path, typer.Option(metavar="VOTES.csv", help="Its votes.")],
    added_plan: Annotated[
        Path | None, typer.Option(metavar="PLAN2.json", help="A plan for the added inputs; see --write-added.")
    ] = None,
    added_votes: Annotated[Path | None, typer.Option(metavar="VOTES2.csv", help="Its votes.")] = None,
    write_added: Annotated[
        Path | None,
        typer.Option(metavar="ADDED.csv", help="Write the added inputs to a table of their own, to plan their labels."),
    ] = None,
    further: Further = None,
    labels: OldLabels,
    to: Json = "",
) -> None:
    """Measure a dataset that grew: on its old inputs with the old labels, on the added ones with theirs, and on all."""
    from testimate.planning.reuse import Voting
    from testimate.planning.reuse import grown as judge

    files = (new, old, plan, votes, added_plan, added_votes)
    check_is_file(*files)
    check_json(to, *files)
    check_output(write_added, *files)
    found = judge(
        new,
        old=old,
        plan=plan,
        votes=votes,
        added_plan=added_plan,
        added_votes=added_votes,
        write_added=write_added,
        classes=further or (),
        voting=Voting(labels.key, labels.answers),
        level=labels.level,
        used_for_training=labels.used_for_training,
        tell=aside,
    )
    if to:
        write_json(found.to_json(), to)
        return
    say_grown(found)
    if write_added is not None:
        typer.echo(
            f"Wrote {write_added}: the {counted(found.sizes[1], 'input')} that were added. Plan labels for them: "
            f"testimate select {write_added}; then name that plan with --added-plan and its votes with --added-votes."
        )


def say_grown(found: "Grown") -> None:
    """Prints how many inputs each part has and what its labels say: an accuracy with its interval, or why there is none."""
    from testimate.core.task import measure_of
    from testimate.planning.reuse import NOT_CHOSEN

    typer.echo(f"{counted(found.sizes[0], 'old input')}, {counted(found.sizes[1], 'new one')}")
    for called, part in (("old inputs", found.old), ("new inputs", found.added)):
        if part is not None:
            typer.echo(f"On the {called}:")
            say(part.estimate, measure_of(True), part.headline, ())
    if found.all is not None:
        typer.echo("On all of them:")
        say(found.all, measure_of(True), found.headline, ())
    if found.why:
        typer.echo(found.why)
    typer.echo(NOT_CHOSEN)


@verbs.command(epilog="Example: testimate drift new.csv --old old.csv --seed 1 --plan plan.json --votes votes.csv")
def drift(
    *,
    new: Annotated[Path, typer.Argument(metavar="NEW.csv", help="What the model predicts for the new set.")],
    old: Annotated[
        Path,
        typer.Option(
            metavar="OLD.csv", help="What it predicts for the other one: the labeled set, or the training set."
        ),
    ],
    seed: Seed,
    features: Annotated[
        Path | None,
        typer.Option("--features", metavar="F.npy", help="(N, width) features of the new set, row for row."),
    ] = None,
    old_features: Annotated[
        Path | None,
        typer.Option("--old-features", metavar="F2.npy", help="The same layer's features of the other set."),
    ] = None,
    plan: Annotated[Path | None, typer.Option(metavar="PLAN.json", help="A plan of OLD.csv that was labeled.")] = None,
    votes: Annotated[Path | None, typer.Option(metavar="VOTES.csv", help="Its votes.")] = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="class|confidence", help="The kinds whose shares the labels are weighted to: those of the new set."
        ),
    ] = "confidence",
    labels: OldLabels,
    to: Json = "",
) -> None:
    """Compare two sets of inputs, and estimate the accuracy on the new one from the labels of the old, under an assumption."""
    from testimate.planning.reuse import Voting
    from testimate.planning.reuse import drift as compare

    files = (new, old, features, old_features, plan, votes)
    check_is_file(*files)
    check_json(to, *files)
    found = compare(
        new,
        old=old,
        seed=seed,
        features=features,
        old_features=old_features,
        plan=plan,
        votes=votes,
        by=one_of(by, ("class", "confidence"), "--by"),
        voting=Voting(labels.key, labels.answers),
        level=labels.level,
        used_for_training=labels.used_for_training,
        tell=aside,
    )
    if to:
        reweighted = None if found.reweighted is None else found.reweighted.to_json()
        write_json({"tests": [one.to_json() for one in found.tests], "reweighted": reweighted}, to)
        return
    say_drift(found)


def say_drift(found: "Drift") -> None:
    """Prints the test results, and the accuracy on the new set with the assumption it rests on."""
    from testimate.planning.changed_sets import WIDE, alike_in_words, reweighted_in_words
    from testimate.planning.reuse import NOT_CHOSEN

    for one in found.tests:
        typer.echo(
            f"{one.what}: distance {one.found.statistic:.4f}, p-value {one.found.p_value:.3g}, "
            f"corrected for {counted(len(found.tests), 'test')} {one.corrected:.3g}"
        )
    typer.echo(alike_in_words(found.tests))
    if found.reweighted is not None:
        typer.echo(reweighted_in_words(found.reweighted))
        typer.echo(found.reweighted.assumes)
        if found.reweighted.cautious:
            typer.echo(WIDE)
        typer.echo(NOT_CHOSEN)
