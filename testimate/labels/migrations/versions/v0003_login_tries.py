"""Passwords tried for a name, counted where every server of a team sees it."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Makes the table of tries."""
    op.create_table(
        "login_tries",
        sa.Column("name_hash", sa.String, primary_key=True),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("last", sa.Float, nullable=False),
    )
