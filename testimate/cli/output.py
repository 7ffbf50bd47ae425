"""The output of a verb: files in their places, JSON for machines, and a progress bar for people.

Arguments and options that several verbs take.

Reading the tables that are given to a verb.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from testimate.core.errors import BadInput
from testimate.core.files import check_no_folder, write_whole
from testimate.core.inputs import Inputs
from testimate.core.progress import A_MINUTE, Ahead, Progress, WorkPace, silent, time_in_words
from testimate.core.task import TaskKind
from testimate.core.words import spaced
from testimate.tasks.regression import SaidTolerance

if TYPE_CHECKING:
    from testimate.subjects.prediction_table import TableChoices


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
                f"{out} is to be written and is {other} at the same time, which would be lost. Name another file."
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


def are(number: int) -> str:
    """Whichever of "is" and "are" follows that number.

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
    """Progress of the block, on stderr: a bar in a terminal, elsewhere a line every ten seconds, as in a log.

    ``quiet`` : neither. ``kept`` : what to say when Ctrl-C stops it. ``quicker`` : by step, what to do if it takes more
    than a minute.
    """

    def __init__(
        self, quiet: bool, kept: str = "Nothing was written in part.", quicker: Mapping[str, str] | None = None
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
        self._write(f"{what or 'working'}: {spaced(done)} of {spaced(total)}{rest}")


def forecast_words(what: str, ahead: Ahead, quicker: Mapping[str, str]) -> str:
    """What a long step takes, in a line, and what to do where that is more than a minute.

    >>> forecast_words("comparing", Ahead(200, 190), {"comparing": "Too long? Take fewer."})
    'comparing: about 3 min in all. Too long? Take fewer.'
    """
    way = quicker.get(what, "") if ahead.seconds > A_MINUTE else ""
    return f"{what or 'working'}: about {time_in_words(ahead.seconds)} in all" + (f". {way}" if way else "")


Table = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="One row per input: CSV (also .gz), Parquet or a saved Hugging Face dataset; or a detector's boxes, COCO's JSON "
        "or a folder of YOLO's texts.",
    ),
]
Json = Annotated[str, typer.Option("--json", metavar="FILE", help="Write the result as JSON; - for stdout.")]
Seed = Annotated[int, typer.Option(help="Same seed, same draws.")]
Features = Annotated[Path | None, typer.Option("--features", metavar="F.npy", help="(N, width) features, row for row.")]
Training = Annotated[
    Path | None, typer.Option("--training", metavar="TABLE", help="Training inputs with their truth, for ssoa-*-t.")
]
Others = Annotated[
    list[Path] | None,
    typer.Option(
        "--other",
        metavar="OTHER.csv",
        help="What another model predicts for the same inputs: prediction, confidence if known; rows in the same order, or a "
        "column key in both. May be repeated.",
    ),
]
Variant = Annotated[str | None, typer.Option(help='A named variant, such as "as published".')]
Tolerance = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|PERCENT",
        help="Regression: the error beyond which an input has failed, 0.5 or 10% of the true number.",
    ),
]
TaskSaid = Annotated[
    TaskKind | None,
    typer.Option(
        "--task",
        help='What the predictions are, where whole numbers may be either; multi-label: "cat;dog"; verdict: outputs to judge; '
        "boxes: what a detector found.",
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Which column is what: prediction, label, outcome, confidence, p_<class>, image, audio, text, file, input, "
        "output, reference, output_a, output_b, show, ignore. "
        "May be repeated.",
    ),
]
Grades = Annotated[
    str | None,
    typer.Option(
        "--grades",
        metavar="SCALE",
        help="Outputs to judge: right-partly-wrong, by default, or 1-5, of which 5 is the best.",
    ),
]
LeastScore = Annotated[
    float,
    typer.Option(
        "--least-score",
        metavar="SCORE",
        help="Boxes: those with a smaller score are not judged; they only say how likely it is that an object was "
        "missed.",
    ),
]
TopK = Annotated[int, typer.Option("--top-k", min=1, help="An input is right where its class is among the first K.")]
Further = Annotated[
    list[str] | None,
    typer.Option(
        "--class", metavar="NAME", help="A class that was never predicted and may be an answer; may be repeated."
    ),
]
InputFiles = Annotated[
    Path | None,
    typer.Option("--inputs", metavar="FOLDER|ZIP", help="Pictures, sounds or texts that the table's rows name."),
]
Mlflow = Annotated[
    str,
    typer.Option(
        metavar="EXPERIMENT",
        help="Log the numbers and the report as a run of MLflow, where MLFLOW_TRACKING_URI says; needs testimate[mlflow].",
    ),
]
UsedForTraining = Annotated[
    bool,
    typer.Option("--used-for-training", help="It was trained or chosen on these labels: then there is no number."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar, and no lines that report progress.")]
ProjectFolder = Annotated[Path, typer.Option("--project", metavar="DIR", help="Where subjects and labels are kept.")]
Database = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="TESTIMATE_DATABASE",
        help="Where labels are kept, such as postgresql+psycopg://user@host/name; a file in the project by default.",
    ),
]

