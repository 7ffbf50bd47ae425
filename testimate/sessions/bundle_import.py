"""Takes over a session that was exported elsewhere, or the events of one that the project has and lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from testimate.core.errors import BadInput
from testimate.plans.build import build
from testimate.sessions.bundle import read_bundle, rehearse, same_plan

if TYPE_CHECKING:
    from testimate.sessions.project import Project
    from testimate.sessions.session import Session


def take_over(project: Project, data: bytes) -> Session:
    """The bundle's session, stored and up to date; raises as ``Project.add_bundle`` does, and then nothing is stored."""
    bundle = read_bundle(data)
    known = {record.id: record for record in project.sessions()}
    record = known.get(bundle.record.id, bundle.record)
    if not same_plan(record, bundle.record):
        raise BadInput(
            f"There is a session {record.id} here already, with another plan; needed is an id of its own. Import it into "
            "another project."
        )
    subject, inputs = project.subject(record.subject), project.inputs(record.subject)
    here = project.store.history(record.id) if record.id in known else ()
    ids = {event.id for event in here}
    lacking = [event for event in bundle.events if event.id not in ids]
    rehearse(record, inputs, build(inputs, record.request), (*here, *lacking), subject.dataset.show)
    if record.id not in known:
        project.store.create(record)
    project.store.add(record.id, lacking)
    session = project.session(record.id)
    session.refresh()
    return session
