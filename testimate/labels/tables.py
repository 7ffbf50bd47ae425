"""The tables in which labels are stored; the same in SQLite and PostgreSQL."""

import json
from collections.abc import Mapping
from sys import intern
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    RowMapping,
    String,
    Table,
    UniqueConstraint,
)

from testimate.core.selector import Request
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


def record_of(stored: Mapping[str, Any]) -> SessionRecord:
    """The session's record as JSON holds it; KeyError or TypeError if it lacks something."""
    return SessionRecord(**{**stored, "request": Request(**stored["request"])})


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
