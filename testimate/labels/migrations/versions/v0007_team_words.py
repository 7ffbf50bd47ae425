"""What leads said to their team: pauses, inputs taken back, sessions assigned, instructions, messages."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Makes the table of these words."""
    op.create_table(
        "team_words",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("session", sa.String, nullable=False),
        sa.Column("member", sa.String, nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("names", sa.JSON, nullable=False),
        sa.Column("tester", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
