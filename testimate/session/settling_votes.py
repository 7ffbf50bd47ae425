"""The standing events of each input of a session, and the vote that settled it."""

from testimate.core.session_record import Event
from testimate.core.task import Task
from testimate.session.session import Session
from testimate.session.votes import Ballot


def ballots_of(session: Session) -> dict[int, Ballot]:
    """The standing events of each row of the plan, by row."""
    ballots: dict[int, Ballot] = {}
    for event in session.history():
        if event.stream == "selection" and event.kind not in ("flag", "extend"):
            ballots.setdefault(event.row, Ballot()).add(event)
    return ballots


def settling_vote(ballot: Ballot, task: Task, votes_per_input: int | None) -> Event | None:
    """The vote that settled the row; None while it is open."""
    settled = ballot.settled(task, votes_per_input)
    if settled is None or votes_per_input is None or settled.at_last.kind == "adjudication":
        return None if settled is None else settled.at_last
    standing = ballot.votes  # in the order of first votes, but the tester who voted last may have changed their mind
    alike = [act for act in ballot.acts if standing.get(act.tester) is act and act.answer == settled.at_last.answer]
    return alike[-1]
