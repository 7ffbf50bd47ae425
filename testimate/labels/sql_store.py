"""Sessions and their events in an SQL database: SQLite in the project's folder, or PostgreSQL by its URL."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, bindparam, create_engine, delete, func, insert, make_url, select
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
    StatementError,
)

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.plug_ins import is_there, missing_extra
from testimate.core.session_record import ChooseTurns, Event, SessionRecord
from testimate.core.stored_record import WrongRecord
from testimate.core.words import first_line
from testimate.labels.database import (
    EVENTS,
    SESSION_CHANGES,
    SESSIONS,
    TEAM_WORDS,
    TURNS,
    VERSIONS,
    bring_up_to_date,
    event_of_row,
    event_to_row,
    identity,
    prepare_sqlite,
    record_of,
    takes_locks,
    to_plain_json,
    version_of,
)

_AT_ONCE = 500
"""Ids asked for in one query; databases limit how many values a query may hold."""

# What every answer asks, made once: SQLAlchemy takes longer to make a query than SQLite to answer it.
_LOCKED = select(SESSIONS.c.id).where(SESSIONS.c.id == bindparam("session")).with_for_update()
_OF_SESSION = EVENTS.c.session == bindparam("session")
_OLDEST_FIRST = select(EVENTS).where(_OF_SESSION).order_by(EVENTS.c.sequence).offset(bindparam("after"))
_COUNT = select(func.count()).where(_OF_SESSION)
_STORED = select(EVENTS.c.id).where(_OF_SESSION, EVENTS.c.id.in_(bindparam("ids", expanding=True)))
_HELD = select(TURNS.c.row, TURNS.c.tester).where(TURNS.c.session == bindparam("session"))
_OVER = (
    (TURNS.c.until <= bindparam("now")) | (TURNS.c.until > bindparam("too_far")) | (TURNS.c.tester == bindparam("of"))
)
_SAID = (
    select(
        EVENTS.c.session,
        EVENTS.c.row,
        EVENTS.c.kind,
        EVENTS.c.at,
        func.row_number()
        .over(partition_by=(EVENTS.c.session, EVENTS.c.row, EVENTS.c.tester), order_by=EVENTS.c.sequence.desc())
        .label("back"),
    )
    .where(EVENTS.c.stream == "selection", EVENTS.c.kind.in_(("answer", "cannot tell", "undo")))
    .subquery()
)
_ANSWERED = (
    select(_SAID.c.session, func.count(func.distinct(_SAID.c.row)), func.max(_SAID.c.at))
    .where(_SAID.c.back == 1, _SAID.c.kind != "undo")
    .group_by(_SAID.c.session)
)
_GIVEN_UP = delete(TURNS).where(TURNS.c.session == bindparam("of_session"), _OVER)


@dataclass(frozen=True)
class HowFar:
    """How far a session is.

    Attributes
    ----------
    answered : inputs whose last answer stands, "cannot tell" included; in a team, one answer is enough.
    last : when the last of these answers was given, ISO 8601.
    """

    answered: int
    last: str


class SqlStore:
    """A ``SessionStore`` over SQLAlchemy; safe to share between threads and, by its file or server, between processes.

    Parameters
    ----------
    url : "sqlite:///path/to/file" (made when it is not there; its folder must be), or "postgresql://...".
    wait : seconds to wait for another writer, above 0.

    Raises BadInput for a URL that names no database on disk, and StoreUnavailable where the database cannot be opened, is
    no database, or comes from a newer version of Testimate.
    """

    def __init__(self, url: str | URL, *, wait: float = 10.0) -> None:
        self._url = _checked_url(url)
        sqlite = self._url.get_backend_name() == "sqlite"
        self._path = Path(str(self._url.database)) if sqlite else None
        try:
            self._engine = create_engine(
                self._url, json_serializer=to_plain_json, connect_args={"timeout": wait} if sqlite else {}
            )
        except (NoSuchModuleError, ImportError) as error:
            if self._url.get_backend_name() == "postgresql" and not is_there("psycopg"):
                raise missing_extra("psycopg", f"The database {self.name}", "use sqlite:///FILE") from None
            raise BadInput(
                f"The database {self.name} needs a driver that is not installed ({error}). Install it, or use sqlite:///FILE."
            ) from None
        if sqlite:
            prepare_sqlite(self._engine, wait)
        self._reopening = threading.Lock()
        self._open()

    # Sessions

    def create(self, record: SessionRecord) -> None:
        """Stores a new session; BadInput where its id is taken, StoreUnavailable where it could not be made durable."""
        row = {"id": record.id, "record": record.as_stored(), "created": record.created}
        with self.transaction(writes=True) as connection:
            if connection.scalar(select(SESSIONS.c.id).where(SESSIONS.c.id == record.id)) is not None:
                raise BadInput(f"There is already a session {record.id!r:.80}; each needs its own id. Choose another.")
            connection.execute(insert(SESSIONS), row)

    def record(self, session: str) -> SessionRecord:
        """The session's record; BadInput where there is no such session."""
        with self.transaction() as connection:
            found = connection.scalar(select(SESSIONS.c.record).where(SESSIONS.c.id == session))
        if found is None:
            raise BadInput(
                f"There is no session {session!r:.80} here. Expected one that Project or testimate sessions list "
                "shows. Choose one."
            )
        return self._record_of(found)

    def records(self) -> list[SessionRecord]:
        """Every session, newest first."""
        newest_first = select(SESSIONS.c.record).order_by(SESSIONS.c.created.desc(), SESSIONS.c.sequence.desc())
        with self.transaction() as connection:
            found = connection.scalars(newest_first).all()
        return [self._record_of(record) for record in found]

    def remove(self, sessions: Sequence[str]) -> None:
        """Removes these sessions with all their events, all or none; for good. Those that are not there are passed over."""
        with self.transaction(writes=True) as connection:
            for start in range(0, len(sessions), _AT_ONCE):
                some = list(sessions[start : start + _AT_ONCE])
                for table in (TURNS, EVENTS, SESSION_CHANGES, TEAM_WORDS):
                    connection.execute(delete(table).where(table.c.session.in_(some)))
                connection.execute(delete(SESSIONS).where(SESSIONS.c.id.in_(some)))

    # Events

    def add(self, session: str, events: Sequence[Event]) -> tuple[str, ...]:
        """Stores the events, idempotently by id, all or none; returns the ids now on disk, those stored before included.

        Raises BadInput where an event holds what no database takes, StoreUnavailable where they could not be made durable or
        the session they belong to is not in this database; then none of them is stored.
        """
        given: dict[str, Event] = {}
        for event in events:
            given.setdefault(event.id, event)
        if not given:
            return ()
        with self.transaction(writes=True) as connection:
            # The lock makes the order of the sequence that of the commits; SQLite has locked the whole file already.
            if connection.scalar(_LOCKED, {"session": session}) is None:
                raise self._without(session)
            stored = self._stored(connection, session, list(given))
            new = [event_to_row(session, event) for event in given.values() if event.id not in stored]
            if new:
                try:
                    connection.execute(insert(EVENTS), new)
                except (TypeError, ValueError) as error:  # psycopg writes JSON itself, beyond SQLAlchemy's own errors
                    raise _not_plain(error) from None
        return tuple(given)

    def history(self, session: str, after: int = 0) -> tuple[Event, ...]:
        """The session's events, oldest first, without the first ``after`` of them; empty for an unknown session."""
        with self.transaction() as connection:
            rows = connection.execute(_OLDEST_FIRST, {"session": session, "after": after}).mappings().all()
        return tuple(event_of_row(row) for row in rows)

    def count(self, session: str) -> int:
        """How many events of the session are stored; 0 for an unknown session."""
        with self.transaction() as connection:
            return int(connection.scalar(_COUNT, {"session": session}) or 0)

    def how_far(self) -> dict[str, HowFar]:
        """The progress of each session with an answered input, by its id; one query, whatever the number of sessions."""
        with self.transaction() as connection:
            found = connection.execute(_ANSWERED).all()
        return {session: HowFar(int(answered), last) for session, answered, last in found}

    @staticmethod
    def _stored(connection: Connection, session: str, ids: list[str]) -> set[str]:
        found: set[str] = set()
        for first in range(0, len(ids), _AT_ONCE):
            found.update(connection.scalars(_STORED, {"session": session, "ids": ids[first : first + _AT_ONCE]}))
        return found

    # Turns

    def take_turns(
        self, session: str, tester: str, choose: ChooseTurns, *, now: float, until: float, first_until: float = 0.0
    ) -> tuple[int, ...]:
        """Reserves the chosen rows for this tester until then (seconds since 1970); rows reserved earlier are given up.

        ``first_until`` : of the first row, which is in view, where it is later.
        ``choose`` is given the rows that others hold at ``now``; nobody takes turns of this session meanwhile, in any process.
        Turns that end later than these by more than these last are from before the clock was set back, and over.
        """
        longest = max(until, first_until)
        too_far = longest + max(longest - now, 0.0)
        with self.transaction(writes=True) as connection:
            if connection.scalar(_LOCKED, {"session": session}) is None:
                raise self._without(session)
            connection.execute(_GIVEN_UP, {"of_session": session, "now": now, "too_far": too_far, "of": tester})
            held: dict[int, set[str]] = {}
            for row, other in connection.execute(_HELD, {"session": session}):
                held.setdefault(row, set()).add(other)
            rows = tuple(choose({row: frozenset(others) for row, others in held.items()}))
            if rows:
                ends = [longest, *[until] * (len(rows) - 1)]
                turns = [
                    {"session": session, "row": row, "tester": tester, "until": end}
                    for row, end in zip(rows, ends, strict=True)
                ]
                connection.execute(insert(TURNS), turns)
        return rows

    def turns_held(self, session: str, *, now: float) -> dict[str, tuple[int, ...]]:
        """The rows that each tester holds at ``now`` (seconds since 1970), by name."""
        held: dict[str, tuple[int, ...]] = {}
        asked = select(TURNS.c.tester, TURNS.c.row).where(TURNS.c.session == session, TURNS.c.until > now)
        with self.transaction() as connection:
            for tester, row in connection.execute(asked.order_by(TURNS.c.tester, TURNS.c.row)):
                held[tester] = (*held.get(tester, ()), row)
        return held

    def give_up_turns(self, tester: str) -> int:
        """Frees all inputs that the tester holds, in every session; returns how many they were."""
        with self.transaction(writes=True) as connection:
            return connection.execute(delete(TURNS).where(TURNS.c.tester == tester)).rowcount

    # The database

    @property
    def file(self) -> Path | None:
        """The file of an SQLite database; None of a server's."""
        return self._path

    @property
    def name(self) -> str:
        """The database as it may be shown: without a password."""
        return str(self._path) if self._path is not None else self._url.render_as_string(hide_password=True)

    def is_at(self, url: str | URL) -> bool:
        """Whether this is the database of that URL, whoever logs in there."""
        other = _checked_url(url)
        if self._path is not None:
            return other.get_backend_name() == "sqlite" and Path(str(other.database)).resolve() == self._path.resolve()
        place = (self._url.host, self._url.port, self._url.database, dict(self._url.query))
        return place == (other.host, other.port, other.database, dict(other.query))

    def close(self) -> None:
        """Gives the database's connections back; the store opens new ones where it is used again."""
        self._engine.dispose()

    def _open(self) -> None:
        """Reads the version of the tables, makes them where the database is empty, and brings older ones up to date."""
        self._file = None
        with self._connected() as connection:
            version = version_of(connection, self.name)
        if version != VERSIONS[-1]:
            with self._connected(writes=True) as connection:
                bring_up_to_date(connection, self.name)
        if self._path is not None:
            self._file = identity(self._path)

    @contextmanager
    def transaction(self, *, writes: bool = False, at_one_moment: bool = False) -> Iterator[Connection]:
        """A transaction in the file now at the path: labels never go to one that was deleted or replaced.

        ``at_one_moment`` : all that it reads is as it was when it began, as SQLite's always is.
        """
        if self._path is not None and identity(self._path) != self._file:
            with self._reopening:
                if identity(self._path) is None:
                    raise StoreUnavailable(
                        f"The file {self.name} is gone; labels are kept in it. Put it back, then continue labeling."
                    )
                if identity(self._path) != self._file:
                    self._engine.dispose()
                    self._open()
        with self._connected(writes=writes, at_one_moment=at_one_moment) as connection:
            yield connection

    @contextmanager
    def _connected(self, *, writes: bool = False, at_one_moment: bool = False) -> Iterator[Connection]:
        """A transaction, all or nothing; whatever goes wrong becomes a sentence."""
        options: dict[str, Any] = {"writes": writes}
        if at_one_moment and self._path is None:
            options["isolation_level"] = "REPEATABLE READ"
        try:
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        except (UnicodeError, OverflowError, IntegrityError, DataError) as error:
            raise BadInput(
                f"This cannot be saved ({error}). Expected plain text. Send it without what is named here."
            ) from None
        except DBAPIError as error:
            self._engine.dispose()  # a connection opened while the file was read-only, or broken, would stay so
            raise StoreUnavailable(self._why(str(error.orig))) from None
        except StatementError as error:
            raise _not_plain(error.orig) from None
        except SQLAlchemyError as error:
            raise StoreUnavailable(_sentence(self.name, str(error))) from None
        except json.JSONDecodeError as error:  # of a column that holds JSON, and does not
            raise StoreUnavailable(_sentence(self.name, f"malformed JSON: {error}")) from None

    def _why(self, cause: str) -> str:
        """What went wrong with the database, in a sentence."""
        if self._path is not None and not takes_locks(self._path.parent):
            cause = "no locks"
        return _sentence(self.name, cause)

    def _without(self, session: str) -> StoreUnavailable:
        """The error for a session that the database, restored from a copy, does not hold."""
        return StoreUnavailable(
            f"The labels in {self.name} contain no session {session!r:.80}. Restore the database it was started in, "
            "then continue labeling, or start a new session."
        )

    def _record_of(self, stored: dict[str, Any]) -> SessionRecord:
        try:
            return record_of(stored)
        except WrongRecord as error:
            raise StoreUnavailable(
                f"A session in {self.name} is damaged ({error!s:.200}). Expected a record that rebuilds it. Restore the file "
                "from a copy."
            ) from None


