"""The verbs that make tables and data: features of a model, shifts of pictures, and arrays from pickles."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from testimate.cli.options import Quiet, RunOptions, Seed, Tolerance, TopK, Verbs, check_is_file
from testimate.cli.output import ShownProgress, aside, check_output
from testimate.core.errors import BadInput
from testimate.core.spreadsheet_cells import plain_csv
from testimate.core.words import commas, counted

if TYPE_CHECKING:
    from testimate.core.inputs import Inputs
    from testimate.datasets.preprocessing import Preprocessing
    from testimate.subjects.uploaded_subject import UploadedSubject


verbs = Verbs()

LAYERS = {"ori": "ORI", "first": "FL", "lhl": "LHL", "con": "CON"}
TRUST_LOG = "trust.log"
KEPT = "Finished parts are saved. Run the same command to continue."
MOST_NAMES, MOST_COLUMNS = 100, 12

File = typer.Argument


@dataclass(frozen=True)
class Preparation:
    """How inputs are prepared for a model, as typed."""

    scale: Annotated[
        str | None,
        typer.Option(
            metavar="1/255",
            help="Every number is multiplied by this; then --mean is subtracted and --deviation divides.",
        ),
    ] = None
    mean: Annotated[str | None, typer.Option(metavar="M,M,M", help="One, or one per channel.")] = None
    deviation: Annotated[str | None, typer.Option(metavar="S,S,S", help="One, or one per channel.")] = None
    size: Annotated[str | None, typer.Option(metavar="224x224", help="Height and width to resize pictures to.")] = None
    channels: Annotated[
        str | None,
        typer.Option(
            metavar="first|last",
            help="Where the color channels are: first or last; also gray, rgb or bgr, as in last,bgr.",
        ),
    ] = None
    rate: Annotated[int | None, typer.Option(min=1, help="Samples per second to bring sounds to.")] = None
    background: Annotated[
        str | None, typer.Option(metavar="white|black", help="What stands behind transparent parts of pictures.")
    ] = None

    @property
    def typed(self) -> bool:
        """Whether anything was typed."""
        return any(one is not None for one in vars(self).values())

    def preprocessing(self, model: Path) -> "Preprocessing | None":
        """The preprocessing as typed, on top of the file beside the model; None where nothing was typed."""
        from testimate.datasets.preprocessing import (
            SPELLED_NOW,
            Channels,
            Color,
            Preprocessing,
            number_in,
            numbers_in,
            preprocessing_beside,
        )

        if not self.typed:
            return None
        beside = preprocessing_beside(model)
        changes: dict[str, Any] = {}
        if self.scale is not None:
            changes["scale"] = number_in(self.scale)
        for name, text in (("mean", self.mean), ("deviation", self.deviation)):
            if text is not None:
                changes[name] = numbers_in(text, name)
        for name, value in (("rate", self.rate), ("background", self.background)):
            if value is not None:
                changes[name] = value
        if self.size is not None:
            sides = self.size.lower().split("x")
            if len(sides) != 2 or not all(side.strip().isdecimal() for side in sides):
                raise BadInput(
                    f"Expected a height and a width such as 224x224 as --size, got {self.size!r:.40}. Correct it."
                )
            changes["resize"] = (int(sides[0]), int(sides[1]))
        for said in () if self.channels is None else self.channels.lower().split(","):
            word = SPELLED_NOW.get(said.strip(), said.strip())
            for name, known in (("channels", get_args(Channels)), ("color", get_args(Color))):
                if word in known:
                    changes[name] = word
                    break
            else:
                raise BadInput(
                    f"Expected first or last as --channels, and gray, rgb or bgr as colors, such as last,bgr; got "
                    f"{self.channels!r:.40}. Correct it."
                )
        return replace(Preprocessing() if beside is None else beside[0], **changes)


@dataclass(frozen=True)
class SubjectFiles:
    """A model with the data to test it on."""

    model: Annotated[Path, File(metavar="MODEL", help="ONNX, Keras, PyTorch weights or safetensors.")]
    dataset: Annotated[Path, File(metavar="DATASET", help="Arrays, a table, or a folder or zip of inputs.")]
    training: Annotated[Path | None, typer.Option(metavar="DATASET", help="What the model was trained on.")] = None


@dataclass(frozen=True)
class Computation:
    """What is computed from a model's layers, and where the model runs."""

    layers: Annotated[
        str | None, typer.Option(help="One or more of ori, first, lhl, con, which are concatenated; lhl by default.")
    ] = None
    auxiliary: Annotated[str, typer.Option(help="Slow auxiliary variables to compute: dsa, lsa, sae, vae.")] = ""
    references: Annotated[
        int | None,
        typer.Option(
            min=0, help="Inputs that dsa and lsa compare with; 0 for all, by default as many as take a few minutes."
        ),
    ] = None
    engine: Annotated[str, typer.Option(help="local, or ray for the cluster that RAY_ADDRESS names.")] = "local"
    device: Annotated[str, typer.Option(help="auto, cpu or cuda; auto is cuda where it works.")] = "auto"
    mixed_precision: Annotated[
        bool, typer.Option("--mixed-precision", help="On CUDA, products of 16 bits: faster, less exact.")
    ] = False
    trust: Annotated[Path | None, typer.Option(metavar="PATH", help="Let the model at PATH run its own program.")] = (
        None
    )


