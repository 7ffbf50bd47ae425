"""The database of the labels: its tables, the same in SQLite and PostgreSQL, and how it is opened.

It is brought up to the version of its tables, and SQLite is set up so that no vote is lost.
"""

import errno
import json
import sqlite3
import tempfile
import threading
import time
from pathlib import Path
from sys import intern
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    RowMapping,
    String,
    Table,
    UniqueConstraint,
    event,
    inspect,
    text,
)

from testimate.core.errors import StoreUnavailable
from testimate.core.session_record import Event, SessionRecord
from testimate.core.visible_text import readable

METADATA = MetaData()

# SQLite numbers rows by itself only where the key is called INTEGER.
_SEQUENCE = BigInteger().with_variant(Integer, "sqlite")
_PLAIN_JSON = JSON(none_as_null=True)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("record", JSON, nullable=False),
    Column("created", String, nullable=False),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("session", String, ForeignKey("sessions.id"), nullable=False),
    Column("id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("row", BigInteger, nullable=False),
    Column("tester", String, nullable=False),
    Column("at", String, nullable=False),
    Column("answer", _PLAIN_JSON),
    Column("seconds", Float),
    Column("stream", String, nullable=False),
    Column("detail", JSON, nullable=False),
    UniqueConstraint("session", "id"),
    Index("events_of_a_session", "session", "sequence"),
    sqlite_autoincrement=True,
)

TURNS = Table(
    "turns",
    METADATA,
    Column("session", String, ForeignKey("sessions.id"), primary_key=True),
    Column("row", BigInteger, primary_key=True, autoincrement=False),
    Column("tester", String, primary_key=True),
    Column("until", Float, nullable=False),
)
"""Which inputs are reserved for which tester of a team, until when (seconds since 1970)."""

TESTERS = Table(
    "testers",
    METADATA,
    Column("name", String, primary_key=True),
    Column("role", String, nullable=False),
    Column("password_hash", String, nullable=False),
    Column("created", String, nullable=False),
)

LOGINS = Table(
    "logins",
    METADATA,
    Column("token_hash", String, primary_key=True),
    Column("tester", String, ForeignKey("testers.name", ondelete="CASCADE"), nullable=False),
    Column("until", Float, nullable=False),
)
"""Browsers in which someone is logged in, until when (seconds since 1970); kept for months after that, as known browsers."""

LOGIN_TRIES = Table(
    "login_tries",
    METADATA,
    Column("name_hash", String, primary_key=True),
    Column("tries", Integer, nullable=False),
    Column("last", Float, nullable=False),
)
"""Passwords tried for a name from one place since the last right one, and when the last was (seconds since 1970).

Only a hash of name and place: the name is whatever was typed, and that may be a password.
"""

CLUSTER_NOTES = Table(
    "cluster_notes",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("subject", String, nullable=False),
    Column("clustering", String, nullable=False),
    Column("cluster", Integer, nullable=False),
    Column("text", String, nullable=False),
    Column("tester", String, nullable=False),
    Column("at", String, nullable=False),
    Column("members", String, nullable=False),
    Column("size", Integer, nullable=False),
    Column("settings", JSON, nullable=False),
    Index("notes_of_a_subject", "subject", "sequence"),
    sqlite_autoincrement=True,
)

SELECTIONS = Table(
    "selections",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("subject", String, nullable=False),
    Column("column", String, nullable=False),
    Column("name", String, nullable=False),
    Column("rows", JSON, nullable=False),
    Column("tester", String, nullable=False),
    Column("at", String, nullable=False),
    Index("selections_of_a_subject", "subject", "sequence"),
    sqlite_autoincrement=True,
)
"""Inputs that a reviewer chose and named: each name is a value in a column of its own making."""

SESSION_CHANGES = Table(
    "session_changes",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("session", String, ForeignKey("sessions.id"), nullable=False),
    Column("kind", String, nullable=False),
    Column("name", String, nullable=False),
    Column("tester", String, nullable=False),
    Column("at", String, nullable=False),
    Index("changes_of_a_session", "session", "sequence"),
    sqlite_autoincrement=True,
)
"""Sessions that were named, deleted or put back; a session's own record never changes."""

TEAM_WORDS = Table(
    "team_words",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("kind", String, nullable=False),
    Column("session", String, nullable=False),
    Column("member", String, nullable=False),
    Column("text", String, nullable=False),
    Column("names", JSON, nullable=False),
    Column("tester", String, nullable=False),
    Column("at", String, nullable=False),
    sqlite_autoincrement=True,
)
"""What leads said to their team; the latest of its kind counts. "" where a word is about no session or nobody alone."""

LABELED_PLANS = Table(
    "labeled_plans",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("dataset", String, nullable=False),
    Column("session", String, nullable=False, unique=True),
    Column("subject", String, nullable=False),
    Column("subject_name", String, nullable=False),
    Column("created", String, nullable=False),
    Column("events", Integer, nullable=False),
    Column("classes", JSON, nullable=False),
    Column("plan", JSON, nullable=False),
    Index("plans_of_a_dataset", "dataset", "sequence"),
    sqlite_autoincrement=True,
)
"""Which inputs of a dataset a session drew, kept beside its labels when its subject is deleted."""

