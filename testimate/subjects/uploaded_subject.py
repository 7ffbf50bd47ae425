"""A tester's own model and data as a subject, opened from the files of model, dataset and training set.

A subject as a person describes it: its files and their choices.

What was found about an uploaded model and its data: stored so that they open again, and shown as facts.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.errors import BadInput, ReadingUnclear, Way
from testimate.core.progress import Progress, silent
from testimate.core.reading import ROW_NUMBER, ColumnRole, Reading
from testimate.core.spreadsheet_cells import plain_csv
from testimate.core.stored_record import read_record
from testimate.core.subject import Dataset, Subject
from testimate.core.task import Task
from testimate.core.words import commas
from testimate.datasets.class_lists import ClassList, lists_beside
from testimate.datasets.dataset import OpenedDataset
from testimate.datasets.open import open_dataset_file
from testimate.datasets.pictures import PictureDataset
from testimate.datasets.preprocessing import (
    PROCESSOR,
    Preprocessing,
    preprocessing_beside,
    processor_beside,
    spelled_now,
)
from testimate.models.confinement import DeviceName
from testimate.models.description import ModelDescription
from testimate.models.facts import ModelFacts
from testimate.models.file_content import read_unchanged
from testimate.models.graph import NeedsExample
from testimate.models.open import EXAMPLES, ModelOpener, OpenedModel, open_model_file
from testimate.models.texts import tokenizer_of
from testimate.subjects.class_order import (
    ClassOrder,
    ExchangedClasses,
    UnclearClasses,
    in_output_order,
    order_of_classes,
)
from testimate.subjects.columns_for_model import (
    check_columns,
    columns_taken,
    label_by_answers,
    label_by_content,
    label_by_count,
    text_by_content,
)
from testimate.subjects.preparation import (
    ChosenPreprocessing,
    agrees,
    check_chances,
    check_decided,
    check_depth,
    check_front_end,
    check_meaning,
    chosen_preprocessing,
    classes_before_orders,
    cut_to_length,
    doubt_about_number,
    find_wrong_order,
    known_labels_of,
    padding_token,
    range_of_tool,
    spread_of,
    task_of,
    truth_of,
    with_tokenizer,
)
from testimate.tables.rules import BY_NAME, LATEST
from testimate.tasks.regression import SaidTolerance


@dataclass(frozen=True)
class SubjectDescription:
    """A model with the data to test it on. Anything that is None was left open and is found when the files are opened.

    Attributes
    ----------
    model : its file, and the choices about it.
    dataset, training : files or folders. The training set may also be another split in the dataset's file.
    preprocessing : of the inputs; by default that of the TOML beside the model, else the usual one that suits the model
        best on inputs with a known class, else that of the model's own first layers, else a person has to be asked.
    decided : who chose that preprocessing, for use in a sentence.
    split, label : see ``open_dataset_file``.
    classes : their names in the order of the model's outputs; by default found by ``order_of_classes``.
    same_names : whether names that differ only in case, spaces or Unicode form are one class; by default a person is
        asked.
    tolerance : of a regression; by default one standard deviation of the predictions.
    top_k : of a classification, among how many of the most probable classes the true one counts as right.
    name : for people.
    leave_out : whether unreadable files are left out of the inputs; by default they are refused.
    """

    model: ModelDescription
    dataset: Path
    training: Path | None = None
    preprocessing: Preprocessing | None = None
    decided: str = "as chosen"
    split: str | None = None
    label: str | None = None
    classes: ClassList | None = None
    same_names: bool | None = None
    tolerance: SaidTolerance | None = None
    name: str | None = None
    leave_out: bool = False
    top_k: int = 1


NOTES = "how the model was read"
FIRST, LAST_HIDDEN, OUTPUTS = "first layer (FL)", "last hidden layer (LHL)", "outputs"

FOLLOWING_THE_CHOICE = (PREPROCESSING, DECIDED, DATA_FINGERPRINT) = (
    "preprocessing",
    "preprocessing decided by",
    "data's fingerprint",
)
"""Facts that another preprocessing changes."""

ROLES = {"FL": FIRST, "LHL": LAST_HIDDEN, "logits": "logits"}
"""The roles whose layer is shown; the other roles exist in every model."""


@dataclass(frozen=True)
class UploadedRecord:
    """What was found about a model and its data; with it they open again without starting the framework.

    Attributes
    ----------
    kind, sha256, facts : of the model's file. fingerprint : of the model as it was described.
    roles, settings : of the model's description, as stored; see ``model_at``.
    needs_example : whether it can only be opened together with inputs. preprocessing : of the inputs, as chosen.
    decided : who or what decided the preprocessing; None if nobody did, or in records made before this was stored.
    leave_out : whether unreadable files were left out. label : the column with the answers, if it was named.
    labels_above : see ``open_dataset_file``; False of subjects that were added before. tolerance : of a regression.
    class_order : which output is which class; None for a regression, and for subjects that were added before the order
        was stored, whose classes are those of the dataset.
    top_k : of a classification, how many of the most probable classes count.
    rules : by which the columns of the data are read; of subjects that were added before, by their names.
    apart : see ``open_dataset_file``; False of subjects that were added before. text : the column of the texts, if its name is
        no usual one. columns : those that the model takes of a table that has keys, too. split : the operational one, if it was
        named.
    """

    kind: str
    sha256: str
    facts: ModelFacts
    fingerprint: str
    roles: Mapping[str, str]
    settings: Mapping[str, Any]
    needs_example: bool
    preprocessing: Preprocessing
    tolerance: SaidTolerance | None
    class_order: ClassOrder | None = None
    decided: str | None = None
    leave_out: bool = False
    label: str | None = None
    labels_above: bool = False
    top_k: int = 1
    rules: int = BY_NAME
    apart: bool = False
    text: str | None = None
    columns: tuple[str, ...] = ()
    split: str | None = None

    def model_at(self, path: Path) -> ModelDescription:
        """The model's description; its file may have moved since it was first opened."""
        return ModelDescription(path, roles=self.roles, **self.settings)

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return {**asdict(self), "preprocessing": self.preprocessing.as_stored()}

    @classmethod
    def of_json(cls, stored: object) -> "UploadedRecord":
        """The record of what ``to_json`` gave; WrongRecord where it cannot be one."""
        if isinstance(stored, dict) and isinstance(stored.get("preprocessing"), dict):
            stored = {**stored, "preprocessing": spelled_now(stored["preprocessing"])}
        return read_record(cls, stored)


