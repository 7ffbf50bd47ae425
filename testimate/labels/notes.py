"""What people write about inputs and sessions beside the labels: every version is kept, the latest counts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, func, insert, select

from testimate.core.errors import BadInput
from testimate.core.stored_record import read_record
from testimate.core.visible_text import check_line, check_text
from testimate.core.words import commas
from testimate.labels.database import CLUSTER_NOTES, KNOWN_LABELS, LABELED_PLANS, SELECTIONS, SESSION_CHANGES
from testimate.labels.sql_store import SqlStore

LONGEST_NOTE = 4000
"""Characters; more than anyone writes about a cluster, and no more than every database takes."""


@dataclass(frozen=True)
class ClusterNote:
    """What a reviewer said a cluster is.

    Attributes
    ----------
    subject : key of the subject in the project.
    clustering : fingerprint of the inputs and of the settings they were clustered with.
    cluster : place of the cluster, 0.. (shown as number 1..).
    text : as written, untrusted; empty where the note was taken back.
    tester, at : who and when, ISO 8601 in UTC.
    members, size : fingerprint and number of the rows the cluster held when the note was written.
    settings : those of the clustering, so that it can be found again.
    """

    subject: str
    clustering: str
    cluster: int
    text: str
    tester: str
    at: str
    members: str
    size: int
    settings: dict[str, Any] = field(default_factory=dict)


class ClusterNotes:
    """The notes in a label store; append-only, safe between threads and processes as the store is."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    def write(self, note: ClusterNote) -> None:
        """Keeps the note, which counts from now on for its cluster; an empty text takes the one before back.

        Raises BadInput where it is too long or cannot be shown, StoreUnavailable where it could not be made
        durable; then nothing is kept.
        """
        check_text(note.text, "note", LONGEST_NOTE)
        with self._store.transaction(writes=True) as connection:
            connection.execute(insert(CLUSTER_NOTES), asdict(note))

    def of(self, subject: str) -> list[ClusterNote]:
        """The notes that stand on the subject's clusters, of every clustering, the newest first."""
        newest_first = (
            select(CLUSTER_NOTES).where(CLUSTER_NOTES.c.subject == subject).order_by(CLUSTER_NOTES.c.sequence.desc())
        )
        with self._store.transaction() as connection:
            rows = connection.execute(newest_first).mappings().all()
        standing: dict[tuple[str, int], ClusterNote] = {}
        for row in rows:
            note = ClusterNote(**{name: value for name, value in row.items() if name != "sequence"})
            standing.setdefault((note.clustering, note.cluster), note)
        return [note for note in standing.values() if note.text]


LONGEST_SELECTION_NAME = 80
"""Characters of a name or a column: what a table and a legend can show."""

COLUMN = "tag"
"""The column of a selection whose reviewer named none."""


@dataclass(frozen=True)
class Selection:
    """Inputs that a reviewer chose and named.

    Attributes
    ----------
    subject : key of the subject in the project.
    column, name : the name is the value that these inputs have in this column; untrusted text.
    rows : the inputs, ascending; none where the selection was taken back.
    tester, at : who and when, ISO 8601 in UTC.
    """

    subject: str
    column: str
    name: str
    rows: tuple[int, ...]
    tester: str
    at: str


