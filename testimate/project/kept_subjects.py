"""A prediction table as a project keeps and reopens it: how it was read, and where its inputs and features lie.

A tester's own model and data, as a project keeps and reopens them.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput, SubjectChanged, Way
from testimate.core.progress import Progress, silent
from testimate.core.reading import Reading
from testimate.core.session_record import SessionRecord
from testimate.core.stored_record import WrongRecord, read_record
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.project.record_paths import name_in_project, path_of
from testimate.project.subject_records import TableFacts
from testimate.subjects.box_table import BoxedPictures
from testimate.subjects.media import NamedFiles
from testimate.subjects.prediction_table import TableContent, read_table, table_content
from testimate.subjects.read_columns import read_columns
from testimate.subjects.stored_roles import as_stored_or_now
from testimate.subjects.table_choices import AS_NAMED, TableChoices
from testimate.subjects.table_features import subject_with_features
from testimate.subjects.uploaded_subject import (
    SubjectDescription,
    UploadedRecord,
    UploadedSubject,
    reopen_uploaded_subject,
)
from testimate.tables.answers import Undecided
from testimate.tables.cells import Column
from testimate.tables.roles import TableRows
from testimate.tables.rules import FOUND
from testimate.tasks.regression import SaidTolerance

MEDIA = "media"
"""The fact that holds the fingerprint of the files that the rows name."""


@dataclass(frozen=True)
class KeptTable:
    """How a table is read.

    Attributes
    ----------
    name, tolerance, task, undecided, choices : as ``read_table`` takes them. features : an .npy file, row for row.
    """

    name: str
    tolerance: SaidTolerance | None = None
    task: TaskKind | None = None
    undecided: Undecided = "ask"
    choices: TableChoices | None = None
    features: Path | None = None

    def record(self, subject: Subject, project: Path, data: bytes | Path) -> dict[str, Any]:
        """What ``from_record`` needs, as JSON; files inside the project are named from its folder, so that it may be moved."""
        choices = self.choices or AS_NAMED
        return {
            "name": self.name,
            "tolerance": self.tolerance,
            "task": subject.task.kind,
            # without it the table is one of an earlier version, and is read as that version read it
            **({"columns": [list(pair) for pair in choices.columns]} if choices.probabilities_by_name else {}),
            "class_names": choices.class_names,
            "top_k": choices.top_k,
            "further": list(choices.further),
            "grades": choices.grades,
            "least_score": choices.least_score,
            "read": [list(pair) for pair in choices.read],
            "rules": choices.rules,
            "inputs": None if choices.inputs is None else name_in_project(choices.inputs, project),
            "features": None if self.features is None else name_in_project(self.features, project),
            "table": name_in_project(data, project) if isinstance(data, Path) else None,
            "fingerprint": subject.fingerprint,
            MEDIA: media_fingerprint(subject),
            **_stored_reading(subject),
        }

    def top(self, count: int) -> TableChoices:
        """The table's choices, with an input right if its class is among the first ``count``."""
        return replace(self.choices or AS_NAMED, top_k=count)

    def taking(self, way: Way) -> "KeptTable":
        """The same table, read in a way that was asked about."""
        kept, choices = self, self.choices or AS_NAMED
        for name, value in way.changes:
            if name == "task":
                kept = replace(kept, task=value)
            elif name == "columns":
                choices = replace(choices, columns=(*choices.columns, value))
            else:
                choices = replace(choices, read=(*choices.read, value))
        return replace(kept, choices=replace(choices, stored=None))

    @classmethod
    def from_record(cls, facts: Mapping[str, Any], project: Path) -> "KeptTable":
        """How the table of a record is read; one of an earlier version as that version read it.

        BadInput if the record names a file outside the project that nobody allowed.
        """
        stored = read_record(TableFacts, facts, others=True)
        return cls(
            name=stored.name,
            tolerance=None if stored.task not in (None, "regression") else stored.tolerance,
            task=stored.task,
            undecided="classes",
            choices=TableChoices(
                columns=stored.columns or (),
                inputs=path_of(facts, "inputs", project),
                top_k=stored.top_k,
                further=stored.further,
                probabilities_by_name=stored.columns is not None,
                class_names=stored.class_names,
                grades=stored.grades,
                least_score=stored.least_score,
                read=stored.read,
                rules=stored.rules,
                stored=reading_of(facts) if stored.rules >= FOUND else None,
                stored_as=facts.get("fingerprint") or "",
            ),
            features=path_of(facts, "features", project),
        )


