"""The output of a verb: files in their places, JSON for machines, a progress bar for people, and remarks on the inputs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from testimate.core.errors import BadInput
from testimate.core.files import check_no_folder, write_whole
from testimate.core.progress import A_MINUTE, Ahead, Progress, WorkPace, silent, time_in_words
from testimate.core.words import commas

if TYPE_CHECKING:
    from testimate.core.inputs import Inputs


EVERY = 10.0
"""Seconds between two lines that say how far work is."""


def aside(sentence: str) -> None:
    """Prints a sentence on standard error, so that it does not get into JSON on standard output."""
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
                f"{out} is also {other} and would be overwritten. Expected two different files. Name another file."
            )


def check_json(to: str, *others: Path | None) -> None:
    """As ``check_output``, for JSON output; "-" and None are not files."""
    if to not in ("", "-"):
        check_output(Path(to), *others)


def _same_file(one: Path, other: Path) -> bool:
    """Whether both are the same file, even through a link, and even where it does not exist yet."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


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
    """Progress of the block, on stderr: a bar in a terminal, elsewhere a line every ten seconds, as in a log.

    ``quiet`` : neither. ``kept`` : what to say when Ctrl-C stops it. ``quicker`` : by step, what to do if it takes more
    than a minute.
    """

    def __init__(
        self, quiet: bool, kept: str = "No partial file was left behind.", quicker: Mapping[str, str] | None = None
    ) -> None:
        self._quiet, self._kept, self._quicker = quiet, kept, quicker or {}
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if self._quiet:
            return silent
        if not sys.stderr.isatty():
            return ProgressLines(quicker=self._quicker)
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        bar = self._bar = Bar(*columns, console=Console(file=sys.__stderr__), transient=True)
        bar.start()
        task, pace = bar.add_task("working", total=None), WorkPace()

        def progress(done: int, total: int, what: str = "") -> None:
            pace.step(done, total, what)
            forecast = pace.forecast()
            if forecast is not None:
                bar.console.print(forecast_words(what, forecast, self._quicker), markup=False, highlight=False)
            bar.update(task, completed=done, total=total, description=what or "working")

        return progress

    def take_away(self) -> None:
        """Removes the bar for good, before a question is asked in its place."""
        if self._bar is not None:
            self._bar.stop()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.take_away()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            aside(f"Stopped. {self._kept}")


class ProgressLines:
    """Progress as lines for a log: at most one in ``EVERY`` seconds, so that quick work writes none.

    What takes long says so as soon as its own first steps tell it. ``clock`` : seconds that only rise.
    ``write`` : takes a line. ``quicker`` : as of ``ShownProgress``.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        write: Callable[[str], object] = aside,
        every: float = EVERY,
        quicker: Mapping[str, str] | None = None,
    ) -> None:
        self._clock, self._write, self._every, self._quicker = clock, write, every, quicker or {}
        self._said, self._pace = clock(), WorkPace(clock)

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """A line, if it is time for one."""
        pace, now = self._pace, self._clock()
        pace.step(done, total, what)
        forecast = pace.forecast()
        if forecast is not None:
            self._said = now
            self._write(forecast_words(what, forecast, self._quicker))
        if now - self._said < self._every:
            return
        self._said, ahead = now, pace.ahead()
        rest = f", about {time_in_words(ahead.left)} left" if ahead is not None and ahead.left else ""
        self._write(f"{what or 'working'}: {commas(done)} of {commas(total)}{rest}")


def forecast_words(what: str, ahead: Ahead, quicker: Mapping[str, str]) -> str:
    """What a long step takes, in a line, and what to do where that is more than a minute.

    >>> forecast_words("comparing", Ahead(200, 190), {"comparing": "Too long? Take fewer."})
    'comparing: about 3 min in all. Too long? Take fewer.'
    """
    way = quicker.get(what, "") if ahead.seconds > A_MINUTE else ""
    return f"{what or 'working'}: about {time_in_words(ahead.seconds)} in all" + (f". {way}" if way else "")


def tell_others(inputs: Inputs) -> None:
    """Print on stderr how often other models agree, which of them may be useless, and what earlier models' results are."""
    from testimate.planning.history import history_words
    from testimate.planning.other_models import remarks

    for remark in (*remarks(inputs), *([] if inputs.history is None else [history_words(inputs.history)])):
        typer.echo(remark, err=True)


def tell_files(inputs: Inputs) -> None:
    """Prints on stderr which rows have no file, and which files belong to no row."""
    from testimate.subjects.media import Names

    if isinstance(inputs.names, Names):
        for remark in inputs.names.remarks:
            typer.echo(remark, err=True)


def tell_groups(inputs: Inputs, technique: str) -> None:
    """Prints on stderr that inputs belong together, or seem to, where the technique draws them one by one."""
    from testimate.planning.forecast import drawn_apart

    words = drawn_apart(inputs, technique)
    if words:
        typer.echo(words, err=True)