def _checked_url(url: str | URL) -> URL:
    """The URL of a database that lasts; BadInput otherwise."""
    try:
        checked = make_url(url)
    except ArgumentError:
        raise BadInput(
            f"{url!r:.80} is not a database URL. Expected one such as sqlite:///labels.sqlite. Correct it."
        ) from None
    if checked.get_backend_name() == "sqlite" and checked.database in (None, "", ":memory:"):
        raise BadInput("A database in memory forgets its labels. Expected a file. Use sqlite:///FILE.")
    return checked


def _not_plain(error: BaseException | None) -> BadInput:
    return BadInput(f"This cannot be saved ({error}). Expected plain JSON values. Correct them.")


_CAUSES = (
    ("no locks", "its file system has no locks", "Choose a folder on a disk of this computer, or use postgresql://..."),
    ("disk is full", "the disk is full", "Free space, then try again."),
    ("disk i/o error", "the disk refused to write or read", "See whether it is full or failing, then try again."),
    ("readonly", "it may not be written", "Allow writing to the file and its folder, then try again."),
    ("unable to open", "it cannot be opened", "See that its folder is there and may be written, then try again."),
    ("locked", "another program keeps it locked", "Close that program, then try again."),
    ("not a database", "it is not a database", "Choose another file, or restore this one from a copy."),
    ("malformed", "it is damaged", "Restore it from a copy."),
)

