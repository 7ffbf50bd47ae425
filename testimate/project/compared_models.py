"""Several models on the same inputs as a subject of a project, so that what tells them apart is labeled like any other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from testimate.comparison.predictions import predictions_of
from testimate.comparison.predictions_table import read_predictions
from testimate.comparison.ranking import majority_agreement
from testimate.core import fingerprint
from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.reading import Read
from testimate.core.spreadsheet_cells import plain_csv
from testimate.core.subject import Dataset, Subject, content_of
from testimate.core.words import commas, counted, is_or_are
from testimate.demos.comparison_models import SHIFT_SEED, digits_predictions, glyph_predictions
from testimate.demos.glyphs import DEFAULT_LEVEL, LETTERS, key_of
from testimate.planning.known_inputs import unheard
from testimate.subjects.shifts.shifted_dataset import ShiftedPictures
from testimate.tables.kinds import without_ending
from testimate.tables.roles import TableRows
from testimate.tasks.classification import Classification

TRUE_LABEL = "true label"
"""The column of true labels in tables made here."""

DEMO_NAME = "Ten models that read digits.csv"
GLYPHS_NAME = "Nine models that read letters"


@dataclass(frozen=True)
class ComparisonChoice:
    """What a table of predictions is taken for.

    Attributes
    ----------
    name : for people; its ending says what the file is (.csv, .csv.gz, .parquet).
    truth : the column of true labels, or None. shown : columns to show to testers.
    shown_by : key of the subject whose inputs these are, so that they can be seen; None if only the table is available.
    shift : name, severity and seed of the shift under which they are seen, or None.
    models : the columns that are models; all others by default. read : what was said about how their classes are spelled.
    """

    name: str
    truth: str | None = None
    shown: tuple[str, ...] = ()
    shown_by: str | None = None
    shift: tuple[str, int, int] | None = None
    models: tuple[str, ...] = field(
        default=(), repr=False
    )  # fingerprints of comparisons without them were made of the others
    read: Read = field(default=(), repr=False)

    def to_json(self) -> dict[str, Any]:
        """The choice as JSON values, with the kind of the record; ``ComparisonFacts`` has them."""
        return {
            "kind": "comparison",
            "name": self.name,
            "truth": self.truth,
            "shown": list(self.shown),
            "shown_by": self.shown_by,
            "shift": None if self.shift is None else list(self.shift),
            "models": list(self.models),
            "read": [list(pair) for pair in self.read],
        }


def comparison_subject(content: bytes, choice: ComparisonChoice, dataset: Dataset | None = None) -> Subject:
    """The subject of a table of predictions; ``dataset`` shows its inputs, where available.

    A tester answers with any class that a model predicted or that the truth names. The subject's own predictions are those
    of the model that agrees with the majority most. BadInput where the table cannot be used or does not fit the dataset.
    """
    if dataset is not None and choice.shift is not None:
        dataset = ShiftedPictures(dataset, *choice.shift)
    table = read_predictions(
        content,
        name=choice.name,
        truth=choice.truth,
        shown=choice.shown,
        models=choice.models,
        read=choice.read,
        tell=unheard,
    )
    found, size = table.predictions, len(table.predictions.labels)
    if dataset is not None and len(dataset) != size:
        raise BadInput(
            f"The table has {commas(size)} rows and the inputs to be shown are {commas(len(dataset))}. Expected a row for each "
            "input, in their order. Choose the dataset the models were run on, or none."
        )
    names = {
        model: [found.classes[place] for place in column]
        for model, column in zip(found.models, found.labels.T, strict=True)
    }
    predictions = predictions_of(names, table.true_names or ())
    task = Classification(classes=predictions.classes)
    truth = None if table.true_names is None else ClassIndex(predictions.classes).indices(table.true_names)
    front = predictions.labels[:, int(majority_agreement(predictions).argmax())]
    rows = (
        dataset
        if dataset is not None
        else TableRows(table.shown, tuple(table.shown), size, fingerprint.of_bytes(content))
    )
    digest = fingerprint.of_bytes(content, repr(choice).encode(), rows.fingerprint.encode())
    if choice.models or choice.read:
        digest = fingerprint.of_bytes(digest.encode(), repr((choice.models, choice.read)).encode())
    inputs = Inputs(
        fingerprint=digest,
        task=task,
        predictions=front,
        truth=truth,
        losses=None if truth is None else task.losses(front, truth),
        compared=predictions.models,
        compared_predictions=predictions.labels,
    )
    facts = (
        ("models", f"{len(predictions.models)}"),
        ("inputs", commas(size)),
        ("classes", f"{len(task.classes)}"),
    )
    return Subject(
        f"compare-{digest[:12]}",
        without_ending(choice.name),
        task,
        rows,
        digest,
        truth=truth,
        inputs=inputs,
        facts=facts,
    )


def table_of_subjects(subjects: Sequence[Subject], inputs: Sequence[Inputs]) -> bytes:
    """The predictions of subjects with the same inputs as CSV, with the true labels of the first that knows them.

    Each model may be given the inputs in its own way: another scale, another size.

    BadInput where their datasets or tasks differ.
    """
    if len(subjects) < 2:
        there = f"There {is_or_are(len(subjects))} {counted(len(subjects), 'model')}"
        raise BadInput(f"{there}; a comparison needs at least 2. Choose another.")
    for subject, known in zip(subjects, inputs, strict=True):
        if content_of(subject.dataset) != content_of(subjects[0].dataset) or len(known) != len(inputs[0]):
            raise BadInput(
                f"{subject.name!r:.60} is on other inputs than {subjects[0].name!r:.60}. Expected models on the same "
                "dataset. Choose those."
            )
        if not known.task.one_class:
            raise BadInput(
                f"{subject.name!r:.60} does not predict one class per input. Expected models that do. Leave it out."
            )
    columns: dict[str, list[str]] = {}
    for subject, known in zip(subjects, inputs, strict=True):
        columns[_free(subject.name, columns)] = _names(
            known.task, np.reshape(known.predictions, (len(known), -1))[:, 0]
        )
    for known in inputs:
        if known.truth is not None:
            columns[TRUE_LABEL] = _names(known.task, known.truth)
            break
    return csv_of(columns)


def csv_of(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Columns of one length as a CSV file in UTF-8."""
    return plain_csv([columns, *zip(*columns.values(), strict=True)]).encode()


