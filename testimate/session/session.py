"""A labeling session: what to label next, what was answered, and what is known so far; rebuilt from its stored history.

``plan_of`` gives it in the form of PLAN.json: the draws made so far and the outcomes its technique has learned.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any
from uuid import uuid4

from testimate.core.draw import Draw, Estimate, Verdict
from testimate.core.errors import BadInput, SubjectChanged
from testimate.core.inputs import Inputs
from testimate.core.selector import Selector
from testimate.core.session_record import (
    CODES,
    NEW_NAME,
    NOT_VOTES,
    OLD_NAME,
    Event,
    EventKind,
    SessionRecord,
    SessionStore,
)
from testimate.core.stored_record import time_now
from testimate.core.subject import Shown
from testimate.core.task import Task
from testimate.estimators import estimator_of
from testimate.planning.estimate import EXTENDED, KNOWN, Headline, headline_of, is_complete
from testimate.planning.known_labels import KnownCounts, labels_of
from testimate.planning.plan import Plan
from testimate.planning.task_estimates import outcomes_of
from testimate.selectors import with_honest_interval
from testimate.session.draws import KnownAnswersGiven
from testimate.session.history import Recorded, SessionState, StoredHistory
from testimate.session.next_inputs import StillOpen
from testimate.session.votes import Ballot, LabeledInput


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


class Session:
    """One labeling session over its inputs; may be shared by threads and browser tabs.

    Everything is applied in the order of the store: events come from there only, whoever sent them. After each one the
    selector is asked for all it will give, so the same history leads to the same asks, the same tells and the same draws.

    Parameters
    ----------
    record : the session as it was planned.
    inputs : what it was planned for; SubjectChanged where their fingerprint is another.
    selector : freshly built from ``record.request`` and ``record.resolved`` over these inputs.
    store : where ``record`` was stored; its history is replayed. ReplayMismatch where it does not fit the draws.
    show : what a person sees of a row.
    clock : seconds since 1970, by which the turns of a team run out.
    """

    def __init__(
        self,
        record: SessionRecord,
        inputs: Inputs,
        selector: Selector,
        store: SessionStore,
        show: Callable[[int], Shown],
        clock: Callable[[], float] = time.time,
    ) -> None:
        if inputs.fingerprint != record.fingerprint:
            raise SubjectChanged(
                f"{record.subject_name} changed since this session was planned (fingerprint {inputs.fingerprint[:8]}). "
                f"Expected {record.fingerprint[:8]}. Restore the original test set, or start a new session."
            )
        self._record, self._inputs, self._show = record, inputs, show
        self._history = StoredHistory(record, inputs, selector, store, clock)
        self._lock, self._order = self._history.lock, self._history.order
        self.refresh()

    @property
    def _state(self) -> SessionState:
        return self._history.state

    # What the session is

    def __repr__(self) -> str:
        record, counts = self._record, f"{self.labeled} of {self.planned} labeled"
        return f"Session {record.id} on {record.subject_name!r}: {counts}, by {record.request.technique}."

    @property
    def session_record(self) -> SessionRecord:
        """The session as it was planned."""
        return self._record

    @property
    def inputs(self) -> Inputs:
        """What is known of each input before any label."""
        return self._inputs

    @property
    def selector(self) -> Selector:
        """The technique; read its class and its design, but never call its ``ask`` or ``tell``."""
        return self._state.selector

    # What to label next

    def upcoming(self, count: int, tester: str | None = None) -> tuple[Draw, ...]:
        """The next inputs to label, each once, at most ``count``.

        First those whose vote was taken back, the latest first; then the draws in their order; last those that were
        skipped, in the order of skipping. Fewer when all is labeled or, with a technique that adapts, while ``waiting``.

        In a team these are inputs reserved for the ``tester``: they need another vote, this tester has not voted on
        them, and other testers do not hold all the votes they need. StoreUnavailable where inputs cannot be reserved.

        Known answers that are due for this tester, if the session has some, are among them.
        """
        with self._lock:
            draws = self._state.next.kept(count, tester)
        if draws is None:
            draws = self._turns_taken(count, str(tester))
        with self._lock:
            return (
                draws
                if tester is None
                else self._state.slipped_in.among(draws, count, tester, self._state.given_by(tester))
            )

    def _turns_taken(self, count: int, tester: str) -> tuple[Draw, ...]:
        with self._order:
            rows = self._state.next.take(count, tester)
            with self._lock:
                return tuple(map(self._state.asked.first, rows))

    def is_slipped_in(self, row: int) -> bool:
        """Whether the input is not in the plan but is one whose answer is known."""
        with self._lock:
            return row in self._state.slipped_in

    def known_answers_given(self) -> list[KnownAnswersGiven]:
        """What each tester said about the inputs whose answer is known, by name; empty where nobody answered one."""
        with self._lock:
            return self._state.slipped_in.given()

    def slipped_in_so_far(self, tester: str) -> tuple[int, int]:
        """Of the inputs whose answer is known: how many this tester has voted on, and how many come within the plan."""
        with self._lock:
            return len(self._state.slipped_in.said_by(tester)), self._state.slipped_in.within(self.planned, tester)

    @property
    def draws(self) -> tuple[Draw, ...]:
        """Every draw the technique has given so far, in draw order; the whole plan unless ``waiting``."""
        with self._lock:
            return tuple(self._state.asked.draws)

    @property
    def told(self) -> dict[int, float | None]:
        """The loss of each row as the technique learned it, only once: changing a vote later does not change it."""
        with self._lock:
            return self._state.asked.told

    @property
    def waiting(self) -> bool:
        """Whether the technique has more draws to give, once it has learned the outcome of the present ones."""
        with self._lock:
            return self._state.selector.remaining > 0

    def draw_of(self, row: int) -> Draw:
        """The first draw of the row; UnknownRow where it has not been drawn."""
        with self._lock:
            return self._state.asked.first(row)

    def position_of(self, row: int) -> int:
        """The position of the row's first draw in the plan, from 0; UnknownRow where it has not been drawn."""
        with self._lock:
            return self._state.asked.first_position(row)

    def show(self, row: int) -> Shown:
        """What a person sees of an input."""
        return self._show(row)

    # What was answered

    def check(self, event: Event) -> Event:
        """The event as it would be stored; BadInput or UnknownRow says why it cannot be.

        Its detail gains the position of the row's first draw and whether the prediction was shown before the answer.
        """
        with self._lock:
            return self._state.admission.as_stored(event)

    def record(self, events: Sequence[Event], *, lead: bool = False) -> Recorded:
        """Stores the events, then applies them; those that cannot be stored are refused and do not hold up the others.

        ``lead`` : whether the sender leads the team; nobody else may adjudicate. An event whose id is stored already is
        acknowledged and changes nothing. Raises StoreUnavailable where the store could not make them durable; then nothing
        has changed, and the same events may be sent again.
        """
        return self._history.record(events, lead=lead)

    def extend(self, more: int, tester: str) -> None:
        """Extends the plan by that many draws and keeps everything; stored as an event.

        BadInput where it cannot: see ``why_not_extended``. StoreUnavailable where it could not be made durable.
        """
        # An event, so that the record never changes and a replay carries it: decision 47.
        self._record_as_lead("extend", 0, tester, {"budget": self.planned + more})

    def give_codes(self, row: int, names: Sequence[str], tester: str) -> None:
        """Says why a failed input failed, in place of what was said before; no name takes that back.

        BadInput where the input is not a failure, or a name cannot be one. StoreUnavailable as for ``extend``.
        """
        self._record_as_lead("codes", row, tester, {CODES: [*names]})

    def rename_code(self, old: str, new: str, tester: str) -> None:
        """Gives a failure code another name for all inputs; one that another code has merges both, "" splits them again.

        BadInput where no input has the code, or the new name cannot be one. StoreUnavailable as for ``extend``.
        """
        self._record_as_lead("rename code", 0, tester, {OLD_NAME: old, NEW_NAME: new})

    def _record_as_lead(self, kind: EventKind, row: int, tester: str, detail: Mapping[str, Any]) -> None:
        event = Event(uuid4().hex, kind, row, tester, time_now("milliseconds"), detail=detail)
        for why in self.record([event], lead=True).refused.values():
            raise BadInput(why)

    def codes(self) -> dict[int, tuple[str, ...]]:
        """Why inputs failed, by row, in the names that the codes have now; of those that fail by the answer that stands."""
        with self._lock:
            standing = self._state.votes.standing
            given = {row: names for row, names in self._state.codebook.codes().items() if row in standing}
            losses = [nan if (loss := standing[row].loss) is None else loss for row in given]
            failed = self._inputs.task.failed(losses).tolist()
            return {row: names for (row, names), fails in zip(given.items(), failed, strict=True) if fails}

    def codes_given(self) -> dict[int, tuple[str, ...]]:
        """As ``codes``, also of inputs that do not fail by the answer that stands, the one coded first in front."""
        with self._lock:
            return dict(self._state.codebook.codes())

    def merged_codes(self) -> Mapping[str, tuple[str, ...]]:
        """Each code that was renamed, or merged of several: its name now, and those that it was given with."""
        with self._lock:
            return self._state.codebook.merged()

    def why_not_extended(self, more: int) -> str:
        """Why the plan cannot be extended by that many draws, in a sentence; empty where it can.

        It can if the technique's larger plan, given the same answers, begins with the draws of the smaller one; this is
        tried out.
        """
        with self._lock:
            try:
                self._state.extended(self.planned + more)
            except BadInput as error:
                return str(error)
            return ""

    @property
    def extensions(self) -> tuple[tuple[int, int], ...]:
        """The extensions of the plan so far, in order: draws before and after each."""
        with self._lock:
            return tuple(self._state.extensions)

    def refresh(self) -> None:
        """Applies events stored since the last call, here or by another process; ReplayMismatch where they do not fit.

        If the database was restored from a backup, the session becomes what the backup holds; StoreUnavailable if the
        backup has no such session, and then nothing has changed.
        """
        self._history.refresh()

    def history(self) -> tuple[Event, ...]:
        """Every event so far, oldest first, both streams."""
        with self._lock:
            return tuple(self._state.events)

    def answers(self) -> dict[int, Any]:
        """The standing answer of each row of the plan; rows that nobody could tell, open rows and disputed rows are absent."""
        with self._lock:
            return {row: vote.answer for row, vote in self._state.votes.standing.items() if vote.answer is not None}

    def votes(self) -> dict[int, dict[str, Any]]:
        """Each tester's answer about each row of the plan, by row and name; None for "cannot tell"."""
        with self._lock:
            return self._state.votes.given()

    def disputed(self) -> tuple[int, ...]:
        """Rows on which enough testers have voted without a majority, in draw order; a lead settles them."""
        with self._lock:
            return tuple(sorted(self._state.votes.disputed, key=lambda row: self._state.asked.positions[row][0]))

    def adjudicated(self) -> dict[int, str]:
        """The rows that a lead settled, each with the lead's name."""
        with self._lock:
            return self._state.votes.adjudicated()

    def give_back(self, tester: str) -> None:
        """Frees all inputs the tester holds, as after a logout; the next call of ``upcoming`` reserves some again."""
        with self._order:
            self._state.next.give_back(tester)

    def heard(self) -> dict[str, float]:
        """When each tester of a team last pressed a key here or came, in seconds since 1970; those who left are absent."""
        with self._lock:
            return self._state.next.heard()

    def answers_beyond(self, row: int) -> int:
        """Of a team: how many testers answered a row beyond those it needed."""
        with self._lock:
            needed = self._record.votes_per_input
            return 0 if not needed else max(len(self._state.votes.voters(row)) - needed, 0)

    def still_open(self, tester: str) -> StillOpen:
        """Of a team, what a tester without an input waits for."""
        with self._lock:
            return self._state.next.still_open(tester, self._state.selector.remaining)

    def votes_left(self) -> int:
        """Answers still to be given; in a team those the inputs lack, without inputs that wait for a lead."""
        with self._lock:
            each = self._record.votes_per_input
            return self.remaining if each is None else self._state.open.total + each * self._state.selector.remaining

    def testers_present(self) -> int:
        """Testers at work, at least 1."""
        with self._lock:
            return 1 if self._record.votes_per_input is None else self._state.next.testers_present()

    def pending(self) -> int:
        """Rows with a vote that wait for further testers; 0 where one person labels alone."""
        with self._lock:
            return self._state.votes.pending()

    def answered(self) -> tuple[int, int]:
        """Inputs with all the votes they need, settled or disputed, and inputs in all; does not reveal how people voted."""
        with self._lock:
            standing = len(self._state.votes.standing)
            return standing + len(self._state.votes.disputed), standing + self.remaining

    def known_counts(self) -> KnownCounts:
        """How many draws count by a label known before, and where an answer contradicts one."""
        with self._lock:
            votes, reached = self._state.votes, self._state.verdicts.now()
            used = sum(verdict.draw.row in votes.known for verdict in reached)
            beside = sum(row not in self._state.asked.positions for row in self._state.asked.known)
            return KnownCounts(used, len(reached), beside, tuple(votes.contradicted()))

    def explored(self) -> dict[int, Any]:
        """The standing answer of each row that a tester picked by hand; these never enter an estimate."""
        with self._lock:
            standing = {row: ballot.standing for row, ballot in self._state.explored.items()}
            return {row: vote.answer for row, vote in standing.items() if vote is not None and vote.kind == "answer"}

    def recent(self, count: int, tester: str | None = None) -> tuple[LabeledInput, ...]:
        """The rows settled last, newest first, at most ``count``; in a team those this ``tester`` answered last.

        With a ``tester`` they include known answers that were slipped in, as ``upcoming`` did.
        """
        with self._lock:
            alone, votes = self._record.votes_per_input is None or tester is None, self._state.votes
            standing = votes.standing if alone else votes.said_by(str(tester))
            said = [one for row, one in standing.items() if row not in votes.known]  # nobody gave those
            known = {} if tester is None else self._state.slipped_in.said_by(tester)
            if not known:
                return tuple(reversed(said))[: max(count, 0)]
            mixed = [*said, *(votes.labeled_by(vote) for vote in known.values())]
            mixed.sort(key=lambda one: self._state.voted_at[one.row])
            return tuple(reversed(mixed))[: max(count, 0)]

    def said_by(self, tester: str) -> int:
        """How many rows this tester of a team has answered, "cannot tell" included."""
        with self._lock:
            return len(self._state.votes.said_by(tester))

    # What is known

    def verdicts(self) -> tuple[Verdict, ...]:
        """A verdict for each draw up to the last one with a vote, in draw order.

        The loss is of the answer that stands; None where the tester could not tell, skipped the input, took the answer
        back or has not come to it although later draws are labeled, and where a team has not settled it.
        """
        with self._lock:
            return self._state.verdicts.now()

    def estimate(self) -> Estimate:
        """The accuracy of the whole set so far; raises NotEnoughLabels while there is no honest number."""
        return self.estimate_of(self.verdicts())

    def estimate_of(self, verdicts: Sequence[Verdict]) -> Estimate:
        """The estimate from some verdicts of this session, such as its first ones; NotEnoughLabels as above.

        It has an interval only if the technique claims an honest one.
        """
        design, task = self._state.selector.design, self._inputs.task
        counted = outcomes_of(task, verdicts)
        found = estimator_of(design).estimate(design, counted, level=self._record.level, loss_bound=task.outcome_bound)
        return with_honest_interval(found, self._record.request.technique)

    @property
    def planned(self) -> int:
        """Draws of the whole plan, repeats included."""
        with self._lock:
            return self._state.planned

    def counts(self) -> Counts:
        """The draws of the plan by what became of them; in a team they reveal how people voted."""
        with self._lock:
            found = Counter(self._state.votes.state(verdict.draw.row) for verdict in self._state.verdicts.now())
            to_do = self.planned - (found.total() - found["to do"])
            return Counts(found["answered"], found["cannot tell"], found["skipped"], found["not settled"], to_do)

    def state_of(self, row: int) -> str:
        """The state of an input: "answered", "cannot tell", "skipped", "not settled" or "to do"."""
        with self._lock:
            return self._state.votes.state(row)

    @property
    def labeled(self) -> int:
        """Draws reached that have a loss."""
        return sum(verdict.loss is not None for verdict in self.verdicts())

    @property
    def skipped(self) -> int:
        """Draws reached without a loss: could not tell, put off or taken back."""
        return sum(verdict.loss is None for verdict in self.verdicts())

    @property
    def remaining(self) -> int:
        """Inputs still to be asked, those put off included; a repeat is not asked again."""
        with self._lock:
            return len(self._state.asked.positions) - len(self._state.votes.standing) + self._state.selector.remaining

    @property
    def finished(self) -> bool:
        """Whether every planned draw has been voted on."""
        return self.remaining == 0


