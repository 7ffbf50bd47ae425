"""What reviewers write about clusters: every version of a note is kept beside the labels, and the latest counts."""

from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import insert, select

from testimate.core.visible_text import check_text
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import CLUSTER_NOTES

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
