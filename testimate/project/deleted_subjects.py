"""Subjects removed for good, with their sessions; what their labels say about the inputs stays known."""

from contextlib import suppress

from testimate.core.errors import BadInput, TestimateError
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
        raise BadInput(f"There is no subject {key!r:.60} that was added. Choose one under In this project.")
    depending = project.shown_by(key)
    if depending is not None:
        raise BadInput(
            f"{depending!r:.60} shows its inputs by this subject; expected a subject that no other one uses. Delete "
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
