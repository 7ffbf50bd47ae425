"""A project folder: its subjects, its features, its sessions and the jobs that run for it."""

from __future__ import annotations

import secrets
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import URL

from testimate.core.class_colours import checked_colours
from testimate.core.errors import BadInput, StoreUnavailable, SubjectChanged, TestimateError
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.judgement import Judgement
from testimate.core.progress import Progress, silent
from testimate.core.question import checked_question, checked_reasons, checked_rubric
from testimate.core.selector import Request
from testimate.core.session_record import HALF_WIDTH, SessionRecord
from testimate.core.subject import Subject, content_of
from testimate.core.task import TaskKind
from testimate.core.tolerance import SaidTolerance
from testimate.feature_cache import FeatureCache
from testimate.labels import SqlStore
from testimate.labels.cluster_notes import ClusterNotes
from testimate.labels.known_labels import KnownLabels
from testimate.labels.selections import Selections, tag_columns
from testimate.labels.session_changes import SessionChanges
from testimate.labels.testers import Testers
from testimate.planning.build import build
from testimate.planning.interval_method import interval_method
from testimate.planning.known_inputs import known_inputs
from testimate.planning.other_models import with_others
from testimate.planning.resolved import resolve
from testimate.project.bundle import read_bundle, rehearse, same_plan
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.cluster_studies import ClusterStudies
from testimate.project.explanations import Explanations
from testimate.project.found_clusters import FoundClusters
from testimate.project.jobs import Jobs, JobStatus
from testimate.project.kept_descriptions import Description, has_descriptions, kept_descriptions
from testimate.project.kept_labels import keep_labels, says_what_inputs_are
from testimate.project.kept_others import KeptOthers, offered_by_demo, offered_by_subject
from testimate.project.made_once import Once
from testimate.project.neighbour_maps import MapNow, NeighbourMaps
from testimate.project.project_files import FileKind, ProjectFile, keep_unpacked, keep_upload, project_files
from testimate.project.subject_records import COMPARISON, KeptSubjects, SubjectEntry
from testimate.project.version_records import (
    KIND,
    KeptVersionFacts,
    predictions_file,
    record_of_version,
    version_subject,
)
from testimate.session.session import Session
from testimate.session.slipped_in import checked_known_answers

if TYPE_CHECKING:
    from testimate.project.clusters import ClusterView
    from testimate.project.compared_models import ComparisonChoice
    from testimate.project.kept_tables import KeptTable
    from testimate.structure.planar_map import Linear, PlanarMap
    from testimate.subjects.cells import Column
    from testimate.subjects.prediction_table import TableChoices
    from testimate.subjects.uploaded.description import SubjectDescription
    from testimate.subjects.uploaded.subject import UploadedSubject

__all__ = ["COMPARISON", "Project", "SubjectEntry", "job_of"]


