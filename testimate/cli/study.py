"""The verb that compares techniques where the truth is known, with its tables and plots."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.leaks import tell_leaks
from testimate.cli.options import (
    Columns,
    Features,
    Json,
    Others,
    Quiet,
    Seed,
    Table,
    TaskSaid,
    Tolerance,
    TopK,
    Training,
    Variant,
)
from testimate.cli.output import ShownProgress, aside, check_json, check_output, write_json
from testimate.cli.tables import read_inputs, table_choices, tell_others
from testimate.core.errors import BadInput
from testimate.core.files import write_whole

verbs = typer.Typer()

Setting = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="[TECHNIQUE.]NAME=VALUE", help="A setting, of one technique or all that have it."),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FILE", help="Keep finished campaigns in this file, and continue from those already in it."
    ),
]


@verbs.command(
    epilog="Example: testimate study table.csv --technique rrs --technique srs --budget 200 --repetitions 300 --seed 1"
)
def study(
    table: Table,
    technique: Annotated[list[str], typer.Option(help="May be repeated.")],
    budget: Annotated[list[int], typer.Option(help="May be repeated.")],
    seed: Seed,
    repetitions: Annotated[int, typer.Option(min=1, help="Campaigns per technique and budget.")] = 300,
    auxiliary: Annotated[
        list[str] | None,
        typer.Option(
            help="May be repeated; by default combined where there are other models, else confidence, "
            "else lsa, else the first score; a+b joins two."
        ),
    ] = None,
    variant: Variant = None,
    option: Setting = None,
    other: Others = None,
    features: Features = None,
    training: Training = None,
    tolerance: Tolerance = None,
    task: TaskSaid = None,
    column: Columns = None,
    top_k: TopK = 1,
    resume: Resume = None,
    engine: Annotated[str, typer.Option(help="local, or ray for the cluster that RAY_ADDRESS names.")] = "local",
    csv: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write the table as CSV.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE.md", help="Write the table as Markdown.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write plots as a page that works offline.")
    ] = None,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Techniques side by side where the truth is known: errors, bias, coverage and failures over many campaigns."""
    from testimate.planning.needs import default_auxiliary
    from testimate.studies.study import study as run_study
    from testimate.studies.study import to_csv, to_markdown
    from testimate.subjects.table_features import FILE_FEATURES

    options = _settings(option or ())
    read = (table, features, training, resume, *(other or ()))
    check_output(csv, *read, markdown, plot)
    check_output(markdown, *read, plot)
    check_output(plot, *read)
    check_json(to, *read, csv, markdown, plot)
    check_output(resume, table, features, training, *(other or ()))
    choices = table_choices(column, top_k=top_k)
    kept = (
        "There is no --resume FILE, so nothing is kept."
        if resume is None
        else f"The campaigns that are finished are in {resume}; the same command continues from there."
    )
    with ShownProgress(quiet, kept) as progress:
        inputs = read_inputs(table, features, training, tolerance, task=task, choices=choices, others=other)
        rows = run_study(
            inputs,
            techniques=technique,
            auxiliaries=auxiliary or [default_auxiliary(inputs) or "confidence"],
            budgets=budget,
            repetitions=repetitions,
            seed=seed,
            variant=variant,
            features=FILE_FEATURES if features else "LHL",
            options=options,
            resume_file=resume,
            progress=progress,
            engine=engine,
            tell=aside,
        )
        tell_leaks(inputs, technique, auxiliary or ())
    tell_others(inputs)
    if csv is not None:
        write_whole(csv, to_csv(rows))
    if markdown is not None:
        write_whole(markdown, to_markdown(rows) + "\n")
    if plot is not None:
        from testimate.studies.plots import to_html

        write_whole(plot, to_html(rows))
    if to:
        write_json([row.to_json() for row in rows], to)
    elif csv is None and markdown is None and plot is None:
        typer.echo(to_markdown(rows))


def _settings(given: Sequence[str]) -> dict[str, str]:
    """The settings given, by name; BadInput for one without a value or given twice."""
    found: dict[str, str] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if not (name and equals and value) or name in found:
            raise BadInput(
                f"The option is {setting!r:.60}; expected NAME=VALUE or TECHNIQUE.NAME=VALUE, such as gbs.clusters=8, each "
                "name once. Change it."
            )
        found[name] = value
    return found
