"""How far each tester of a session is, and how often others say the same: what a lead steers by."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from testimate.core.errors import NotEnoughLabels
from testimate.core.words import counted, percent, spaced
from testimate.labels.agreement import agreement_of
from testimate.session.session import Session
from testimate.session.settling_votes import ballots_of
from testimate.session.votes import comparable


@dataclass(frozen=True)
class ProgressOfTester:
    """One tester of a session.

    Attributes
    ----------
    answers : inputs with a standing answer of this tester, "cannot tell" included.
    seconds : median time of them; None where no time is known.
    last : when the latest was given, ISO 8601 in UTC.
    agreement : share of the answers equal to another tester's to the same input, 0..1; None where nobody shares one.
    disputes_lost : inputs on which a lead settled for another answer than this tester's.
    looked_again, corrected : of the answers, those that second looks came to, and those of them that were found wrong.
    """

    tester: str
    answers: int
    seconds: float | None
    last: str
    agreement: float | None
    disputes_lost: int
    looked_again: int = 0
    corrected: int = 0

    def words(self) -> str:
        """One line for the terminal.

        >>> ProgressOfTester("Ann", 40, 3.2, "2026-05-01T10:00:00Z", 0.95, 1).words()
        'Ann: 40 answers, 3.2 s each, last 2026-05-01 10:00; 95.0\\u202f% agree with others; 1 dispute lost'
        """
        pace = "" if self.seconds is None else f", {self.seconds:.1f} s each"
        agree = "" if self.agreement is None else f"; {percent(self.agreement)} agree with others"
        last = self.last[:16].replace("T", " ")
        lost = f"; {counted(self.disputes_lost, 'dispute')} lost" if self.disputes_lost else ""
        again = f"; {spaced(self.corrected)} of {spaced(self.looked_again)} looked at again corrected"
        again = again if self.looked_again else ""
        return f"{self.tester}: {counted(self.answers, 'answer')}{pace}, last {last}{agree}{lost}{again}"


def progress_of_testers(session: Session, second_looks: Sequence[Session] = ()) -> list[ProgressOfTester]:
    """Everybody with a standing answer to the plan's inputs, by name; ``second_looks``: sessions that looked at them again."""
    ballots = ballots_of(session)
    votes = {row: {who: vote.answer for who, vote in ballot.votes.items()} for row, ballot in ballots.items()}
    try:
        said = {row: {who: comparable(answer) for who, answer in given.items()} for row, given in votes.items()}
        agreeing = agreement_of(said, numeric=session.inputs.task.numeric).per_tester
    except NotEnoughLabels:
        agreeing = {}
    again: Counter[str] = Counter()
    corrected: Counter[str] = Counter()
    for row, answer in (pair for second in second_looks for pair in second.answers().items()):
        for name, vote in votes.get(row, {}).items():
            again[name] += 1
            corrected[name] += comparable(vote) != comparable(answer)
    found = []
    for name in sorted({who for given in votes.values() for who in given}):
        own = [ballot.votes[name] for ballot in ballots.values() if name in ballot.votes]
        times = [vote.seconds for vote in own if vote.seconds is not None]
        words = [(ballot.adjudication, ballot.votes[name]) for ballot in ballots.values() if name in ballot.votes]
        lost = sum(word is not None and comparable(word.answer) != comparable(vote.answer) for word, vote in words)
        pace, last = (median(times) if times else None), max(vote.at for vote in own)
        agree = agreeing.get(name)
        found.append(ProgressOfTester(name, len(own), pace, last, agree, lost, again[name], corrected[name]))
    return found
