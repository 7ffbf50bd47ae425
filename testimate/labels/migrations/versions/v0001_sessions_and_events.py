"""Sessions and their events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_SEQUENCE = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Makes the tables of sessions and events."""
    op.create_table(
        "sessions",
        sa.Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String, nullable=False, unique=True),
        sa.Column("record", sa.JSON, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
        sa.Column("session", sa.String, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("id", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("row", sa.BigInteger, nullable=False),
        sa.Column("tester", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True)),
        sa.Column("seconds", sa.Float),
        sa.Column("stream", sa.String, nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.UniqueConstraint("session", "id"),
        sqlite_autoincrement=True,
    )
    op.create_index("events_of_a_session", "events", ["session", "sequence"])
