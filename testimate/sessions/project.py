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

from testimate.core.errors import BadInput, StoreUnavailable, SubjectChanged
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.core.session_record import SessionRecord
from testimate.core.subject import Subject
from testimate.feature_cache import FeatureCache
from testimate.labels import SqlStore
from testimate.labels.cluster_notes import ClusterNotes
from testimate.labels.testers import Testers
from testimate.plans.build import build
from testimate.plans.known_inputs import known_inputs
from testimate.sessions.cluster_settings import ClusterSettings, suited_settings
from testimate.sessions.jobs import Jobs, JobStatus
from testimate.sessions.own_files import FileKind, ProjectFile, keep_upload, project_files, write_whole
from testimate.sessions.session import Session
from testimate.subjects.demos import DEMOS, find_demo
from testimate.subjects.prediction_table import read_table

if TYPE_CHECKING:
    from testimate.sessions.clusters import ClusterView
    from testimate.structure.planar_map import Method, PlanarMap

if TYPE_CHECKING:
    from testimate.sessions.compared_models import ComparisonChoice
    from testimate.sessions.own_subjects import OwnChoice
    from testimate.subjects.own_subject import OwnSubject

Key = TypeVar("Key")
Made = TypeVar("Made")


COMPARISON = "Several models"
KINDS = {"own": "Model and dataset", "comparison": COMPARISON}
"""What a subject that was added is, for a list; a prediction table has no kind."""


@dataclass(frozen=True)
class Entry:
    """A subject that can be opened: its key, its name and what it is, for a list."""

    key: str
    name: str
    description: str
    demo: bool