_CAUSES_OF_A_SERVER = (
    (("no password supplied",), "it asks for a password", "Put it into the URL or into a password file (.pgpass)."),
    (("password authentication failed",), "the password is wrong", "Correct the one in the URL or in .pgpass."),
    (("no pg_hba.conf entry",), "it accepts no connection from here", "Add a line to its pg_hba.conf, then reload it."),
    (("fatal:", "does not exist"), "it is not there", "Make it with createdb, and its owner with createuser."),
    (("does not support ssl",), "it offers no encryption", "Turn ssl on in its postgresql.conf, with a certificate."),
    (
        ("root certificate file", "does not exist"),
        "nothing says which authorities to trust",
        "Name the file with their certificates: sslrootcert=FILE in the URL.",
    ),
    (
        ("certificate verify failed",),
        "no authority that is trusted here has signed its certificate",
        "Name the file with its authority's: sslrootcert=FILE in the URL.",
    ),
    (("connection refused",), "nothing listens there", "Start the database server, or correct host and port."),
)


def _sentence(name: str, cause: str) -> str:
    """What went wrong with the database, what labels need, and what to do."""
    for marks, found, remedy in _CAUSES_OF_A_SERVER:
        if all(mark in cause.lower() for mark in marks):
            return f"The labels in {name} cannot be reached: {found}. {remedy}"
    for mark, found, remedy in _CAUSES:
        if mark in cause.lower():
            return f"The labels in {name} cannot be reached: {found}. Labels need a file that can be written. {remedy}"
    why = first_line(cause.strip()) or "no reason given"
    return f"The labels in {name} cannot be reached ({why:.200}). Labels need a database that works. Try again."
