"""The verbs that make something ready: app, demo, techniques."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import testimate
from testimate.cli.options import PROJECT, Allow, Database, Json, ProjectFolder, RunOptions, Verbs
from testimate.cli.output import ShownProgress, write_json
from testimate.cli.project import allow_paths
from testimate.core.errors import BadInput
from testimate.core.machine import become
from testimate.core.selector import defaults_of
from testimate.core.words import commas

if TYPE_CHECKING:
    from testimate.demos.catalog import Demo

verbs = Verbs()


@verbs.command("app", epilog="Example: testimate app --project my-project")
def run_app(
    project: ProjectFolder = PROJECT,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to serve on.")] = 8501,
    address: Annotated[str, typer.Option(help="The address to serve on; only this computer by default.")] = "127.0.0.1",
    database: Database = "",
    team: Annotated[bool, typer.Option("--team", help="Everybody logs in; see testimate testers.")] = False,
    allow: Allow = None,
    host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            envvar="TESTIMATE_HOSTS",
            help="A name by which browsers reach it, such as that of a proxy. May be repeated.",
        ),
    ] = None,
) -> None:
    """Start the app in this folder's project. Open the address it prints in a browser."""
    from testimate.project.files import remarks_on_place
    from testimate.project.record_paths import check_links

    if not team and address not in ("127.0.0.1", "localhost", "::1"):
        raise BadInput(
            f"Other people can reach {address} and would get in without a login. Expected --team with an open address. Add "
            "--team, or leave --address out."
        )
    for name in host or ():
        _check_host(name)
    allow_paths(project, allow)
    check_links(project)
    if team:
        _check_team(project, database)
    for remark in () if database else remarks_on_place(project):
        typer.echo(remark, err=True)
    script = server_script()
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(script)),
        *("--server.address", address, "--server.port", str(port), "--server.headless", "true"),
        *("--browser.gatherUsageStats", "false"),
    ]
    environment = {
        **os.environ,
        "TESTIMATE_PROJECT": str(project.resolve()),
        "TESTIMATE_DATABASE": database,
        "TESTIMATE_TEAM": "yes" if team else "",
        "TESTIMATE_HOSTS": " ".join(host or ()),
    }
    become(command, environment)


def _check_host(name: str) -> None:
    """BadInput if it is not a name or an address alone."""
    if not re.fullmatch(r"[\w.-]+|[0-9A-Fa-f:]+", name):
        raise BadInput(
            f"--host is {name!r:.100}. Expected a name alone, such as testimate.example.org. Leave out https:// and the port."
        )


def _check_team(project: Path, database: str) -> None:
    """BadInput where nobody could log in, or nobody could start a session."""
    from testimate.project.project import Project

    if not any(member.leads for member in Project(project, database or None).testers.list()):
        raise BadInput(
            "The team has no lead. Expected one, who starts sessions and settles disputes. Add one: testimate testers add "
            "NAME --lead"
        )


def server_script() -> Path:
    """The path of serve.py: inside the installed package, or beside it in a checkout."""
    package = Path(testimate.__file__).parent
    for script in (package / "_app" / "serve.py", package.parent / "serve.py"):
        if script.is_file():
            return script
    raise BadInput("The app's files were not found beside the package. Install Testimate again.")


@verbs.command(epilog="Example: testimate demo glyphs --level 0.8")
def demo(
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="glyphs, digits or road")],
    level: Annotated[
        float | None, typer.Option(help="How far its inputs are shifted, for glyphs: 0.4 to 1 in steps of 0.05.")
    ] = None,
    run: RunOptions,
) -> None:
    """Make a demo ready, so that the app opens it at once: train its network if needed, and compute its features."""
    from testimate.demos.catalog import DEMOS, find_demo
    from testimate.project.project import Project

    found = find_demo(name) if level is None else _at_level(name, level)
    if found is None:
        raise BadInput(f"There is no demo {name!r:.60}; there are {', '.join(DEMOS)}. Choose one of these.")
    with ShownProgress(run.quiet) as progress:
        inputs = Project(run.project).inputs(found.name, progress)
    typer.echo(f"{found.title} is ready: {commas(len(inputs))} inputs in {run.project}. Next: testimate app")


def _at_level(name: str, level: float) -> "Demo | None":
    """The demo at that level of its shift; None where there is no such demo, BadInput where it has no such level."""
    from testimate.demos.catalog import dial_of, find_demo

    dial = dial_of(name)
    if find_demo(name) is None:
        return None
    turned = [demo for percent, demo in dial.items() if abs(percent / 100 - level) < 1e-9]
    if not turned:
        levels = ", ".join(f"{percent / 100:g}" for percent in dial) or "none, because its inputs are as they are"
        raise BadInput(f"The demo {name} has no level {level:g}; there are {levels}. Choose one of these.")
    return turned[0]


@verbs.command(epilog="Example: testimate techniques")
def techniques(to: Json = "") -> None:
    """List the techniques: what each needs, whether it adapts, and where it comes from."""
    from testimate.selectors import SELECTORS

    rows = [
        {
            "name": technique.name,
            "title": technique.title,
            "needs": list(technique.needs),
            "adapts": technique.adapts,
            "unbiased": technique.claims.unbiased,
            "honest_interval": technique.claims.honest_interval,
            "always_valid": technique.claims.always_valid,
            "variants": list(technique.variants),
            "options": defaults_of(technique.options),
            "source": technique.source,
        }
        for technique in SELECTORS.values()
    ]
    if to:
        write_json(rows, to)
        return
    for row in rows:
        adapts = "adapts" if row["adapts"] else "fixed"
        typer.echo(f"{row['name']:<10}  {row['title']}")
        typer.echo(
            f"{'':<12}needs {row['needs']}; {adapts}; {row['source']}".replace("[", "")
            .replace("]", "")
            .replace("'", "")
        )
