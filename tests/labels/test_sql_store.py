"""The store keeps what it acknowledged: round trips, repeats, damaged files and databases of other versions."""

import errno
import re
import sqlite3
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.labels import SqlStore, database
from testimate.labels.database import METADATA, VERSIONS, to_plain_json
from tests.each import each
from tests.labels.one_session import RECORD, vote


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.sqlite"


@pytest.fixture
def store(path: Path) -> SqlStore:
    store = SqlStore(f"sqlite:///{path}", wait=0.2)
    store.create(RECORD)
    return store


def test_a_session_comes_back_as_it_was_from_another_store_on_the_same_file(store, path):
    assert SqlStore(f"sqlite:///{path}").record("a1") == RECORD


@each(
    "field, value, says",
    [
        ("level", 95, "level is 95, expected a number between 0 and 1"),
        ("request", {"technique": "srs", "budget": "ten", "seed": 1}, "budget"),
        ("votes_per_input", 0, "votes_per_input is 0"),
    ],
)
def test_a_stored_session_with_a_value_that_cannot_be_is_said_to_be_damaged(store, field, value, says):
    damaged = to_plain_json({**asdict(RECORD), field: value})
    with store.transaction(writes=True) as connection:
        connection.execute(text("UPDATE sessions SET record = :record"), {"record": damaged})
    with pytest.raises(StoreUnavailable, match=re.escape(says)):
        store.record("a1")


def test_every_connection_is_durable_and_checks_its_keys(path, durable, monkeypatch):
    monkeypatch.setattr(database, "SYNCHRONOUS", durable)
    with SqlStore(f"sqlite:///{path}")._engine.connect() as connection:
        facts = [connection.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous", "foreign_keys")]
    assert facts == ["wal", 2, 1]  # 2 is FULL


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 500)
    with pytest.raises(StoreUnavailable, match="not a database"):
        SqlStore(f"sqlite:///{path}")
    assert path.read_text() == "Dear diary, " * 500


def test_a_damaged_database_is_refused_with_a_sentence(store, path):
    store.add("a1", [vote(f"e{count}", detail={"note": "x" * 500}) for count in range(200)])
    store._engine.dispose()  # the last connection writes the log back into the file
    data = bytearray(path.read_bytes())
    data[4096 * 2 :] = b"\x55" * (len(data) - 4096 * 2)
    path.write_bytes(data)
    with pytest.raises(StoreUnavailable, match="damaged"):
        SqlStore(f"sqlite:///{path}").records()


def test_a_database_of_a_newer_version_is_refused_and_names_both(store, path):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0099'")
    connection.close()
    with pytest.raises(StoreUnavailable, match=f"format 0099; this one reads up to {VERSIONS[-1]}"):
        SqlStore(f"sqlite:///{path}")


def test_a_database_of_another_program_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE events (what TEXT)")
    connection.close()
    with pytest.raises(StoreUnavailable, match="something else"):
        SqlStore(f"sqlite:///{path}")


def test_labels_are_never_written_into_a_file_that_was_deleted(store, path):
    store.add("a1", [vote("e")])
    away = path.with_name("away")
    away.mkdir()
    files = [file for file in path.parent.iterdir() if file.is_file()]
    for file in files:
        file.rename(away / file.name)
    with pytest.raises(StoreUnavailable, match="is gone"):
        store.add("a1", [vote("f")])
    for file in files:
        (away / file.name).rename(file)
    assert store.add("a1", [vote("f")]) == ("f",)
    assert [event.id for event in store.history("a1")] == ["e", "f"]


def test_a_file_put_in_the_place_of_the_old_one_is_the_one_used(store, path, tmp_path):
    other = tmp_path / "other.sqlite"
    copy = SqlStore(f"sqlite:///{other}")
    copy.create(replace(RECORD, id="from-the-copy"))
    copy._engine.dispose()
    store._engine.dispose()
    other.replace(path)
    assert [record.id for record in store.records()] == ["from-the-copy"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        SqlStore(f"sqlite:///{tmp_path}/nowhere/labels.sqlite")


def test_a_database_another_program_keeps_locked_is_waited_for_and_then_named(store, path):
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(StoreUnavailable, match="locked"):
            store.add("a1", [vote("e")])
        assert store.history("a1") == ()  # reading goes on
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert store.add("a1", [vote("e")]) == ("e",)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS])
def test_a_file_system_without_locks_is_said_where_sqlite_speaks_of_another_program(store, path, monkeypatch, number):
    """What SQLite says there was read with an fcntl() that refuses: "database is locked" for ENOLCK, else "disk I/O error"."""
    fcntl = pytest.importorskip("fcntl", reason="Windows's file systems all have locks.")

    def refuse(*_: object) -> None:
        raise OSError(number, "no locks here")

    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(fcntl, "lockf", refuse)
    with pytest.raises(StoreUnavailable, match=r"its file system has no locks\. .*disk of this computer"):
        store.add("a1", [vote("e")])
    holder.close()


@each(
    ("url", "why"),
    [
        ("sqlite://", "memory"),
        ("sqlite:///:memory:", "memory"),
        ("labels", "not a database URL"),
        ("what://x/y", "driver"),
    ],
)
def test_a_url_that_names_no_database_on_disk_is_refused(url, why):
    with pytest.raises(BadInput, match=why):
        SqlStore(url)


def test_the_tables_are_made_of_what_postgresql_has_too():
    made = "".join(str(CreateTable(table).compile(dialect=postgresql.dialect())) for table in METADATA.sorted_tables)
    made += "".join(
        str(CreateIndex(index).compile(dialect=postgresql.dialect())) for index in METADATA.tables["events"].indexes
    )
    assert made.count("BIGSERIAL") == 8
    assert "UNIQUE (session, id)" in made
    assert "FOREIGN KEY(session) REFERENCES sessions (id)" in made
    assert "AUTOINCREMENT" not in made
