"""The output of a verb: files in their places, JSON for machines, and a progress bar for people."""

import json
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import typer

from testimate.core.errors import BadInput
from testimate.core.progress import Progress, silent
from testimate.core.whole_file import check_no_folder, write_whole


def aside(sentence: str) -> None:
    """Says a sentence on standard error, so that it is in nobody's JSON."""
    typer.echo(sentence, err=True)


def check_output(out: Path | None, *others: Path | None) -> None:
    """BadInput where a folder is in the place of the file to write, or it is one of the others, which would be lost.

    The others are what is read, and what else is written. A pipe or a device is no file to be lost.
    """
    if out is None:
        return
    check_no_folder(out)
    if out.exists() and not out.is_file():
        return
    for other in others:
        if other is not None and _same_file(out, other):
            raise BadInput(
                f"{out} is to be written and is {other} at the same time, which would be lost. Name another file."
            )


def check_json(to: str, *others: Path | None) -> None:
    """As ``check_output``, of where JSON goes; "-" and nothing are no files."""
    if to not in ("", "-"):
        check_output(Path(to), *others)


def _same_file(one: Path, other: Path) -> bool:
    """Whether both are the same file, also by a link, and also where there is none yet."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


def are(number: int) -> str:
    """The verb that stands after that many.

    >>> are(1), are(2)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def in_percent(share: float) -> str:
    """The share in per cent as it was given, not rounded.

    >>> in_percent(0.95), in_percent(0.975), in_percent(0.999999999999)
    ('95%', '97.5%', '99.9999999999%')
    """
    return f"{(100 * Decimal(str(share))).normalize():f}%"


def write_json(result: Any, to: str) -> None:
    """Writes JSON to a file, whole or not at all, or to stdout for "-"."""
    text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if to == "-":
        sys.stdout.write(text)
    else:
        write_whole(Path(to), text)


class ShownProgress:
    """A progress bar on stderr while the block runs; none with ``quiet`` or without a terminal."""

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        if not self.shown:
            return silent
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self.bar = Bar(*columns, console=Console(file=sys.__stderr__), transient=True)
        self.bar.start()
        task = self.bar.add_task("working", total=None)

        def progress(done: int, total: int, what: str = "") -> None:
            self.bar.update(task, completed=done, total=total, description=what or "working")

        return progress

    def __exit__(self, *_: object) -> None:
        if self.shown:
            self.bar.stop()