class Selections:
    """The selections in a label store; append-only, safe between threads and processes as the store is."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    def keep(self, selection: Selection, *, size: int) -> None:
        """Keeps the selection, in place of one of the same column and name; ``size`` : N.

        Raises BadInput where it holds no input or one that is not there, or where a name cannot be shown, StoreUnavailable
        where it could not be made durable; then nothing is kept.
        """
        check_line(selection.name, "name of the selection", LONGEST_SELECTION_NAME)
        check_line(selection.column, "column of the selection", LONGEST_SELECTION_NAME)
        rows = sorted(set(selection.rows))
        if not rows or rows[0] < 0 or rows[-1] >= size:
            held = "no input" if not rows else f"input {commas(rows[0] if rows[0] < 0 else rows[-1])}"
            raise BadInput(
                f"The selection {selection.name!r:.60} contains {held}. Expected some of the {commas(size)} inputs. Choose "
                "them again."
            )
        self._write(selection, rows)

    def take_back(self, selection: Selection, *, tester: str, at: str) -> None:
        """The selection no longer counts; what was kept stays in the store. StoreUnavailable as above."""
        self._write(Selection(selection.subject, selection.column, selection.name, (), tester, at), [])

    def of(self, subject: str) -> list[Selection]:
        """The selections that stand, the newest first."""
        newest_first = select(SELECTIONS).where(SELECTIONS.c.subject == subject).order_by(SELECTIONS.c.sequence.desc())
        with self._store.transaction() as connection:
            found = connection.execute(newest_first).mappings().all()
        standing: dict[tuple[str, str], Selection] = {}
        for row in found:
            one = read_record(Selection, row, others=True)
            standing.setdefault((one.column, one.name), one)
        return [one for one in standing.values() if one.rows]

    def _write(self, selection: Selection, rows: Sequence[int]) -> None:
        with self._store.transaction(writes=True) as connection:
            connection.execute(insert(SELECTIONS), {**asdict(selection), "rows": [int(row) for row in rows]})


def tag_columns(selections: Sequence[Selection], size: int) -> dict[str, NDArray[np.object_]]:
    """The columns that the selections make, by name: the name of each input's selection, (N,), "" where it has none.

    Where two selections of a column share an input, the newer one names it. ``selections`` : the newest first; rows beyond
    ``size``, of a subject that has shrunk, are left out.

    >>> tag_columns([Selection("d", "light", "night", (0, 2), "Ann", "")], 3)["light"].tolist()
    ['night', '', 'night']
    """
    columns: dict[str, NDArray[np.object_]] = {}
    for one in reversed(selections):
        if one.column not in columns:
            columns[one.column] = np.full(size, "", dtype=object)
        columns[one.column][[row for row in one.rows if row < size]] = one.name
    return dict(reversed(columns.items()))


LONGEST_SESSION_NAME = 120
"""Characters of a session's name: what two lines of a list can show."""

KEPT = timedelta(days=30)
"""How long a deleted session can be put back."""

Kind = Literal["named", "deleted", "put back"]


@dataclass(frozen=True)
class SessionChange:
    """One change of a session.

    Attributes
    ----------
    session : its id.
    kind : what was done.
    name : the name it was given, untrusted text; "" where it goes by its plan again, and for the other kinds.
    tester, at : who and when, ISO 8601 in UTC.
    """

    session: str
    kind: Kind
    name: str
    tester: str
    at: str

    @property
    def kept_until(self) -> datetime:
        """Until when a deleted session can be put back."""
        return datetime.fromisoformat(self.at) + KEPT


class SessionChanges:
    """The changes in a label store; append-only, safe between threads and processes as the store is."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    def keep(self, change: SessionChange) -> None:
        """Keeps the change, which counts from now on.

        Raises BadInput where the name cannot be shown or the session is not there, StoreUnavailable where it could not be made
        durable; then nothing is kept.
        """
        check_line(change.name, "name", LONGEST_SESSION_NAME, shortest=0)
        with self._store.transaction(writes=True) as connection:
            connection.execute(insert(SESSION_CHANGES), asdict(change))

    def names(self) -> dict[str, str]:
        """The names that sessions were given, by id."""
        return {one.session: one.name for one in self._latest(("named",)).values() if one.name}

    def deleted(self) -> dict[str, SessionChange]:
        """The sessions that are deleted now, by id, each with its deletion."""
        latest = self._latest(("deleted", "put back"))
        return {session: one for session, one in latest.items() if one.kind == "deleted"}

    def _latest(self, kinds: tuple[Kind, ...]) -> dict[str, SessionChange]:
        wanted = select(SESSION_CHANGES).where(SESSION_CHANGES.c.kind.in_(kinds)).order_by(SESSION_CHANGES.c.sequence)
        with self._store.transaction() as connection:
            found = connection.execute(wanted).mappings().all()
        return {
            row["session"]: SessionChange(**{name: row[name] for name in SessionChange.__dataclass_fields__})
            for row in found
        }


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
    answer : name of the class, or of what is none of those one could choose from; None where the tester could not tell.
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
                f"{commas(len(labels))} labels were imported as if a plan had drawn them. Expected labels marked as "
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
        return [read_record(DrawnPlan, row, others=True) for row in rows]

    def events_kept(self) -> dict[str, int]:
        """How many events of each session are in the labels kept, by session."""
        with self._store.transaction() as connection:
            rows = connection.execute(select(LABELED_PLANS.c.session, LABELED_PLANS.c.events)).all()
        return {str(session): int(events) for session, events in rows}
