"""Someone who labels: a name, and what they may do."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["lead", "tester"]

ALONE = "tester"
"""The name under which one person labels alone, without a login."""


@dataclass(frozen=True)
class Tester:
    """A member of a team.

    Attributes
    ----------
    name : unique in the project; votes are stored under it.
    role : a lead sees everybody's votes, settles disputes and starts sessions; a tester labels, blind to the others.
    created : ISO 8601 in UTC; empty where it is not known.
    """

    name: str
    role: Role
    created: str = ""

    @property
    def leads(self) -> bool:
        """Whether this is a lead."""
        return self.role == "lead"