@dataclass(frozen=True)
class SubjectReading:
    """How a dataset is read for a model, and what counts as right."""

    label: Annotated[
        str | None,
        typer.Option(help="The column with the answers, or the folders that are the classes, such as 'folder 2'."),
    ] = None
    split: Annotated[str | None, typer.Option(help="The operational split; test by default.")] = None
    output_means: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="What the model's output is, such as one logit, one probability or numbers."),
    ] = None
    class_names: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES|FILE", help="stays,leaves in the order of the outputs, or a file with one name per line."
        ),
    ] = None
    same_names: Annotated[
        bool | None,
        typer.Option(
            "--same-names/--different-names", help="Whether Cat and cat are one class, where names differ only so."
        ),
    ] = None
    preparation: Preparation = Preparation()
    leave_out_unreadable: Annotated[
        bool, typer.Option("--leave-out-unreadable", help="Continue without files that cannot be read.")
    ] = False
    tolerance: Tolerance = None
    top_k: TopK = 1


@verbs.command(epilog="Example: testimate features LeNet-5.h5 mnist.npz --auxiliary dsa,lsa --out table.parquet")
def features(
    *,
    files: SubjectFiles,
    computation: Computation,
    out: Annotated[Path | None, typer.Option(metavar="TABLE.parquet", help="Predictions, one row per input.")] = None,
    out_features: Annotated[Path | None, typer.Option(metavar="F.npy", help="The layers' values, row for row.")] = None,
    reading: SubjectReading,
    run: RunOptions,
) -> None:
    """Run a model over a dataset once, keep its layers' outputs, and write the table that select and study read."""
    from testimate.datasets.class_lists import given_list
    from testimate.feature_cache import ENGINES
    from testimate.models.confinement import checked_device
    from testimate.models.description import ModelDescription
    from testimate.planning.known_inputs import (
        COMPARED,
        check_table_name,
        known_inputs,
        note_on_references,
        unusual_predictions,
        write_features,
        write_table,
    )
    from testimate.project.subjects import keep_opening, project_cache
    from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

    model, dataset, training, project = files.model, files.dataset, files.training, run.project
    prepared = reading.preparation.preprocessing(model)
    check_output(out, model, dataset, training, out_features)
    check_output(out_features, model, dataset, training)
    layers, references, slow = computation.layers, computation.references, _names(computation.auxiliary)
    roles = roles_of("lhl" if layers is None else layers)
    if computation.engine == "ray":  # whose machines are in other folders
        project, model, dataset = project.resolve(), model.resolve(), dataset.resolve()
        training = None if training is None else training.resolve()
    runs_on = ENGINES[computation.engine](aside)
    if out is not None:
        check_table_name(out)
    with _trusting(computation.trust, model, project) as trusted, ShownProgress(run.quiet, KEPT) as progress:
        description = SubjectDescription(
            ModelDescription(model, output=reading.output_means, mixed_precision=computation.mixed_precision),
            dataset,
            training,
            preprocessing=prepared,
            decided="as given on the command line",
            split=reading.split,
            label=reading.label,
            classes=None if reading.class_names is None else given_list(reading.class_names),
            same_names=reading.same_names,
            tolerance=reading.tolerance,
            leave_out=reading.leave_out_unreadable,
            top_k=reading.top_k,
        )
        device = checked_device(computation.device)
        own = open_uploaded_subject(description, trust=trusted, device=device, progress=progress)
        own.check_decided()
        own.check_order()
        if layers is None and out_features is None:
            roles = tuple(role for role in roles if role in own.record.facts.roles)  # a forest has no hidden layer
        check_tokens(own, model)
        check_label(own, reading.label)
        cache = project_cache(project)
        subject = (
            own.subject if slow else replace(own.subject, training=None, training_truth=None)
        )  # nothing asks for it
        with runs_on.kept_ready():
            inputs = known_inputs(
                subject, cache, progress, roles=roles, auxiliary=slow, engine=runs_on, references=references
            )
        if not trusted:  # nobody vouches for it later
            keep_opening(cache, own, description, project)
        if out is not None:
            write_table(inputs, out)
        if out_features is not None:
            write_features(inputs, roles, out_features)
    where = {f"{name}: {said}" for name, said in runs_on.where.items() if said}
    _print_summary(own, inputs, sorted(where) or _where_it_ran(own), out, out_features)
    if set(slow) & set(COMPARED) and (note := note_on_references(own.subject, inputs, references)):
        typer.echo(note)
    for warning in unusual_predictions(inputs):
        typer.echo(f"warning: {warning}")
    if inputs.losses is not None:
        measure = inputs.task.measure
        what = f"Top-{reading.top_k} accuracy" if reading.top_k > 1 else measure.title
        share = measure.value(1 - float(inputs.task.outcomes(inputs.losses).mean()), 2)
        typer.echo(f"{what} {share} on all {counted(len(inputs), 'input')} (true answers known)")


