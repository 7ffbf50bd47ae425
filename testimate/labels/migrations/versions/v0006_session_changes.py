"""Sessions that were named, deleted or put back."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Makes the table of changes."""
    op.create_table(
        "session_changes",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("session", sa.String, sa.ForeignKey("sessions.id"), nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("tester", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("changes_of_a_session", "session_changes", ["session", "sequence"])
