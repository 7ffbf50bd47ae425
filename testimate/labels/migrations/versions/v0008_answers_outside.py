"""Answers that are none of the classes, as texts in the column of answers, which other programs must not take for places."""

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Changes no table: an earlier program refuses labels of this version rather than read such an answer as a class."""