LONGEST = 900
"""Most characters of the sentence on the preprocessing, which a session stores."""


def prepared_in_words(preprocessing: Preprocessing, decided: str | None, left_out: int) -> str:
    """The preprocessing, who or what decided it, and how many unreadable files were left out."""
    said = preprocessing.title if decided is None else f"{preprocessing.title} ({decided})"
    said += f"; unreadable files left out: {commas(left_out)}" if left_out else ""
    return said if len(said) <= LONGEST else f"{said[:LONGEST]} …"


def facts_of(
    record: UploadedRecord, opened: OpenedDataset, trained: OpenedDataset | None
) -> tuple[tuple[str, str], ...]:
    """(name, value) pairs, untrusted text: about the model, the data and their preparation, and their fingerprints.

    ``opened``, ``trained`` : the operational and the training set, prepared as chosen.
    """
    facts = record.facts
    shape = " x ".join("any" if side is None else str(side) for side in facts.input_shape)
    roles = {**facts.roles, **record.roles}
    return (
        ("model", f"{record.kind}, {commas(facts.parameters)} parameters, {len(facts.layers)} layers"),
        ("takes", "texts" if facts.takes_texts else f"{shape} {facts.input_type}"),
        ("says", facts.output),
        *((name, roles[role]) for role, name in ROLES.items() if role in roles),
        *(() if record.class_order is None else ((OUTPUTS, record.class_order.sentence),)),
        *(() if not facts.notes else ((NOTES, "; ".join(facts.notes)),)),
        *opened.facts,
        ("training set", "none" if trained is None else f"{commas(len(trained.dataset))} inputs"),
        (PREPROCESSING, opened.dataset.preprocessing.title),
        *(() if record.decided is None else ((DECIDED, record.decided),)),
        ("model's SHA-256", record.sha256),
        (DATA_FINGERPRINT, opened.fingerprint),
    )


