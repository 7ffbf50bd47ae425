"""A project folder: its subjects, its features, its sessions and the jobs that run for it."""

import json
import re
import secrets
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

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
from testimate.sessions.clusters import ClusterView, view_clusters
from testimate.sessions.jobs import Jobs
from testimate.sessions.session import Session
from testimate.subjects.demos import DEMOS
from testimate.subjects.prediction_table import read_table


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
    ``subjects/`` the tables that were uploaded. Raises StoreUnavailable where the folder cannot be written.
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
        self._lock = threading.RLock()
        self._subjects: dict[str, Subject] = {}
        self._inputs: dict[str, Inputs] = {}
        self._clusters: dict[tuple[str, str, int, int], ClusterView] = {}
        self._sessions: dict[str, Session] = {}

    # Subjects

    def entries(self) -> list[Entry]:
        """The demos, then the tables that were added, by name."""
        demos = [Entry(demo.name, demo.title, demo.description, demo=True) for demo in DEMOS.values()]
        kept = []
        for record in (self.folder / "subjects").glob("*/subject.json"):
            facts = json.loads(record.read_text(encoding="utf-8"))
            kept.append(Entry(record.parent.name, facts["name"], "Prediction table", demo=False))
        return demos + sorted(kept, key=lambda entry: entry.name)

    def add_table(self, name: str, data: bytes, *, tolerance: float | None = None) -> Subject:
        """Reads an uploaded prediction table and, only when it is sound, keeps it; the same content is kept once."""
        subject = read_table(data, name=name, tolerance=tolerance)
        folder = self.folder / "subjects" / subject.key
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write_whole(folder / "table", data)
            facts = {"name": name, "tolerance": tolerance}
            _write_whole(folder / "subject.json", json.dumps(facts).encode())
        except OSError as error:
            raise StoreUnavailable(
                f"The table could not be kept in {folder} ({error.strerror}). Free space or choose another project folder."
            ) from None
        with self._lock:
            self._forget(subject.key)
            self._subjects[subject.key] = subject
        return subject

    def subject(self, key: str, progress: Progress = silent) -> Subject:
        """The subject of that key, opened once; BadInput where there is none."""
        with self._lock:
            if key not in self._subjects:
                self._subjects[key] = self._open(key, progress)
            return self._subjects[key]

    def _open(self, key: str, progress: Progress) -> Subject:
        if key in DEMOS:
            return DEMOS[key].open(self.folder, progress)
        folder = self.folder / "subjects" / key
        if not re.fullmatch(r"[a-z0-9-]+", key) or not (folder / "subject.json").is_file():
            raise BadInput(f"There is no subject {key!r:.60} in this project. Open one of those on the Subject page.")
        facts = json.loads((folder / "subject.json").read_text(encoding="utf-8"))
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
        with self._lock:
            if key not in self._inputs:
                self._inputs[key] = known_inputs(self.subject(key, progress), self.cache, progress)
            return self._inputs[key]

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
        setting = (key, features, min_cluster_size, min_samples)
        with self._lock:
            if setting not in self._clusters:
                self._clusters[setting] = view_clusters(
                    self.inputs(key, progress),
                    features=features,
                    min_cluster_size=min_cluster_size,
                    min_samples=min_samples,
                    progress=progress,
                )
            return self._clusters[setting]

    def _forget(self, key: str) -> None:
        self._subjects.pop(key, None)
        self._inputs.pop(key, None)

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
        with self._lock:
            if session_id not in self._sessions:
                record = self.store.record(session_id)
                subject, inputs = self.subject(record.subject, progress), self.inputs(record.subject, progress)
                selector = build(inputs, record.request)
                self._sessions[session_id] = Session(record, inputs, selector, self.store, subject.dataset.show)
            return self._sessions[session_id]

    def sessions(self) -> list[SessionRecord]:
        """Every session of the project, newest first."""
        return self.store.records()


def _write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that it is there whole or not at all."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
