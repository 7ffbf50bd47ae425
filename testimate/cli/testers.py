"""The verbs for the team: who is in it and how far they are, and what a lead says to them."""

import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.options import Json, ProjectOptions, Verbs
from testimate.cli.output import write_json

if TYPE_CHECKING:
    from testimate.project.project import Project

verbs = Verbs("testers", "Manage who may label when the app is served to a team.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="Unique in the project. Answers are saved under it.")]
Session = Annotated[str, typer.Argument(metavar="SESSION", help="Its id; testimate sessions list shows them.")]

TERMINAL = "a lead at the terminal"
"""Who says so, where nobody has logged in."""


@verbs.command(epilog="Example: testimate testers add Ann --lead")
def add(
    *,
    name: Name,
    lead: Annotated[
        bool, typer.Option("--lead", help="Sees everybody's votes, settles disputes, starts sessions.")
    ] = False,
    oidc: Annotated[
        bool,
        typer.Option("--oidc", help="Without a password: NAME is the e-mail that the identity provider knows."),
    ] = False,
    kept: ProjectOptions,
) -> None:
    """Add a tester; the password is asked for, or read as one line where no one sits at the terminal."""
    team = kept.opened(make=True).testers  # a database that is away is said before anything is typed
    member = team.add(name, None if oidc else _password(), "lead" if lead else "tester")
    typer.echo(f"{member.name} may log in as a {member.role}. Serve the app to the team with: testimate app --team")


@verbs.command("list", epilog="Example: testimate testers list")
def list_(kept: ProjectOptions, to: Json = "") -> None:
    """List the testers with their roles."""
    members = _project(kept).testers.list()
    if to:
        write_json([vars(member) for member in members], to)
        return
    for member in members:
        typer.echo(f"{member.role:<7} {member.name}  since {member.created}")
    if not members:
        typer.echo("There is no tester yet. Add one with: testimate testers add NAME")


@verbs.command(epilog="Example: testimate testers password Ann")
def password(name: Name, kept: ProjectOptions) -> None:
    """Give a tester a new password, asked for as in add; they are logged out everywhere, and their votes stay."""
    _project(kept).testers.new_password(name, _password())
    typer.echo(f"{name} logs in with the new password from now on.")


@verbs.command(epilog="Example: testimate testers progress 3f2a9c")
def progress(
    session: Session,
    kept: ProjectOptions,
    to: Json = "",
) -> None:
    """Show how far each tester of a session is: answers, pace, last answer, agreement, disputes lost, answers corrected."""
    from testimate.project.second_looks import second_looks_at
    from testimate.reports.people import progress_of_testers

    opened = _project(kept)
    looks = [opened.session(record.id) for record in second_looks_at(opened, session)]
    found = progress_of_testers(opened.session(session), looks)
    if to:
        write_json([asdict(one) for one in found], to)
        return
    for one in found:
        typer.echo(one.words())
    if not found:
        typer.echo("Nobody has answered in this session yet.")


@verbs.command(epilog="Example: testimate testers remove Ann")
def remove(name: Name, kept: ProjectOptions) -> None:
    """Remove a tester, who can no longer log in; the votes stay."""
    _project(kept).testers.remove(name)
    typer.echo(f"{name} can no longer log in. Their answers stay.")


@verbs.command(epilog="Example: testimate testers pause Ann")
def pause(name: Name, kept: ProjectOptions) -> None:
    """Give a tester no inputs until resume; their open inputs go to others, and the answers given stay."""
    _project(kept).team.pause(name, TERMINAL)
    typer.echo(f"{name} is paused. End that with: testimate testers resume {_quoted(name)}")


@verbs.command(epilog="Example: testimate testers resume Ann")
def resume(name: Name, kept: ProjectOptions) -> None:
    """Give a tester inputs again, after pause or take-back."""
    _project(kept).team.go_on(name, TERMINAL)
    typer.echo(f"{name} gets inputs again.")


@verbs.command(epilog="Example: testimate testers take-back Ann")
def take_back(name: Name, kept: ProjectOptions) -> None:
    """Give a tester's open inputs to others now; the tester can ask for new ones, and a late answer is kept."""
    count = _project(kept).team.take_back(name, TERMINAL)
    typer.echo(f"Took back {count} from {name}. A running app gives them to others within seconds.")


@verbs.command(epilog="Example: testimate testers assign 3f2a9c Ann Bob")
def assign(
    *,
    session: Session,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Who labels it; without a name everybody does.")
    ] = None,
    kept: ProjectOptions,
) -> None:
    """Say who labels a session; others no longer see it in their list."""
    _project(kept).team.assign(session, names or [], TERMINAL)
    typer.echo(f"Session {session} is labeled by {', '.join(names) if names else 'everybody'}.")


@verbs.command(epilog='Example: testimate testers instructions 3f2a9c "A cracked tile counts as broken."')
def instructions(
    session: Session,
    text: Annotated[str, typer.Argument(help="What testers read while they label it; an empty text removes it.")],
    kept: ProjectOptions,
) -> None:
    """Write what the testers of a session read beside the inputs; it may be changed while they label."""
    _project(kept).team.instruct(session, text, TERMINAL)
    typer.echo("The testers read it at their next input." if text.strip() else "The instructions were removed.")


@verbs.command(epilog='Example: testimate testers message "We stop at noon."')
def message(
    text: Annotated[str, typer.Argument(help="What everybody reads on the Label page; an empty text removes it.")],
    kept: ProjectOptions,
) -> None:
    """Say something to the whole team, on the Label page."""
    _project(kept).team.tell_all(text, TERMINAL)
    typer.echo("The team reads it at their next input." if text.strip() else "The message was removed.")


def _quoted(name: str) -> str:
    """The name as a shell takes it."""
    return shlex.quote(name)


def _password() -> str:
    """The new password, typed twice and never shown."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")


def _project(kept: ProjectOptions) -> "Project":
    """The project; a team whose labels are in a database may be without a folder here."""
    return kept.opened(make=bool(kept.database))
