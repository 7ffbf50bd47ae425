"""What SQLite needs so that no vote is lost: write-ahead log, full synchronisation, write locks taken at once."""

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event


def prepare_sqlite(engine: Engine, wait: float) -> None:
    """Makes every connection of the engine durable, and every transaction that will write lock before it reads.

    A deferred BEGIN that reads first and writes later is refused with "database is locked" as soon as another thread has
    written in between, whatever the busy timeout: the reader's picture is out of date and cannot be mended.
    """

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, by name, and never by the driver
        _write_ahead(connection, wait)
        connection.execute("PRAGMA synchronous=FULL")  # a commit returns when it is on the disk
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


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


def identity(path: Path) -> tuple[int, int] | None:
    """Which file lies at the path: its device and inode; None where there is none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino
