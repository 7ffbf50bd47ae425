"""Options of the verbs: what several of them share is a frozen record, each option defined once and flattened for Typer.

Typer reads the signature of a function and knows no records; ``Verbs`` shows it the fields in their place. Another library,
cyclopts, flattens records by itself, and would bring its own help, sentences and exit statuses; people and scripts know these.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from testimate.cli.output import aside
from testimate.core.errors import BadInput
from testimate.core.task import TaskKind
from testimate.tables.kinds import TABLE_KINDS
from testimate.tasks import TASKS

if TYPE_CHECKING:
    from testimate.core.inputs import Inputs
    from testimate.planning.plan import Plan
    from testimate.planning.votes import Votes
    from testimate.project.project import Project
    from testimate.subjects.table_choices import TableChoices
    from testimate.tasks.verdict import Criterion

Verb = TypeVar("Verb", bound=Callable[..., None])


class Verbs(typer.Typer):
    """A group of verbs; each takes the fields of the records among its parameters as options.

    A verb that offers some of a record's options names them: ``Annotated[TableReading, "column", "inputs_at"]``.
    """

    def __init__(self, name: str | None = None, help: str | None = None) -> None:
        super().__init__(name=name, help=help, no_args_is_help=True, rich_markup_mode=None)

    def command(self, *name: Any, **settings: Any) -> Callable[[Verb], Verb]:
        """Register a function as a verb; the arguments are Typer's."""
        register = super().command(*name, **{"cls": _Verb, **settings})

        def registered(verb: Verb) -> Verb:
            register(_flattened(verb))
            return verb

        return registered


class _Verb(TyperCommand):
    """A verb; where a model and its data were given in place of a table, it says which verb makes the table."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the arguments that are left, as Typer does; BadInput for a model and data."""
        taken = [one.name for one in self.params if one.param_type_name == "argument"]
        if taken == ["table"] and len(args) > 1 and all(map(os.path.isfile, args[:2])):
            _check_no_model(self.name or "", [*map(Path, args[:2])])
        return super().parse_args(ctx, args)


def _check_no_model(verb: str, given: Sequence[Path]) -> None:
    """BadInput where one of two files is a model, with the command that makes a table of its predictions for the other."""
    from testimate.models.file_content import read_content
    from testimate.models.kinds import called_model

    for model, data in (given, given[::-1]):
        if called := called_model(read_content(model).data, model):
            raise BadInput(
                f"{str(model)!r:.200} is {called}, and {verb} takes one table of predictions. Make it first: testimate "
                f"features {quote(str(model))} {quote(str(data))} --out table.parquet, and then testimate {verb} table.parquet."
            )


def _flattened(verb: Verb) -> Callable[..., None]:
    """Return the verb as Typer reads and calls it: with the fields of its records in their place."""

    @wraps(verb)
    def flat(**given: Any) -> None:
        _call(verb, given)

    vars(flat)["__signature__"] = Signature(list(_options(verb)))
    return flat


def _options(taker: Any, offered: Sequence[str] = ()) -> Iterator[Parameter]:
    """Yield the parameters of a verb or a record, those of the records in it in their place."""
    for one in _parameters(taker, offered):
        kind, *some = _kind(one)
        if is_dataclass(kind):
            yield from _options(kind, some)
        else:
            yield one


def _call(taker: Any, given: dict[str, Any], offered: Sequence[str] = ()) -> Any:
    """Call a verb, or make a record, by the values of its options, with the records in it made of theirs."""
    values = {}
    for one in _parameters(taker, offered):
        kind, *some = _kind(one)
        values[one.name] = _call(kind, given, some) if is_dataclass(kind) else given[one.name]
    return taker(**values)


def _parameters(taker: Any, offered: Sequence[str]) -> Iterator[Parameter]:
    """Yield the parameters themselves, of which some may be offered, with their types."""
    kinds = get_type_hints(taker, include_extras=True)
    for name, one in signature(taker).parameters.items():
        if not offered or name in offered:
            yield one.replace(kind=Parameter.KEYWORD_ONLY, annotation=kinds[name])