def print_classes(own: "UploadedSubject", inputs: "Inputs") -> None:
    """Which output was taken for which class and why, and an order of classes by which far more would be right."""
    from testimate.subjects.class_order import find_exchanged_classes

    order = own.record.class_order
    if order is None:
        return
    typer.echo(f"classes: {order.sentence}")
    for remark in order.remarks:
        typer.echo(f"  {remark}")
    exchanged = own.exchanged
    if inputs.truth is not None and inputs.task.one_class and (exchanged is None or not exchanged.prepared):
        first = inputs.predictions if inputs.predictions.ndim == 1 else inputs.predictions[:, 0]
        exchanged = find_exchanged_classes(inputs.truth, first, order.names)  # on all labels, not on some
    if exchanged is not None:
        typer.echo(
            f"The classes may be in the wrong order: {exchanged.sentence}. Testimate left them as they are. Where the model's "
            "outputs have that order, run it again with --class-names and the names in this order: "
            f"{as_one_line(exchanged.names)}"
        )


def as_one_line(names: Sequence[str]) -> str:
    """Names as ``--class-names`` takes them, the first of very many.

    >>> as_one_line(("leaves", "stays, for now"))
    'leaves,"stays, for now"'
    """
    return plain_csv([names[:MOST_NAMES]]).removesuffix("\n") + (" …" if len(names) > MOST_NAMES else "")


def check_tokens(own: "UploadedSubject", model: Path) -> None:
    """BadInput where nobody said how the texts become the numbers that the model takes."""
    dataset = own.dataset.dataset
    if dataset.modality == "text" and dataset.preprocessing.tokens == "none" and not own.record.facts.takes_texts:
        raise BadInput(
            f"The texts are not cut into tokens and the model takes {own.record.facts.input_type}. Write how it "
            f"was trained into {model.with_suffix('.toml').name} beside the model, such as: "
            '[preprocessing] tokens = "bytes" length = 256. Or put its tokenizer.json there.'
        )


def check_label(own: "UploadedSubject", label: str | None) -> None:
    """BadInput where an array was named for the answers, and the dataset of arrays has none that is called so."""
    from testimate.datasets.labels_beside import LABELS_FROM

    facts = dict(own.dataset.facts)
    if label is not None and "array" in facts and LABELS_FROM not in facts:
        raise BadInput(
            f"--label is {label!r:.60} and {own.dataset.name} has no array of that name beside its inputs. Expected "
            f"{_some_columns(own.dataset.columns) or 'one with an answer per input'}. Correct it, or leave --label out."
        )


@contextmanager
def _trusting(trust: Path | None, model: Path, project: Path) -> Iterator[bool]:
    """Whether the person at the terminal vouches for the model, whose SHA-256 is then shown, and logged in the project."""
    from testimate.models.file_content import read_content

    if trust is None:
        yield False
        return
    if not trust.exists() or not model.exists() or not trust.samefile(model):
        raise BadInput(f"--trust names {trust} and the model is {model}. Expected the same path. Trust that one alone.")
    typer.echo(f"Trusted: {model}, SHA-256 {read_content(model).digest}", err=True)
    project.mkdir(parents=True, exist_ok=True)
    log = logging.FileHandler(project / TRUST_LOG, encoding="utf-8")
    log.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("testimate.trust")
    logger.addHandler(log)
    try:
        yield True
    finally:
        logger.removeHandler(log)
        log.close()


def roles_of(layers: str) -> tuple[str, ...]:
    """The roles named by a text such as "lhl,con"; BadInput for an unknown one."""
    names = _names(layers)
    for name in names:
        if name not in LAYERS:
            raise BadInput(f"There is no layer {name!r:.60}. Expected one of {', '.join(LAYERS)}. Choose from these.")
    return tuple(LAYERS[name] for name in names)


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip().lower())))


