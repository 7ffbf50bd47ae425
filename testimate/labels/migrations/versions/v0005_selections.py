"""Inputs that reviewers chose and named on the Clusters page."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Makes the table of selections."""
    op.create_table(
        "selections",
        sa.Column("sequence", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("column", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("rows", sa.JSON, nullable=False),
        sa.Column("tester", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("selections_of_a_subject", "selections", ["subject", "sequence"])
