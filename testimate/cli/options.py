"""Arguments and options that several verbs take."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.core.errors import BadInput
from testimate.core.task import TaskKind

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
