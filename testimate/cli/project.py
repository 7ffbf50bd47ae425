"""The verbs for a whole project: back it up, restore it, check it, move its labels."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import PROJECT, Database, ProjectFolder
from testimate.cli.output import ShownProgress, check_output
from testimate.cli.project_folder import check_project_folder
from testimate.core.errors import BadInput
from testimate.core.plurals import counted
from testimate.core.rounding import spaced

verbs = typer.Typer(
    name="project",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="A whole project: back it up, restore it, check it, move its labels.",
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="A backup, .zip.")]


@verbs.command(epilog="Example: testimate project backup project-2026-11-25.zip")
def backup(file: File, project: ProjectFolder = PROJECT, database: Database = "") -> None:
    """Write a project's labels, subjects, models and datasets to one file, while people go on labeling.

    Features that were computed are left out; they are computed again where they are needed.
    """
    from testimate.project.backup import write_backup
    from testimate.project.project import Project

    check_output(file)
    check_project_folder(project)
    with ShownProgress(quiet=False) as progress:
        facts = write_backup(Project(project, database or None), file, progress)
    typer.echo(f"{file} holds {_words(facts.sessions, facts.rows, len(facts.files))}.")


@verbs.command(epilog="Example: testimate project restore project-2026-11-25.zip --project restored")
def restore(file: File, project: ProjectFolder = PROJECT, database: Database = "") -> None:
    """Make a new folder the project that was backed up, once every byte has been checked."""
    from testimate.project.backup import restore_backup

    with ShownProgress(quiet=False) as progress:
        facts = restore_backup(file, project, database or None, progress)
    typer.echo(f"{project} is the project of {facts.made}: {_words(facts.sessions, facts.rows, len(facts.files))}.")


@verbs.command(epilog="Example: testimate project check project-2026-11-25.zip")
def check(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A backup, .zip; the project itself by default.")
    ] = None,
    project: ProjectFolder = PROJECT,
    database: Database = "",
) -> None:
    """Read a backup, or a project's labels, to the last byte and say whether all is there."""
    from testimate.project.backup import check_backup, check_project
    from testimate.project.project import Project

    if file is not None:
        with ShownProgress(quiet=False) as progress:
            facts = check_backup(file, progress)
        typer.echo(f"{file} is whole: {_words(facts.sessions, facts.rows, len(facts.files))}, made {facts.made}.")
        return
    check_project_folder(project)
    opened = Project(project, database or None)
    with ShownProgress(quiet=False) as progress:
        wrong = check_project(opened, progress)
    if wrong:
        raise BadInput("\n".join(wrong))
    typer.echo(f"{project} is whole: every label of {spaced(len(opened.sessions(deleted=True)))} sessions can be read.")


@verbs.command(epilog="Example: testimate project move --to postgresql+psycopg://user@host/labels")
def move(
    to: Annotated[str, typer.Option(metavar="URL", help="The new database, empty; its user's password in the URL.")],
    project: ProjectFolder = PROJECT,
    database: Database = "",
) -> None:
    """Move all labels, testers and notes of a project into another database, compared row by row.

    Anyone who labels meanwhile has to wait. Afterwards the old labels are no longer opened by mistake: the project
    says where they are.
    """
    from testimate.project.moved_labels import move_labels
    from testimate.project.project import Project

    check_project_folder(project)
    opened = Project(project, database or None)
    sessions = [record.id for record in opened.sessions(deleted=True)]
    rows = move_labels(opened, to)
    typer.echo(
        f"{counted(len(sessions), 'session')} with {counted(rows['events'], 'event')} moved, each table compared. Serve the "
        "app with --database and the new URL from now on."
    )


def _words(sessions: Sequence[str], rows: Mapping[str, int], files: int) -> str:
    return f"{counted(len(sessions), 'session')} with {counted(rows.get('events', 0), 'event')}, and {counted(files, 'file')}"