@dataclass(frozen=True, eq=False)
class UploadedSubject:
    """A tester's own model on their own data.

    Attributes
    ----------
    subject : to be tested. record : what was found; store it to open the same files quickly.
    dataset : as it was opened, prepared as chosen.
    exchanged : an order of the classes in which the model would be right far more often, if the labels show one.
    prepared : the preprocessing, who or what decided it, and what was tried. ordered : whether a person gave the order.
    """

    subject: Subject
    record: UploadedRecord
    dataset: OpenedDataset
    prepared: ChosenPreprocessing
    exchanged: ExchangedClasses | None = None
    ordered: bool = False

    @property
    def mirrored(self) -> bool:
        """Whether the labels contradict the order of two classes, or numbers from 1 the outputs, and nobody gave an order."""
        found = self.exchanged
        contradicted = found is not None and not found.prepared and (len(found.names) == 2 or found.counts_from_one)
        return contradicted and not self.ordered

    def check_order(self) -> None:
        """ReadingUnclear where the labels contradict an order that nobody gave, as ``mirrored`` says."""
        if not self.mirrored:
            return
        assert self.exchanged is not None
        order, found = self.record.class_order, self.exchanged.names
        as_now = found[::-1] if order is None else order.names
        orders = (found, as_now)
        raise ReadingUnclear(
            "Which output is which class?",
            f"The classes seem to be in the wrong order: {self.exchanged.sentence}.",
            [
                Way(
                    f"output 0 is {names[0]} and output 1 is {names[1]}{', and so on' if len(names) > 2 else ''}",
                    f"--class-names {quote(plain_csv([names]).strip())}",
                    f"classes=ClassList({names!r}, 'as given')",
                    (("classes", names),),
                )
                for names in orders
            ],
        )

    def check_decided(self) -> None:
        """BadInput, with the candidates, if it is not known how the inputs are prepared."""
        assert self.subject.open_model is not None
        check_decided(self.prepared, self.dataset, self.subject.open_model(), self.record.facts)