def _print_summary(
    own: "UploadedSubject", inputs: "Inputs", ran: Sequence[str], out: Path | None, out_features: Path | None
) -> None:
    """What was run, how the inputs were prepared, which output is which class, and where the files are."""
    subject = own.subject
    left = f" ({commas(own.dataset.left_out)} unreadable left out)" if own.dataset.left_out else ""
    typer.echo(
        f"{subject.name}: {counted(len(subject.dataset), 'input')}{left}, {subject.task.kind}; test set {subject.key}"
    )
    typer.echo(f"inputs prepared: {own.dataset.dataset.preprocessing.title} ({own.prepared.source})")
    for note in own.record.facts.notes:
        typer.echo(f"model: {note}")
    print_classes(own, inputs)
    for sentence in ran:
        typer.echo(sentence)
    for tried in own.prepared.tried:
        typer.echo(f"  {tried.accuracy:.3f} right of {tried.count} tried with {tried.name}")
    if own.dataset.columns:
        typer.echo(
            f"answers: no column has a usual name for them; --label names one of {_some_columns(own.dataset.columns)}"
        )
    for what, path in (("table", out), ("features", out_features)):
        if path is not None:
            typer.echo(f"{what}: {path}")
    if subject.reading is not None:
        said = () if own.record.class_order is None else own.record.class_order.remarks
        for sentence in (subject.reading.in_words(), *(one for one in subject.reading.doubtful if one not in said)):
            aside(sentence)


def _some_columns(names: Sequence[str]) -> str:
    """The columns that may hold the answers, the first of many."""
    return ", ".join(names[:MOST_COLUMNS]) + (" …" if len(names) > MOST_COLUMNS else "")


def _where_it_ran(own: "UploadedSubject") -> list[str]:
    """The device of the model's process, and the limits this system enforces; nothing where the model did not run."""
    from testimate.feature_cache.filling import where_it_ran
    from testimate.models.worker_process import WorkerModel

    model = None if own.subject.open_model is None else own.subject.open_model()
    return [where_it_ran(model)] if isinstance(model, WorkerModel) else []


@verbs.command(epilog="Example: testimate shift pictures.npy --shift fog --severity 3 --seed 1 --out foggy.npy")
def shift(
    pictures: Annotated[
        Path, typer.Argument(metavar="PICTURES", help=".npy or .npz of pictures: 0 to 255 as bytes, or 0 to 1.")
    ],
    shift: Annotated[
        str, typer.Option(help="gaussian-noise, fog, jpeg, patch, light, fgsm, ...; a wrong name lists all.")
    ],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the shifted pictures go; the same kind of file.")],
    severity: Annotated[int, typer.Option(help="From 1, slight, to 5.")] = 3,
    array: Annotated[
        str | None, typer.Option(help="Which array of an .npz; the only one of pictures by default.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="WEIGHTS.pt", help="A network's state dict, for fgsm, bim and carlini-wagner."),
    ] = None,
    architecture: Annotated[
        str | None, typer.Option(help="Which known network, such as lenet-5, where the shapes fit several.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Shift pictures by a corruption, a patch or another light, so that models can be compared on both."""
    from testimate.selectors.base import check_seed
    from testimate.subjects.shifts.shifted_dataset import shift_file

    check_is_file(pictures, model)
    check_output(out, pictures, model)
    with ShownProgress(quiet) as progress:
        count = shift_file(
            pictures,
            out,
            shift,
            severity,
            seed=check_seed(seed),
            array=array,
            weights=model,
            architecture=architecture,
            progress=progress,
        )
    typer.echo(f"Wrote {out}: {counted(count, 'picture')} with {shift} of severity {severity}")


conversions = Verbs("convert", "Turn pickles into arrays that contain no code.")


@conversions.callback()
def _group() -> None:
    """Keeps ``cifar`` a verb of its own; Typer would merge a single one into its group."""


@conversions.command(epilog="Example: testimate convert cifar cifar-10-batches-py --out cifar-10.npz")
def cifar(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="As published, or the .tar.gz itself.")],
    out: Annotated[Path, typer.Option(metavar="DATA.npz", help="The arrays to write.")],
    quiet: Quiet = False,
) -> None:
    """Write CIFAR-10 or CIFAR-100 as arrays; of its pickles only what data needs is read, and nothing is run."""
    from testimate.datasets.cifar import convert_cifar

    check_output(out, folder)
    if not folder.exists():
        raise BadInput(f"There is no {folder}. Expected CIFAR's folder, or its .tar.gz. Check the path.")
    with ShownProgress(quiet) as progress:
        read = convert_cifar(folder.resolve(), out, progress=progress)  # "." has no name that could be told
    splits = (("training", read.training), ("test", read.test))
    counts = " and ".join(f"{commas(len(split.images))} {name}" for name, split in splits if split is not None)
    typer.echo(f"Wrote {out}: {counts} pictures of {len(read.classes) or 'unnamed'} classes")
