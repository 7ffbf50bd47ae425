"""The subjects of a project's folder: the demos, and those that were added, as records from which any process reopens them."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from testimate.core import fingerprint
from testimate.core.errors import BadInput, StoreUnavailable, SubjectChanged
from testimate.core.files import replace_file
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress
from testimate.core.session_record import SessionRecord
from testimate.core.stored_record import read_record
from testimate.core.subject import Subject
from testimate.demos.catalog import DEMOS, find_demo
from testimate.feature_cache import FeatureCache, Recomputed
from testimate.feature_cache.shards import storing
from testimate.project.record_paths import allow, check_links, path_of
from testimate.project.subject_records import KIND as VERSION
from testimate.project.subject_records import ComparisonFacts, read_facts, version_subject
from testimate.tables.kinds import is_parquet, without_ending

if TYPE_CHECKING:
    from testimate.project.kept_subjects import KeptTable
    from testimate.subjects.uploaded_subject import SubjectDescription, UploadedSubject


COMPARISON = "Several models"
KINDS = {"own": "Model and dataset", "comparison": COMPARISON, VERSION: "Version on the inputs of another test set"}
"""What a subject that was added is, for a list; a prediction table has no kind."""


@dataclass(frozen=True)
class SubjectEntry:
    """A subject that can be opened: its key, its name and what it is, for a list."""

    key: str
    name: str
    description: str
    demo: bool


class KeptSubjects:
    """``subjects/<key>/subject.json`` in the folder, the facts of each that was added; its table, if it has one, beside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(self) -> list[SubjectEntry]:
        """The demos, then what was added, by name; damaged records are left out, so that the others remain available."""
        demos = [SubjectEntry(demo.name, demo.title, demo.description, demo=True) for demo in DEMOS.values()]
        kept = []
        for record in (self._folder / "subjects").glob("*/subject.json"):
            facts = read_facts(record)
            if facts is None:
                continue
            what = KINDS.get(facts.get("kind", ""), "Prediction table")
            name = without_ending(facts["name"]) if what == COMPARISON else facts["name"]
            kept.append(SubjectEntry(record.parent.name, name, what, demo=False))
        return demos + sorted(kept, key=lambda entry: entry.name)

    def keep(self, subject: Subject, facts: Mapping[str, Any], table: bytes | None = None) -> None:
        """Writes down what it takes to open the subject again; StoreUnavailable where that fails."""
        folder = self._folder / "subjects" / subject.key
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if table is not None and not _holds(folder / "table", table):  # others may be reading it
                replace_file(folder / "table", table)
            replace_file(folder / "subject.json", json.dumps(facts).encode())
        except OSError as error:
            raise StoreUnavailable(
                f"The test set could not be saved in {folder} ({error.strerror}). Free space or choose another project folder."
            ) from None

    def open(self, key: str, other: Callable[[str], Subject], progress: Progress) -> Subject:
        """The subject of that key; ``other`` opens another one, by which a comparison shows its inputs.

        Raises BadInput where there is none, its record is damaged or its table is gone.
        """
        demo = find_demo(key)
        if demo is not None:
            return demo.open(self._folder, progress)
        folder = self._folder / "subjects" / key
        if not re.fullmatch(r"[a-z0-9-]+", key) or not (folder / "subject.json").is_file():
            raise BadInput(f"There is no test set {key!r:.60} in this project. Open one of those under Project.")
        facts = read_facts(folder / "subject.json")
        if facts is None:
            raise BadInput(
                f"The record of the test set {key!r:.60} cannot be read ({folder / 'subject.json'}). Its labels are still "
                "saved. Add the same files again, or put the record back."
            )
        if facts.get("kind") == "own":
            from testimate.project.kept_subjects import reopened

            return reopened(facts, self._folder, progress)
        if facts.get("kind") == "comparison":
            from testimate.project.compared_models import ComparisonChoice, comparison_subject

            choice = ComparisonChoice(**vars(read_record(ComparisonFacts, facts, others=True)))
            shown_by = None if choice.shown_by is None else other(choice.shown_by).dataset
            return comparison_subject(self._table(folder, facts), choice, shown_by)
        if facts.get("kind") == VERSION:
            of = other(facts["of"])
            if of.fingerprint != facts["fingerprint"]:
                raise SubjectChanged(
                    f"{facts['name']!r:.60} is a version on the inputs of {of.name!r:.60}, which are not what they were when "
                    "it was added. Put the same files back, or add the version again."
                )
            return version_subject(facts["name"], self._table(folder, facts), of, of.inputs)
        from testimate.project.kept_subjects import reopened_table

        return reopened_table(facts, self._source(folder, facts), self._folder)

    def _source(self, folder: Path, facts: Mapping[str, Any]) -> bytes | Path:
        """The content of a kept table; or where it is read from, a saved dataset or, column by column, Parquet."""
        elsewhere = path_of(facts, "table", self._folder)
        if elsewhere is not None:
            return elsewhere
        return folder / "table" if is_parquet(folder / "table") else self._table(folder, facts)

    def _table(self, folder: Path, facts: Mapping[str, Any]) -> bytes:
        try:
            return (folder / "table").read_bytes()
        except OSError as error:
            raise BadInput(
                f"The table of {facts['name']!r:.60} is gone from the project folder ({error.strerror}). Its labels are "
                "still saved. Upload the same file again."
            ) from None

    def facts_of(self, key: str) -> dict[str, Any] | None:
        """The record of a subject that was added; None where there is none, or it is damaged."""
        return (
            read_facts(self._folder / "subjects" / key / "subject.json") if re.fullmatch(r"[a-z0-9-]+", key) else None
        )

    def table_of(self, key: str) -> tuple[KeptTable, bytes | Path]:
        """How a kept prediction table was read, and its content or where it lies; BadInput where the subject is none."""
        facts = self.facts_of(key)
        if facts is None or facts.get("kind") is not None:
            raise BadInput(
                f"The test set {key!r:.60} is not a prediction table of this project. Upload the table again."
            )
        from testimate.project.kept_subjects import KeptTable

        return KeptTable.from_record(facts, self._folder), self._source(self._folder / "subjects" / key, facts)

    def table_to_keep(self, key: str) -> tuple[KeptTable, bytes | Path]:
        """The same for another subject to keep: its content where it lies with this one, which may be dropped."""
        kept, source = self.table_of(key)
        own = isinstance(source, Path) and source.parent == self._folder / "subjects" / key
        return kept, source.read_bytes() if isinstance(source, Path) and own else source

    def shown_by(self, key: str) -> str | None:
        """The name of a comparison, or of a version, that shows its inputs by this subject; None where there is none."""
        records = (self._folder / "subjects").glob("*/subject.json")
        return next(
            (
                facts["name"]
                for record in records
                if (facts := read_facts(record)) and key in (facts.get("shown_by"), facts.get("of"))
            ),
            None,
        )

    def drop_table(self, key: str) -> None:
        """Removes a table nobody works with; one by which a comparison shows its inputs stays."""
        if self.shown_by(key) is None:
            self.drop(key)

    def drop(self, key: str) -> None:
        """Removes the record of a subject that was added, and its table; uploaded models and data stay for others."""
        if not re.fullmatch(r"[a-z0-9-]+", key):
            raise BadInput(f"There is no test set {key!r:.60} in this project. Choose one from the list.")
        folder = self._folder / "subjects" / key
        for file in (folder / "subject.json", folder / "table"):
            file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # other files are left in it, but it is no longer a subject
            folder.rmdir()