class Project:
    """Everything kept in one folder; one object per process, shared by all browser tabs.

    ``labels.sqlite`` holds every session and vote, unless ``database`` is the URL of another place for them. ``cache/``
    holds what the models said, ``demos/`` the demos' weights and views, ``subjects/`` the tables that were uploaded and which
    model was joined with which data, ``models/`` and ``datasets/`` the files of these. Raises StoreUnavailable where the
    folder cannot be written.
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
        self.selections = Selections(self.store)
        self.known_labels = KnownLabels(self.store)
        self.session_changes = SessionChanges(self.store)
        self.version_facts = KeptVersionFacts(folder)
        self.cache = FeatureCache(folder / "cache")
        self.jobs = Jobs()
        self.explanations = Explanations()
        self._kept_subjects = KeptSubjects(folder)
        self._kept_others = KeptOthers(folder)
        self._lock = threading.RLock()  # of what is held open, never held while something is computed
        self._subjects: Once[str, Subject] = Once(self._lock)
        self._inputs: Once[str, Inputs] = Once(self._lock)
        self._contents: Once[str, list[str]] = Once(self._lock)  # of each input, by the dataset's fingerprint
        self._helped: Once[str, Inputs] = Once(self._lock)  # with other models, by fingerprint
        self._further_columns: Once[str, Mapping[str, Column]] = Once(self._lock)
        self._descriptions: Once[str, Description] = Once(self._lock)  # by the content of the dataset
        self._found_clusters = FoundClusters(self.inputs, self.jobs, self._lock)
        self.cluster_studies = ClusterStudies(self.inputs, self.clusters, self.jobs)
        self._neighbour_maps = NeighbourMaps(
            self.inputs, lambda one, other: self.data_named(one) == self.data_named(other), self.jobs, self._lock
        )
        self._sessions: Once[str, Session] = Once(self._lock)

    # Subjects

    def entries(self) -> list[SubjectEntry]:
        """The demos, then what was added, by name."""
        return self._kept_subjects.entries()

    def add_table(
        self,
        name: str,
        data: bytes | Path,
        *,
        tolerance: SaidTolerance | None = None,
        task: TaskKind | None = None,
        choices: TableChoices | None = None,
        features: Path | None = None,
    ) -> Subject:
        """Reads an uploaded prediction table and, only when it is sound, keeps it; the same content is kept once per task.

        ``data`` : its content, or the folder of a saved dataset, which stays where it is. ``choices`` : which column is what,
        and where the inputs lie; ``features`` : an .npy file, row for row. Files are named, not copied: put them into the
        project first (``add_file``).

        Raises TaskUnclear where its whole numbers may be classes or numbers and ``task`` does not say which; BadInput where it
        has sessions that were labeled with other pictures, sounds or texts.
        """
        from testimate.project.kept_tables import KeptTable, check_still_the_same, opened_table

        kept = KeptTable(name, tolerance, task, choices=choices, features=features)
        subject = opened_table(data, kept)
        check_still_the_same(subject, kept, self._kept_subjects.facts_of(subject.key), self.sessions(deleted=True))
        facts = kept.record(subject, self.folder, data)
        self._keep(subject, facts, data if isinstance(data, bytes) else None)
        return subject

    def change_task(self, key: str, task: TaskKind) -> Subject:
        """The same table read as another task, in place of the subject it was; BadInput once that has a session.

        The subject has another key afterwards, so that nothing that was made for the one is taken for the other's.
        """
        if any(record.subject == key for record in self.sessions(deleted=True)):
            raise BadInput(
                "The subject has a session, whose answers are of the task it has; expected a subject without one. Read "
                "the table as another task in another project."
            )
        kept, data = self._kept_subjects.table_of(key)
        subject = self.add_table(kept.name, data, task=task, choices=kept.choices, features=kept.features)
        if subject.key != key:
            with self._lock:
                self._kept_subjects.drop_table(key)
                self._subjects.drop(key)
                self._inputs.drop(key)
        return subject

    def with_top_k(self, key: str, top_k: int) -> Subject:
        """The same table, or model and data, as a subject of its own whose first ``top_k`` classes count.

        Nothing is run again. BadInput where it cannot be.
        """
        record = self._kept_subjects.facts_of(key)
        if record is not None and record.get("kind") == "own":
            from testimate.project.uploaded_subjects import with_top_k

            subject, changed = with_top_k(record, self.folder, top_k)
            self._keep(subject, changed)
            return subject
        kept, data = self._kept_subjects.table_of(key)
        return self.add_table(kept.name, data, task=kept.task, choices=kept.top(top_k), features=kept.features)

    def delete_subject(self, key: str, *, labels_too: bool = False) -> None:
        """Removes a subject that was added, with all its sessions, for good; it need not open.

        What its labels say about the inputs stays known, for other versions on the same inputs, unless ``labels_too``. The
        model's and the data's files stay in the project's folder. BadInput for a demo, for one that is not there, and
        for one by which a comparison shows its inputs.
        """
        entry = next((one for one in self.entries() if one.key == key), None)
        if entry is None or entry.demo:
            raise BadInput(f"There is no subject {key!r:.60} that was added. Choose one under In this project.")
        depending = self._kept_subjects.shown_by(key)
        if depending is not None:
            raise BadInput(
                f"{depending!r:.60} shows its inputs by this subject; expected a subject that none needs. Delete "
                f"{depending!r:.60} first."
            )
        if self.jobs.status(job_of(key)) is not None:
            self.jobs.forget(job_of(key))  # refused while it runs
        sessions = [record.id for record in self.sessions(deleted=True) if record.subject == key]
        if labels_too:
            self.known_labels.forget(sessions)
        else:
            with suppress(TestimateError):  # of one that does not open, what was kept before stays
                self.keep_labels_of(key)
        self.store.remove(sessions)
        self.version_facts.drop(key)
        self._kept_others.drop(key)
        self._kept_subjects.drop(key)
        with self._lock:
            self._subjects.drop(key)
            self._inputs.drop(key)
            for session in sessions:
                self._sessions.drop(session)

    def is_deletable(self, key: str) -> bool:
        """Whether ``delete_subject`` takes it: it was added, and no other subject shows its inputs by it."""
        added = any(entry.key == key and not entry.demo for entry in self.entries())
        return added and self._kept_subjects.shown_by(key) is None

    def project_files(self, kind: FileKind) -> list[ProjectFile]:
        """The models, or the datasets, that lie in the project's folder, by name."""
        return project_files(self.folder, kind)

    def add_file(self, kind: FileKind, name: str, data: bytes) -> ProjectFile:
        """Keeps an uploaded model or dataset under the fingerprint of its content; it is not opened yet."""
        return keep_upload(self.folder, kind, name, data)

    def add_unpacked(self, name: str, data: bytes) -> Path:
        """Keeps an uploaded zip of a Hugging Face dataset as the folder it was; BadInput where it is none."""
        return keep_unpacked(self.folder, name, data)

    def add_uploaded(
        self, description: SubjectDescription, opened: UploadedSubject | None = None, progress: Progress = silent
    ) -> Subject:
        """Joins a model with a dataset and keeps which files and settings these were, so that any process reopens them.

        ``opened`` : what ``open_uploaded_subject`` gave, where that was done before. Raises BadInput where a file cannot be
        used, or nobody knows how its inputs are prepared; then nothing is kept.
        """
        from testimate.project.uploaded_subjects import record_of
        from testimate.subjects.uploaded.subject import open_uploaded_subject

        if opened is None:
            opened = open_uploaded_subject(description, progress=progress)
        opened.check_decided()
        self._keep(opened.subject, record_of(opened, description, self.folder))
        return opened.subject

    def add_comparison(self, content: bytes, choice: ComparisonChoice) -> Subject:
        """Keeps a table of several models' predictions, only when it is sound; the same content is kept once."""
        from testimate.project.compared_models import comparison_subject

        dataset = None if choice.shown_by is None else self.subject(choice.shown_by).dataset
        subject = comparison_subject(content, choice, dataset)
        self._keep(subject, choice.to_json(), content)
        return subject

    def keep_version(self, key: str, other: OtherModel) -> Subject:
        """Keeps what another model predicts for the inputs of a subject as a subject of its own, a version of that one.

        See ``versions.add_version``, which checks it first.
        """
        subject, content = self.subject(key), predictions_file(other)
        names = self.inputs(key) if subject.inputs is not None else None
        version = version_subject(other.name, content, subject, names)
        self._keep(version, record_of_version(subject, other), content)
        return version

    def _keep(self, subject: Subject, facts: Mapping[str, Any], table: bytes | None = None) -> None:
        self._kept_subjects.keep(subject, facts, table)
        with self._lock:
            self._inputs.drop(subject.key)
            self._subjects.put(subject.key, subject)

    def subject(self, key: str, progress: Progress = silent) -> Subject:
        """The subject of that key, opened once; BadInput where there is none."""
        return self._subjects.get_or_make(
            key, lambda: self._kept_subjects.open(key, lambda other: self.subject(other, progress), progress)
        )

    def inputs(self, key: str, progress: Progress = silent) -> Inputs:
        """What is known of the subject's inputs; runs its model over the data the first time."""
        return self._inputs.get_or_make(key, lambda: known_inputs(self.subject(key, progress), self.cache, progress))

    # What the inputs are, whatever the model

    def dataset_of(self, key: str) -> str:
        """The fingerprint of the subject's inputs, which all versions on them have in common."""
        return content_of(self.subject(key).dataset)

    def owner_of_inputs(self, key: str) -> str:
        """The subject whose inputs a version shows; any other subject's are its own."""
        facts = self._kept_subjects.facts_of(key) or {}
        return self.owner_of_inputs(str(facts["of"])) if facts.get("kind") == KIND else key

    def shows_inputs_of(self, key: str) -> str | None:
        """The subject by which a comparison shows its inputs; None where it has only its table, or is no comparison."""
        shown_by = (self._kept_subjects.facts_of(key) or {}).get("shown_by")
        return None if shown_by is None else str(shown_by)

    def data_named(self, key: str) -> str:
        """What stands for the subject's inputs in its record, without opening it: alike where they are the same file's."""
        owner = self.owner_of_inputs(key)
        facts = self._kept_subjects.facts_of(owner) or {}
        return f"dataset {facts['dataset']}" if facts.get("kind") == "own" else owner

    def keep_labels_of(self, key: str) -> None:
        """Keeps what the subject's sessions say about its inputs, those of earlier versions of the program included.

        A session whose events are kept already is passed over, and so is one that no longer opens.
        """
        kept = self.known_labels.events_kept()
        for record in self.sessions():
            if record.subject != key or self.store.count(record.id) == kept.get(record.id, 0):
                continue
            with suppress(TestimateError):
                session = self.session(record.id)
                session.refresh()
                if says_what_inputs_are(session):
                    keep_labels(self.known_labels, session, self.dataset_of(key))

    # Other models' predictions of a subject's inputs

    def others(self, key: str) -> tuple[OtherModel, ...]:
        """The other models whose predictions of the subject's inputs are kept, by name."""
        return self._kept_others.of(key)

    def other_models_at_hand(self, key: str) -> dict[str, Callable[[], OtherModel]]:
        """Models of this project, or of the demo, that predict for the same inputs, by name, not kept yet."""
        subject, inputs = self.subject(key), self.inputs(key)
        found = offered_by_demo(self.owner_of_inputs(key))
        for entry in self.entries():
            if not entry.demo:
                with suppress(TestimateError):  # a subject that does not open offers nothing
                    other = self.subject(entry.key)
                    found |= offered_by_subject(subject, inputs, other, partial(self.inputs, entry.key))
        return {name: made for name, made in found.items() if name not in {one.name for one in self.others(key)}}

    def add_other(self, key: str, other: OtherModel) -> Inputs:
        """Keeps what another model predicts for the subject's inputs; the inputs with it. BadInput where it is of no use."""
        inputs = with_others(self.inputs(key), [other])
        self._kept_others.keep(key, other)
        return inputs

    def read_other(
        self,
        key: str,
        name: str,
        data: bytes | Path | None,
        *,
        prediction: str | None = None,
        confidence: str | None = None,
        tell: Callable[[str], object] = warnings.warn,
    ) -> OtherModel:
        """Another model's predictions in a table's content; without content in columns of the subject's own table.

        ``tell`` is called with what the content was taken for where it does not say so itself.
        """
        from testimate.subjects.other_predictions import keys_of, other_content, read_other
        from testimate.subjects.prediction_table import table_content

        inputs, keys, own = self.inputs(key), None, None
        if key.startswith("table-"):
            kept, source = self._kept_subjects.table_of(key)
            own = table_content(source, kept.name)
            keys = keys_of(own.cells)
        content = own if data is None else other_content(data, name, tell)
        if content is None:
            raise BadInput("The subject has no table of its own; expected one with further columns. Upload a table.")
        return read_other(content, inputs, name=name, keys=keys, prediction=prediction, confidence=confidence)

    def read_from_table(self, key: str, of: str) -> OtherModel:
        """What another table of this project predicts for the subject's inputs, its rows in their order by a shared key."""
        kept, source = self._kept_subjects.table_of(of)
        return self.read_other(key, kept.name, source)

    def same_keys(self, key: str, other: str) -> bool:
        """Whether two tables have a key column in common with the very same keys, in any order."""
        from testimate.subjects.other_predictions import keys_of
        from testimate.subjects.prediction_table import table_content

        mine, its = (
            keys_of(table_content(source, kept.name).cells)
            for kept, source in map(self._kept_subjects.table_of, (key, other))
        )
        return any(sorted(mine[name]) == sorted(its[name]) for name in mine.keys() & its.keys())

    def contents_of(self, key: str, other: str, progress: Progress = silent) -> tuple[Sequence[str], Sequence[str]]:
        """What tells the inputs of two subjects apart, (N,) and (M,): a key that both tables have, else their content.

        BadInput where nothing is shown of the inputs.
        """
        from testimate.subjects.other_predictions import KEYS, keys_of
        from testimate.subjects.prediction_table import table_content
        from testimate.subjects.row_contents import digests_of

        if key.startswith("table-") and other.startswith("table-"):
            mine, its = (
                keys_of(table_content(source, kept.name).cells)
                for kept, source in map(self._kept_subjects.table_of, (key, other))
            )
            shared = next((name for name in KEYS if name in mine and name in its), None)
            if shared is not None:
                return mine[shared], its[shared]
        first, second = (self.subject(one).dataset for one in (key, other))
        return (
            self._contents.get_or_make(content_of(first), lambda: digests_of(first, progress)),
            self._contents.get_or_make(content_of(second), lambda: digests_of(second, progress)),
        )

    def columns_of(self, key: str) -> tuple[str, ...]:
        """The columns of the subject's own table; none where it is no table."""
        if not key.startswith("table-"):
            return ()
        from testimate.subjects.prediction_table import table_content

        kept, source = self._kept_subjects.table_of(key)
        return tuple(table_content(source, kept.name).cells.columns)

    def further_columns(self, key: str) -> Mapping[str, Column]:
        """The columns of the subject's own table that play no role, by name; none where it is no table.

        A version has those of the subject whose inputs it shows.
        """
        owner = self.owner_of_inputs(key)
        if not owner.startswith("table-"):
            return {}
        return self._further_columns.get_or_make(owner, lambda: _further_columns(*self._kept_subjects.table_of(owner)))

    def descriptions_of(self, key: str, progress: Progress = silent) -> Description:
        """What can be said about each of the subject's inputs without a model; looked at once, and kept in the folder."""
        dataset = self.subject(key).dataset
        name = content_of(dataset)
        return self._descriptions.get_or_make(
            name, lambda: kept_descriptions(self.folder / "descriptions", name, dataset, progress)
        )

    def descriptions_at_hand(self, key: str) -> bool:
        """Whether ``descriptions_of`` answers at once."""
        name = content_of(self.subject(key).dataset)
        return name in self._descriptions or has_descriptions(self.folder / "descriptions", name)

    def tags_of(self, key: str) -> dict[str, NDArray[np.object_]]:
        """The columns that named selections make, by name: a cell per input, (N,), "" where it is in none."""
        return tag_columns(self.selections.of(key), len(self.inputs(key)))

    def remove_other(self, key: str, fingerprint: str) -> None:
        """Forgets another model's predictions; BadInput where a session was planned with them."""
        of_subject = [record for record in self.sessions(deleted=True) if record.subject == key]
        if any(fingerprint in record.resolved.get("others", ()) for record in of_subject):
            raise BadInput(
                "A session was planned with these predictions and could not go on without them; expected predictions that no "
                "session uses. Leave them: a new plan may do without."
            )
        self._kept_others.drop(key, fingerprint)

    def helped_inputs(self, key: str, others: Sequence[str]) -> Inputs:
        """What is known of the subject's inputs with these other models, by their fingerprints."""
        if not others:
            return self.inputs(key)
        return self._helped.get_or_make(
            f"{key} {' '.join(others)}", lambda: with_others(self.inputs(key), self._kept_others.named(key, others))
        )

    def _inputs_of(self, record: SessionRecord, progress: Progress = silent) -> Inputs:
        """The inputs as the session was planned with them."""
        self.inputs(record.subject, progress)
        return self.helped_inputs(record.subject, record.resolved.get("others", ()))

    def compute(self, key: str, *, again: bool = False) -> JobStatus | None:
        """How far the inputs of a tester's own model are; None where all is known and ``inputs`` gives it at once.

        The first call begins the work, in the background; ``again`` begins it again after it failed or was cancelled. Other
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
                self.jobs.forget(job)  # its subject was added again since
                status = None
            return self.jobs.start(job, work) if status is None or again else status

    def clusters(self, key: str, settings: ClusterSettings | None = None, progress: Progress = silent) -> ClusterView:
        """The clusters of the subject's inputs, found once per setting; by those that suit them where none are given."""
        return self._found_clusters.clusters(key, settings, progress)

    def clusters_at_hand(self, key: str, settings: ClusterSettings) -> ClusterView | None:
        """The clusters where this process has found them already; None where they would have to be found."""
        return self._found_clusters.at_hand(settings.fingerprint(self.inputs(key)))

    def find_clusters(self, key: str, settings: ClusterSettings, *, again: bool = False) -> JobStatus | None:
        """How far the clusters are; None where they are found and ``clusters`` gives them at once.

        The first call begins the work, in the background; ``again`` begins it again after it failed or was cancelled.
        """
        return self._found_clusters.find(key, settings.fingerprint(self.inputs(key)), settings, again=again)

    def planar_map(self, key: str, features: str, method: Linear) -> PlanarMap:
        """The subject's inputs as points of the plane by a linear method, found once for each."""
        return self._found_clusters.planar_map(self.inputs(key), features, method)

    def find_map(self, key: str, features: str, *, again: bool = False) -> JobStatus | None:
        """How far the neighbour map is; None where it is there. The first call begins the work, in the background.

        ``again`` begins it again after it failed or was cancelled.
        """
        return self._neighbour_maps.find(key, features, again=again)

    def map_now(self, key: str, features: str) -> MapNow:
        """The neighbour map as it is now: settled, or on the way there, from PCA's or an earlier version's map."""
        return self._neighbour_maps.now(key, features)

    # Sessions

    def start_session(
        self,
        key: str,
        request: Request,
        *,
        show_prediction: bool = False,
        level: float = 0.95,
        half_width: float = HALF_WIDTH,
        votes_per_input: int | None = None,
        others: Sequence[str] = (),
        question: str = "",
        known_answers: Sequence[tuple[int, Any]] = (),
        rubric: str = "",
        reasons: str = "never",
        colours: Mapping[str, str] | None = None,
    ) -> Session:
        """A new labeling session on a subject, planned and stored; of a team where ``votes_per_input`` is given.

        ``others`` : fingerprints of the other models that the plan takes, of those kept with the subject. ``question`` : what
        the tester is asked, one line; ``rubric`` : what the grades mean; ``reasons`` : when a reason is to be given with an
        answer, "never", "faults" or "always"; ``colours`` : of the classes' buttons, #rrggbb by class. BadInput where a text is
        too long, a word is another one, or a colour is none or of no class. ``known_answers`` : rows slipped in, each with its
        answer.
        """
        question, rubric, reasons = checked_question(question), checked_rubric(rubric), checked_reasons(reasons)
        subject, inputs = self.subject(key), self.helped_inputs(key, others)
        if reasons != "never" and not isinstance(inputs.task, Judgement):
            raise BadInput(
                f"Reasons are to be given in a {inputs.task.kind} task; expected verdicts on outputs. Ask for none; a flag "
                "holds a note."
            )
        chosen_colours = checked_colours(colours or {}, inputs.task.classes)
        resolved = resolve(inputs, request)
        selector = build(inputs, request, resolved)  # refuses a bad request before anything is stored
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
            interval_method=interval_method(inputs.task),
            resolved=resolved,
            prepared=subject.prepared,
            question=question,
            known_answers=checked_known_answers(inputs, known_answers),
            rubric=rubric,
            reasons=reasons,
            colours=chosen_colours,
        )
        self.store.create(record)
        session = Session(record, inputs, selector, self.store, subject.dataset.show)
        self._sessions.put(record.id, session)
        return session

    def session(self, session_id: str, progress: Progress = silent) -> Session:
        """The session, rebuilt from the store the first time this process asks for it.

        Raises BadInput where there is no such session or it was deleted, and SubjectChanged where its subject is not what it
        was.
        """
        return self._sessions.get_or_make(session_id, lambda: self._open_session(session_id, progress))

    def _open_session(self, session_id: str, progress: Progress) -> Session:
        record = self.store.record(session_id)
        self._check_not_deleted(session_id)
        subject, inputs = self.subject(record.subject, progress), self._inputs_of(record, progress)
        try:
            return Session(
                record, inputs, build(inputs, record.request, record.resolved), self.store, subject.dataset.show
            )
        except SubjectChanged:
            with self._lock:  # so that a subject that was put back is read again
                self._subjects.drop(record.subject)
                self._inputs.drop(record.subject)
            raise

    def add_bundle(self, data: bytes) -> Session:
        """A session that was exported elsewhere, with its events; one that is here already gets those it lacks.

        Raises BadInput where it is no bundle, its subject is not in this project or its id is another session's,
        SubjectChanged where the subject is not the one it was planned for, ReplayMismatch where its events do not fit its
        draws; then nothing is stored.
        """
        bundle = read_bundle(data)
        self._check_not_deleted(bundle.record.id)
        known = {record.id: record for record in self.sessions()}
        record = known.get(bundle.record.id, bundle.record)
        if not same_plan(record, bundle.record):
            raise BadInput(
                f"There is a session {record.id} here already, with another plan. Import it into another project."
            )
        subject, inputs = self.subject(record.subject), self._inputs_of(record)
        here = self.store.history(record.id) if record.id in known else ()
        ids = {event.id for event in here}
        lacking = [event for event in bundle.events if event.id not in ids]
        rehearse(
            record, inputs, build(inputs, record.request, record.resolved), (*here, *lacking), subject.dataset.show
        )
        if record.id not in known:
            self.store.create(record)
        self.store.add(record.id, lacking)
        session = self.session(record.id)
        session.refresh()
        return session

    def subject_of(self, session_id: str) -> str:
        """The key of the subject a session is on; BadInput where there is no such session."""
        known = self._sessions.get(session_id)  # one at work stays open while its database is away
        return known.session_record.subject if known is not None else self.store.record(session_id).subject

    def sessions(self, *, deleted: bool = False) -> list[SessionRecord]:
        """Every session of the project, newest first; with ``deleted`` those, too, that can still be put back."""
        gone = {} if deleted else self.session_changes.deleted()
        return [record for record in self.store.records() if record.id not in gone]

    def close_session(self, session_id: str) -> None:
        """Lets go of a session that is held open; the next one who asks for it reads it from the store."""
        with self._lock:
            self._sessions.drop(session_id)

    def _check_not_deleted(self, session_id: str) -> None:
        deletion = self.session_changes.deleted().get(session_id)
        if deletion is not None:
            raise BadInput(
                f"The session {session_id!r:.80} was deleted on {deletion.at[:10]}; expected one that is there. Put it back on "
                f"the Subject page, under Deleted sessions, until {deletion.kept_until:%Y-%m-%d}."
            )


def job_of(key: str) -> str:
    """The name of the job that computes a subject's features, as a person may read it."""
    return f"features of {key}"


def _further_columns(kept: KeptTable, data: bytes | Path) -> Mapping[str, Column]:
    from testimate.project.kept_tables import further_columns

    return further_columns(kept, data)
