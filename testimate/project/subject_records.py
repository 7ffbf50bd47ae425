"""What is stored of each subject of a project, in its subject.json: the facts by which any process opens it again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testimate.core.reading import Read
from testimate.core.stored_record import From1, read_record
from testimate.core.task import TaskKind
from testimate.project.version_records import KIND as VERSION
from testimate.tasks.regression import SaidTolerance


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
    VERSION: VersionOfFacts,
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
