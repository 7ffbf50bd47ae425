"""What a lead steers by: how far each tester is, how often they agree and are right, what is open, and answers as a file."""

import io
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from testimate.core.draw import Estimate, RoundDraw
from testimate.core.errors import NotEnoughLabels
from testimate.core.spreadsheet_cells import SpreadsheetWriter
from testimate.core.task import SHARE_RIGHT
from testimate.core.words import DOWN, UP, commas, counted, percent, percentage
from testimate.estimators.intervals import clopper_pearson
from testimate.labels.agreement import agreement_of
from testimate.planning.label_exchange import plan_mark
from testimate.reports.exports import criteria_columns, keyed, records_parquet
from testimate.reports.words import may_stop_words
from testimate.session.draws import KnownAnswersGiven
from testimate.session.session import Session, ballots_of, plan_of


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
        'Ann: 40 answers, 3.2 s each, last 2026-05-01 10:00; 95.0% agree with others; 1 dispute lost'
        """
        pace = "" if self.seconds is None else f", {self.seconds:.1f} s each"
        agree = "" if self.agreement is None else f"; {percent(self.agreement)} agree with others"
        last = self.last[:16].replace("T", " ")
        lost = f"; {counted(self.disputes_lost, 'dispute')} lost" if self.disputes_lost else ""
        again = f"; {commas(self.corrected)} of {commas(self.looked_again)} looked at again corrected"
        again = again if self.looked_again else ""
        return f"{self.tester}: {counted(self.answers, 'answer')}{pace}, last {last}{agree}{lost}{again}"


def comparable_votes(session: Session) -> dict[int, dict[str, Any]]:
    """Each tester's answer about each row in the form in which equal ones are equal; None for "cannot tell"."""
    comparable = session.inputs.task.comparable
    return {row: {who: comparable(answer) for who, answer in given.items()} for row, given in session.votes().items()}


def progress_of_testers(session: Session, second_looks: Sequence[Session] = ()) -> list[ProgressOfTester]:
    """Everybody with a standing answer to the plan's inputs, by name; ``second_looks``: sessions that looked at them again."""
    ballots, comparable = ballots_of(session), session.inputs.task.comparable
    votes = {row: {who: vote.answer for who, vote in ballot.votes.items()} for row, ballot in ballots.items()}
    try:
        agreeing = agreement_of(comparable_votes(session), numeric=session.inputs.task.numeric).per_tester
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


SECONDS = 1.0
"""Greatest age of what is shown; twenty testers ask forty times a second."""


@dataclass(frozen=True)
class TeamProgress:
    """Inputs answered by enough testers, inputs in all, and whether the always-valid interval is as narrow as asked."""

    answered: int
    inputs: int
    may_stop: bool


_kept: WeakKeyDictionary[Session, tuple[float, TeamProgress]] = WeakKeyDictionary()
_lock = threading.Lock()


def team_progress(session: Session) -> TeamProgress:
    """How far the session is, computed at most ``SECONDS`` ago."""
    with _lock:
        at, seen = _kept.get(session, (0.0, None))
        if seen is not None:
            if time.monotonic() - at <= SECONDS:
                return seen
            _kept[session] = (time.monotonic(), seen)  # others are shown this one while it is computed again
    seen = _look(session)
    with _lock:
        _kept[session] = (time.monotonic(), seen)
    return seen


def _look(session: Session) -> TeamProgress:
    try:
        estimate = session.estimate()
    except NotEnoughLabels:
        estimate = None
    return TeamProgress(*session.answered(), may_stop_words(session, estimate)[0])


COLUMNS = ("row", "key", "tester", "answer", "loss", "at", "seconds", "round", "counts", "settled by")


def votes_table(session: Session) -> list[dict[str, Any]]:
    """One record per standing answer, "cannot tell" (an empty answer) included, in draw order; what was taken back has none.

    ``key`` names plan and row, as in ``plan export``. ``loss`` is of the prediction under this answer. ``round`` counts from 1;
    None with techniques that draw in no rounds. ``counts`` says whether the input's label is this answer; ``settled by`` names
    the lead whose word stands, whose own answer is no record here.
    """
    inputs, mark, comparable = session.inputs, plan_mark(plan_of(session)), session.inputs.task.comparable
    ballots, answers, leads = ballots_of(session), session.answers(), session.adjudicated()
    alone = session.session_record.votes_per_input is None
    records = []
    for row in dict.fromkeys(draw.row for draw in session.draws):
        if row not in ballots:
            continue
        ballot, draw = ballots[row], session.draw_of(row)
        given = [ballot.standing] if alone else list(ballot.votes.values())
        for vote in given:
            if vote is None:
                continue
            settled = session.state_of(row) in ("answered", "cannot tell")
            records.append(
                {
                    "row": row,
                    "key": f"{mark}-{row}",
                    "tester": vote.tester,
                    "answer": inputs.task.answer_text(vote.answer, in_full=True),
                    **criteria_columns(inputs.task, vote.answer),
                    "loss": None if vote.answer is None else inputs.settled_loss(row, vote.answer),
                    "at": vote.at,
                    "seconds": vote.seconds,
                    "round": draw.round + 1 if isinstance(draw, RoundDraw) else None,
                    "counts": settled and comparable(answers.get(row)) == comparable(vote.answer),
                    "settled by": leads.get(row),
                    **keyed(inputs, row),
                }
            )
    return records


