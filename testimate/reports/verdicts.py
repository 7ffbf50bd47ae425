"""What a session on judged outputs says beyond the score: shares of grades, the judge, where it errs, and which system won."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from testimate.core.draw import Estimate
from testimate.core.session_record import REASON
from testimate.core.words import percent
from testimate.planning.estimate import counting_ends
from testimate.planning.task_estimates import VerdictEstimate, calls_right, verdict_estimate
from testimate.reports.words import headline
from testimate.session.session import Session
from testimate.session.settling_votes import ballots_of, settling_vote

DECIDED = "Decided"
"""How the sentence begins that says which of two systems is preferred."""


@dataclass(frozen=True)
class JudgeError:
    """An output on which judge and people differ: ``score`` 0..1 is the judge's, ``answer`` what people say."""

    row: int
    score: float
    answer: str
    kind: Literal["called right", "called wrong"]


def session_verdicts(session: Session) -> VerdictEstimate | None:
    """The shares of the grades, 0..1, with intervals, and the judge; None for other tasks, and without an honest estimate."""
    return verdict_estimate(
        session.inputs,
        session.inputs.task,
        session.selector.design,
        session.verdicts(),
        technique=session.session_record.request.technique,
        level=session.session_record.level,
    )


def judge_errors(session: Session) -> tuple[JudgeError, ...]:
    """The labeled outputs on which the judge's score and people differ, the surest of the judge's errors first."""
    inputs, task = session.inputs, session.inputs.task
    says = calls_right(inputs) if task.graded else None
    if says is None or inputs.confidence is None:
        return ()
    found = []
    for row, answer in session.answers().items():
        failed = bool(task.failed([inputs.loss(row, answer)])[0])
        if bool(says[row]) == failed:
            score = float(inputs.confidence[row])
            kind: Literal["called right", "called wrong"] = "called right" if failed else "called wrong"
            found.append(JudgeError(row, score, task.answer_text(answer), kind))
    return tuple(sorted(found, key=lambda one: (-abs(one.score - 0.5), one.row)))


def reasons_given(session: Session) -> Mapping[int, str]:
    """The reason that came with the vote that settled each row, by row; rows without one are absent."""
    needed, ballots = session.session_record.votes_per_input, ballots_of(session)
    votes = {
        row: settling_vote(ballots[row], session.inputs.task, needed) for row in session.answers() if row in ballots
    }
    return {
        row: str(vote.detail[REASON]) for row, vote in votes.items() if vote is not None and vote.detail.get(REASON)
    }


def decided_words(session: Session, estimate: Estimate | None) -> str:
    """Of two systems, whether the interval that counts tells which is better, as a sentence; empty of other tasks."""
    task = session.inputs.task
    if not task.compares:
        return ""
    ends = None if estimate is None else counting_ends(estimate, headline(session, estimate))
    if ends is None or ends[0] <= 0.5 <= ends[1]:
        return "Not decided yet: the interval that counts still holds 50 %, at which both are as good."
    better, reached = ("A", ends[0]) if ends[0] > 0.5 else ("B", ends[1])
    side = "above" if better == "A" else "below"
    nearest = percent(reached, space=" ")
    return f"{DECIDED}: {better} is preferred. The whole interval lies {side} 50 %, its nearest end at {nearest}."
