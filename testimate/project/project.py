"""A project folder: its subjects, its features, its sessions and the jobs that run for it.

What a new session is planned with is checked before anything of it is stored. ``Team`` is the desk of the lead: pause, take
inputs back, assign sessions, give instructions, and say something to all.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from sqlalchemy import URL

from testimate.core.errors import BadInput, StoreUnavailable, SubjectChanged
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request, Selector
from testimate.core.session_record import HALF_WIDTH, SessionRecord, checked_colors
from testimate.core.stored_record import time_now
from testimate.core.subject import Subject, content_of
from testimate.core.task import TaskKind
from testimate.feature_cache import FeatureCache
from testimate.labels.notes import ClusterNotes, KnownLabels, Selections, SessionChanges
from testimate.labels.sql_store import SqlStore
from testimate.labels.testers import TeamDesk, TeamWord, TeamWordKind, TeamWords, Testers
from testimate.planning.build import build, interval_method, resolve
from testimate.planning.criteria import check_learns_nothing, with_criteria
from testimate.planning.known_inputs import known_inputs
from testimate.planning.known_labels import labels_of
from testimate.project.cluster_settings import ClusterSettings
from testimate.project.columns import InputColumns
from testimate.project.files import LABELS, MOVED
from testimate.project.found_clusters import ClusterStudies, FoundClusters, MapNow, NeighborMaps
from testimate.project.jobs import Explanations, Jobs, JobStatus, MadeOnce, PagesFirst
from testimate.project.other_models import OtherModels
from testimate.project.record_paths import allow, check_links
from testimate.project.subject_records import (
    KIND,
    KeptVersionFacts,
    predictions_file,
    record_of_version,
    version_subject,
)
from testimate.project.subjects import COMPARISON, KeptSubjects, SubjectEntry
from testimate.session.draws import checked_known_answers
from testimate.session.next_inputs import HAND, HAND_KEPT_OPEN
from testimate.session.session import Session
from testimate.tables.kinds import PARQUET, begins
from testimate.tasks.question import checked_question, checked_reasons, checked_rubric
from testimate.tasks.regression import SaidTolerance
from testimate.tasks.verdict import Criterion, criteria_of_record

if TYPE_CHECKING:
    from testimate.project.clusters import ClusterView
    from testimate.project.compared_models import ComparisonChoice
    from testimate.project.kept_subjects import KeptTable
    from testimate.structure.maps import Linear, PlanarMap
    from testimate.subjects.table_choices import TableChoices
    from testimate.subjects.uploaded_subject import SubjectDescription, UploadedSubject


class Team:
    """The lead's desk of a project.

    ``sessions`` : call that gives those held open by this process; what a lead said elsewhere reaches them at the next look.
    """

    def __init__(self, store: SqlStore, testers: Testers, sessions: Callable[[], Sequence[Session]]) -> None:
        self._store, self._testers, self._sessions = store, testers, sessions
        self._words = TeamWords(store)
        self._followed = TeamDesk()

    def desk(self) -> TeamDesk:
        """The lead's decisions now in force.

        Anyone paused since the last look, or whose inputs were taken back, loses their open inputs by this call.
        """
        desk = self._words.desk()
        before, self._followed = self._followed, desk
        for member, word in desk.held_up.items():
            if before.held_up.get(member) != word:
                for session in self._sessions():
                    session.give_back(member)
        return desk

    def pause(self, member: str, lead: str) -> None:
        """The member gets no inputs until a lead lets them go on; BadInput where there is none of that name."""
        self._say("paused", lead, member=self._checked(member))
        self._store.give_up_turns(member)

    def take_back(self, member: str, lead: str) -> int:
        """Gives the member's open inputs to others and returns how many they were; the member gets new ones on request.

        BadInput where there is none of that name.
        """
        paused = self._words.desk().held_up.get(self._checked(member))
        if paused is None or paused.kind != "paused":
            self._say("taken back", lead, member=member)
        return self._store.give_up_turns(member)

    def go_on(self, member: str, who: str) -> None:
        """The member gets inputs again; ``who``: a lead, or the member whose inputs were taken back.

        BadInput where there is no member of that name, or a member who was paused says so themselves.
        """
        held_up = self._words.desk().held_up.get(self._checked(member))
        if held_up is not None and held_up.kind == "paused" and who == member and held_up.tester != who:
            raise BadInput(f"{held_up.tester} has paused you; only a lead can end that. Ask your lead.")
        self._say("goes on", who, member=member)

    def assign(self, session: str, names: Sequence[str], lead: str) -> None:
        """Only these members label the session from now on; everybody where ``names`` is empty. BadInput for unknown ones."""
        self._check_session(session)
        chosen = tuple(dict.fromkeys(self._checked(name) for name in names))
        self._say("assigned", lead, session=session, names=chosen)

    def instruct(self, session: str, text: str, lead: str) -> None:
        """What testers read while they label the session; "" takes it away. BadInput where it is too long."""
        self._check_session(session)
        self._say("instructions", lead, session=session, text=text.strip())

    def tell_all(self, text: str, lead: str) -> None:
        """What everybody reads on the Label page; "" takes it away. BadInput where it is too long."""
        self._say("message", lead, text=text.strip())

    def _checked(self, member: str) -> str:
        if self._testers.find(member) is None:
            raise BadInput(f"There is no tester {member!r:.60} in the team. List them first.")
        return member

    def _check_session(self, session: str) -> None:
        if self._store.record(session).votes_per_input is None:
            raise BadInput(
                f"The session {session!r:.80} is labeled by one person. Expected one that a team labels. Choose another."
            )

    def _say(self, kind: TeamWordKind, who: str, **about: Any) -> None:
        self._words.keep(TeamWord(kind, who, time_now(), **about))


class SessionOptions(TypedDict, total=False):
    """What a new session may be given besides its request.

    Attributes
    ----------
    show_prediction : whether the tester sees what the network predicted; by default not.
    level : of the intervals, 0 to 1; by default 0.95. half_width : that the tester wants to reach.
    votes_per_input : of a team, how many answers each input gets; None for a tester alone.
    others : fingerprints of the other models that the plan takes, of those kept with the subject.
    question : what the tester is asked, one line. rubric : what the grades mean.
    reasons : when a reason is to be given with an answer, "never", "faults" or "always".
    colors : of the classes' buttons, #rrggbb by class. criteria : asked of each output, where several things are.
    known_answers : rows slipped in, each with its answer.
    known_labels : rows whose answer is known before, with it: they are not asked where they are drawn.
    """

    show_prediction: bool
    level: float
    half_width: float
    votes_per_input: int | None
    others: Sequence[str]
    question: str
    known_answers: Sequence[tuple[int, Any]]
    known_labels: Sequence[tuple[int, Any]]
    rubric: str
    reasons: str
    colors: Mapping[str, str] | None
    criteria: Sequence[Criterion]


def planned_session(
    subject: Subject, inputs: Inputs, request: Request, options: SessionOptions
) -> tuple[SessionRecord, Selector]:
    """The record of a new session and what draws its inputs; ``inputs`` are known with the other models it is planned with.

    Raises BadInput if the request or a text cannot be used, an option has an unknown value, a color is not one or its
    class
    does not exist, or reasons are asked for though nothing is judged.
    """
    reasons, criteria = checked_reasons(options.get("reasons", "never")), options.get("criteria", ())
    check_learns_nothing(request.technique, criteria)
    if criteria and (reasons != "never" or options.get("known_answers") or options.get("known_labels")):
        raise BadInput(
            f"There are {len(criteria)} criteria, and a reason or a known answer is of one question. Leave either out."
        )
    if reasons != "never" and not inputs.task.graded:
        raise BadInput(
            f"Reasons were asked for in a {inputs.task.kind} task. Expected verdicts on outputs. Ask for none; a flag "
            "contains a note."
        )
    team = options.get("votes_per_input") is not None
    known = checked_known_answers(inputs, options.get("known_labels", ()))
    resolved = resolve(replace(inputs, known=labels_of(inputs.task, known)), request) | (
        {HAND_KEPT_OPEN: HAND} if team else {}
    )
    selector = build(inputs, request, resolved)
    record = SessionRecord(
        id=secrets.token_hex(5),
        subject=subject.key,
        subject_name=subject.name,
        fingerprint=inputs.fingerprint,
        request=request,
        created=time_now(),
        show_prediction=options.get("show_prediction", False),
        level=options.get("level", 0.95),
        half_width=options.get("half_width", HALF_WIDTH),
        votes_per_input=options.get("votes_per_input"),
        interval_method=interval_method(inputs.task),
        resolved=resolved,
        prepared=subject.prepared,
        question=checked_question(options.get("question", "")),
        known_answers=checked_known_answers(inputs, options.get("known_answers", ())),
        known_labels=known,
        rubric=checked_rubric(options.get("rubric", "")),
        reasons=reasons,
        colors=checked_colors(options.get("colors") or {}, inputs.task.classes),
        criteria=tuple(asdict(one) for one in criteria),
    )
    return record, selector


__all__ = ["COMPARISON", "Project", "SubjectEntry", "job_of"]


class Project:
    """Everything kept in one folder; one object per process, shared by all browser tabs.

    ``labels.sqlite`` holds every session and vote, unless ``database`` is the URL of another place for them. ``cache/``
    holds what the models said, ``demos/`` the demos' weights and views, ``subjects/`` the tables that were uploaded and which
    model was joined with which data, ``models/`` and ``datasets/`` the files of these. Raises StoreUnavailable where the
    folder cannot be written, BadInput if a link in it leads out of it.
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
        check_links(folder)
        if database is None and (folder / MOVED).is_file():
            raise StoreUnavailable(
                f"The labels of {folder} were moved to {(folder / MOVED).read_text(encoding='utf-8')!s:.300}. Name that "
                "database with --database or TESTIMATE_DATABASE; or move them back with testimate project move."
            )
        self.store = SqlStore(database or URL.create("sqlite", database=str(folder / LABELS)))
        self.testers = Testers(self.store)
        self.cluster_notes = ClusterNotes(self.store)
        self.selections = Selections(self.store)
        self.known_labels = KnownLabels(self.store)
        self.session_changes = SessionChanges(self.store)
        self.version_facts = KeptVersionFacts(folder)
        self.cache = FeatureCache(folder / "cache")
        self.jobs = Jobs()
        self.pages_first = PagesFirst()
        self.explanations = Explanations()
        self._kept_subjects = KeptSubjects(folder)
        self._lock = threading.RLock()  # of what is held open, never held while something is computed
        self._subjects: MadeOnce[str, Subject] = MadeOnce(self._lock)
        self._inputs: MadeOnce[str, Inputs] = MadeOnce(self._lock)
        self._found_clusters = FoundClusters(self.inputs, self.jobs, self._lock)
        self.cluster_studies = ClusterStudies(self.inputs, self.clusters, self.jobs)
        on_the_same = lambda one, other: self.data_named(one) == self.data_named(other)  # noqa: E731
        self._neighbor_maps = NeighborMaps(self.inputs, on_the_same, self.jobs, self._lock, self.pages_first)
        self._sessions: MadeOnce[str, Session] = MadeOnce(self._lock)
        self.columns = InputColumns(self, self.selections, self._lock)
        self.others = OtherModels(self, self.columns, self._lock)
        self.team = Team(self.store, self.testers, self._sessions.all)

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

        Raises ReadingUnclear where it may be read in several ways and neither ``task`` nor ``choices`` say which; BadInput
        where it has sessions that were labeled with other pictures, sounds or texts.
        """
        from testimate.project.kept_subjects import KeptTable, check_still_the_same, opened_table

        kept = KeptTable(name, tolerance, task, choices=choices, features=features)
        subject = opened_table(data, kept)
        check_still_the_same(subject, kept, self._kept_subjects.facts_of(subject.key), self.sessions(deleted=True))
        facts = kept.record(subject, self.folder, data)
        self._allow(features, None if choices is None else choices.inputs, data if isinstance(data, Path) else None)
        self._keep(subject, facts, data if isinstance(data, bytes) else None)
        return subject

    def change_task(self, key: str, task: TaskKind) -> Subject:
        """The same table read as another task, in place of the subject it was; BadInput once that has a session.

        The subject has another key afterwards, so that nothing that was made for the one is taken for the other's.
        """
        if any(record.subject == key for record in self.sessions(deleted=True)):
            raise BadInput(
                "The test set has a session, whose answers are of the task it has. Expected a test set without one. Read "
                "the table as another task in another project."
            )
        kept, data = self._kept_subjects.table_to_keep(key)
        choices = (
            None if kept.choices is None else replace(kept.choices, stored=None)
        )  # as another task it may be read otherwise
        subject = self.add_table(kept.name, data, task=task, choices=choices, features=kept.features)
        if subject.key != key:
            with self._lock:
                self._subjects.drop(key)
                self._inputs.drop(key)
                self._kept_subjects.drop_table(key)
        return subject

    def with_top_k(self, key: str, top_k: int) -> Subject:
        """The same table, or model and data, as a subject of its own whose first ``top_k`` classes count.

        Nothing is run again. BadInput where it cannot be.
        """
        record = self._kept_subjects.facts_of(key)
        if record is not None and record.get("kind") == "own":
            from testimate.project.kept_subjects import with_top_k

            subject, changed = with_top_k(record, self.folder, top_k)
            self._keep(subject, changed)
            return subject
        kept, data = self._kept_subjects.table_to_keep(key)
        return self.add_table(kept.name, data, task=kept.task, choices=kept.top(top_k), features=kept.features)

    def shown_by(self, key: str) -> str | None:
        """The name of a subject that shows its inputs by this one, so that this one has to stay; None where there is none."""
        return self._kept_subjects.shown_by(key)

    def drop_subject(self, key: str, sessions: Collection[str]) -> None:
        """Removes the record of a subject that was added, and what is held open of it and of these ``sessions`` of it."""
        self._kept_subjects.drop(key)
        with self._lock:
            self._subjects.drop(key)
            self._inputs.drop(key)
            for session in sessions:
                self._sessions.drop(session)

    def add_uploaded(
        self, description: SubjectDescription, opened: UploadedSubject | None = None, progress: Progress = silent
    ) -> Subject:
        """Joins a model with a dataset and keeps which files and settings these were, so that any process reopens them.

        ``opened`` : what ``open_uploaded_subject`` gave, where that was done before. Raises BadInput where a file cannot be
        used, or nobody knows how its inputs are prepared; then nothing is kept.
        """
        from testimate.project.kept_subjects import record_of
        from testimate.subjects.uploaded_subject import open_uploaded_subject

        if opened is None:
            opened = open_uploaded_subject(description, progress=progress)
        opened.check_decided()
        self._allow(description.model.path, description.dataset, description.training)
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
        subject = self.subject(key)
        content = predictions_file(other, len(subject.task.classes))
        names = self.inputs(key) if subject.inputs is not None else None
        version = version_subject(other.name, content, subject, names)
        self._keep(version, record_of_version(subject, other), content)
        return version

    def _allow(self, *named: Path | None) -> None:
        """Lets records name the files that the caller named; a browser names those of the project alone."""
        for path in filter(None, named):
            allow(self.folder, path)

    def _keep(self, subject: Subject, facts: Mapping[str, Any], table: bytes | None = None) -> None:
        self._kept_subjects.keep(subject, facts, table)
        with self._lock:
            self._inputs.drop(subject.key)
            if table is not None and begins(table, PARQUET):
                self._subjects.drop(
                    subject.key
                )  # it holds the upload; opened again, it reads the file column by column
            else:
                self._subjects.put(subject.key, subject)

    def kept_table(self, key: str) -> tuple[KeptTable, bytes | Path]:
        """The table that was added as this subject: how it is read, and its content or where it lies."""
        return self._kept_subjects.table_of(key)

    def subject(self, key: str, progress: Progress = silent) -> Subject:
        """The subject of that key, opened once; BadInput where there is none."""
        return self._subjects.get_or_make(
            key, lambda: self._kept_subjects.open(key, lambda other: self.subject(other, progress), progress)
        )

    def inputs(self, key: str, progress: Progress = silent) -> Inputs:
        """What is known of the subject's inputs; runs its model over the data the first time."""
        return self._inputs.get_or_make(key, lambda: known_inputs(self.subject(key, progress), self.cache, progress))

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
        """A name of the subject's inputs from its record, without opening it: equal where they come from the same file."""
        owner = self.owner_of_inputs(key)
        facts = self._kept_subjects.facts_of(owner) or {}
        return f"dataset {facts['dataset']}" if facts.get("kind") == "own" else owner

    def inputs_of_session(self, record: SessionRecord, progress: Progress = silent) -> Inputs:
        """The inputs as the session was planned with them."""
        self.inputs(record.subject, progress)
        inputs = self.others.inputs_with(record.subject, record.resolved.get("others", ()))
        return with_criteria(inputs, criteria_of_record(record.criteria))

    def compute(self, key: str, *, again: bool = False) -> JobStatus | None:
        """How far the inputs of a tester's own model are; None where all is known and ``inputs`` gives it at once.

        The first call begins the work, in the background; ``again`` begins it again after it failed or was canceled. Other
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

    def clusters_if_found(self, key: str, settings: ClusterSettings) -> ClusterView | None:
        """The clusters where this process has found them already; None where they would have to be found."""
        return self._found_clusters.if_found(settings.fingerprint(self.inputs(key)))

    def find_clusters(self, key: str, settings: ClusterSettings, *, again: bool = False) -> JobStatus | None:
        """How far the clusters are; None where they are found and ``clusters`` gives them at once.

        The first call begins the work, in the background; ``again`` begins it again after it failed or was canceled.
        """
        return self._found_clusters.find(key, settings.fingerprint(self.inputs(key)), settings, again=again)

    def planar_map(self, key: str, features: str, method: Linear) -> PlanarMap:
        """The subject's inputs as points of the plane by a linear method, found once for each."""
        return self._found_clusters.planar_map(self.inputs(key), features, method)

    def find_map(self, key: str, features: str, *, again: bool = False) -> JobStatus | None:
        """How far the neighbor map is; None where it is there. The first call begins the work, in the background.

        ``again`` begins it again after it failed or was canceled.
        """
        return self._neighbor_maps.find(key, features, again=again)

    def map_now(self, key: str, features: str) -> MapNow:
        """The neighbor map as it is now: settled, or on the way there, from PCA's or an earlier version's map."""
        return self._neighbor_maps.now(key, features)

    # Sessions

    def start_session(self, key: str, request: Request, **options: Unpack[SessionOptions]) -> Session:
        """A new labeling session on a subject, planned and stored. BadInput where the request or an option cannot be taken."""
        subject = self.subject(key)
        inputs = with_criteria(self.others.inputs_with(key, options.get("others", ())), options.get("criteria", ()))
        record, selector = planned_session(subject, inputs, request, options)
        self.store.create(record)
        session = Session(record, inputs, selector, self.store, subject.dataset.show)
        self._sessions.put(record.id, session)
        return session

    def give_back(self, tester: str) -> None:
        """The tester left: their open inputs, in every session, go to others; StoreUnavailable if that cannot be stored."""
        for session in self._sessions.all():
            session.give_back(tester)

    def session(self, session_id: str, progress: Progress = silent) -> Session:
        """The session, rebuilt from the store the first time this process asks for it.

        Raises BadInput where there is no such session or it was deleted, and SubjectChanged where its subject is not what it
        was.
        """
        return self._sessions.get_or_make(session_id, lambda: self._open_session(session_id, progress))

    def _open_session(self, session_id: str, progress: Progress) -> Session:
        record = self.store.record(session_id)
        self.check_not_deleted(session_id)
        subject, inputs = self.subject(record.subject, progress), self.inputs_of_session(record, progress)
        try:
            return Session(
                record, inputs, build(inputs, record.request, record.resolved), self.store, subject.dataset.show
            )
        except SubjectChanged:
            with self._lock:  # so that a subject that was put back is read again
                self._subjects.drop(record.subject)
                self._inputs.drop(record.subject)
            raise

    def subject_of(self, session_id: str) -> str:
        """The key of the subject a session is on; BadInput where there is no such session."""
        known = self._sessions.get(session_id)  # one at work stays open while its database is away
        return known.session_record.subject if known is not None else self.store.record(session_id).subject

    def open_sessions(self) -> list[Session]:
        """The sessions that this process holds open: those that somebody has looked at since it started."""
        return self._sessions.all()

    def sessions(self, *, deleted: bool = False) -> list[SessionRecord]:
        """Every session of the project, newest first; with ``deleted`` those, too, that can still be put back."""
        gone = {} if deleted else self.session_changes.deleted()
        return [record for record in self.store.records() if record.id not in gone]

    def close_session(self, session_id: str) -> None:
        """Drops a session that is held open; the next one who asks for it reads it from the store."""
        with self._lock:
            self._sessions.drop(session_id)

    def check_not_deleted(self, session_id: str) -> None:
        """BadInput where the session was deleted and can still be put back."""
        deletion = self.session_changes.deleted().get(session_id)
        if deletion is not None:
            raise BadInput(
                f"The session {session_id!r:.80} was deleted on {deletion.at[:10]}. Expected one that is there. Put it back "
                f"under Project, Deleted sessions, until {deletion.kept_until:%Y-%m-%d}."
            )


def job_of(key: str) -> str:
    """The name of the job that computes a subject's features, as a person may read it."""
    return f"features of {key}"
