"""What is stored of each subject of a project, in its subject.json: the facts by which any process opens it again.

Of a version of a model there is more: a tester's notes on it, and its predictions for the inputs of another subject.
"""

import io
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.files import replace_file
from testimate.core.fingerprint import of_bytes
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.reading import Read
from testimate.core.stored_record import From1, read_record
from testimate.core.subject import Subject
from testimate.core.task import TaskKind
from testimate.core.visible_text import check_line, readable
from testimate.tasks.regression import SaidTolerance

KIND = "version"
"""Of a subject that holds predictions for the inputs of another one."""

LONGEST_NAME = 100


@dataclass(frozen=True)
class VersionFacts:
    """What a tester said about a subject as a version.

    Attributes
    ----------
    name : for people; "" where the subject's name will do.
    place : versions are ordered by it, from 1 on; 0 where nobody said.
    knew_labels : whether it was trained or chosen by labels of these inputs, which then cannot judge it honestly.
    """

    name: str = ""
    place: int = 0
    knew_labels: bool = False


class KeptVersionFacts:
    """What testers noted about versions, in ``subjects/<key>/version.json`` of the project's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, key: str) -> VersionFacts:
        """The notes on a subject; empty if there are none, or they are damaged."""
        try:
            said = json.loads(self._file(key).read_text(encoding="utf-8"))
            facts = read_record(VersionFacts, said, others=True)
        except (OSError, ValueError):
            return VersionFacts()
        return replace(facts, name=readable(facts.name))

    def keep(self, key: str, facts: VersionFacts) -> None:
        """Writes it down; BadInput for a name too long or that cannot be shown, StoreUnavailable where there is no room."""
        check_line(facts.name, "name", LONGEST_NAME, shortest=0)
        try:
            self._file(key).parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._file(key), json.dumps(asdict(facts)).encode())
        except OSError as error:
            raise StoreUnavailable(
                f"The changes to the version could not be stored ({error.strerror}). Free space or choose another folder."
            ) from None

    def drop(self, key: str) -> None:
        """Removes what was said about the version of that key, if anything was."""
        self._file(key).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        if not re.fullmatch(r"[a-z0-9-]+", key):
            raise BadInput(f"There is no test set {key!r:.60} in this project. Choose one from the list.")
        return self._folder / "subjects" / key / "version.json"


def predictions_file(other: OtherModel, classes: int) -> bytes:
    """What a version of a model with so many classes predicts, as the bytes of an .npz file, with the classes it learned."""
    held = io.BytesIO()
    beside = {} if other.confidence is None else {"confidence": other.confidence}
    if other.unknown:
        beside["further"] = np.array(other.further)
    predictions = other.numbered_on(classes)
    np.savez_compressed(held, predictions=predictions, **beside)  # type: ignore[arg-type] # allow_pickle is never among them
    return held.getvalue()


def record_of_version(of: Subject, other: OtherModel) -> dict[str, Any]:
    """The record of a version, as JSON values: by it and the predictions any process opens the version again."""
    return {"kind": KIND, "name": other.name, "of": of.key, "fingerprint": of.fingerprint}


def version_subject(name: str, predictions: bytes, of: Subject, names: Inputs | None) -> Subject:
    """A subject of what another model predicts for the inputs of this one; a person sees the same of them.

    ``names`` : what is known of the inputs of a table, whose rows have names. BadInput where the file is damaged.
    """
    try:
        with np.load(io.BytesIO(predictions), allow_pickle=False) as held:
            said, sure = held["predictions"].astype(np.intp), held.get("confidence")
            further = tuple(map(str, held["further"])) if "further" in held else ()
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(
            f"The predictions of {name!r:.60} cannot be read ({error!s:.80}). Its labels are still saved. Add them again."
        ) from None
    task = of.task.with_classes(further)
    truth = None if of.truth is None else np.asarray(of.truth)
    learned = [one.encode() for one in further]
    digest = of_bytes(of.fingerprint.encode(), OtherModel(name, said, sure).fingerprint.encode(), *learned)
    losses = None if truth is None else task.losses(said, truth)
    inputs = Inputs(
        digest,
        task,
        said,
        sure,
        scores={} if sure is None else {"confidence": 1 - sure},
        truth=truth,
        losses=losses,
        names=None if names is None else names.names,
    )
    return Subject(
        key=f"version-{digest[:12]}",
        name=name,
        task=task,
        dataset=of.dataset,
        fingerprint=digest,
        truth=truth,
        inputs=inputs,
        facts=(("predictions for the inputs of", of.name),),
    )


@dataclass(frozen=True)
class OwnFacts:
    """What is stored of a model and its data: their files, how they were opened, and the fingerprint of the two."""

    name: str
    model: Any  # ``record_paths`` looks at the names of files
    dataset: Any
    training: Any
    opened: Mapping[str, Any]
    fingerprint: str


@dataclass(frozen=True)
class ComparisonFacts:
    """What is stored of several models' predictions; see ``ComparisonChoice``."""

    name: str
    truth: str | None
    shown: tuple[str, ...]
    shown_by: str | None
    shift: tuple[str, int, int] | None = None
    models: tuple[str, ...] = ()
    read: Read = ()


@dataclass(frozen=True)
class VersionOfFacts:
    """What is stored of a version: ``of`` is the key of the subject whose inputs it is on, ``fingerprint`` that subject's."""

    name: str
    of: str
    fingerprint: str


@dataclass(frozen=True)
class TableFacts:
    """What is stored of a prediction table; records of earlier versions say less.

    Attributes
    ----------
    name, tolerance, task : as ``read_table`` takes them; whole numbers are classes where no task is stored.
    columns, class_names, top_k, further, grades, least_score, read, rules : of its ``TableChoices``; without columns the
        table is read as before there were any.
    """

    name: str
    tolerance: SaidTolerance | None
    task: TaskKind | None = None
    columns: tuple[tuple[str, str], ...] | None = None
    class_names: bool = False
    top_k: From1 = 1
    further: tuple[str, ...] = ()
    grades: str = ""
    least_score: float = 0.0
    read: Read = ()
    rules: From1 = 1


RECORDS: Mapping[str | None, type] = {
    "own": OwnFacts,
    "comparison": ComparisonFacts,
    KIND: VersionOfFacts,
    None: TableFacts,
}
"""What has to be stored of each kind; a subject of which it is not cannot be opened."""


def read_facts(record: Path) -> dict[str, Any] | None:
    """What a record says; None where it is damaged: empty, cut short, unreadable, or without what its kind needs."""
    try:
        facts: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
        read_record(RECORDS[facts.get("kind")], facts, others=True)
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
        return None
    return facts
