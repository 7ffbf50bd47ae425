"""A tester's own model and data, as a project keeps and reopens them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.own_record import OwnRecord
from testimate.subjects.own_subject import OwnSubject, open_own_subject


@dataclass(frozen=True)
class OwnChoice:
    """The files of a subject and what was chosen for them; nothing in it lets a file run a program.

    Attributes
    ----------
    model, dataset, training : files; the training set may be None. preprocessing : None lets ``open_own_subject`` choose.
    layers : which layer plays another role than the one found, by role ("FL", "LHL"). output, architecture, tolerance :
        see ``open_own_subject``; None where nothing was chosen.
    """

    model: Path
    dataset: Path
    training: Path | None = None
    preprocessing: Preprocessing | None = None
    layers: Mapping[str, str] = field(default_factory=dict)
    output: str | None = None
    architecture: str | None = None
    tolerance: float | None = None

    def open(self, progress: Progress = silent) -> OwnSubject:
        """Opens the files as chosen, trusting none; raises as ``open_own_subject`` does."""
        return open_own_subject(
            self.model,
            self.dataset,
            training=self.training,
            preprocessing=self.preprocessing,
            roles=self.layers,
            output=self.output,
            architecture=self.architecture,
            tolerance=self.tolerance,
            progress=progress,
        )


def record_of(own: OwnSubject, choice: OwnChoice, project: Path) -> dict[str, Any]:
    """What ``reopened`` needs, as JSON; files inside the project are named from its folder, so that it may be moved."""
    return {
        "kind": "own",
        "name": own.subject.name,
        "model": _named(choice.model, project),
        "dataset": _named(choice.dataset, project),
        "training": None if choice.training is None else _named(choice.training, project),
        "opened": own.record.to_json(),
        "fingerprint": own.subject.fingerprint,
    }


def reopened(record: Mapping[str, Any], project: Path, progress: Progress = silent) -> Subject:
    """The subject of a record; its model is not started until it is needed.

    Raises BadInput where a file is gone, SubjectChanged where one is not what it was.
    """
    files = {role: record[role] for role in ("model", "dataset", "training") if record[role]}
    for name in files.values():
        if not (project / name).exists():
            raise BadInput(
                f"The file {name!r:.200} of {record['name']!r:.100} is gone; its labels are still stored. Put the same file "
                "back."
            )
    paths = {role: project / name for role, name in files.items()}
    known = OwnRecord.from_json(record["opened"])
    subject = open_own_subject(**paths, name=record["name"], known=known, progress=progress).subject
    if subject.fingerprint != record["fingerprint"]:
        raise SubjectChanged(
            f"A file of {record['name']!r:.100} is not what it was when the subject was added; its plans and labels are for "
            "the earlier one. Put the same files back, or add these as a new subject."
        )
    return subject


def _named(path: Path, project: Path) -> str:
    absolute = path.absolute()
    inside = absolute.is_relative_to(project.absolute())
    return str(absolute.relative_to(project.absolute()) if inside else absolute)
