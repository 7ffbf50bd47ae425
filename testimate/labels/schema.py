"""Which version the tables of a database have, and how they are brought up to the present one."""

import threading
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from testimate.core.errors import StoreUnavailable
from testimate.labels.tables import METADATA

VERSIONS = ("0001", "0002", "0003")
"""The steps in ``migrations/versions``, oldest first."""

_BEFORE_ALEMBIC = "schema_version"
"""A table that held the number 1 in databases made before Alembic kept the version."""

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
        version = f"{connection.scalars(text('SELECT version FROM schema_version')).one():04d}"
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


def bring_up_to_date(connection: Connection, name: str) -> None:
    """Takes the steps that the tables lack, all or none, in the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATING})"))
    version = version_of(connection, name)  # another process may have been quicker
    if version == VERSIONS[-1]:
        return
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    with _ALEMBIC:
        if version is not None and _BEFORE_ALEMBIC in inspect(connection).get_table_names():
            command.stamp(config, version)
        command.upgrade(config, "head")
