"""A session as a plan, in the form of PLAN.json: the draws made so far and the outcomes its technique has learned."""

from dataclasses import replace

from testimate.planning.estimate import EXTENDED
from testimate.planning.plan import Plan
from testimate.session.session import Session
from testimate.tasks.regression import Regression
from testimate.tasks.verdict import Judgement


def plan_of(session: Session) -> Plan:
    """The session's plan: the draws made so far, and the outcomes the technique learned."""
    record = session.session_record
    return Plan(
        request=replace(record.request, budget=session.planned),
        fingerprint=record.fingerprint,
        loss_bound=session.inputs.task.loss_bound,
        design=session.selector.design,
        draws=session.draws,
        table=f"{record.subject_name} (a session of the app)",
        told=tuple(sorted(session.told.items())),
        task=session.inputs.task.kind,
        interval_method=record.interval_method,
        names={draw.row: session.inputs.name_of(draw.row) for draw in session.draws} if session.inputs.names else {},
        resolved={**record.resolved, **({EXTENDED: True} if session.extensions else {})},
        numbers=session.inputs.task if isinstance(session.inputs.task, Regression) else None,
        grades=session.inputs.task.scale if isinstance(session.inputs.task, Judgement) else "",
    )