def _kind(one: Parameter) -> tuple[Any, ...]:
    """Return the type of a parameter, followed by what it is annotated with."""
    return get_args(one.annotation) or (one.annotation,)


PROJECT = Path("testimate-project")

Table = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help=f"One row per input: {TABLE_KINDS}, or a "
        "saved Hugging Face dataset; or a detector's boxes, COCO's JSON or a folder of YOLO's texts.",
    ),
]
Features = Annotated[Path | None, typer.Option("--features", metavar="F.npy", help="(N, width) features, row for row.")]
Others = Annotated[
    list[Path] | None,
    typer.Option(
        "--other",
        metavar="OTHER.csv",
        help="What another model predicts for the same inputs: prediction, confidence if known; rows in the same order, or a "
        "column key in both. May be repeated.",
    ),
]
History = Annotated[
    Path | None,
    typer.Option(
        metavar="RESULTS.csv",
        help="What earlier models got wrong: a column for each, right or wrong (1 or 0) or a grade; rows in the same order, or "
        "a column key in both.",
    ),
]
Tolerance = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|PERCENT",
        help="Regression: the error beyond which an input has failed, 0.5 or 10% of the true number.",
    ),
]
TopK = Annotated[int, typer.Option("--top-k", min=1, help="An input is right where its class is among the first K.")]
Further = Annotated[
    list[str] | None,
    typer.Option(
        "--class", metavar="NAME", help="A class that was never predicted and may be an answer; may be repeated."
    ),
]
Variant = Annotated[str | None, typer.Option(help='A named variant, such as "as published".')]
Seed = Annotated[int, typer.Option(help="Same seed, same draws.")]
Json = Annotated[str, typer.Option("--json", metavar="FILE", help="Write the result as JSON; - for stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar, and no lines that report progress.")]
ProjectFolder = Annotated[Path, typer.Option("--project", metavar="DIR", help="Where test sets and labels are.")]
Database = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="TESTIMATE_DATABASE",
        help="Where labels are saved, such as postgresql+psycopg://user@host/name; a file in the project by default.",
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
Mlflow = Annotated[
    str,
    typer.Option(
        metavar="EXPERIMENT",
        help="Log the numbers and the report as a run of MLflow, where MLFLOW_TRACKING_URI says; needs testimate[mlflow].",
    ),
]


if TYPE_CHECKING:
    OfferedTask = TaskKind
else:
    OfferedTask = Literal[tuple(TASKS)]  # Typer offers what a Literal names


@dataclass(frozen=True)
class TableReading:
    """How a table is read: its task, its columns and what they show, as typed."""

    tolerance: Tolerance = None
    task: Annotated[
        OfferedTask | None,
        typer.Option(
            "--task",
            help='What the predictions are, where whole numbers may be either; multi-label: "cat;dog"; verdict: outputs to '
            "judge; boxes: what a detector found.",
        ),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="ROLE=NAME",
            help="Which column is what: prediction, label, outcome, confidence, p_<class>, image, audio, text, file, input, "
            "output, reference, output_a, output_b, show, ignore, score; judge for a judge's grades, history for an earlier "
            "model's results; code for a column of source code, beside its role. May be repeated.",
        ),
    ] = None
    read: Annotated[
        list[str] | None,
        typer.Option(
            "--read",
            metavar="WHAT=HOW",
            help="How to read what a table leaves open, such as confidence=percent; the question says which fit. May be "
            "repeated.",
        ),
    ] = None
    top_k: TopK = 1
    inputs_at: Annotated[
        Path | None,
        typer.Option("--inputs", metavar="FOLDER|ZIP", help="Pictures, sounds or texts that the table's rows name."),
    ] = None
    further: Further = None
    grades: Annotated[
        str | None,
        typer.Option(
            "--grades",
            metavar="SCALE",
            help="Outputs to judge: right-partly-wrong, by default, or numbers such as 1-5 or 0-10, the best last.",
        ),
    ] = None
    least_score: Annotated[
        float,
        typer.Option(
            "--least-score",
            metavar="SCORE",
            help="Boxes: those with a smaller score are not judged; they only say how likely it is that an object was "
            "missed.",
        ),
    ] = 0.0

    @property
    def choices(self) -> TableChoices:
        """The choices besides the task and the tolerance; BadInput for a column without a role."""
        from testimate.subjects.table_choices import TableChoices

        return TableChoices(
            columns=_pairs(self.column, "--column", "ROLE=NAME, such as prediction=guess"),
            read=_pairs(self.read, "--read", "WHAT=HOW, such as confidence=percent"),
            inputs=self.inputs_at,
            top_k=self.top_k,
            further=tuple(self.further or ()),
            grades=self.grades or "",
            least_score=self.least_score,
        )


