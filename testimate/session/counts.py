"""How many draws of a session's plan are answered, "cannot tell", skipped, not settled, or still to do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """The draws of a plan, each counted once; an input that is drawn again counts again.

    Attributes
    ----------
    answered : with a standing answer. cannot_tell : where the tester could not tell.
    skipped : put off, to come back. not_settled : of a team, with votes, but not enough of them, or disputed.
    to_do : all others.
    """

    answered: int
    cannot_tell: int
    skipped: int
    not_settled: int
    to_do: int

    @property
    def drawn(self) -> int:
        """The draws of the whole plan."""
        return self.answered + self.cannot_tell + self.skipped + self.not_settled + self.to_do

    @property
    def done(self) -> int:
        """Draws that need nothing more from anybody."""
        return self.answered + self.cannot_tell
