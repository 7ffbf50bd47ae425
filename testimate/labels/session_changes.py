"""What was done to sessions since they were planned: named, deleted, put back; each is kept, and the latest one counts."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import insert, select

from testimate.core.visible_text import check_line
from testimate.labels.sql_store import SqlStore
from testimate.labels.tables import SESSION_CHANGES

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