def _pairs(typed: Sequence[str] | None, option: str, expected: str) -> tuple[tuple[str, str], ...]:
    """The halves of each NAME=VALUE; BadInput where one lacks either."""
    pairs = []
    for said in typed or ():
        name, equals, value = said.partition("=")
        if not (name and equals and value):
            raise BadInput(f"{option} got {said!r:.60}. Expected {expected}. Write it so.")
        pairs.append((name.strip(), value))
    return tuple(pairs)


Criteria = Annotated[
    list[str] | None,
    typer.Option(
        "--criterion",
        metavar="NAME[:SCALE][=JUDGE]",
        help="Outputs to judge: one of up to six things asked of each, its grades (right-wrong by default, or numbers such as "
        "1-5) and the column of its judge, such as faithful:1-5=gpt_faithful. May be repeated.",
    ),
]


def criteria_of(typed: Sequence[str] | None) -> tuple[Criterion, ...]:
    """The criteria that were named; BadInput for one that is none."""
    from testimate.tasks.verdict import check_criteria, criterion_of

    return check_criteria([criterion_of(one) for one in typed or ()])


STRICT = typer.Option("--strict", help="Refuse labels that are no class, instead of counting them as wrong.")


@dataclass(frozen=True)
class LabelReading:
    """What labels are that are no class."""

    read: Annotated[
        list[str] | None,
        typer.Option(
            "--read",
            metavar="WHAT=HOW",
            help="spelling=same or spelling=different where a label nearly is a class; outside=wrong where none is one.",
        ),
    ] = None
    strict: Annotated[bool, STRICT] = False

    @property
    def answers(self) -> tuple[tuple[str, str], ...]:
        """What was said, as (question, answer)."""
        return (*_pairs(self.read, "--read", "WHAT=HOW, such as spelling=same"), *_refused(self.strict))


def _refused(strict: bool) -> tuple[tuple[str, str], ...]:
    from testimate.core.reading import REFUSED

    return (("outside", REFUSED),) if strict else ()


@dataclass(frozen=True)
class VoteReading:
    """How a file of votes is read: by which column they match the table, and what empty labels are."""

    key: Annotated[
        str,
        typer.Option(
            "--key",
            metavar="COLUMN",
            help="The column of the votes and of the plan's table that says which input a vote is on; place for rows counted "
            "from 0.",
        ),
    ] = ""
    read: Annotated[
        list[str] | None,
        typer.Option(
            "--read",
            metavar="WHAT=HOW",
            help="How to read what votes leave open: empty=none where an empty label names no class, empty=skipped where the "
            "answer is open; spelling=same or spelling=different where a label nearly is a class; labels=from-1 or "
            "labels=as-they-are; outside=wrong where no label is a class.",
        ),
    ] = None
    strict: Annotated[bool, STRICT] = False

    @property
    def answers(self) -> tuple[tuple[str, str], ...]:
        """What was said, as (question, answer)."""
        return (*_pairs(self.read, "--read", "WHAT=HOW, such as empty=none"), *_refused(self.strict))

    def votes(self, votes_file: Path, plan: Plan, table: Path | None, inputs: Inputs | None) -> Votes:
        """The votes on a plan's inputs; what was understood is said on stderr."""
        from testimate.planning.plan_votes import read_plan_votes

        return read_plan_votes(votes_file, plan, table, inputs, key=self.key, read=self.answers, tell=aside)


