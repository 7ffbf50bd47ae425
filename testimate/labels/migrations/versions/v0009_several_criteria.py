"""Answers by several criteria, as lists of places in the column of answers, which other programs must not take for classes."""

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Changes no table: an earlier program refuses labels of this version rather than read such an answer as a set."""