def votes_csv(session: Session) -> str:
    """The answers as CSV; ``testimate sessions import --into`` reads it."""
    text, records = io.StringIO(), votes_table(session)
    writer = SpreadsheetWriter(text)
    writer.writerow(records[0] if records else COLUMNS)
    writer.writerows(record.values() for record in records)
    return text.getvalue()


def votes_parquet(session: Session) -> bytes:
    """The same records as Parquet; BadInput where there are none."""
    return records_parquet(votes_table(session), "votes")


def with_disputes(words: str, session: Session, estimate: Estimate | None) -> str:
    """A result's sentence, with what open disputes could change of it."""
    open_ones = disputed_words(session, estimate)
    return f"{words} The estimate would be {open_ones}." if open_ones else words


def disputed_draws(session: Session) -> int:
    """How many draws so far are of inputs in dispute; an input drawn twice counts twice."""
    disputed = set(session.disputed())
    return sum(one.draw.row in disputed for one in session.verdicts()) if disputed else 0


def disputed_words(session: Session, estimate: Estimate | None) -> str:
    """The estimate if all disputed inputs were wrong, and if all were right; empty where none is, or a loss has no bound.

    What else has no answer stays as it is, so these are no intervals.
    """
    disputed, worst = set(session.disputed()), session.inputs.task.loss_bound
    if estimate is None or not disputed or worst is None:
        return ""
    ends = []
    for loss in (worst, 0.0):
        verdicts = [replace(one, loss=loss) if one.draw.row in disputed else one for one in session.verdicts()]
        try:
            ends.append(session.inputs.task.measure.value(session.estimate_of(verdicts).accuracy))
        except NotEnoughLabels:
            return ""
    which = "the disputed input is" if len(disputed) == 1 else f"all {commas(len(disputed))} disputed inputs are"
    wrong = "wrong" if session.inputs.task.measure.is_share else "as wrong as can be"
    return f"{ends[0]} if {which} {wrong}, {ends[1]} if right"


def known_answer_words(session: Session) -> list[str]:
    """A sentence for each tester who answered any, by name; they never enter the estimate."""
    return [words_of(one) for one in session.known_answers_given()]


def known_label_words(session: Session) -> tuple[str, ...]:
    """How many draws count by a label known before, and where an answer contradicts one; nothing where none was known."""
    return session.known_counts().sentences() if session.session_record.known_labels else ()


def words_of(given: KnownAnswersGiven) -> str:
    """How often one tester was right, with the interval of Clopper and Pearson (1934).

    >>> words_of(KnownAnswersGiven("Ann", 20, 18))
    'Ann answered 18 of 20 known answers correctly: 68 to 99%, with 95% confidence.'
    """
    ends = clopper_pearson(given.right, given.answered)
    low, high = percentage(ends.low, 0, DOWN), percentage(ends.high, 0, UP)
    counts = f"{commas(given.right)} of {commas(given.answered)}"
    return f"{given.tester} answered {counts} known answers correctly: {low:g} to {high:g}%, with 95% confidence."


MOST = 200
"""Labels in a table."""


@dataclass(frozen=True)
class LabelAccuracy:
    """One label: how often it was found present and predicted, and the share of inputs where its absence or presence is right.

    ``estimate`` : None while there are too few labels.
    """

    label: str
    present: int
    predicted: int
    estimate: Estimate | None


def label_accuracies(session: Session) -> list[LabelAccuracy]:
    """Every label of a multi-label task, in the task's order; empty for other tasks.

    An input counts as right for a label where prediction and answer agree about it; the estimator is that of the session's
    design, so that the chances of the draws are respected.
    """
    task = session.inputs.task
    if not task.several:
        return []
    answers, verdicts = session.answers(), session.verdicts()
    said = {
        row: np.asarray(task.check_answer(answer)) for row, answer in answers.items() if answer is not None
    }  # (C,) each
    found = []
    for place, label in enumerate(task.classes[:MOST]):
        losses = {row: float(marks[place] != session.inputs.predictions[row, place]) for row, marks in said.items()}
        of_label = [
            verdict if verdict.loss is None else replace(verdict, loss=losses[verdict.draw.row], answer=None)
            for verdict in verdicts
        ]
        try:
            estimate = session.estimate_of(of_label)
        except NotEnoughLabels:
            estimate = None
        rows = list(said)
        found.append(
            LabelAccuracy(
                label=label,
                present=int(sum(marks[place] for marks in said.values())),
                predicted=int(session.inputs.predictions[rows, place].sum()) if rows else 0,
                estimate=estimate,
            )
        )
    return found


def in_words(one: LabelAccuracy) -> str:
    """The share with its ends, such as "91.6%, 88.1 to 94.0%"; a dash where there is none."""
    if one.estimate is None:
        return "–"
    said = SHARE_RIGHT.value(one.estimate.accuracy)
    if one.estimate.low is None or one.estimate.high is None:
        return said
    return f"{said}, {SHARE_RIGHT.range(one.estimate.low, one.estimate.high)}"