KNOWN_LABELS = Table(
    "known_labels",
    METADATA,
    Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("dataset", String, nullable=False),
    Column("session", String, nullable=False),
    Column("row", BigInteger, nullable=False),
    Column("answer", String),
    Column("tester", String, nullable=False),
    Column("at", String, nullable=False),
    Column("source", String, nullable=False),
    UniqueConstraint("dataset", "session", "row"),
    Index("labels_of_a_dataset", "dataset", "sequence"),
    sqlite_autoincrement=True,
)
"""What the inputs of a dataset are, by the name of the class: whichever model they were labeled for."""


def to_plain_json(value: Any) -> str:
    """The value as JSON text that every database takes: no nan, no infinity."""
    return json.dumps(value, allow_nan=False)


def record_of(stored: Any) -> SessionRecord:
    """The session's record as JSON holds it; WrongRecord if it lacks something, or holds a value that cannot be."""
    return SessionRecord.of_stored(readable(stored))


def event_to_row(session: str, event: Event) -> dict[str, Any]:
    """The event as a row of the table of events."""
    return {
        "session": session,
        "id": event.id,
        "kind": event.kind,
        "row": event.row,
        "tester": event.tester,
        "at": event.at,
        "answer": event.answer,
        "seconds": event.seconds,
        "stream": event.stream,
        "detail": dict(event.detail),
    }


def event_of_row(row: RowMapping) -> Event:
    """The event that a row of the table of events holds; thousands of them share the few words that all of them use.

    A character that no screen and no file can hold, stored before such were refused, is read as a replacement character.
    """
    return Event(
        id=row["id"],
        kind=_shared(row["kind"]),
        row=row["row"],
        tester=_shared(row["tester"]),
        at=row["at"],
        answer=row["answer"],
        seconds=row["seconds"],
        stream=_shared(row["stream"]),
        detail=readable(row["detail"]),
    )


def _shared(word: Any) -> Any:
    return intern(word)


VERSIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009")
"""The steps in ``migrations/versions``, oldest first."""

_BEFORE_ALEMBIC = "schema_version"
"""A table that held the number 1 in databases made before Alembic kept the version."""

SYNCHRONOUS = "FULL"
"""Written to SQLite: a commit returns when it is on the disk, whatever happens to the power."""

_MIGRATING = 7315  # any number of our own: PostgreSQL lets one process at a time hold it
_ALEMBIC = threading.Lock()
"""Alembic keeps what it works on in globals of its module, so one thread of a process at a time may use it."""


def version_of(connection: Connection, name: str) -> str | None:
    """The version of the tables; None where the database is empty.

    Raises StoreUnavailable where they are another program's or come from a newer version of Testimate.
    """
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        version = str(connection.scalars(text("SELECT version_num FROM alembic_version")).one_or_none())
    elif _BEFORE_ALEMBIC in tables:
        version = str(connection.scalars(text("SELECT version FROM schema_version")).one()).rjust(4, "0")
    elif tables & set(METADATA.tables):
        raise StoreUnavailable(
            f"The database {name} contains tables of something else; Testimate needs one of its own. Choose another."
        )
    else:
        return None
    if version not in VERSIONS:
        raise StoreUnavailable(
            f"The labels in {name} were written by a newer version of Testimate (format {version}; this one reads up to "
            f"{VERSIONS[-1]}). Install the newer version."
        )
    return version


def bring_up_to_date(connection: Connection, name: str, to: str = VERSIONS[-1]) -> None:
    """Takes the steps that the tables lack, all or none, in the transaction of the connection; those after ``to`` are not."""
    from alembic import command
    from alembic.config import Config

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATING})"))
    version = version_of(connection, name)  # another process may have been quicker
    if version == to:
        return
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    with _ALEMBIC:
        if version is not None and _BEFORE_ALEMBIC in inspect(connection).get_table_names():
            command.stamp(config, version)
        command.upgrade(config, to)


def prepare_sqlite(engine: Engine, wait: float) -> None:
    """Makes every connection of the engine durable, and every transaction that will write lock before it reads.

    A deferred BEGIN that reads first and writes later is refused with "database is locked" as soon as another thread has
    written in between, whatever the busy timeout: the reader's snapshot is out of date and cannot be renewed.
    """

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, by name, and never by the driver
        _write_ahead(connection, wait)
        connection.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
        connection.execute("PRAGMA foreign_keys=ON")
        harden(connection)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def harden(connection: sqlite3.Connection) -> None:
    """What the file itself defines may call nothing that has an effect outside, and cells are checked as they are read."""
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")


def _write_ahead(connection: sqlite3.Connection, wait: float) -> None:
    """Turns the write-ahead log on; the busy timeout does not cover this, so it is tried until ``wait`` seconds are over."""
    until = time.monotonic() + wait
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= until:
                raise
            time.sleep(0.01)  # SQLite does not say when the lock is free


def takes_locks(folder: Path) -> bool:
    """Whether files in that folder can be locked, as SQLite's have to be; True where that cannot be tried.

    SQLite takes a file system without locks for a file that somebody else keeps locked.
    """
    try:
        import fcntl
    except ImportError:  # Windows, whose file systems all have locks
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
    return True


def identity(path: Path) -> tuple[int, int] | None:
    """Which file lies at the path: its device and inode; None where there is none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
