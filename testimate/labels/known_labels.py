"""What the inputs of a dataset are, kept beside the sessions: a label outlives the model, and the subject, it was given for."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import delete, func, insert, select

from testimate.core.errors import BadInput
from testimate.core.words import spaced
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import KNOWN_LABELS, LABELED_PLANS

Source = Literal["drawn", "explored", "imported"]
"""How an input came to be labeled: drawn by a plan, so that it may stand in an estimate, picked, or brought from elsewhere."""

IMPORTED = "imported labels"
"""In place of a session's id for labels that no session gave."""


@dataclass(frozen=True)
class KnownLabel:
    """What one input is.

    Attributes
    ----------
    row : place in the dataset's own order, which no subject changes.
    answer : name of the class; None where the tester could not tell.
    tester, at : who said so, and when, ISO 8601 in UTC.
    session : under which session's plan; ``IMPORTED`` where it is none.
    source : only those drawn may stand in an estimate.
    """

    row: int
    answer: str | None
    tester: str
    at: str
    session: str
    source: Source


@dataclass(frozen=True)
class DrawnPlan:
    """Which inputs a session drew, apart from the model it was drawn for.

    Attributes
    ----------
    dataset : fingerprint of the inputs. session, subject, subject_name : of which session of which subject; these may be gone.
    created : when the session was begun. events : how many of its events are in the labels kept.
    classes : names that could be answered.
    plan : as PLAN.json holds it, its rows in the dataset's order.
    """

    dataset: str
    session: str
    subject: str
    subject_name: str
    created: str
    events: int
    classes: tuple[str, ...]
    plan: dict[str, Any]


# By the inputs' content, which no model is part of: decision 86.
class KnownLabels:
    """The labels of each dataset in a label store; safe between threads and processes as the store is."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    def keep(self, plan: DrawnPlan, labels: Sequence[KnownLabel]) -> None:
        """Keeps a session's plan and labels in the place of those kept of it before; all or none.

        Raises StoreUnavailable where they could not be made durable.
        """
        with self._store.transaction(writes=True) as connection:
            connection.execute(delete(LABELED_PLANS).where(LABELED_PLANS.c.session == plan.session))
            connection.execute(delete(KNOWN_LABELS).where(KNOWN_LABELS.c.session == plan.session))
            connection.execute(insert(LABELED_PLANS), {**asdict(plan), "classes": list(plan.classes)})
            if labels:
                connection.execute(insert(KNOWN_LABELS), [{"dataset": plan.dataset, **asdict(one)} for one in labels])

    def add_imported(self, dataset: str, labels: Sequence[KnownLabel]) -> None:
        """Adds labels from elsewhere; of a row that was imported before the later one counts.

        Raises BadInput where one of them claims to be drawn, StoreUnavailable where they could not be made durable.
        """
        if any(one.source != "imported" or one.session != IMPORTED for one in labels):
            raise BadInput(
                f"{spaced(len(labels))} labels were imported as if a plan had drawn them; expected labels marked as "
                "imported, which no estimate uses. Import votes into the session that drew them instead."
            )
        with self._store.transaction(writes=True) as connection:
            for one in labels:
                same = (
                    (KNOWN_LABELS.c.dataset == dataset)
                    & (KNOWN_LABELS.c.session == IMPORTED)
                    & (KNOWN_LABELS.c.row == one.row)
                )
                connection.execute(delete(KNOWN_LABELS).where(same))
            if labels:
                connection.execute(insert(KNOWN_LABELS), [{"dataset": dataset, **asdict(one)} for one in labels])

    def forget(self, sessions: Sequence[str]) -> None:
        """Removes the plans and labels of these sessions, for good."""
        with self._store.transaction(writes=True) as connection:
            for table in (LABELED_PLANS, KNOWN_LABELS):
                connection.execute(delete(table).where(table.c.session.in_(list(sessions))))

    def of(self, dataset: str) -> list[KnownLabel]:
        """The labels of a dataset, in the order in which they were kept."""
        wanted = select(KNOWN_LABELS).where(KNOWN_LABELS.c.dataset == dataset).order_by(KNOWN_LABELS.c.sequence)
        with self._store.transaction() as connection:
            rows = connection.execute(wanted).mappings().all()
        return [KnownLabel(**{k: v for k, v in row.items() if k not in ("sequence", "dataset")}) for row in rows]

    def count(self, dataset: str) -> int:
        """How many labels of a dataset are kept, counted separately for each session."""
        wanted = select(func.count()).where(KNOWN_LABELS.c.dataset == dataset)
        with self._store.transaction() as connection:
            return int(connection.scalar(wanted) or 0)

    def plans(self, dataset: str) -> list[DrawnPlan]:
        """The plans of a dataset, the first begun first."""
        wanted = select(LABELED_PLANS).where(LABELED_PLANS.c.dataset == dataset)
        with self._store.transaction() as connection:
            rows = (
                connection.execute(wanted.order_by(LABELED_PLANS.c.created, LABELED_PLANS.c.sequence)).mappings().all()
            )
        found = [{name: value for name, value in row.items() if name != "sequence"} for row in rows]
        return [DrawnPlan(**{**one, "classes": tuple(one["classes"])}) for one in found]

    def events_kept(self) -> dict[str, int]:
        """How many events of each session are in the labels kept, by session."""
        with self._store.transaction() as connection:
            rows = connection.execute(select(LABELED_PLANS.c.session, LABELED_PLANS.c.events)).all()
        return {str(session): int(events) for session, events in rows}
