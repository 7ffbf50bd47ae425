"""Pages that are made from the program: every command with its help, every technique, what the papers claim; and the changes.

All but the changes are written to docs, so that readers of the repository find them, too. After a change of a command, a
technique or a claim: `PYTHONPATH=. .venv/bin/python docs/site/made_pages.py`.
"""

import inspect
from collections.abc import Sequence
from pathlib import Path

import typer
from docstrings import as_markdown
from typer.cli import get_docs_for_click

from testimate.cli import app
from testimate.core.selector import Option, Selector
from testimate.selectors import SELECTORS
from testimate.studies.claims import CLAIMS, DEEPSAMPLE, LAF, METRICS, PACE, PAPERS, SSOA

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
        "Every technique that `testimate techniques` lists, made from the program itself. What they claim is compared with "
        "simulation by tests. The words are explained in the [glossary](../glossary.md).",
        "",
        "| name | technique | needs | learns from labels | unbiased | honest interval | stop-safe interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, made in SELECTORS.items():
        claims, needs = made.claims, ", ".join(made.needs)
        yes = ["yes" if claim else "no" for claim in (made.adapts, claims.honest_interval, claims.always_valid)]
        lines.append(
            f"| [`{name}`](#{name}) | {made.title} | {needs} | {yes[0]} | {claims.unbiased} | {yes[1]} | {yes[2]} |"
        )
    for name, made in SELECTORS.items():
        taken = inspect.signature(made)
        call = (
            f"from {made.__module__} import {made.__qualname__}\n\n{made.__qualname__}({', '.join(taken.parameters)})"
        )
        lines += ["", f"## {name}", "", f"**{made.title}.** {as_markdown(inspect.getdoc(made) or '')}", ""]
        lines += ["```text", call, "```", "", *claimed(made), *option_table(made.options)]
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


MEASURED_IN = {DEEPSAMPLE: "deepsample", SSOA: "ssoa", PACE: "pace", METRICS: "prioritizers", LAF: "laf"}
"""The page of docs/studies that measured each paper's claims."""

IN_THE_APP = "http://127.0.0.1:8501/study?view=What+the+papers+claim"
"""The view of Learn with the same claims, where `testimate app` serves it."""


def paper_claims() -> str:
    """Every paper's claims with our verdict and what our studies measured, as Learn shows them."""
    lines = [
        "# What the papers claim",
        "",
        f"The same words as [Learn, What the papers claim]({IN_THE_APP}) in the app, while it runs on this computer. There a "
        "column adds what you measured on your own test set. [The papers, section by section](../papers.md) has the commands.",
    ]
    for paper in PAPERS:
        lines += ["", f"## {paper}", "", f"Measured on [a page of its own]({MEASURED_IN[paper]}.md).", ""]
        lines += ["| verdict | the paper says | where | our studies measured |", "|---|---|---|---|"]
        for claim in CLAIMS:
            if claim.paper == paper:
                lines.append(f"| {claim.verdict} | {claim.says} | {claim.place} | {claim.studied()} |")
    return "\n".join(lines) + "\n"


WRITTEN = {
    "reference/command-line.md": command_line,
    "reference/techniques.md": techniques,
    "studies/claims.md": paper_claims,
}
"""What makes the pages that are kept in docs."""

if __name__ == "__main__":
    for page, make in WRITTEN.items():
        (ROOT / "docs" / page).write_text(make(), encoding="utf-8")