def _holds(file: Path, content: bytes) -> bool:
    """Whether the file is there with this content."""
    return (
        file.is_file()
        and file.stat().st_size == len(content)
        and fingerprint.of_content(file) == fingerprint.of_bytes(content)
    )


class SubjectAccess(Protocol):
    """The part of a project's interface that its parts use; ``Project`` documents each call."""

    folder: Path

    def entries(self) -> list[SubjectEntry]:
        """The demos, then what was added, by name."""
        ...

    def subject(self, key: str) -> Subject:
        """The subject of that key; BadInput where there is none."""
        ...

    def inputs(self, key: str) -> Inputs:
        """What is known of the subject's N inputs: predictions, confidence, features and more, a row for each."""
        ...

    def kept_table(self, key: str) -> tuple[KeptTable, bytes | Path]:
        """How a subject's table is read, and its content or where it lies."""
        ...

    def owner_of_inputs(self, key: str) -> str:
        """The subject whose inputs a version shows; any other subject's are its own."""
        ...

    def sessions(self, *, deleted: bool = False) -> list[SessionRecord]:
        """Every session, newest first; with ``deleted`` those, too, that can still be put back."""
        ...


FILE_NAME = "subject.json"


def project_cache(project: Path) -> FeatureCache:
    """The cache in a project's folder; BadInput if a link in that folder leads out of it."""
    check_links(project)
    return FeatureCache(project / "cache")


def keep_opening(cache: FeatureCache, own: UploadedSubject, chosen: SubjectDescription, project: Path) -> None:
    """Stores with a subject's features how to open the subject again, without its training set.

    The files that the person named may be read again from then on, wherever they are.
    """
    from testimate.project.kept_subjects import record_of

    folder = cache.folder / cache.entry_of(own.subject)
    with storing(folder):
        replace_file(folder / FILE_NAME, json.dumps(record_of(own, chosen, project)).encode())
    with suppress(StoreUnavailable):  # no reason to lose what was computed: whoever opens it again sees what to allow
        for path in filter(None, (chosen.model.path, chosen.dataset, chosen.training)):
            allow(project, path)


def recompute(
    cache: FeatureCache, project: Path, count: int, *, seed: int, progress: Progress
) -> tuple[list[Recomputed], list[str]]:
    """At most ``count`` row ranges of each entry computed again, and a sentence on each that cannot be.

    Raises Canceled where ``progress`` does.
    """
    found: list[Recomputed] = []
    unopened: list[str] = []
    own = [entry.key for entry in KeptSubjects(project).entries() if not entry.demo]
    for record in cache.list():
        if not record.roles:
            continue
        try:
            subject = _subject_of(cache, record.fingerprint, project, own, progress)
            found += cache.recompute(subject, count, seed=seed, progress=progress)
        except (BadInput, OSError, LookupError) as error:
            unopened.append(f"{record.name}: {error}")
    return found, unopened


def _subject_of(cache: FeatureCache, entry: str, project: Path, own: list[str], progress: Progress) -> Subject:
    """The subject of an entry. BadInput where nobody kept how it is opened."""
    kept = cache.folder / entry / FILE_NAME
    if kept.is_file():
        from testimate.project.kept_subjects import reopened

        record = read_facts(kept)
        if record is None:
            raise BadInput(
                "how it was opened cannot be read. Expected its subject.json as it was written. Run it again."
            )
        return reopened({**record, "training": None}, project, progress)
    subjects = KeptSubjects(project)
    for key in own:
        facts = subjects.facts_of(key)
        if facts is None or facts.get("kind") != "own":
            continue
        subject = subjects.open(key, _no_other, progress)
        if cache.entry_of(subject) == entry:
            return subject
    raise BadInput(
        "how it was opened is not recorded, as for training sets, demos and scores; it can be read, but not computed "
        "again."
    )


def _no_other(key: str) -> Subject:
    raise BadInput(f"The test set {key!r:.60} has no model that computes features. Choose a test set with a model.")
