"""The verbs that carry a plan to another labeling tool and its labels back."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import LabelReading, Verbs
from testimate.cli.output import aside, check_output
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.words import counted

verbs = Verbs("plan", "Label a plan in another tool: write tasks for it, and read its labels as votes.")

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN.json")]


@verbs.command(epilog="Example: testimate plan export plan.json --to label-studio --out tasks.json")
def export(
    plan_file: PlanFile,
    to: Annotated[str, typer.Option(help="label-studio, cvat, fiftyone, csv or jsonl.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The tasks to write.")],
    inputs: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER|ZIP",
            help="Pictures or sounds that the table's rows name: those of the plan are copied to a folder data beside FILE, "
            "named by key.",
        ),
    ] = None,
    media: Annotated[
        str | None,
        typer.Option(
            help="Label Studio: the prefix of each file's name; /data/local-files/?d= by default, of copies d=data/."
        ),
    ] = None,
    predictions: Annotated[
        bool,
        typer.Option("--predictions", help="Label Studio: the network's answers too, which people tend to agree with."),
    ] = False,
) -> None:
    """Write a plan's inputs as tasks of another tool; the network's answers, which could influence the testers, stay here."""
    from testimate.cli.estimate import one_of
    from testimate.planning.label_copies import copy_files, holds_files, named_by_key
    from testimate.planning.label_exchange import FORMATS, label_tasks
    from testimate.planning.plan import files_of_plan, read_plan, subject_of_plan

    chosen = one_of(to, tuple(FORMATS), "format")
    if predictions and chosen != "label-studio":
        raise BadInput(
            f"{chosen} was chosen, and only label-studio has a field for predictions. Leave --predictions out."
        )
    plan = read_plan(plan_file)
    subject = subject_of_plan(plan_file, plan, inputs)
    tasks = label_tasks(plan, subject, predictions=predictions)
    copies = out.with_name("data") if inputs is not None or holds_files(subject) else None
    if copies is not None:
        tasks = named_by_key(tasks, subject)
    prefix = media if media is not None else f"/data/local-files/?d={'' if copies is None else 'data/'}"
    files = FORMATS[chosen].write(plan, tasks, subject.task, prefix)
    places = {more: out.with_name(out.name + more) for more in files}
    for place in places.values():
        check_output(place, plan_file, *files_of_plan(plan_file, plan))
    if copies is not None:
        copy_files(tasks, subject, copies)
    for more, text in files.items():
        write_whole(places[more], text)
    beside = [str(places[more]) for more in files if more] + ([str(copies)] if copies is not None else [])
    typer.echo(
        f"Wrote {out}: {counted(len(tasks), 'input')} to label{', with ' if beside else ''}{' and '.join(beside)}"
    )


@verbs.command("import", epilog="Example: testimate plan import export.json --plan plan.json --out votes.csv")
def import_(
    labels_file: Annotated[Path, typer.Argument(metavar="FILE", help="What the other tool exported.")],
    plan_file: Annotated[Path, typer.Option("--plan", metavar="PLAN.json")],
    out: Annotated[Path, typer.Option(metavar="VOTES.csv", help="The votes to write.")],
    reading: LabelReading,
) -> None:
    """Read the labels that another tool gave a plan's inputs, and write them as votes."""
    from testimate.core.reading import checked_read
    from testimate.planning.label_exchange import FORMATS, format_of, votes_of_labels
    from testimate.planning.labels_outside import with_labels_outside
    from testimate.planning.plan import files_of_plan, read_plan, subject_of_plan
    from testimate.planning.votes import Votes
    from testimate.tables.files import file_bytes

    plan = read_plan(plan_file)
    check_output(out, labels_file, plan_file, *files_of_plan(plan_file, plan))
    subject = subject_of_plan(plan_file, plan)
    content = file_bytes(labels_file)
    found = FORMATS[format_of(labels_file, content)].read(plan, content, subject.task, aside)
    if subject.inputs is None:
        raise BadInput(f"{plan.table} says nothing about its inputs. Restore the plan's table.")
    carried, said = Votes("label", votes_of_labels(plan, found)), dict(checked_read(reading.answers))
    votes = with_labels_outside(carried, subject.inputs, said, labels_file.name, aside)
    votes.verdicts(plan.draws, subject.inputs)  # an answer that is none is refused before anything is written
    votes.write(out)
    open_ = len(plan.rows) - len(votes)
    left = f", {counted(open_, 'input')} without a label yet" if open_ else ""
    typer.echo(f"Wrote {out}: {counted(len(votes), 'vote')}{left}. Next: testimate estimate {plan_file} {out}")