def open_uploaded_subject(
    description: SubjectDescription, *, trust: bool = False, device: DeviceName = "auto", progress: Progress = silent
) -> UploadedSubject:
    """Opens a model's file with a dataset and, if there is one, the set it was trained on.

    Parameters
    ----------
    description : the files and the choices about them.
    trust, device : see ``open_model_file``; the device is not part of the subject.

    Raises
    ------
    BadInput : a file cannot be used, or model and data do not fit; the sentence says why.
    UnclearClasses : which output is which class cannot be determined without asking.
    """
    tolerance = description.tolerance
    chosen = description.preprocessing
    beside = preprocessing_beside(description.model.path) if chosen is None else None
    given, decided = chosen, description.decided if chosen is not None else None
    if beside is not None:
        given, decided = beside[0], f"{beside[1]} beside the model"
    opened_again = partial(_opened_by, description, given, progress)
    opened = opened_again(description.label, None)
    if given is None and (found := _of_processor(description.model.path, opened)) is not None:
        given, decided = found, f"{PROCESSOR} beside the model"
        opened_again = partial(_opened_by, description, given, progress)
        opened = opened_again(description.label, None)
    text = text_by_content(opened) if tokenizer_of(description.model.path) else None
    if text is not None:
        opened = opened_again(description.label, text)
    model = with_tokenizer(description.model, opened.dataset, given)
    file, example = _opened_with(opened.dataset, model, trust, device)
    if file.facts.takes_texts and text is None and (text := text_by_content(opened)) is not None:
        opened = opened_again(description.label, text)
    if file.facts.masks and not model.tokenizer and (pad := padding_token(model.path, opened.dataset, given)):
        file.model.close()
        model = replace(model, pad=pad)  # the mask follows from it
        file, example = _opened_with(opened.dataset, model, trust, device)
    check_front_end(file.facts, opened)
    label = description.label or label_by_content(opened, _names_of_classes(file.facts, description))
    if label != description.label:
        opened = opened_again(label, text)
    check_meaning(model, file.facts, opened)
    if given is None:
        check_depth(opened)
    if label is None and (label := label_by_answers(file.model, file.facts, opened)):
        opened = opened_again(label, text)
    columns = columns_taken(file.model, file.facts, opened, _placed(file.facts, opened, description))
    taking = file.facts.columns or columns
    opened = opened.with_columns(taking)
    if not columns or getattr(opened.dataset, "gaps", {}):
        check_columns(file.facts, opened)
    if label is None and (
        label := _label_by_count(file, opened, description, partial(opened_again, text=text), taking)
    ):
        opened = opened_again(label, text).with_columns(taking)
    order = _class_order(file.facts, opened, description)
    placed = opened if order is None else in_output_order(opened, order)
    tool = range_of_tool(description.model.path)
    prepared = chosen_preprocessing(file.model, file.facts, placed, given=decided, exported=tool)
    if prepared.source is None and placed.known is None:
        prepared = _chosen_by_training(file, opened, order) or prepared
    opened = opened.with_preprocessing(prepared.preprocessing)
    check_chances(file.model, opened, model.output)
    exchanged = find_wrong_order(file.model, placed.with_preprocessing(prepared.preprocessing), prepared.tried)
    if file.facts.output == "numbers" and tolerance is None:
        tolerance = spread_of(file.model, opened.dataset)
    opened = opened.with_doubts(doubt_about_number(file.model, file.facts, opened, model.output))
    record = UploadedRecord(
        kind=file.kind,
        sha256=file.sha256,
        facts=file.facts,
        fingerprint=file.model.fingerprint,
        roles=dict(model.roles),
        settings=model.settings,
        needs_example=example is not None,
        preprocessing=prepared.preprocessing,
        decided=prepared.source,
        leave_out=description.leave_out,
        label=label,
        labels_above=True,
        tolerance=tolerance,
        class_order=order,
        top_k=description.top_k,
        rules=LATEST,
        apart=True,
        text=text,
        columns=columns,
        split=description.split,
    )
    opener = ModelOpener(model, file.sha256, trust=trust, device=device, example=example, opened=file.model)
    trained = _training_that_fits(opened, order)
    if description.training is not None:
        trained = _training(description.training, record, progress)
        trained = trained.with_columns(taking)
    name = description.name or f"{model.path.name} on {opened.name}"
    subject = _subject(record, opener, opened, trained, name)
    return UploadedSubject(subject, record, opened, prepared, exchanged, ordered=description.classes is not None)


def _of_processor(model: Path, opened: OpenedDataset) -> Preprocessing | None:
    """What an image processor's file beside a model says, for pictures from 0 to 255 or 0 to 1; None for any others."""
    highest = {255.0: 1.0, 1.0: 255.0}
    if not isinstance(opened.dataset, PictureDataset) or opened.dataset.source.high not in highest:
        return None
    found = processor_beside(model)
    return None if found is None else replace(found, scale=found.scale * highest[opened.dataset.source.high])


def _opened_by(
    description: SubjectDescription,
    given: Preprocessing | None,
    progress: Progress,
    label: str | None,
    text: str | None,
) -> OpenedDataset:
    return open_dataset_file(
        description.dataset,
        split=description.split,
        preprocessing=given,
        label=label,
        text=text,
        leave_out=description.leave_out,
        progress=progress,
    )


def _placed(facts: ModelFacts, opened: OpenedDataset, description: SubjectDescription) -> OpenedDataset | None:
    """The dataset with its answers as places among the outputs; None where their order is not clear, or is asked later."""
    with suppress(BadInput, ReadingUnclear):
        order = _class_order(facts, opened, description)
        return None if order is None else in_output_order(opened, order)
    return None


def _names_of_classes(facts: ModelFacts, description: SubjectDescription) -> tuple[str, ...]:
    """The classes as a person, the model's file or a list beside it names them; none where nothing does."""
    if description.classes is not None:
        return description.classes.names
    listed = [] if facts.class_names else lists_beside(description.model.path, description.dataset)
    return facts.class_names or next((one.names for one in listed if len(one.names) == facts.classes), ())