class Project:
    """Everything kept in one folder; one object per process, shared by all browser tabs.

    ``labels.sqlite`` holds every session and vote, unless ``database`` is the URL of another place for them. ``cache/``
    holds what the models said, ``demos/`` the demos' weights, ``subjects/`` the tables that were uploaded and which model was
    joined with which data, ``models/`` and ``datasets/`` the files of these. Raises StoreUnavailable where the folder cannot
    be written.
    """

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(
                f"The project folder {folder} cannot be made ({error.strerror}); labels need a place on disk. "
                "Choose another with --project."
            ) from None
        self.store = SqlStore(database or URL.create("sqlite", database=str(folder / "labels.sqlite")))
        self.testers = Testers(self.store)
        self.cluster_notes = ClusterNotes(self.store)
        self.cache = FeatureCache(folder / "cache")
        self.jobs = Jobs()
        self._lock = threading.RLock()  # of the dictionaries alone, never held while something is computed
        self._making: dict[tuple[int, Any], threading.RLock] = {}
        self._subjects: dict[str, Subject] = {}
        self._inputs: dict[str, Inputs] = {}
        self._clusters: dict[str, ClusterView] = {}
        self._maps: dict[tuple[str, str, Method], PlanarMap] = {}
        self._sessions: dict[str, Session] = {}

    # Subjects

    def entries(self) -> list[Entry]:
        """The demos, then what was added, by name."""
        demos = [Entry(demo.name, demo.title, demo.description, demo=True) for demo in DEMOS.values()]
        kept = []
        for record in (self.folder / "subjects").glob("*/subject.json"):
            facts = json.loads(record.read_text(encoding="utf-8"))
            what = KINDS.get(facts.get("kind"), "Prediction table")
            name = re.sub(r"\.(csv(\.gz)?|parquet|pq)$", "", facts["name"]) if what == COMPARISON else facts["name"]
            kept.append(Entry(record.parent.name, name, what, demo=False))
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

    def add_comparison(self, content: bytes, choice: ComparisonChoice) -> Subject:
        """Keeps a table of several models' predictions, only when it is sound; the same content is kept once."""
        from testimate.sessions.compared_models import comparison_subject

        dataset = None if choice.shown_by is None else self.subject(choice.shown_by).dataset
        subject = comparison_subject(content, choice, dataset)
        self._keep(subject, choice.to_json(), content)
        return subject

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
        demo = find_demo(key)
        if demo is not None:
            return demo.open(self.folder, progress)
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
        if facts.get("kind") == "comparison":
            from testimate.sessions.compared_models import ComparisonChoice, comparison_subject

            choice = ComparisonChoice.from_json(facts)
            shown_by = None if choice.shown_by is None else self.subject(choice.shown_by, progress).dataset
            return comparison_subject(data, choice, shown_by)
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

    def clusters(self, key: str, settings: ClusterSettings | None = None, progress: Progress = silent) -> ClusterView:
        """The clusters of the subject's inputs, found once per setting; by those that suit them where none are given."""
        # hdbscan takes a second to load; the first screen needs none
        from testimate.sessions.clusters import view_clusters

        inputs = self.inputs(key, progress)
        chosen = settings or suited_settings(inputs)
        name = chosen.fingerprint(inputs)
        return self._once(self._clusters, name, lambda: view_clusters(inputs, chosen, progress=progress))

    def find_clusters(self, key: str, settings: ClusterSettings, *, again: bool = False) -> JobStatus | None:
        """How far the clusters are; None where they are found and ``clusters`` gives them at once.

        The first call begins the work, in the background; ``again`` begins it anew after it failed or was cancelled.
        """
        name = settings.fingerprint(self.inputs(key))
        job = cluster_job_of(name)

        def work(progress: Progress) -> None:
            self.clusters(key, settings, progress)

        with self._lock:
            if name in self._clusters:
                return None
            status = self.jobs.status(job)
            if status is not None and not again:
                return status
            return self.jobs.start(job, work)

    def planar_map(self, key: str, features: str, method: Method) -> PlanarMap:
        """The subject's inputs as points of the plane, found once per method."""
        from testimate.structure.planar_map import planar_map

        inputs = self.inputs(key)
        name = (inputs.fingerprint, features, method)
        return self._once(self._maps, name, lambda: planar_map(inputs.feature(features), seed=0, method=method))

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
        votes_per_input: int | None = None,
    ) -> Session:
        """A new labeling session on a subject, planned and stored; of a team where ``votes_per_input`` is given."""
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
            votes_per_input=votes_per_input,
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
        try:
            return Session(record, inputs, build(inputs, record.request), self.store, subject.dataset.show)
        except SubjectChanged:
            with self._lock:  # so that a subject that was put back is read again
                self._subjects.pop(record.subject, None)
                self._inputs.pop(record.subject, None)
            raise

    def add_bundle(self, data: bytes) -> Session:
        """A session that was exported elsewhere, with its events; one that is here already gets those it lacks.

        Raises BadInput where it is no bundle, its subject is not in this project or its id is another session's,
        SubjectChanged where the subject is not the one it was planned for, ReplayMismatch where its events do not fit its
        draws; then nothing is stored.
        """
        from testimate.sessions.bundle import read_bundle, rehearse, same_plan

        bundle = read_bundle(data)
        known = {record.id: record for record in self.sessions()}
        record = known.get(bundle.record.id, bundle.record)
        if not same_plan(record, bundle.record):
            raise BadInput(
                f"There is a session {record.id} here already, with another plan; needed is an id of its own. Import it into "
                "another project."
            )
        subject, inputs = self.subject(record.subject), self.inputs(record.subject)
        here = self.store.history(record.id) if record.id in known else ()
        ids = {event.id for event in here}
        lacking = [event for event in bundle.events if event.id not in ids]
        rehearse(record, inputs, build(inputs, record.request), (*here, *lacking), subject.dataset.show)
        if record.id not in known:
            self.store.create(record)
        self.store.add(record.id, lacking)
        session = self.session(record.id)
        session.refresh()
        return session

    def subject_of(self, session_id: str) -> str:
        """The key of the subject a session is on; BadInput where there is no such session."""
        with self._lock:
            known = self._sessions.get(session_id)  # one at work stays open while its database is away
        return known.session_record.subject if known is not None else self.store.record(session_id).subject

    def sessions(self) -> list[SessionRecord]:
        """Every session of the project, newest first."""
        return self.store.records()


def job_of(key: str) -> str:
    """The name of the job that computes a subject's features, as a person may read it."""
    return f"features of {key}"


def cluster_job_of(fingerprint: str) -> str:
    """The name of the job that finds the clusters of that fingerprint."""
    return f"clusters {fingerprint}"
