"""The verbs for a whole project: back it up, restore it, check it, move its labels.

Says what a project's records may name outside it.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from testimate.cli.options import Allow, ProjectOptions, Verbs, check_project_folder
from testimate.cli.output import ShownProgress, aside, check_output
from testimate.core.errors import BadInput
from testimate.core.session_record import Tester
from testimate.core.words import commas, counted


def allow_paths(project: Path, paths: Sequence[Path] | None) -> None:
    """Lets the project's records name these files and folders from now on, and says so."""
    from testimate.project.record_paths import allow, real_path

    for path in paths or ():
        allow(project, path)
        aside(f"Test sets in {project} may read {real_path(path)} from now on.")


verbs = Verbs("project", "Back up, restore and check a project, and move its labels.")
File = Annotated[Path, typer.Argument(metavar="FILE", help="A backup, .zip.")]


@verbs.command(epilog="Example: testimate project backup project-2026-11-25.zip")
def backup(file: File, kept: ProjectOptions) -> None:
    """Write a project's labels, subjects, models and datasets to one file, while people go on labeling.

    Features that were computed are left out; they are computed again where they are needed.
    """
    from testimate.project.backup import write_backup

    check_output(file)
    opened = kept.opened()
    with ShownProgress(quiet=False) as progress:
        facts = write_backup(opened, file, progress)
    typer.echo(f"Wrote {file}: {_words(facts.sessions, facts.rows, len(facts.files))}.")


@verbs.command(epilog="Example: testimate project restore project-2026-11-25.zip --project restored")
def restore(
    file: File,
    kept: ProjectOptions,
    accounts: Annotated[
        Literal["keep", "drop"] | None,
        typer.Option(
            help="Whether the testers in the backup can log in here. Asked at a terminal; elsewhere they are dropped."
        ),
    ] = None,
    allow: Allow = None,
) -> None:
    """Make a new folder the project that was backed up, once every byte has been checked.

    All answers are restored, with the names of those who gave them, whether their accounts are kept or dropped.
    """
    from testimate.project.backup import paths_outside, restore_backup

    shown, project = ShownProgress(quiet=False), kept.project

    def keeps(members: Sequence[Tester]) -> bool:
        shown.take_away()
        return _keeps_accounts(members, accounts, project)

    with shown as progress:
        facts = restore_backup(file, project, kept.database or None, progress, keeps_accounts=keeps)
    allow_paths(project, allow)
    for sentence in paths_outside(project):
        aside(sentence)
    typer.echo(f"{project} is the project of {facts.made}: {_words(facts.sessions, facts.rows, len(facts.files))}.")


def _keeps_accounts(members: Sequence[Tester], chosen: Literal["keep", "drop"] | None, project: Path) -> bool:
    """Lists who could log in where the backup was made, and whether they can here: as chosen, else asked at a terminal."""
    from testimate.project.record_paths import in_project

    names = ", ".join(f"{member.name!r:.102} ({'lead' if member.leads else 'tester'})" for member in members)
    aside(f"The backup has {counted(len(members), 'account')}: {names}.")
    kept = chosen == "keep"
    if chosen is None and sys.stdin.isatty():
        kept = typer.confirm("Keep these accounts, so that they can log in here with their passwords?", err=True)
    add = f"testimate testers add NAME --lead {in_project(project)}"
    aside("They can log in here." if kept else f"They are dropped; their answers stay. Add a lead with: {add}")
    return kept


@verbs.command(epilog="Example: testimate project check project-2026-11-25.zip")
def check(
    *,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A backup, .zip; the project itself by default.")
    ] = None,
    kept: ProjectOptions,
    allow: Allow = None,
) -> None:
    """Read a backup, or a project's labels, to the last byte and say whether all is there.

    Records that name files outside the project, which --allow permits, are listed.
    """
    from testimate.project.backup import check_backup, check_project

    if file is not None:
        with ShownProgress(quiet=False) as progress:
            facts = check_backup(file, progress, allowed=allow or ())
        typer.echo(f"{file} is whole: {_words(facts.sessions, facts.rows, len(facts.files))}, made {facts.made}.")
        return
    check_project_folder(kept.project)
    allow_paths(kept.project, allow)
    opened = kept.opened()
    with ShownProgress(quiet=False) as progress:
        wrong = check_project(opened, progress)
    if wrong:
        raise BadInput("\n".join(wrong))
    typer.echo(
        f"{kept.project} is whole: every label of {commas(len(opened.sessions(deleted=True)))} sessions can be read."
    )


@verbs.command(epilog="Example: testimate project move --to postgresql+psycopg://user@host/labels")
def move(
    to: Annotated[str, typer.Option(metavar="URL", help="The new database, empty; its user's password in the URL.")],
    kept: ProjectOptions,
) -> None:
    """Move all labels, testers and notes of a project into another database, compared row by row.

    Anyone who labels meanwhile has to wait. Afterwards the old labels are no longer opened by mistake: the project
    says where they are.
    """
    from testimate.project.moved_labels import move_labels

    opened = kept.opened()
    sessions = [record.id for record in opened.sessions(deleted=True)]
    rows = move_labels(opened, to)
    typer.echo(
        f"{counted(len(sessions), 'session')} with {counted(rows['events'], 'event')} moved, each table compared. Serve the "
        "app with --database and the new URL from now on."
    )


def _words(sessions: Sequence[str], rows: Mapping[str, int], files: int) -> str:
    return f"{counted(len(sessions), 'session')} with {counted(rows.get('events', 0), 'event')}, and {counted(files, 'file')}"
