"""A project folder: its subjects, its features, its sessions and the jobs that run for it."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import URL

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.core.subject import Subject
from testimate.feature_cache import FeatureCache
from testimate.labels import SqlStore
from testimate.plans.build import build
from testimate.plans.known_inputs import known_inputs
from testimate.sessions.jobs import Jobs, JobStatus
from testimate.sessions.own_files import FileKind, ProjectFile, keep_upload, project_files, write_whole
from testimate.sessions.session import Session
from testimate.subjects.demos import DEMOS
from testimate.subjects.prediction_table import read_table

if TYPE_CHECKING:
    from testimate.sessions.clusters import ClusterView

if TYPE_CHECKING:
    from testimate.sessions.own_subjects import OwnChoice
    from testimate.subjects.own_subject import OwnSubject

Key = TypeVar("Key")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Entry:
    """A subject that can be opened: its key, its name and what it is, for a list."""

    key: str
    name: str
    description: str
    demo: bool


class Project:
    """Everything kept in one folder; one object per process, shared by all browser tabs.

    ``labels.sqlite`` holds every session and vote, ``cache/`` what the models said, ``demos/`` the demos' weights and
    ``subjects/`` the tables that were uploaded and which model was joined with which data, ``models/`` and ``datasets/`` the
    files of these. Raises StoreUnavailable where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(
                f"The project folder {folder} cannot be made ({error.strerror}); labels need a place on disk. "
                "Choose another with --project."
            ) from None
        self.store = SqlStore(URL.create("sqlite", database=str(folder / "labels.sqlite")))
        self.cache = FeatureCache(folder / "cache")
        self.jobs = Jobs()
        self._lock = threading.RLock()  # of the dictionaries alone, never held while something is computed
        self._making: dict[tuple[int, Any], threading.RLock] = {}
        self._subjects: dict[str, Subject] = {}
        self._inputs: dict[str, Inputs] = {}
        self._clusters: dict[tuple[str, str, int, int], ClusterView] = {}
        self._sessions: dict[str, Session] = {}

    # Subjects

    def entries(self) -> list[Entry]:
        """The demos, then what was added, by name."""
        demos = [Entry(demo.name, demo.title, demo.description, demo=True) for demo in DEMOS.values()]
        kept = []
        for record in (self.folder / "subjects").glob("*/subject.json"):
            facts = json.loads(record.read_text(encoding="utf-8"))
            what = "Model and dataset" if facts.get("kind") == "own" else "Prediction table"
            kept.append(Entry(record.parent.name, facts["name"], what, demo=False))
        return demos + sorted(kept, key=lambda entry: entry.name)

    def add_table(self, name: str, data: bytes, *, tolerance: float | None = None) -> Subject:
        """Reads an uploaded prediction table and, only when it is sound, keeps it; the same content is kept once."""
        subject = read_table(data, name=name, tolerance=tolerance)
        self._keep(subject, {"name": name, "tolerance": tolerance}, data)
        return subject

    def project_files(self, kind: FileKind) -> list[ProjectFile]:
        """The models, or the datasets, that lie in the project's folder, by name."""
        return project_files(self.folder, kind)

    def add_file(self, kind: FileKind, name: str, data: bytes) -> ProjectFile:
        """Keeps an uploaded model or dataset under the fingerprint of its content; it is not opened yet."""
        return keep_upload(self.folder, kind, name, data)

    def add_own(self, choice: OwnChoice, opened: OwnSubject | None = None, progress: Progress = silent) -> Subject:
        """Joins a model with a dataset and keeps which files and settings these were, so that any process reopens them.

        ``opened`` : what ``choice.open`` gave, where that was done before. Raises BadInput where a file cannot be used; then
        nothing is kept.
        """
        from testimate.sessions.own_subjects import record_of

        own = choice.open(progress) if opened is None else opened
        self._keep(own.subject, record_of(own, choice, self.folder))
        return own.subject

    def _keep(self, subject: Subject, facts: Mapping[str, Any], table: bytes | None = None) -> None:
        folder = self.folder / "subjects" / subject.key
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if table is not None:
                write_whole(folder / "table", table)
            write_whole(folder / "subject.json", json.dumps(facts).encode())
        except OSError as error:
            raise StoreUnavailable(
                f"The subject could not be kept in {folder} ({error.strerror}). Free space or choose another project folder."
            ) from None
        with self._lock:
            self._inputs.pop(subject.key, None)
            self._subjects[subject.key] = subject

    def subject(self, key: str, progress: Progress = silent) -> Subject:
        """The subject of that key, opened once; BadInput where there is none."""
        return self._once(self._subjects, key, lambda: self._open(key, progress))

    def _open(self, key: str, progress: Progress) -> Subject:
        if key in DEMOS:
            return DEMOS[key].open(self.folder, progress)
        folder = self.folder / "subjects" / key
        if not re.fullmatch(r"[a-z0-9-]+", key) or not (folder / "subject.json").is_file():
            raise BadInput(f"There is no subject {key!r:.60} in this project. Open one of those on the Subject page.")
        facts = json.loads((folder / "subject.json").read_text(encoding="utf-8"))
        if facts.get("kind") == "own":
            from testimate.sessions.own_subjects import reopened

            return reopened(facts, self.folder, progress)
        try:
            data = (folder / "table").read_bytes()
        except OSError as error:
            raise BadInput(
                f"The table of {facts['name']!r:.60} is gone from the project folder ({error.strerror}); its labels are "
                "still stored. Upload the same file again."
            ) from None
        return read_table(data, name=facts["name"], tolerance=facts["tolerance"])

    def inputs(self, key: str, progress: Progress = silent) -> Inputs:
        """What is known of the subject's inputs; runs its model over the data the first time."""
        return self._once(self._inputs, key, lambda: known_inputs(self.subject(key, progress), self.cache, progress))

    def compute(self, key: str, *, again: bool = False) -> JobStatus | None:
        """How far the inputs of a tester's own model are; None where all is known and ``inputs`` gives it at once.

        The first call begins the work, in the background; ``again`` begins it anew after it failed or was cancelled. Other
        subjects are opened by ``inputs`` itself, within a second or two.
        """

        def work(progress: Progress) -> None:
            self.inputs(key, progress)

        job = job_of(key)
        with self._lock:
            if key in self._inputs or not key.startswith("own-"):
                return None
            status = self.jobs.status(job)
            if status is not None and status.state == "done":
                self.jobs.forget(job)  # its subject was added anew since
                status = None
            return self.jobs.start(job, work) if status is None or again else status

    def clusters(
        self,
        key: str,
        *,
        features: str = "LHL",
        min_cluster_size: int = 80,
        min_samples: int = 4,
        progress: Progress = silent,
    ) -> ClusterView:
        """The clusters of the subject's inputs, found once per setting."""
        from testimate.sessions.clusters import (
            view_clusters,  # hdbscan takes a second to load; the first screen needs none
        )

        setting = (key, features, min_cluster_size, min_samples)
        return self._once(
            self._clusters,
            setting,
            lambda: view_clusters(
                self.inputs(key, progress),
                features=features,
                min_cluster_size=min_cluster_size,
                min_samples=min_samples,
                progress=progress,
            ),
        )

    def _once(self, kept: dict[Key, Made], key: Key, make: Callable[[], Made]) -> Made:
        """What is kept under the key, made by the first who asks while others who ask for it wait, and nobody else."""
        with self._lock:
            if key in kept:
                return kept[key]
            making = self._making.setdefault((id(kept), key), threading.RLock())
        with making:
            with self._lock:
                if key in kept:
                    return kept[key]
            made = make()
            with self._lock:
                return kept.setdefault(key, made)

    # Sessions

    def start_session(
        self,
        key: str,
        request: Request,
        *,
        show_prediction: bool = False,
        level: float = 0.95,
        half_width: float = 0.02,
    ) -> Session:
        """A new labeling session on a subject, planned and stored."""
        subject, inputs = self.subject(key), self.inputs(key)
        selector = build(inputs, request)  # refuses a bad request before anything is stored
        record = SessionRecord(
            id=secrets.token_hex(5),
            subject=key,
            subject_name=subject.name,
            fingerprint=inputs.fingerprint,
            request=request,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            show_prediction=show_prediction,
            level=level,
            half_width=half_width,
        )
        self.store.create(record)
        with self._lock:
            self._sessions[record.id] = Session(record, inputs, selector, self.store, subject.dataset.show)
            return self._sessions[record.id]

    def session(self, session_id: str, progress: Progress = silent) -> Session:
        """The session, rebuilt from the store the first time this process asks for it.

        Raises BadInput where there is no such session, and SubjectChanged where its subject is not what it was.
        """
        return self._once(self._sessions, session_id, lambda: self._open_session(session_id, progress))

    def _open_session(self, session_id: str, progress: Progress) -> Session:
        record = self.store.record(session_id)
        subject, inputs = self.subject(record.subject, progress), self.inputs(record.subject, progress)
        return Session(record, inputs, build(inputs, record.request), self.store, subject.dataset.show)

    def subject_of(self, session_id: str) -> str:
        """The key of the subject a session is on; BadInput where there is no such session."""
        return self.store.record(session_id).subject

    def sessions(self) -> list[SessionRecord]:
        """Every session of the project, newest first."""
        return self.store.records()


def job_of(key: str) -> str:
    """The name of the job that computes a subject's features, as a person may read it."""
    return f"features of {key}"
