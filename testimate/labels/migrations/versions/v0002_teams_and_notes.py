"""Teams: who may label, in which browsers, and whose turn an input is; and what reviewers write of clusters."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the tables of testers, logins, turns and notes; the number a database had before Alembic goes."""
    there = set(sa.inspect(op.get_bind()).get_table_names())
    op.create_table(
        "testers",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("password_hash", sa.String, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
    op.create_table(
        "logins",
        sa.Column("token_hash", sa.String, primary_key=True),
        sa.Column("tester", sa.String, sa.ForeignKey("testers.name", ondelete="CASCADE"), nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
    op.create_table(
        "turns",
        sa.Column("session", sa.String, sa.ForeignKey("sessions.id"), primary_key=True),
        sa.Column("row", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("tester", sa.String, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )
    op.create_table(
        "cluster_notes",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("clustering", sa.String, nullable=False),
        sa.Column("cluster", sa.Integer, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("tester", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("members", sa.String, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("notes_of_a_subject", "cluster_notes", ["subject", "sequence"])
    if "schema_version" in there:
        op.drop_table("schema_version")
