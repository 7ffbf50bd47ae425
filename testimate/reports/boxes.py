"""What a session on a detector's boxes says beyond the share of pictures right: precision and recall, class by class."""

from testimate.planning.task_estimates import BoxEstimate, box_estimate
from testimate.session.session import Session


def session_boxes(session: Session) -> BoxEstimate | None:
    """Precision and recall, each 0..1 with its interval; None for other tasks, and while nothing is labeled."""
    record = session.session_record
    return box_estimate(
        session.inputs,
        session.inputs.task,
        session.selector.design,
        session.verdicts(),
        session.answers(),
        technique=record.request.technique,
        level=record.level,
    )