def _names(task: Any, places: Any) -> list[str]:
    return [task.classes[place] for place in np.asarray(places).tolist()]


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name, with a number added where another model has it, ignoring case."""
    known = {one.casefold() for one in (*taken, TRUE_LABEL)}
    free, number = name.strip() or "model", 2
    while free.casefold() in known:
        free, number = f"{name} ({number})", number + 1
    return free


def demo_comparison(
    shift: tuple[str, int] | None = None, progress: Progress = silent
) -> tuple[bytes, ComparisonChoice]:
    """The table of the ten models on the digits demo and what it is taken for. ``shift`` : name and severity, or None."""
    found, truth = digits_predictions(progress, shift=shift)
    name = DEMO_NAME if shift is None else f"The same under {shift[0]}, severity {shift[1]}.csv"
    seen = None if shift is None else (*shift, SHIFT_SEED)
    content = csv_of({name: values.tolist() for name, values in (*found.items(), (TRUE_LABEL, truth))})
    return content, ComparisonChoice(name, TRUE_LABEL, (), "digits", seen)


def glyph_comparison(level: int, progress: Progress = silent) -> tuple[bytes, ComparisonChoice]:
    """The table of the nine models on the demo's letters at that level, in percent, and what it is taken for."""
    found, truth = glyph_predictions(level, progress)
    letters = {name: [LETTERS[place] for place in places] for name, places in (*found.items(), (TRUE_LABEL, truth))}
    name = f"{GLYPHS_NAME}{'' if level == DEFAULT_LEVEL else f', shift {level / 100:.2f}'}.csv"
    return csv_of(letters), ComparisonChoice(name, TRUE_LABEL, (), key_of(level))
