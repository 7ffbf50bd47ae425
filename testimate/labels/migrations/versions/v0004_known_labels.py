"""What the inputs of a dataset are, and the plans by which they were drawn, apart from the model they were labeled for."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_SEQUENCE = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Makes the tables; the labels of earlier sessions join them when their subject is opened."""
    op.create_table(
        "labeled_plans",
        sa.Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
        sa.Column("dataset", sa.String, nullable=False),
        sa.Column("session", sa.String, nullable=False, unique=True),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("subject_name", sa.String, nullable=False),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("events", sa.Integer, nullable=False),
        sa.Column("classes", sa.JSON, nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("plans_of_a_dataset", "labeled_plans", ["dataset", "sequence"])
    op.create_table(
        "known_labels",
        sa.Column("sequence", _SEQUENCE, primary_key=True, autoincrement=True),
        sa.Column("dataset", sa.String, nullable=False),
        sa.Column("session", sa.String, nullable=False),
        sa.Column("row", sa.BigInteger, nullable=False),
        sa.Column("answer", sa.String),
        sa.Column("tester", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("source", sa.String, nullable=False),
        sa.UniqueConstraint("dataset", "session", "row"),
        sqlite_autoincrement=True,
    )
    op.create_index("labels_of_a_dataset", "known_labels", ["dataset", "sequence"])