def plan_of(session: Session) -> Plan:
    """The session's plan: the draws made so far, and the outcomes the technique learned."""
    record = session.session_record
    return Plan(
        request=replace(record.request, budget=session.planned),
        fingerprint=record.fingerprint,
        loss_bound=session.inputs.task.loss_bound,
        design=session.selector.design,
        draws=session.draws,
        table=f"{record.subject_name} (a session of the app)",
        told=tuple(sorted(session.told.items())),
        task=session.inputs.task.kind,
        interval_method=record.interval_method,
        names={draw.row: session.inputs.name_of(draw.row) for draw in session.draws} if session.inputs.names else {},
        resolved={**record.resolved, **({EXTENDED: True} if session.extensions else {})},
        numbers=session.inputs.task if session.inputs.task.numeric else None,
        grades=session.inputs.task.table_grades,
        known=_known_of(session),
        criteria=session.inputs.task.criteria,
    )


def _known_of(session: Session) -> dict[int, str]:
    """The known labels of the draws, as votes have them."""
    known = dict(session.session_record.known_labels)
    drawn = [(draw.row, known[draw.row]) for draw in session.draws if draw.row in known] if known else []
    return labels_of(session.inputs.task, drawn)


def headline(session: Session, estimate: Estimate | None) -> Headline | None:
    """ "fixed" once the plan is complete as it was made, "always" before and after an extension; None where neither holds.

    An input that was put off or that a team has not settled counts as asked, as it does in a file of votes: the
    interval holds whatever it turns out to be. An interval without a width, of a whole set that is labeled, counts at any time.
    """
    if estimate is None:
        return None
    if estimate.low is not None and estimate.low == estimate.high:
        return "fixed"
    known = set(session.session_record.resolved.get(KNOWN, ()))
    to_do = (draw.row for draw in reversed(session.draws) if session.state_of(draw.row) == "to do")
    if any(row not in known for row in to_do):  # the last ones drawn, as a rule, so that this is quick while one labels
        return headline_of(False, estimate.low, estimate.always_low)
    asked = {draw.row for draw in session.draws if session.state_of(draw.row) != "to do"}
    return headline_of(is_complete(plan_of(session), asked), estimate.low, estimate.always_low)


def ballots_of(session: Session) -> dict[int, Ballot]:
    """The standing events of each row of the plan, by row."""
    ballots: dict[int, Ballot] = {}
    for event in session.history():
        if event.stream == "selection" and event.kind not in NOT_VOTES:
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