Allow = Annotated[
    list[Path] | None,
    typer.Option(
        "--allow",
        metavar="DIR",
        help="A folder, or a file, outside the project that its records may name from now on; may be repeated.",
    ),
]

PROJECT = Path("testimate-project")


def key_and_value(text: str) -> tuple[str, str]:
    """The two halves of KEY=VALUE, without spaces around them. BadInput without a key or an equals sign; VALUE may be empty."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise BadInput(f"--set got {text!r:.60}; expected KEY=VALUE, such as --set alpha=0.8.")
    return key.strip(), value.strip()


def read_inputs(
    table: Path,
    features: Path | None,
    training: Path | None,
    tolerance: SaidTolerance | None,
    training_features: Path | None = None,
    *,
    task: TaskKind | None = None,
    choices: TableChoices | None = None,
    others: Sequence[Path] | None = None,
) -> Inputs:
    """What a table, and a features file and a training table beside it, say about the inputs."""
    from testimate.planning.known_inputs import inputs_of_table

    check_is_file(features, training, training_features, *(others or ()))
    return inputs_of_table(
        table,
        features,
        training,
        training_features=training_features,
        tolerance=tolerance,
        task=task,
        choices=choices,
        others=others or (),
        tell=aside,
    )


def tell_others(inputs: Inputs) -> None:
    """Prints on stderr how often other models agree, and which of them may be useless."""
    from testimate.planning.other_models import remarks

    for remark in remarks(inputs):
        typer.echo(remark, err=True)


def table_choices(
    columns: Sequence[str] | None,
    inputs: Path | None = None,
    top_k: int = 1,
    further: Sequence[str] | None = None,
    grades: str | None = None,
    least_score: float = 0.0,
) -> TableChoices:
    """The options about a table: its columns (role=name), where its inputs are, top-k, and further classes.

    ``grades`` : the scale of outputs that are judged. ``least_score`` : of a detector, that of the boxes that are judged.
    """
    from testimate.subjects.prediction_table import TableChoices

    pairs = []
    for said in columns or ():
        role, equals, name = said.partition("=")
        if not (role and equals and name):
            raise BadInput(f"--column got {said!r:.60}; expected ROLE=NAME, such as prediction=guess.")
        pairs.append((role.strip(), name))
    return TableChoices(
        columns=tuple(pairs),
        inputs=inputs,
        top_k=top_k,
        further=tuple(further or ()),
        grades=grades or "",
        least_score=least_score,
    )


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


def check_is_file(*paths: Path | None) -> None:
    """BadInput where a folder is named instead of a file to read."""
    for path in paths:
        if path is not None and path.is_dir():
            raise BadInput(f"{str(path)!r:.200} is a folder. Name a file in it.")
