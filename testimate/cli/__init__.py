"""The same verbs from a terminal; each file holds a group of them."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from shlex import quote as quoted
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from testimate.cli.console import printable
from testimate.core.errors import ReadingUnclear, TestimateError
from testimate.core.machine import bytes_below_own_limits, free_bytes, own_limit, ran_out
from testimate.core.plug_ins import LazyMapping

VERBS: LazyMapping[str, typer.Typer] = LazyMapping(
    "testimate.cli",
    {
        "app": "start:verbs",
        "demo": "start:verbs",
        "techniques": "start:verbs",
        "features": "features:verbs",
        "select": "plans:verbs",
        "continue": "plans:verbs",
        "estimate": "estimate:verbs",
        "reuse": "reuse:verbs",
        "grown": "reuse:verbs",
        "drift": "reuse:verbs",
        "recheck": "estimate:verbs",
        "prioritize": "plans:verbs",
        "metrics": "estimate:verbs",
        "clusters": "clusters:verbs",
        "rank": "clusters:verbs",
        "shift": "features:verbs",
        "study": "clusters:verbs",
        "convert": "features:conversions",
        "cache": "cache:verbs",
        "testers": "testers:verbs",
        "sessions": "sessions:verbs",
        "plan": "plan_labels:verbs",
        "project": "project:verbs",
    },
    "verb",
)
"""The file of each verb, in the order in which the help lists them."""

LEAST_BYTES = 300_000_000
"""Address space that the libraries of a verb need to start; with less some of them wait for a thread without an end."""


@cache
def _command(verb: str) -> Any:
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.add_typer(VERBS[verb])
    group: Any = typer.main.get_command(one)
    return group.commands[verb]


class _Commands(Mapping[str, Any]):
    """The command of each verb; its file is imported when the command is looked up."""

    def __getitem__(self, verb: str) -> Any:
        if bytes_below_own_limits() < LEAST_BYTES:
            raise MemoryError
        return _command(verb)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class _Verbs(TyperGroup):
    """All verbs, of which only the one that is used is imported, so that none waits for what the others need."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _Commands()})


app = typer.Typer(
    cls=_Verbs,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Estimate a model's accuracy from a few labels, and find its faults.",
)


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
    with printable():
        try:
            run(args=arguments, prog_name="testimate")
        except Exception as error:
            sentence = _sentence(error, sys.argv[1:] if arguments is None else arguments)
            if not sentence:
                raise
            sys.stderr.write(f"{sentence}\n")
            sys.exit(2)


def _sentence(error: Exception, arguments: Sequence[str]) -> str:
    """The sentence about an error that a person can correct; "" for any other."""
    if ran_out(error):
        limit = own_limit()
        found = (
            f"{free_bytes() / 1e9:.1f} GB are free"
            if limit is None
            else f"this process may take {limit / 1e9:.1f} GB in all"
        )
        do = "Close other programs" if limit is None else "Raise that limit (ulimit -v)"
        return (
            f"The memory ran out: {found}. Expected enough for everything that was asked for. {do}, split the table, or use a "
            "machine with more memory."
        )
    if isinstance(error, ReadingUnclear):
        command = " ".join(quoted(word) for word in ("testimate", *map(str, arguments)))
        return "\n".join((error.found, *(f"{way.words}:\n  {command} {way.option}" for way in error.ways)))
    if isinstance(error, TestimateError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'A file'} could not be used: {error.strerror}. Check the path and its permissions."
    return ""