def _label_by_count(
    file: OpenedModel,
    opened: OpenedDataset,
    description: SubjectDescription,
    opened_again: Callable[[str], OpenedDataset],
    columns: Sequence[str],
) -> str | None:
    """The column that has as many classes as the model, if the model agrees with it and with no labels already; else None."""
    found = label_by_count(opened, file.facts)
    if found is None:
        return None

    def agreed(labeled: OpenedDataset) -> bool:
        try:
            order = _class_order(file.facts, labeled, description)
            placed = labeled if order is None else in_output_order(labeled, order)
        except UnclearClasses:
            return False
        return order is not None and agrees(file.model, file.facts, placed)

    if opened.known is not None and agreed(opened):
        return None
    return found if agreed(opened_again(found).with_columns(columns)) else None


def reopen_uploaded_subject(
    record: UploadedRecord,
    model: Path,
    dataset: Path,
    training: Path | None = None,
    *,
    name: str,
    unlabeled: bool = False,
    progress: Progress = silent,
) -> Subject:
    """The subject of files that were opened before; its model is started only when it is needed.

    ``record`` : what was found then, with the choices. ``unlabeled`` : whether no labels were found then. Raises BadInput
        where a file cannot be used, SubjectChanged where the model's file has changed.
    """
    opened = open_dataset_file(
        dataset,
        split=record.split,
        preprocessing=record.preprocessing,
        label=record.label,
        leave_out=record.leave_out,
        labels_above=record.labels_above,
        apart=record.apart,
        text=record.text,
        rules=record.rules,
        progress=progress,
    )
    opened = opened.with_columns(record.facts.columns or record.columns)
    opened = replace(opened, known=None) if unlabeled else opened
    read_unchanged(record.model_at(model), record.sha256)
    example = _example(opened.dataset) if record.needs_example else None
    opener = ModelOpener(record.model_at(model), record.sha256, example=example)
    own = _training_that_fits(opened, record.class_order)
    trained = own if training is None else _training(training, record, progress)
    trained = None if trained is None else trained.with_columns(record.facts.columns or record.columns)
    return _subject(record, opener, opened, trained, name)


def _subject(
    record: UploadedRecord, opener: ModelOpener, opened: OpenedDataset, trained: OpenedDataset | None, name: str
) -> Subject:
    if record.class_order is not None:
        names, placed = record.class_order.names, in_output_order(opened, record.class_order)
        placed_training = None if trained is None else _training_in_order(trained, record.class_order)
    else:
        names = () if record.facts.output == "numbers" else classes_before_orders(opened.classes, record.facts.classes)
        placed, placed_training = opened, trained
    task = task_of(record.facts, names, record.tolerance, record.top_k)
    parts = [record.fingerprint, opened.fingerprint, repr(task), "" if trained is None else trained.fingerprint]
    digest = fingerprint.of_bytes(*(part.encode() for part in parts))
    return Subject(
        key=f"own-{digest[:12]}",
        name=name,
        task=task,
        dataset=opened.dataset,
        fingerprint=digest,
        model_fingerprint=record.fingerprint,
        open_model=opener,
        truth=truth_of(placed, task),
        known=known_labels_of(placed, task),
        facts=facts_of(record, opened, trained),
        training=None if trained is None else trained.dataset,
        prepared=prepared_in_words(record.preprocessing, record.decided, opened.left_out),
        training_truth=None if placed_training is None else truth_of(placed_training, task),
        reading=_reading(record, opened, task),
    )


def _reading(record: UploadedRecord, opened: OpenedDataset, task: Task) -> Reading:
    """How the data and the model were read."""
    order = record.class_order
    found = opened.reading or Reading(opened.name)
    doubtful, roles, left_out = found.doubtful, {**found.roles}, {**found.left_out}
    for name in getattr(opened.dataset, "names", ()) if record.columns else ():
        if name not in record.columns and name in getattr(opened.dataset, "keys", ()):
            roles[name] = ColumnRole(ROW_NUMBER, "all different, and one more than the model takes")
        elif name not in record.columns:
            del roles[name]
            left_out[name] = (
                f"none of the {commas(len(record.columns))} that the model takes, by its name or the labels"
            )
    return replace(
        found,
        roles=roles,
        left_out=left_out,
        task=task.kind,
        task_reason=f"the model says {record.facts.output}",
        classes=task.classes,
        classes_from="" if not task.classes else "the data" if order is None else order.source,
        preprocessing=record.preprocessing.title,
        preprocessing_reason=record.decided or "",
        doubtful=(*doubtful, *cut_to_length(opened.dataset), *(() if order is None else order.remarks)),
    )


