"""What labels say about parts of the inputs: how many are labeled and right, and an estimate of parts that were drawn from."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from testimate.core.design import SimpleRandom
from testimate.core.draw import Estimate
from testimate.core.errors import NotEnoughLabels
from testimate.core.session_record import SessionRecord
from testimate.core.task import Task
from testimate.estimators import estimator_of
from testimate.planning.task_estimates import outcomes_of
from testimate.project.project import Project
from testimate.selectors.following import OfSelection
from testimate.session.session import Session


@dataclass(frozen=True, eq=False)
class LabeledCounts:
    """How many inputs of each cluster have an answer, and how many of these are right, (clusters,) each."""

    labeled: NDArray[np.intp]
    right: NDArray[np.intp]


def labeled_counts(labels: NDArray[np.intp], clusters: int, task: Task, losses: NDArray[np.float64]) -> LabeledCounts:
    """Counts by cluster; ``labels`` : (N,) from 0, -1 for none; ``losses`` : (N,), nan where nobody has labeled."""
    rows = np.flatnonzero(np.isfinite(losses) & (labels >= 0))
    right = rows[~np.asarray(task.failed(losses[rows]), dtype=bool)]
    return LabeledCounts(np.bincount(labels[rows], minlength=clusters), np.bincount(labels[right], minlength=clusters))


def is_of_selection(record: SessionRecord) -> bool:
    """Whether the session labels inputs drawn from a selection."""
    return record.request.technique == OfSelection.name


def selection_estimate(session: Session) -> Estimate:
    """The accuracy of the inputs that a session of a selection drew from, as of a simple random sample of these.

    NotEnoughLabels while there is no honest number. Cochran 1977, chapter 2, of the selection in place of the whole set.
    """
    record, task = session.session_record, session.inputs.task
    place = {int(row): at for at, row in enumerate(record.request.options["rows"])}
    design = SimpleRandom((len(place),), record.request.budget)
    verdicts = [
        replace(one, draw=replace(one.draw, row=place[one.draw.row])) for one in outcomes_of(task, session.verdicts())
    ]
    return estimator_of(design).estimate(design, verdicts, level=record.level, loss_bound=task.outcome_bound)


@dataclass(frozen=True, eq=False)
class EstimatedPart:
    """A selection that was labeled in part: the rows drawn from, what it is called, and the estimate for these rows."""

    rows: NDArray[np.intp]
    called: str
    estimate: Estimate


def estimated_parts(project: Project, subject: str) -> list[EstimatedPart]:
    """The selections of a subject with an estimate, the one drawn from the most inputs first."""
    found = []
    for record in project.sessions():
        if record.subject == subject and is_of_selection(record):
            session = project.session(record.id)
            session.refresh()
            try:
                estimate = selection_estimate(session)
            except NotEnoughLabels:
                continue
            options = record.request.options
            found.append(
                EstimatedPart(np.asarray(options["rows"], dtype=np.intp), str(options.get("called", "")), estimate)
            )
    return sorted(found, key=lambda part: -len(part.rows))


def largest_within(parts: list[EstimatedPart], rows: NDArray[np.intp]) -> EstimatedPart | None:
    """The part with the most inputs that lies wholly within these rows; None where none does."""
    return next((part for part in parts if np.isin(part.rows, rows).all()), None)
