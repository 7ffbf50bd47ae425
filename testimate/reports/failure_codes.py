"""Why the inputs of a session failed, by the codes that were given for it."""

from testimate.estimators.failure_codes import FailureCodes
from testimate.planning.failure_codes import codes_of_failures
from testimate.session.session import Session


def can_have_codes(session: Session) -> bool:
    """Whether the session says about the whole set what is right and what fails, so that a failure has reasons."""
    task = session.inputs.task
    return session.selector.design.size == len(session.inputs) and task.measure.is_share and not task.compares


def session_codes(session: Session) -> FailureCodes | None:
    """The share of each code; None while no failure has one."""
    codes = session.codes()
    if not codes or not can_have_codes(session):
        return None
    verdicts, record = session.verdicts(), session.session_record
    losses = [one.loss or 0.0 for one in verdicts]
    return codes_of_failures(
        session.selector.design,
        verdicts,
        session.inputs.task.failed(losses).tolist(),
        codes,
        technique=record.request.technique,
        level=record.level,
    )
