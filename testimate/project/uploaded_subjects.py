"""A tester's own model and data, as a project keeps and reopens them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.project.record_paths import name_in_project, path_of
from testimate.subjects.uploaded.description import SubjectDescription
from testimate.subjects.uploaded.record import UploadedRecord
from testimate.subjects.uploaded.subject import UploadedSubject, reopen_uploaded_subject


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
    }


def with_top_k(record: Mapping[str, Any], project: Path, top_k: int) -> tuple[Subject, dict[str, Any]]:
    """The same model and data where the first ``top_k`` classes count, another subject, and its record.

    Raises BadInput where the task has no such classes, and as ``reopened`` does.
    """
    before = reopened(record, project)  # the files are what they were
    known = replace(UploadedRecord.from_json(record["opened"]), top_k=top_k)
    changed = reopen_uploaded_subject(known, *_files(record, project), name=before.name)
    return changed, {**record, "opened": known.to_json(), "fingerprint": changed.fingerprint}


def reopened(record: Mapping[str, Any], project: Path, progress: Progress = silent) -> Subject:
    """The subject of a record; its model is not started until it is needed.

    Raises BadInput where a file is gone, SubjectChanged where one is not what it was.
    """
    known = UploadedRecord.from_json(record["opened"])
    subject = reopen_uploaded_subject(known, *_files(record, project), name=record["name"], progress=progress)
    if subject.fingerprint != record["fingerprint"]:
        raise SubjectChanged(
            f"A file of {record['name']!r:.100} is not what it was when the subject was added; its plans and labels are for "
            "the earlier one. Put the same files back, or add these as a new subject."
        )
    return subject


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
                f"The file {record[role]!r:.200} of {record['name']!r:.100} is gone; its labels are still stored. Put the same "
                "file back."
            )
        yield path
