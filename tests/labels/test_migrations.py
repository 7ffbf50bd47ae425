"""Databases of every version there was are brought up to date, and nothing in them is lost."""

import sqlite3
import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from testimate.core.selector import Request
from testimate.core.session_record import Event, SessionRecord
from testimate.labels import SqlStore, database
from testimate.labels.database import METADATA
from testimate.labels.notes import ClusterNote, ClusterNotes
from testimate.labels.testers import Testers

RECORD = SessionRecord("s", "digits", "Digits", "f" * 32, Request("srs", 10, 1), "2024-05-01T10:00:00+00:00")
FIRST = """
CREATE TABLE schema_version (version INTEGER NOT NULL, PRIMARY KEY (version));
INSERT INTO schema_version VALUES (1);
CREATE TABLE sessions (sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, id VARCHAR NOT NULL UNIQUE,
    record JSON NOT NULL, created VARCHAR NOT NULL);
CREATE TABLE events (sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, session VARCHAR NOT NULL REFERENCES sessions (id),
    id VARCHAR NOT NULL, kind VARCHAR NOT NULL, "row" BIGINT NOT NULL, tester VARCHAR NOT NULL, at VARCHAR NOT NULL,
    answer JSON, seconds FLOAT, stream VARCHAR NOT NULL, detail JSON NOT NULL, UNIQUE (session, id));
CREATE INDEX events_of_a_session ON events (session, sequence);
INSERT INTO sessions (id, record, created) VALUES ('old', '{"id": "old", "subject": "digits", "subject_name": "Digits",
    "fingerprint": "f", "request": {"technique": "srs", "budget": 10, "seed": 1}, "created": "2024-05-01T10:00:00+00:00"}',
    '2024-05-01T10:00:00+00:00');
INSERT INTO events (session, id, kind, "row", tester, at, answer, stream, detail)
    VALUES ('old', 'e1', 'answer', 4, 'Ann', 'now', '3', 'selection', '{}');
"""


def test_a_database_from_before_migrations_keeps_its_labels_and_takes_new_ones(tmp_path):
    path = tmp_path / "labels.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(FIRST)
    connection.close()
    store = SqlStore(f"sqlite:///{path}")
    assert [record.id for record in store.records()] == ["old"]
    assert store.record("old").votes_per_input is None
    store.add("old", [Event("e2", "answer", 5, "Ann", "now", answer=1)])
    assert [(event.id, event.answer) for event in store.history("old")] == [("e1", 3), ("e2", 1)]
    assert store.take_turns("old", "Ann", lambda held: [7], now=0.0, until=9.0) == (7,)
    ClusterNotes(store).write(ClusterNote("digits", "c", 0, "ones", "Ann", "now", "m", 3))
    assert [record.id for record in SqlStore(f"sqlite:///{path}").records()] == ["old"]


def test_the_steps_lead_to_the_tables_that_the_code_uses(tmp_path):
    url = f"sqlite:///{tmp_path / 'labels.sqlite'}"
    SqlStore(url)
    with create_engine(url).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_the_versions_named_are_the_steps_there_are():
    config = Config()
    config.set_main_option("script_location", "testimate:labels/migrations")
    steps = [step.revision for step in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(steps)) == database.VERSIONS


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "labels.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(FIRST + "CREATE TABLE turns (what TEXT);")
    connection.close()
    before = sorted(sqlite3.connect(path).execute("select name, sql from sqlite_master"), key=str)
    with pytest.raises(Exception, match="turns"):
        SqlStore(f"sqlite:///{path}")
    assert sorted(sqlite3.connect(path).execute("select name, sql from sqlite_master"), key=str) == before


def test_many_that_open_an_empty_database_at_once_all_find_it_ready(tmp_path):
    url, failures = f"sqlite:///{tmp_path / 'labels.sqlite'}", []

    def open_it(number):
        try:
            SqlStore(url).create(
                SessionRecord(f"s{number}", "k", "n", "f", Request("srs", 10, 1), "2024-05-01T10:00:00+00:00")
            )
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=open_it, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(SqlStore(url).records()) == 8


def test_many_databases_are_made_at_once_by_the_threads_of_one_process(tmp_path):
    failures: list[BaseException] = []

    def make(number):
        try:
            SqlStore(f"sqlite:///{tmp_path / f'{number}.sqlite'}").create(RECORD)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_database_of_the_version_before_is_taken_on_with_its_labels(tmp_path):
    path = tmp_path / "labels.sqlite"
    store = SqlStore(f"sqlite:///{path}")
    store.create(RECORD)
    store.add("s", [Event("e1", "answer", 5, "Ann", "now", answer=1)])
    store.close()
    with sqlite3.connect(path) as connection:  # as version 0002 left it
        connection.executescript(
            "DROP TABLE login_tries; DROP TABLE labeled_plans; DROP TABLE known_labels; DROP TABLE selections;"
            "DROP TABLE session_changes; DROP TABLE team_words;"
            "UPDATE alembic_version SET version_num = '0002';"
        )
    connection.close()
    again = SqlStore(f"sqlite:///{path}")
    assert [event.id for event in again.history("s")] == ["e1"]
    assert Testers(again).check("Ann", "wrong password") is None
