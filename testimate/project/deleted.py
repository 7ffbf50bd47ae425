"""Subjects removed for good, with their sessions; what their labels say about the inputs stays known.

Sessions given a name, deleted with a way back, and removed for good once that way is closed: decision 135.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from testimate.core.errors import BadInput, TestimateError
from testimate.core.session_record import SessionRecord
from testimate.core.stored_record import time_now
from testimate.labels.notes import Kind, SessionChange
from testimate.project.kept_labels import keep_labels_of
from testimate.project.project import Project, job_of


def delete_subject(project: Project, key: str, *, labels_too: bool = False) -> None:
    """Removes a subject that was added, with all its sessions, for good; it need not open.

    What its labels say about the inputs stays known, for other versions on the same inputs, unless ``labels_too``. The
    model's and the data's files stay in the project's folder. BadInput for a demo, for one that is not there, and
    for one by which a comparison shows its inputs.
    """
    entry = next((one for one in project.entries() if one.key == key), None)
    if entry is None or entry.demo:
        raise BadInput(f"There is no test set {key!r:.60} that was added. Choose one under Your test sets.")
    depending = project.shown_by(key)
    if depending is not None:
        raise BadInput(
            f"{depending!r:.60} shows its inputs by this test set. Expected one that no other one uses. Delete "
            f"{depending!r:.60} first."
        )
    if project.jobs.status(job_of(key)) is not None:
        project.jobs.forget(job_of(key))  # refused while it runs
    sessions = [record.id for record in project.sessions(deleted=True) if record.subject == key]
    if labels_too:
        project.known_labels.forget(sessions)
    else:
        with suppress(TestimateError):  # of one that does not open, what was kept before stays
            keep_labels_of(project, key)
    project.store.remove(sessions)
    project.version_facts.drop(key)
    project.others.remove_all(key)
    project.drop_subject(key, sessions)


def is_deletable(project: Project, key: str) -> bool:
    """Whether ``delete_subject`` takes it: it was added, and no other subject shows its inputs by it."""
    added = any(entry.key == key and not entry.demo for entry in project.entries())
    return added and project.shown_by(key) is None


@dataclass(frozen=True)
class DeletedSession:
    """A session that can still be put back, with its deletion."""

    record: SessionRecord
    deletion: SessionChange


def name_session(project: Project, session: str, name: str, tester: str) -> None:
    """Names a session; an empty name removes it. BadInput if the name cannot be shown, or there is no such session."""
    _keep(project, session, "named", tester, " ".join(name.split()))


def delete_session(project: Project, session: str, tester: str, *, labels_too: bool = False) -> None:
    """Takes a session out of every list; nothing of it is removed for 30 days.

    What its labels say about the inputs stays known, for other versions on the same inputs, unless ``labels_too``. BadInput
    where there is no such session.
    """
    record = project.store.record(session)
    if labels_too:
        project.known_labels.forget([session])
    else:
        keep_labels_of(project, record.subject)
    _keep(project, session, "deleted", tester)
    project.close_session(session)


def put_back(project: Project, session: str, tester: str) -> None:
    """Puts a deleted session back as it was, its labels, its name and its place in the lists. BadInput where it is gone."""
    _keep(project, session, "put back", tester)


def deleted_sessions(project: Project) -> list[DeletedSession]:
    """Those that can be put back, the one deleted last first."""
    deleted = project.session_changes.deleted()
    if not deleted:
        return []
    found = [
        DeletedSession(record, deleted[record.id]) for record in project.sessions(deleted=True) if record.id in deleted
    ]
    return sorted(found, key=lambda one: one.deletion.at, reverse=True)


def remove_overdue(project: Project, now: datetime) -> list[str]:
    """Removes for good what was deleted more than 30 days before ``now``, with every event; returns their ids."""
    overdue = [session for session, one in project.session_changes.deleted().items() if one.kept_until < now]
    if overdue:
        project.store.remove(overdue)
    return overdue


def _keep(project: Project, session: str, kind: Kind, tester: str, name: str = "") -> None:
    project.store.record(session)  # refused in a sentence where it is not there
    at = time_now()
    project.session_changes.keep(SessionChange(session, kind, name, tester, at))
