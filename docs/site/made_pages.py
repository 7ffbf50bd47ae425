"""Pages that are made when the site is built: the changes, every command with its help, every technique."""

from collections.abc import Sequence
from pathlib import Path

import typer
from typer.cli import get_docs_for_click

from testimate.cli import app
from testimate.core.selector import Option, Selector
from testimate.selectors import SELECTORS

ROOT = Path(__file__).parents[2]
SHOWN_FIRST = (
    "The same text as `testimate --help` and `testimate COMMAND --help` print; made from the program itself.\n"
)


def changes() -> str:
    """CHANGELOG.md, word by word."""
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def command_line() -> str:
    """Every command with its arguments, options and example."""
    command = typer.main.get_command(app)
    context = typer.Context(command)
    text = get_docs_for_click(obj=command, ctx=context, name="testimate", title="Command line")
    lines = ["# Command line", "", SHOWN_FIRST, "| command | what it does |", "|---|---|"]
    for name in command.list_commands(context):
        first, _, _ = command.get_command(context, name).help.partition("\n\n")
        lines.append(f"| [`{name}`](#testimate-{name}) | {' '.join(first.split())} |")
    _, mark, details = text.partition("## `testimate app`")
    lines, in_list = [*lines, ""], False
    for line in (mark + details).splitlines():
        in_list = line == "**Commands**:" or (in_list and not line.startswith("#"))
        example = line.removeprefix("Example: ")
        if example != line:
            lines += ["**Example**:", "", "```console", f"$ {example}", "```"]
        elif not in_list:
            lines.append(line)
    return "\n".join(lines) + "\n"


def techniques() -> str:
    """Every technique: what it is called, what it needs and claims, and its class."""
    lines = [
        "# Techniques",
        "",
        "Every technique that `testimate techniques` lists, made from the program itself. What they claim is held against "
        "simulation by tests. The words are explained in the [glossary](../glossary.md).",
        "",
        "| name | technique | needs | learns from labels | unbiased | honest interval | stop-safe interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, made in SELECTORS.items():
        claims, needs = made.claims, ", ".join(made.needs)
        yes = ["yes" if claim else "no" for claim in (made.adapts, claims.honest_interval, claims.always_valid)]
        place = f"{made.__module__}.{made.__qualname__}"
        lines.append(
            f"| [`{name}`](#{place}) | {made.title} | {needs} | {yes[0]} | {claims.unbiased} | {yes[1]} | {yes[2]} |"
        )
    for name, made in SELECTORS.items():
        lines += ["", f"::: {made.__module__}.{made.__qualname__}", "    options:", "      members: false"]
        lines += [f'      heading: "{name}: {made.title}"', f'      toc_label: "{name}"', "", *claimed(made)]
        lines += option_table(made.options)
    return "\n".join(lines) + "\n"


def claimed(made: type[Selector]) -> list[str]:
    """What a tester should beware of, and the technique's source, as the app shows them."""
    note = [f"**Beware.** {made.claims.note}", ""] if made.claims.note else []
    return [*note, f"**Source.** {made.source}"]


def option_table(options: Sequence[Option]) -> list[str]:
    """What can be set, with its default and its bounds; nothing where there is nothing to set."""
    if not options:
        return []
    lines = ["", "| option | default | allowed | meaning |", "|---|---|---|---|"]
    for option in options:
        ends = ["any" if end is None else f"{end:g}" for end in (option.low, option.high)]
        allowed = ", ".join(map(str, option.choices)) or f"{ends[0]} to {ends[1]}"
        lines.append(f"| `{option.name}` | {option.default} | {allowed} | {option.help} |")
    return lines


PAGES = {"changes.md": changes, "reference/command-line.md": command_line, "reference/techniques.md": techniques}
"""What makes each page, by its place in the site."""
