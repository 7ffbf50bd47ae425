"""Criteria added to a session that has answers already: a session in its place, with the same draws and every answer."""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, replace

from testimate.core.errors import BadInput
from testimate.core.stored_record import time_now
from testimate.planning.build import build
from testimate.planning.criteria import TAKEN
from testimate.project.bundle import rehearse
from testimate.project.deleted import delete_session, name_session
from testimate.project.project import Project
from testimate.session.session import Session
from testimate.tasks.verdict import Criterion, check_criteria


def add_criteria(project: Project, session_id: str, criteria: Sequence[Criterion], tester: str) -> Session:
    """A session that asks these criteria, too, in the place of one whose answers so far count as skipped for them.

    A session's record never changes, so the earlier session is deleted, with the usual way back. The draws stay: they follow
    the judges of the first criteria. BadInput where the session asks one question, or the criteria cannot be asked.
    """
    earlier = project.session(session_id)
    earlier.refresh()
    asked, record = earlier.inputs.task.criteria, earlier.session_record
    if not asked or not criteria:
        raise BadInput(
            "A criterion is added to others, and this session asks one question. Expected a session with criteria. Plan one."
            if criteria
            else "No criterion was named. Expected one per line, such as polite. Type it."
        )
    reached = len(earlier.verdicts())
    every = check_criteria([*asked, *(replace(one, after=reached) for one in criteria)], TAKEN)
    record = replace(record, id=secrets.token_hex(5), created=time_now(), criteria=tuple(asdict(one) for one in every))
    inputs, history = project.inputs_of_session(record), earlier.history()
    rehearse(record, inputs, build(inputs, record.request, record.resolved), history, earlier.show)
    project.store.create(record)
    project.store.add(record.id, history)
    if name := project.session_changes.names().get(session_id):
        name_session(project, record.id, name, tester)
    delete_session(project, session_id, tester)
    return project.session(record.id)
