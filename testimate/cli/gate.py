"""What estimate and reuse share as gates of a build server: their options, exit status and files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.output import check_output
from testimate.core.errors import BadInput
from testimate.core.files import write_whole

if TYPE_CHECKING:  # named only: a verb that is no gate need not load what gates need
    from testimate.reports.gate import By, Check

FailUnder = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="A gate: exit status 0 where the accuracy reaches X (0 to 1), 1 where it does not, 3 where that is undecided.",
    ),
]
ByEnd = Annotated[
    str,
    typer.Option("--by", metavar="low|estimate", help="For a gate: the interval that counts, or the estimate alone."),
]
Junit = Annotated[Path | None, typer.Option(metavar="FILE.xml", help="Write what the gate found as JUnit XML.")]
Summary = Annotated[Path | None, typer.Option(metavar="FILE.md", help="Write what the gate found as Markdown.")]


@dataclass(frozen=True)
class Gate:
    """What a gate was asked: the least accuracy, by what, and the files to write."""

    least: float | None
    by: "By"
    junit: Path | None
    summary: Path | None

    def finish(self, checks: Sequence["Check"], *, quietly: bool) -> None:
        """Writes the files, prints each check (on stderr if ``quietly``), and ends the command with exit status 0, 1 or 3."""
        from testimate.reports.gate import junit, markdown, status_of

        if not checks:
            return
        if self.junit is not None:
            write_whole(self.junit, junit(checks))
        if self.summary is not None:
            write_whole(self.summary, markdown(checks))
        for one in checks:
            typer.echo(f"{one.outcome}: {one.name}. {one.why}", err=quietly)
        raise typer.Exit(status_of(checks))


def gate_of(
    least: float | None,
    by: str,
    junit: Path | None,
    summary: Path | None,
    *read: Path | None,
    other_check: bool = False,
) -> Gate:
    """The gate, checked; BadInput where an option has no gate to belong to. ``read`` : files that may not be overwritten."""
    if least is not None and not 0 <= least <= 1:
        raise BadInput(f"--fail-under is {least:g}; expected a share from 0 to 1. Give 0.9 for 90 %.")
    if by not in ("low", "estimate"):
        raise BadInput(f"--by is {by!r:.40}; expected low or estimate. Choose one of these.")
    if least is None and not other_check and (junit is not None or summary is not None):
        raise BadInput("There is nothing to check, so no result to write; expected a gate. Add --fail-under.")
    check_output(junit, summary, *read)
    check_output(summary, *read)
    return Gate(least, "low" if by == "low" else "estimate", junit, summary)