def _chosen_by_training(
    file: OpenedModel, opened: OpenedDataset, order: ClassOrder | None
) -> ChosenPreprocessing | None:
    """What the labels of the training set that a dataset brings along decide, where its own inputs have none; else None."""
    training = _training_that_fits(opened, order)
    if training is None or order is None or training.known is None:
        return None
    found = chosen_preprocessing(file.model, file.facts, in_output_order(training, order), given=None)
    return replace(found, source=f"{found.source}, of the training set") if found.source and found.tried else None


def _training_that_fits(opened: OpenedDataset, order: ClassOrder | None) -> OpenedDataset | None:
    """The training set that a dataset brings along, if its labels are classes of the model; it is needed for nothing else."""
    if opened.training is not None and order is not None:
        try:
            in_output_order(opened.training, order)
        except UnclearClasses:
            return None
    return opened.training


def _training_in_order(trained: OpenedDataset, order: ClassOrder) -> OpenedDataset:
    try:
        return in_output_order(trained, order)
    except UnclearClasses as error:
        raise BadInput(f"The training set does not belong to the model. {error}") from error


def _class_order(facts: ModelFacts, opened: OpenedDataset, description: SubjectDescription) -> ClassOrder | None:
    """Which output is which class; None for a regression."""
    chosen = description.classes
    if facts.output == "numbers":
        if chosen is not None:
            raise BadInput(
                f"There is a list of {commas(len(chosen.names))} classes and the model predicts a number. Expected no "
                "list, or a "
                "model of classes. Leave the list out, or say what the model's output means."
            )
        return None
    found = [ClassList(facts.class_names, "the model's own metadata")] if facts.class_names else []
    if chosen is None:
        found += lists_beside(description.model.path, description.dataset)
        found += [ClassList(opened.listed, "the data's own list of classes")] if opened.listed else []
    count = facts.classes
    if facts.output == "predicted class":
        count = _count_classes(opened, found if chosen is None else [chosen])
    return order_of_classes(count, opened, found, chosen=chosen, same=description.same_names)


def _count_classes(opened: OpenedDataset, lists: Sequence[ClassList]) -> int:
    """How many classes there are, which a model that gives the number of the predicted one does not say."""
    count = max((len(one.names) for one in lists), default=len(opened.classes))
    if not count:
        raise BadInput(
            "The model gives the number of the predicted class, and neither it nor the data name the classes. Expected "
            "their names in the order of these numbers. Give them with --class-names, or bring labeled data."
        )
    return count


def _opened_with(
    dataset: Dataset, model: ModelDescription, trust: bool, device: DeviceName
) -> tuple[OpenedModel, NDArray[Any] | None]:
    """The opened model's file, and the inputs of its dataset that were needed for it, if any."""
    if not model.tokenizer:  # a model's answers for made-up tokens show little about its answers for texts
        with suppress(NeedsExample):
            return open_model_file(model, trust=trust, device=device), None
    example = _example(dataset)
    return open_model_file(model, trust=trust, device=device, example=example), example


def _example(dataset: Dataset) -> NDArray[Any]:
    """A few inputs of the dataset, as it gives them."""
    return dataset.batch(np.arange(min(EXAMPLES, len(dataset))))


def _training(path: Path, record: UploadedRecord, progress: Progress) -> OpenedDataset:
    """The training set in a file: its training split if it has several splits, else all of it."""
    opened = open_dataset_file(
        path,
        preprocessing=record.preprocessing,
        label=record.label,
        leave_out=record.leave_out,
        labels_above=record.labels_above,
        apart=record.apart,
        text=record.text,
        rules=record.rules,
        progress=progress,
    )
    return opened if opened.training is None else opened.training
