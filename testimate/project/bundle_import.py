"""Takes a session that was exported elsewhere into a project."""

from testimate.core.errors import BadInput
from testimate.planning.build import build
from testimate.project.bundle import read_bundle, rehearse, same_plan
from testimate.project.project import Project
from testimate.session.session import Session


def import_bundle(project: Project, data: bytes) -> Session:
    """A session that was exported elsewhere, with its events; one that is here already gets those it lacks.

    Raises BadInput if it is not a bundle, its subject is not in this project, or another session here has its id,
    SubjectChanged where the subject is not the one it was planned for, ReplayMismatch where its events do not fit its
    draws; then nothing is stored.
    """
    bundle = read_bundle(data)
    project.check_not_deleted(bundle.record.id)
    known = {record.id: record for record in project.sessions()}
    record = known.get(bundle.record.id, bundle.record)
    if not same_plan(record, bundle.record):
        raise BadInput(
            f"There is a session {record.id} here already, with another plan. Import it into another project."
        )
    subject, inputs = project.subject(record.subject), project.inputs_of_session(record)
    here = project.store.history(record.id) if record.id in known else ()
    ids = {event.id for event in here}
    lacking = [event for event in bundle.events if event.id not in ids]
    rehearse(record, inputs, build(inputs, record.request, record.resolved), (*here, *lacking), subject.dataset.show)
    if record.id not in known:
        project.store.create(record)
    project.store.add(record.id, lacking)
    session = project.session(record.id)
    session.refresh()
    return session
