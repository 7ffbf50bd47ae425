"""A tester's own model and data as a subject: the model's file, the dataset's, and that of the training set."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from testimate.core import fingerprint
from testimate.core.progress import Progress, silent
from testimate.core.subject import Dataset, Subject
from testimate.subjects.datasets.dataset_files import open_dataset_file
from testimate.subjects.datasets.opened import OpenedDataset
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.datasets.preprocessing_file import preprocessing_beside
from testimate.subjects.datasets.usual_preprocessings import TriedPreprocessing
from testimate.subjects.models import OpenedModel, open_model_file
from testimate.subjects.models.devices import Asked
from testimate.subjects.models.graph_model import NeedsExample
from testimate.subjects.own_answers import own_task, spread_of, truth_of
from testimate.subjects.own_facts import own_facts
from testimate.subjects.own_model import ModelOpener, check_same
from testimate.subjects.own_preprocessing import chosen_preprocessing
from testimate.subjects.own_record import OwnRecord

EXAMPLES = 4
"""Inputs that a model is shown to see what it says."""


@dataclass(frozen=True, eq=False)
class OwnSubject:
    """A tester's own model on their own data.

    Attributes
    ----------
    subject : to be tested. record : what was found out; keep it to open the same files quickly.
    dataset : as it was opened, prepared as chosen.
    tried : how often the model was right with each usual preprocessing, the chosen one first; empty where it was told or
        there is no label to try it on.
    """

    subject: Subject
    record: OwnRecord
    dataset: OpenedDataset
    tried: tuple[TriedPreprocessing, ...] = ()


def open_own_subject(
    model: Path,
    dataset: Path,
    *,
    training: Path | None = None,
    trust: bool = False,
    preprocessing: Preprocessing | None = None,
    roles: Mapping[str, str] | None = None,
    output: str | None = None,
    architecture: str | None = None,
    split: str | None = None,
    label: str | None = None,
    tolerance: float | None = None,
    name: str | None = None,
    device: Asked = "auto",
    mixed_precision: bool = False,
    known: OwnRecord | None = None,
    progress: Progress = silent,
) -> OwnSubject:
    """Opens a model's file with a dataset and, where there is one, the set it was trained on.

    Parameters
    ----------
    model, dataset, training : files or folders. The training set may also lie in the dataset's file, as another split.
    trust : the person at the terminal vouches for the model's file, which may run its own program. Never from a browser.
    preprocessing : of the inputs; by default that of the TOML beside the model, else the usual one that suits the model
        best on inputs whose class is known, else none but the shape.
    roles : layers to play other roles than those found, by role.
    output, architecture, device, mixed_precision : see ``open_model_file``. split, label : see ``open_dataset_file``.
    tolerance : of a regression; one standard deviation of the predictions where none is given.
    name : for people.
    known : the record of the same model and choices, opened before: the model is not started until it is needed, and
        ``preprocessing``, ``roles``, ``output``, ``architecture`` and ``tolerance`` are taken from it.

    Raises
    ------
    BadInput : a file cannot be used, or model and data do not fit; the sentence says why.
    SubjectChanged : the model's file is not that of the record ``known``.
    """
    given = preprocessing_beside(model) if preprocessing is None else preprocessing
    given = given if known is None else known.preprocessing
    opened = open_dataset_file(dataset, split=split, preprocessing=given, label=label, progress=progress)
    tried: tuple[TriedPreprocessing, ...] = ()
    if known is None:
        settings: dict[str, Any] = {"output": output, "architecture": architecture}
        if mixed_precision:
            settings["mixed_precision"] = True
        running = {**settings, "device": device}  # which is no part of what the subject is
        file, needs_example = _opened(model, trust, running, opened.dataset)
        opener = _opener(model, file.sha256, roles or {}, running, trust, opened.dataset if needs_example else None)
        network = opener.keep(file)
        chosen, tried = chosen_preprocessing(network, file.facts, opened, told=given is not None)
        opened = opened.with_preprocessing(chosen)
        if file.facts.output == "numbers" and tolerance is None:
            tolerance = spread_of(network, opened.dataset)
        record = OwnRecord(
            kind=file.kind,
            sha256=file.sha256,
            facts=file.facts,
            fingerprint=network.fingerprint,
            roles=dict(roles or {}),
            settings=settings,
            needs_example=needs_example,
            preprocessing=chosen,
            tolerance=tolerance,
        )
    else:
        check_same(model, known.sha256)
        record = known
        example = opened.dataset if record.needs_example else None
        running = {**record.settings, "device": device}
        opener = _opener(model, record.sha256, record.roles, running, trust, example)
    trained = opened.training
    if training is not None:
        trained = _training(training, record.preprocessing, label, progress)
    subject = _subject(record, opener, opened, trained, name or f"{model.name} on {opened.name}")
    return OwnSubject(subject, record, opened, tried)


def _subject(
    record: OwnRecord, opener: ModelOpener, opened: OpenedDataset, trained: OpenedDataset | None, name: str
) -> Subject:
    task = own_task(record.facts, opened.classes, record.tolerance)
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
        truth=truth_of(opened, task),
        facts=own_facts(record, opened, trained),
        training=None if trained is None else trained.dataset,
        training_truth=None if trained is None else truth_of(trained, task),
    )


def _opened(model: Path, trust: bool, settings: Mapping[str, Any], dataset: Dataset) -> tuple[OpenedModel, bool]:
    """The model's file, opened, and whether that took inputs of its dataset."""
    try:
        return open_model_file(model, trust=trust, **settings), False
    except NeedsExample:
        return open_model_file(model, trust=trust, example=_example(dataset), **settings), True


def _opener(
    model: Path,
    sha256: str,
    roles: Mapping[str, str],
    settings: Mapping[str, Any],
    trust: bool,
    example: Dataset | None,
) -> ModelOpener:
    shown = {} if example is None else {"example": _example(example)}
    return ModelOpener(model, sha256, roles, {"trust": trust, **settings, **shown})


def _example(dataset: Dataset) -> NDArray[Any]:
    """A few inputs of the dataset, as it gives them."""
    return dataset.batch(np.arange(min(EXAMPLES, len(dataset))))


def _training(path: Path, chosen: Preprocessing, label: str | None, progress: Progress) -> OpenedDataset:
    """The training set in a file: its training split where it has several, else all of it."""
    opened = open_dataset_file(path, preprocessing=chosen, label=label, progress=progress)
    return opened if opened.training is None else opened.training
