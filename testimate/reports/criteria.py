"""What a session that asks by several criteria says about each, on Results and in the report."""

from dataclasses import dataclass

from testimate.core.errors import NotEnoughLabels
from testimate.core.words import commas, counted, percent, percent_range
from testimate.labels.agreement import agreement_of
from testimate.planning.criteria import ALL_RIGHT, votes_of_criteria
from testimate.planning.estimate import PlanEstimate, estimate_plan
from testimate.session.session import Session, plan_of
from testimate.tasks.criteria import Criteria, grades_of_rows
from testimate.tasks.verdict import Criterion


def session_criteria(session: Session, *, together: bool = False) -> PlanEstimate | None:
    """The share of outputs that are right by all criteria, with what the labels say about each; None without criteria.

    ``together`` : whether the intervals hold all at once. None, too, while there is no honest number.
    """
    task, level = session.inputs.task, session.session_record.level
    if not isinstance(task, Criteria):
        return None
    unsure = {one.draw.row: None for one in session.verdicts() if session.state_of(one.draw.row) == "cannot tell"}
    votes = votes_of_criteria(grades_of_rows(task, {**unsure, **session.answers()}), task.criteria)
    plan = plan_of(session)
    try:
        return estimate_plan(
            plan, votes, session.inputs, level=plan.level_together(level) if together else level, tell=lambda _: None
        )
    except NotEnoughLabels:
        return None


@dataclass(frozen=True)
class CriterionLine:
    """A line of the table of criteria, in words; ``agreement`` is empty outside a team."""

    name: str
    scale: str
    labels: str
    result: str
    interval: str
    judges: str
    agreement: str


def criteria_lines(session: Session, found: PlanEstimate) -> list[CriterionLine]:
    """A line for each criterion, and last one for all together."""
    lines = [_line(session, one.criterion, one.found) for one in found.criteria]
    return [*lines, _line(session, Criterion(ALL_RIGHT), found)]


def asked_later(session: Session) -> list[str]:
    """A sentence for each criterion that was added once there were answers."""
    return [
        f"{one.name} was added after {counted(one.after, 'answer')}, which count as skipped for it."
        for one in session.inputs.task.criteria
        if one.after
    ]


def _line(session: Session, one: Criterion, found: PlanEstimate | None) -> CriterionLine:
    agree = _agreement(session, one)
    if found is None:
        return CriterionLine(one.name, one.scale, "0", "–", "", "", agree)
    ends = "" if found.low is None or found.high is None else percent_range(found.low, found.high)
    assisted = None if found.verdicts_say is None else found.verdicts_say.assisted
    saved = "" if assisted is None or assisted.found.why else percent(assisted.found.saved, 0)
    return CriterionLine(
        one.name, one.scale, commas(found.estimate.labeled), percent(found.accuracy), ends, saved, agree
    )


def _agreement(session: Session, one: Criterion) -> str:
    """How often testers agree on one criterion; empty where nobody answered an output that another did."""
    task = session.inputs.task
    if one not in task.criteria or session.session_record.votes_per_input is None:
        return ""
    given = {
        row: {who: task.grades_given(answer)[one.name] or None for who, answer in votes.items()}
        for row, votes in session.votes().items()
    }
    try:
        return percent(agreement_of(given).agreement)
    except NotEnoughLabels:
        return ""
