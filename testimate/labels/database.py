"""How a database is opened: the version of its tables, brought up to date, and what SQLite needs so that no vote is lost."""

import errno
import sqlite3
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, inspect, text

from testimate.core.errors import StoreUnavailable
from testimate.labels.tables import METADATA

VERSIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
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
            f"The database {name} holds tables of something else; Testimate needs one of its own. Choose another."
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