READING = "reading"
"""The fact that holds how the files were read."""


def _stored_reading(subject: Subject) -> dict[str, Any]:
    return {} if subject.reading is None else {READING: subject.reading.to_json()}


def reading_of(facts: Mapping[str, Any]) -> Reading | None:
    """How the files of a record were read when it was made; None in one of an earlier version, or where that is damaged."""
    try:
        return Reading.from_json(facts[READING]) if READING in facts else None
    except BadInput:  # the files say it again
        return None


def opened_table(data: bytes | Path | TableContent, kept: KeptTable) -> Subject:
    """The subject of a table, with its inputs and features where there are any; BadInput where a file cannot be used."""
    subject = read_table(
        data,
        name=kept.name,
        tolerance=kept.tolerance,
        task=kept.task,
        undecided=kept.undecided,
        choices=kept.choices or AS_NAMED,
    )
    return subject if kept.features is None else subject_with_features(subject, kept.features)


def further_columns(kept: KeptTable, data: bytes | Path) -> Mapping[str, Column]:
    """The columns that play no role, by name: nothing of the predictions, and nothing that gives away an answer."""
    choices = kept.choices or AS_NAMED
    cells = table_content(data, kept.name, choices.inputs).cells
    found = as_stored_or_now(
        lambda choices: read_columns(cells, choices, kept.task, boxed=kept.task == "boxes"), choices, lambda _: True
    )
    return {name: Column(name, found.cells.columns[name]) for name in found.roles.others if name in found.cells.columns}


def reopened_table(facts: Mapping[str, Any], data: bytes | Path, project: Path) -> Subject:
    """The subject of a record.

    Raises BadInput where a file is gone or cannot be used, SubjectChanged where one is not what it was.
    """
    for role in ("inputs", "features", "table"):
        path = path_of(facts, role, project)
        if path is not None and not os.path.exists(path):  # a name may be too long for Path.exists
            raise BadInput(
                f"The file {facts[role]!r:.200} of {facts['name']!r:.100} is gone. Its labels are still saved. Put the same "
                "file back."
            )
    kept = KeptTable.from_record(facts, project)

    def same_table(subject: Subject) -> bool:
        return facts.get("fingerprint") in (None, subject.fingerprint)

    subject = as_stored_or_now(
        lambda choices: opened_table(data, replace(kept, choices=choices)), kept.choices or AS_NAMED, same_table
    )
    if not same_table(subject) or facts.get(MEDIA) not in (None, media_fingerprint(subject)):
        raise SubjectChanged(
            f"The files of {facts['name']!r:.100} are not what they were when the test set was added; its plans and labels are "
            "for the earlier ones. Put the same files back, or add these as a new test set."
        )
    return replace(subject, reading=reading_of(facts) or subject.reading)


def media_fingerprint(subject: Subject) -> str | None:
    """The fingerprint of the files that the rows of a table name; None where there are none."""
    media = subject.dataset.media if isinstance(subject.dataset, TableRows) else None
    media = media.pictures if isinstance(media, BoxedPictures) else media
    return media.fingerprint if isinstance(media, NamedFiles) else None