@dataclass(frozen=True)
class TableFiles:
    """Files beside a table: what other models predict, features, and what the model was trained on."""

    other: Others = None
    history: History = None
    features: Features = None
    training: Annotated[
        Path | None, typer.Option("--training", metavar="TABLE", help="Training inputs with their truth, for ssoa-*-t.")
    ] = None

    @property
    def paths(self) -> tuple[Path | None, ...]:
        """All of them."""
        return (self.features, self.training, self.history, *(self.other or ()))

    @property
    def layers(self) -> str:
        """The layers for techniques that need features: the file's, else the last hidden layer."""
        from testimate.subjects.table_features import FILE_FEATURES

        return FILE_FEATURES if self.features else "LHL"


def read_inputs(
    table: Path,
    beside: TableFiles,
    reading: TableReading,
    training_features: Path | None = None,
    judges: Sequence[str] = (),
) -> Inputs:
    """What a table, and the files beside it, say about the inputs. ``judges`` : columns with a judge's grades."""
    from testimate.planning.known_inputs import inputs_of_table, with_history_file

    choices = replace(reading.choices, judges=tuple(judges))
    check_is_file(*beside.paths, training_features)
    inputs = inputs_of_table(
        table,
        beside.features,
        beside.training,
        training_features=training_features,
        tolerance=reading.tolerance,
        task=reading.task,
        choices=choices,
        others=beside.other or (),
        tell=aside,
    )
    return with_history_file(inputs, beside.history, table, choices, tell=aside)


def finds_rows(inputs: Inputs) -> bool:
    """Whether the rows of a table were looked for in its file, and are not simply its lines."""
    return inputs.reading is not None and inputs.reading.text is None


def tell_reading(inputs: Inputs) -> None:
    """Print on stderr how the table was read, under the result."""
    if inputs.reading is not None:
        aside(str(inputs.reading))


def check_is_file(*paths: Path | None) -> None:
    """BadInput where a folder is named instead of a file to read."""
    for path in paths:
        if path is not None and path.is_dir():
            raise BadInput(f"{str(path)!r:.200} is a folder. Name a file in it.")


@dataclass(frozen=True)
class TechniqueSettings:
    """How a technique selects."""

    variant: Variant = None
    options: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of the technique.")
    ] = None

    @property
    def chosen(self) -> dict[str, str]:
        """The options by name; BadInput for one without a name or an equals sign. A value may be empty."""
        pairs = {}
        for text in self.options or ():
            key, equals, value = text.partition("=")
            if not key or not equals:
                raise BadInput(f"--set got {text!r:.60}. Expected KEY=VALUE, such as --set alpha=0.8. Write it so.")
            pairs[key.strip()] = value.strip()
        return pairs


@dataclass(frozen=True)
class OldLabels(VoteReading):
    """How old labels are read and may judge a model, and how sure the intervals are."""

    level: Annotated[float, typer.Option(help="How sure the intervals are, above 0 and below 1.")] = 0.95
    used_for_training: Annotated[
        bool,
        typer.Option("--used-for-training", help="It was trained or chosen on these labels: then there is no number."),
    ] = False


@dataclass(frozen=True)
class RunOptions:
    """Where results are kept, and whether the terminal shows how far they are."""

    project: ProjectFolder = PROJECT
    quiet: Quiet = False


@dataclass(frozen=True)
class ProjectOptions:
    """Which project, and where its labels are."""

    project: ProjectFolder = PROJECT
    database: Database = ""

    def opened(self, *, make: bool = False) -> Project:
        """The project; BadInput where there is no such folder, unless it may be made."""
        from testimate.project.project import Project

        if not make:
            check_project_folder(self.project)
        return Project(self.project, self.database or None)


def check_project_folder(project: Path) -> None:
    """BadInput where there is no such folder: a mistyped name must not make a new, empty project."""
    if not project.is_dir():
        raise BadInput(f"There is no project in {project}. Name the folder of one with --project.")
