"""How many votes a team's inputs still lack, and whether that is enough for all who label."""

from collections import deque

from testimate.session.asked_draws import AskedDraws
from testimate.session.standing_votes import NOBODY, StandingVotes

# As much is open as those present need, so that nobody waits: decision 175.
LATEST = 200
"""A tester counts as present if one of this many latest events is theirs."""


class OpenVotes:
    """The votes that the inputs drawn so far still lack, in all and of each tester.

    Attributes
    ----------
    total : votes still lacking, whoever gives them.
    """

    def __init__(self, asked: AskedDraws, votes: StandingVotes, votes_per_input: int) -> None:
        self._asked, self._votes, self._needed = asked, votes, votes_per_input
        self._lacking: dict[int, int] = {}  # row -> votes
        self._not_theirs: dict[str, int] = {}  # tester -> votes lacking on inputs that this tester has voted on
        self._voters: dict[int, frozenset[str]] = {}
        self._latest: deque[str] = deque(maxlen=LATEST)
        self._drawn = 0
        self.total = 0
        self.draws_came()

    def draws_came(self) -> None:
        """Counts the inputs drawn since the last call as lacking every vote."""
        draws = self._asked.draws
        for draw in draws[self._drawn :]:
            if draw.row not in self._lacking:
                self._lacking[draw.row] = self._needed
                self.total += self._needed
        self._drawn = len(draws)

    def change(self, row: int, tester: str) -> None:
        """Counts what the tester did with the row."""
        self._latest.append(tester)
        self._move(row, -1)
        self._lacking[row] = max(self._votes.missing(row, NOBODY), 0)
        self._voters[row] = self._votes.voters(row)
        self._move(row, 1)

    def _move(self, row: int, sign: int) -> None:
        lacking = sign * self._lacking[row]
        self.total += lacking
        for tester in self._voters.get(row, ()):
            self._not_theirs[tester] = self._not_theirs.get(tester, 0) + lacking

    def open_to(self, tester: str) -> int:
        """Votes lacking on inputs that this tester has not voted on."""
        return self.total - self._not_theirs.get(tester, 0)

    def share(self, present: int) -> int:
        """Inputs that each of the testers present can hold without taking any from the others, at least 1."""
        return max(self.total // present, 1) if present > self._needed else max(self.total, 1)

    def too_few(self, hand: int) -> bool:
        """Whether a tester who is present may find fewer than ``hand`` inputs, or the reserve falls short.

        ``hand`` : inputs that a tester holds. The inputs of the reserve lack every vote.
        """
        present = set(self._latest)
        wanted = hand * (len(present) + self._needed)
        return min(map(self.open_to, present), default=self.total) < wanted