def check_still_the_same(
    subject: Subject, kept: KeptTable, facts: Mapping[str, Any] | None, sessions: Sequence[SessionRecord]
) -> None:
    """BadInput where sessions of this very table were labeled with other files, other classes or another tolerance.

    Files may be added where there were none, and classes behind those there were. ``facts`` : its record, where it was kept
    before.
    """
    if facts is None or all(record.subject != subject.key for record in sessions):
        return
    further, now = tuple(facts.get("further", ())), (kept.choices or AS_NAMED).further
    if now[: len(further)] != further:
        raise BadInput(
            f"The table {subject.name!r:.100} has sessions in which {', '.join(further)!s:.100} could be answered. "
            "Expected these classes first. Name them again, in this order."
        )
    if facts.get("tolerance") != kept.tolerance and subject.task.numeric:
        raise BadInput(
            f"The table {subject.name!r:.100} has sessions with {_tolerance(facts.get('tolerance'))}, and "
            f"{_tolerance(kept.tolerance)} would change what failed in them. Expected the same. Give that one, or "
            "add the table in another project."
        )
    before = facts.get(MEDIA)
    if before in (None, media_fingerprint(subject)):
        return
    raise BadInput(
        f"The table {subject.name!r:.100} has sessions that were labeled with other files than these. Expected the same. "
        "Give the files it had, or add the table in another project."
    )


def _tolerance(value: SaidTolerance | None) -> str:
    """A tolerance in words."""
    return "the usual tolerance" if value is None else f"a tolerance of {value}"


def record_of(uploaded: UploadedSubject, chosen: SubjectDescription, project: Path) -> dict[str, Any]:
    """What ``reopened`` needs, as JSON; files inside the project are named from its folder, so that it may be moved."""
    return {
        "kind": "own",
        "name": uploaded.subject.name,
        "model": name_in_project(chosen.model.path, project),
        "dataset": name_in_project(chosen.dataset, project),
        "training": None if chosen.training is None else name_in_project(chosen.training, project),
        "opened": uploaded.record.to_json(),
        "fingerprint": uploaded.subject.fingerprint,
        **_stored_reading(uploaded.subject),
    }


def with_top_k(record: Mapping[str, Any], project: Path, top_k: int) -> tuple[Subject, dict[str, Any]]:
    """The same model and data where the first ``top_k`` classes count, another subject, and its record.

    Raises BadInput where the task has no such classes, and as ``reopened`` does.
    """
    before = reopened(record, project)  # the files are what they were
    known = replace(_opened(record), top_k=top_k)
    changed = reopen_uploaded_subject(
        known, *_files(record, project), name=before.name, unlabeled=before.truth is None and not before.known
    )
    opened = {"opened": known.to_json(), "fingerprint": changed.fingerprint}
    return changed, {**record, **opened, **_stored_reading(changed)}


def reopened(record: Mapping[str, Any], project: Path, progress: Progress = silent) -> Subject:
    """The subject of a record; its model is not started until it is needed.

    Raises BadInput where a file is gone, SubjectChanged where one is not what it was.
    """
    known, reading = _opened(record), reading_of(record)
    found_none = reading is not None and not reading.known
    for unlabeled in (
        (False, True) if found_none else (False,)
    ):  # rules that grew since may find labels beside the inputs
        subject = reopen_uploaded_subject(
            known, *_files(record, project), name=record["name"], unlabeled=unlabeled, progress=progress
        )
        if subject.fingerprint == record["fingerprint"]:
            return replace(subject, reading=reading or subject.reading)
    raise SubjectChanged(
        f"A file of {record['name']!r:.100} is not what it was when the test set was added; its plans and labels are for "
        "the earlier one. Put the same files back, or add these as a new test set."
    )


def _opened(record: Mapping[str, Any]) -> UploadedRecord:
    try:
        return UploadedRecord.of_json(record["opened"])
    except WrongRecord as error:
        raise BadInput(
            f"The record of {record['name']!r:.100} cannot be read ({error!s:.120}). Its labels are still saved. Add the "
            "same files again."
        ) from None


def _files(record: Mapping[str, Any], project: Path) -> Iterator[Path]:
    """The record's model, dataset and, where there is one, training set.

    BadInput if one is gone, or is outside the project where nobody allowed it.
    """
    for role in ("model", "dataset", "training"):
        path = path_of(record, role, project)
        if path is None:
            continue
        if not os.path.exists(path):  # a name may be too long for Path.exists
            raise BadInput(
                f"The file {record[role]!r:.200} of {record['name']!r:.100} is gone. Its labels are still saved. Put the same "
                "file back."
            )
        yield path
