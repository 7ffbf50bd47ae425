"""The verbs about a set of inputs that is no longer the labeled one: it grew, or its mix drifted."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.estimate import one_of, say
from testimate.cli.options import Further, Json, Seed, UsedForTraining
from testimate.cli.output import aside, check_json, check_output, write_json
from testimate.cli.tables import check_is_file
from testimate.core.words import counted

if TYPE_CHECKING:  # named only, as in the other verbs
    from testimate.planning.changed_sets import Grown
    from testimate.planning.reuse import Drift

verbs = typer.Typer()

OldTable = Annotated[Path, typer.Option(metavar="OLD.csv", help="The table of the labeled set.")]
Level = Annotated[float, typer.Option(help="How sure the intervals are, above 0 and below 1.")]


@verbs.command(epilog="Example: testimate grown new.csv --old old.csv --plan plan.json --votes votes.csv")
def grown(
    new: Annotated[Path, typer.Argument(metavar="NEW.csv", help="The model's predictions for the set that grew.")],
    old: OldTable,
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
    level: Level = 0.95,
    used_for_training: UsedForTraining = False,
    to: Json = "",
) -> None:
    """A dataset that grew: the accuracy on its old inputs from old labels, on the added ones from theirs, and on all."""
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
        level=level,
        used_for_training=used_for_training,
        tell=aside,
    )
    if to:
        write_json(found.to_json(), to)
        return
    say_grown(found)
    if write_added is not None:
        typer.echo(
            f"{write_added} holds the {counted(found.sizes[1], 'input')} that were added. Plan labels for them: "
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
    level: Level = 0.95,
    used_for_training: UsedForTraining = False,
    to: Json = "",
) -> None:
    """Whether two sets of inputs look alike, and the accuracy on the new one by the labels of the old, under an assumption."""
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
        level=level,
        used_for_training=used_for_training,
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
