"""The verbs for the team: testers add, list, password, progress and remove."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.options import PROJECT, Database, Json, ProjectFolder
from testimate.cli.output import write_json
from testimate.cli.project_folder import check_project_folder

if TYPE_CHECKING:
    from testimate.labels.testers import Testers

verbs = typer.Typer(
    name="testers", no_args_is_help=True, rich_markup_mode=None, help="Who may label when the app is served to a team."
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Unique in the project; votes are stored under it.")]


@verbs.command(epilog="Example: testimate testers add Ann --lead")
def add(
    name: Name,
    lead: Annotated[
        bool, typer.Option("--lead", help="Sees everybody's votes, settles disputes, starts sessions.")
    ] = False,
    oidc: Annotated[
        bool,
        typer.Option("--oidc", help="Without a password: NAME is the e-mail that the identity provider knows."),
    ] = False,
    project: ProjectFolder = PROJECT,
    database: Database = "",
) -> None:
    """Add a tester; the password is asked for, or read as one line where no one sits at the terminal."""
    typed = None if oidc else _password()
    member = _team(project, database, make=True).add(name, typed, "lead" if lead else "tester")
    typer.echo(f"{member.name} may log in as a {member.role}. Serve the app to the team with: testimate app --team")


@verbs.command("list", epilog="Example: testimate testers list")
def list_(project: ProjectFolder = PROJECT, database: Database = "", to: Json = "") -> None:
    """List the testers with their roles."""
    members = _team(project, database).list()
    if to:
        write_json([vars(member) for member in members], to)
        return
    for member in members:
        typer.echo(f"{member.role:<7} {member.name}  since {member.created}")
    if not members:
        typer.echo("There is no tester yet. Add one with: testimate testers add NAME")


@verbs.command(epilog="Example: testimate testers password Ann")
def password(name: Name, project: ProjectFolder = PROJECT, database: Database = "") -> None:
    """Give a tester a new password, asked for as in add; they are logged out everywhere, and their votes stay."""
    _team(project, database).new_password(name, _password())
    typer.echo(f"{name} logs in with the new password from now on.")


@verbs.command(epilog="Example: testimate testers progress 3f2a9c")
def progress(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Its id; testimate sessions list shows them.")],
    project: ProjectFolder = PROJECT,
    database: Database = "",
    to: Json = "",
) -> None:
    """Show how far each tester of a session is: answers, pace, last answer, agreement and disputes lost."""
    from testimate.project.project import Project
    from testimate.reports.tester_progress import progress_of_testers

    if not database:
        check_project_folder(project)
    found = progress_of_testers(Project(project, database or None).session(session))
    if to:
        write_json([asdict(one) for one in found], to)
        return
    for one in found:
        typer.echo(one.words())
    if not found:
        typer.echo("Nobody has answered in this session yet.")


@verbs.command(epilog="Example: testimate testers remove Ann")
def remove(name: Name, project: ProjectFolder = PROJECT, database: Database = "") -> None:
    """Remove a tester, who may not log in any more; the votes stay."""
    _team(project, database).remove(name)
    typer.echo(f"{name} may not log in any more; what they said is still stored.")


def _password() -> str:
    """The new password, typed twice and never shown."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")


def _team(project: Path, database: str, *, make: bool = False) -> "Testers":
    """The team of a project; BadInput where there is no project, unless one is to be made."""
    from testimate.project.project import Project

    if not make and not database:
        check_project_folder(project)
    return Project(project, database or None).testers
