"""The same verbs from a terminal; each file holds a group of them."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from testimate.cli import (
    cache,
    convert,
    estimate,
    features,
    measures,
    plans,
    prioritize,
    rank,
    sessions,
    shift,
    start,
    study,
    testers,
)
from testimate.core.errors import TestimateError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Label a few inputs of a neural network, know the accuracy of all of them, and see its faults.",
)
for group in (start, features, plans, estimate, prioritize, measures, rank, shift, study):
    app.add_typer(group.verbs)
app.add_typer(convert.verbs, name="convert")
app.add_typer(cache.verbs, name="cache")
app.add_typer(testers.verbs, name="testers")
app.add_typer(sessions.verbs, name="sessions")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"testimate {version('testimate')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of the command itself, before any verb."""


def main(arguments: list[str] | None = None, run: Callable[..., Any] = app) -> None:
    """The entry point: errors a person can correct become one sentence on stderr and exit status 2."""
    try:
        run(args=arguments, prog_name="testimate")
    except TestimateError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except OSError as error:
        sys.stderr.write(
            f"{error.filename or 'A file'} could not be used: {error.strerror}. Check the path and your rights.\n"
        )
        sys.exit(2)
