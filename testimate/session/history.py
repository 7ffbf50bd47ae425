"""What follows from a session's events: stored first, then applied in the order in which they are stored."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Generic, TypeVar

from testimate.core.checks import is_whole
from testimate.core.errors import BadInput, ReplayMismatch, StoreUnavailable
from testimate.core.inputs import Inputs
from testimate.core.selector import Selector
from testimate.core.session_record import Event, SessionRecord, SessionStore
from testimate.core.words import commas
from testimate.planning.build import build
from testimate.planning.draws import AskedDraws, KnownOutcome
from testimate.session.admission import Admission, Sifted
from testimate.session.codebook import Codebook
from testimate.session.draws import OpenVotes, ReachedVerdicts, SlippedIn, checked_known_answers
from testimate.session.next_inputs import HAND_KEPT_OPEN, NextInputs
from testimate.session.votes import Ballot, StandingVotes


class SessionState:
    """A session's state, before its first event and then after each that ``apply`` is given; not thread-safe.

    Parameters
    ----------
    record, inputs, store, clock : as for ``Session``.
    lock : guards the state between threads; held for moments while inputs are reserved.
    selector : freshly built; it is asked for all it will give after each event.

    Attributes
    ----------
    selector : the technique; replaced when the plan is extended.
    events, ids : the events applied, in order, and their ids.
    asked, verdicts : the draws so far, and their verdicts up to the last one with a vote.
    votes, slipped_in : the standing answers of the plan's rows, and the answers to inputs whose answer is known.
    explored : the answers about rows that a tester picked.
    voted_at : the position of the last event about each row, except explored ones.
    open, next : in a team the votes that inputs lack; and what to label next.
    codebook : why inputs failed.
    admission : what may be stored.
    extensions : how often the plan was extended: draws before and after.
    """

    def __init__(
        self,
        record: SessionRecord,
        inputs: Inputs,
        selector: Selector,
        store: SessionStore,
        clock: Callable[[], float],
        lock: AbstractContextManager[Any],
    ) -> None:
        self._record, self._inputs = record, inputs
        self.selector = selector
        self.events: list[Event] = []
        self.ids: set[str] = set()
        known = dict(checked_known_answers(inputs, record.known_labels))
        losses = inputs.losses_of(known).tolist()
        outcomes = {
            row: KnownOutcome(loss, inputs.task.check_answer(answer))
            for (row, answer), loss in zip(known.items(), losses, strict=True)
        }
        self.asked = AskedDraws(selector, outcomes)
        self.votes = StandingVotes(inputs, record.votes_per_input, known)
        self._looked_at = 0  # draws of which it was looked whether their label is known
        self.extensions: list[tuple[int, int]] = []
        self._continued: tuple[int, Selector, AskedDraws] | None = None
        self.slipped_in = SlippedIn(record, inputs.task, self.asked)
        self.codebook = Codebook()
        self.admission = Admission(
            record, inputs.task, len(inputs), self.asked, self.votes, self.slipped_in, self.extended, self.codebook
        )
        self.verdicts = ReachedVerdicts(self.asked, self.votes.standing)
        self._settle_known()
        self.open = OpenVotes(self.asked, self.votes, record.votes_per_input or 1)
        self.next = NextInputs(record, store, clock, self.asked, self.votes, self.open, lock)
        self.explored: dict[int, Ballot] = {}
        self.voted_at: dict[int, int] = {}

    @property
    def planned(self) -> int:
        """Draws of the whole plan, repeats included."""
        return len(self.asked.draws) + self.selector.remaining

    def given_by(self, tester: str) -> int:
        """How many of the plan's inputs this tester has answered; outside a team, how many are answered."""
        alone = self._record.votes_per_input is None
        return len(self.votes.standing) - len(self.votes.known) if alone else len(self.votes.said_by(tester))

    def extended(self, budget: Any) -> AskedDraws:
        """The draws of the plan with a larger budget; BadInput where they do not begin with the draws so far."""
        size, planned = len(self._inputs), self.planned
        if not is_whole(budget, planned + 1, size):
            raise BadInput(
                f"The plan contains {commas(planned)} of {commas(size)} inputs and was to be extended to {budget!r:.40}. "
                "Expected a number between. Choose one, or plan a new session."
                if planned < size
                else f"The plan contains as many draws as there are inputs, {commas(size)}. There is nothing to extend."
            )
        kept = self._continued
        if kept is None or kept[0] != budget or kept[2].told != self.asked.told:
            request = replace(self._record.request, budget=budget)
            selector = build(self._inputs, request, self._record.resolved)
            kept = self._continued = budget, selector, self.asked.continued(selector)
        return kept[2]

    def apply(self, event: Event) -> None:
        """Applies the event; ReplayMismatch where it extends a plan that cannot be extended."""
        self.events.append(event)
        self.ids.add(event.id)
        if event.kind == "flag":
            return
        if event.kind in ("codes", "rename code"):
            self.codebook.add(event)
            return
        if event.kind == "extend":
            self._go_on(event)
            return
        if event.stream == "exploration":
            self.explored.setdefault(event.row, Ballot()).add(event)
            return
        self.voted_at[event.row] = len(self.events)
        if event.stream == "known answer":
            self.slipped_in.count(event)
            return
        counted = self.votes.count(event)
        self.verdicts.change(event.row, counted.acted)
        self.next.move(event, counted)
        if counted.stands is not None:
            answer = counted.stands.answer
            checked = None if answer is None else self._inputs.task.check_answer(answer)
            self.asked.tell(event.row, counted.stands.loss, checked)
            self._settle_known()
        if self._record.votes_per_input is not None:
            self._keep_enough_open(event)

    def _keep_enough_open(self, event: Event) -> None:
        """In a team, draws as many rounds as the testers present need; disputed inputs are learned from by their votes so far.

        This depends only on the events and on a setting stored with the session; sessions without it replay as they
        were.
        """
        hand = self._record.resolved.get(HAND_KEPT_OPEN)
        if hand is not None and event.row in self.votes.disputed:
            self.asked.tell(event.row, self.votes.loss_so_far(event.row))
            self._settle_known()
        self.open.draws_came()
        self.open.change(event.row, event.tester)
        while hand is not None and self.open.too_few(int(hand)) and self.asked.draw_more():
            self._settle_known()
            self.open.draws_came()

    def _settle_known(self) -> None:
        """Settles the inputs drawn since the last call whose label is known."""
        new = [draw.row for draw in self.asked.draws[self._looked_at :] if draw.row in self.asked.known]
        self._looked_at = len(self.asked.draws)
        if new:
            self.votes.settle_known(new)
            self.verdicts.settled(new)

    def _go_on(self, event: Event) -> None:
        """Replaces the plan by the larger one."""
        before, budget = self.planned, int(event.detail.get("budget", 0))
        if budget <= before:
            return  # two leads extended it at once
        try:
            larger = self.extended(budget)
        except BadInput as error:
            raise ReplayMismatch(
                f"The stored event {event.id!r:.70} extends the plan, which is no longer possible. {error}"
            ) from None
        assert self._continued is not None
        self.selector, self._continued = self._continued[1], None
        self.asked.take_over(larger)
        self._settle_known()
        self.verdicts.extended()
        self.open.draws_came()
        self.extensions.append((before, budget))


Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass
class _HandedIn(Generic[Item, Result]):
    """One thread's item, and what became of it."""

    item: Item
    done: bool = False
    result: Result | None = None
    error: BaseException | None = None


class StoredTogether(Generic[Item, Result]):
    """One call of ``work`` at a time, with all that was handed in while the last one ran, oldest first.

    So fifty testers who answer in the same moment wait for two transactions at most, and not for fifty.

    Parameters
    ----------
    work : takes the items and returns what became of each, in their order. An error of it reaches all whose item was among
        them.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[Result]]) -> None:
        self._work = work
        self._changed = threading.Condition()
        self._waiting: list[_HandedIn[Item, Result]] = []
        self._at_work = False

    def hand_in(self, item: Item) -> Result:
        """What became of the item; raises what ``work`` raised."""
        mine: _HandedIn[Item, Result] = _HandedIn(item)
        with self._changed:
            self._waiting.append(mine)
            self._changed.wait_for(lambda: mine.done or not self._at_work)
            if not mine.done:
                self._at_work, together, self._waiting = True, self._waiting, []
        if not mine.done:
            self._do(together)
        if mine.error is not None:
            raise mine.error
        assert mine.result is not None
        return mine.result

    def _do(self, together: list[_HandedIn[Item, Result]]) -> None:
        error: BaseException | None = None
        results: Sequence[Result | None] = [None] * len(together)
        try:
            found_out = self._work([one.item for one in together])
            assert len(found_out) == len(together)
            results = found_out
        except BaseException as found:  # an interrupted thread, too: whoever waits for it has to hear of it
            error = found
        with self._changed:
            for one, result in zip(together, results, strict=True):
                one.done, one.result, one.error = True, result, error
            self._at_work = False
            self._changed.notify_all()


@dataclass(frozen=True)
class Recorded:
    """What became of a batch: ids that are on disk, and for each id that was refused the sentence that says why."""

    acknowledged: tuple[str, ...]
    refused: Mapping[str, str]


def _recorded(batch: Sifted, stored: Collection[str], unstorable: Mapping[str, str]) -> Recorded:
    acknowledged = dict.fromkeys((*batch.known, *(event.id for event in batch.accepted if event.id in stored)))
    own = {event.id: unstorable[event.id] for event in batch.accepted if event.id in unstorable}
    refused = {id: why for id, why in {**batch.refused, **own}.items() if id not in acknowledged}
    return Recorded(tuple(acknowledged), refused)


def _turns(events: Sequence[Event]) -> list[Sequence[Event]]:
    """The events in their order, each run of failure codes apart from the answers before and after it."""
    return [list(run) for _, run in groupby(events, lambda event: event.kind == "codes")] or [[]]


def _joined(parts: Sequence[Recorded]) -> Recorded:
    """What became of a batch whose events were recorded in several turns."""
    return Recorded(
        tuple(id for one in parts for id in one.acknowledged),
        {id: why for one in parts for id, why in one.refused.items()},
    )


class StoredHistory:
    """The stored events of one session, and the state that follows from those applied so far.

    Parameters
    ----------
    record, inputs, selector, store, clock : as for ``Session``.

    Attributes
    ----------
    state : what follows from the events applied so far; another object once the database was restored from a backup.
    lock : of the state, between threads: held for moments, never while the store is at work.
    order : of what goes to the store and comes from it, one thread after the other; taken before ``lock``.
    """

    def __init__(
        self,
        record: SessionRecord,
        inputs: Inputs,
        selector: Selector,
        store: SessionStore,
        clock: Callable[[], float],
    ) -> None:
        self._record, self._inputs, self._store, self._clock = record, inputs, store, clock
        self.lock, self.order = threading.RLock(), threading.RLock()
        self._recording = StoredTogether(self.record_together)
        self.state = self._at_the_start(selector)

    def _at_the_start(self, selector: Selector) -> SessionState:
        return SessionState(self._record, self._inputs, selector, self._store, self._clock, self.lock)

    def record(self, events: Sequence[Event], *, lead: bool) -> Recorded:
        """Stores the events of one message, then applies them; see ``Session.record``."""
        return self._recording.hand_in((events, lead))

    def record_together(self, batches: Sequence[tuple[Sequence[Event], bool]]) -> Sequence[Recorded]:
        """What becomes of each batch; ``batches``: the events of one message, and whether a lead sent them.

        Whether a plan can be extended, or an input have a failure code, depends on the answers before: then each batch, and in
        it what follows on an answer, is checked once the last one counts.
        """
        if not any(event.kind in ("extend", "codes") for events, _ in batches for event in events):
            return self._record_at_once(batches)
        return [
            _joined([done for turn in _turns(events) for done in self._record_at_once([(turn, lead)])])
            for events, lead in batches
        ]

    def _record_at_once(self, batches: Sequence[tuple[Sequence[Event], bool]]) -> Sequence[Recorded]:
        with self.order:
            self._catch_up()  # another process may have stored more, or the database was restored
            with self.lock:
                sifted = [self.state.admission.sift(events, self.state.ids, lead=lead) for events, lead in batches]
            stored, refused = self._stored([event for batch in sifted for event in batch.accepted])
            if stored:
                self._catch_up([event for batch in sifted for event in batch.accepted])
            with self.lock:
                self.state.next.heard_from({event.tester for events, _ in batches for event in events})
            return [_recorded(batch, stored, refused) for batch in sifted]

    def _stored(self, events: Sequence[Event]) -> tuple[frozenset[str], Mapping[str, str]]:
        """The ids now on disk, and by id why the database cannot hold others, such as a broken character in a note."""
        if not events:
            return frozenset(), {}
        try:
            return frozenset(self._store.add(self._record.id, events)), {}
        except BadInput:
            stored: set[str] = set()
            refused: dict[str, str] = {}
            for event in events:  # one by one, so that a bad one does not hold up the others
                try:
                    stored.update(self._store.add(self._record.id, [event]))
                except BadInput as error:
                    refused[event.id] = str(error)
            return frozenset(stored), refused

    def refresh(self) -> None:
        """Applies what was stored since the last call; see ``Session.refresh``."""
        with self.order:
            self._catch_up()

    def _catch_up(self, admitted: Sequence[Event] = ()) -> None:
        """Applies new events from the store; those in ``admitted`` were checked just now, all others are checked here."""
        checked = {event.id: event for event in admitted}
        state, new = self._not_applied()
        with self.lock:
            self.state = state
            for event in new:
                if checked.get(event.id) != event:
                    state.admission.check_replayed(event)
                state.apply(event)

    def _not_applied(self) -> tuple[SessionState, Sequence[Event]]:
        """The stored events after those applied; all of them, for a state with none, where those are no longer the first."""
        applied = self.state.events
        if not applied:
            return self.state, self._store.history(self._record.id)
        since = self._store.history(self._record.id, len(applied) - 1)
        if since and since[0].id == applied[-1].id:
            return self.state, since[1:]
        self._check_is_stored()
        whole = self._store.history(self._record.id)
        return self._at_the_start(build(self._inputs, self._record.request, self._record.resolved)), whole

    def _check_is_stored(self) -> None:
        try:
            self._store.record(self._record.id)
        except BadInput:
            raise StoreUnavailable(
                f"The database no longer has session {self._record.id}. Restore the database it was started in, "
                "then continue labeling, or start a new session."
            ) from None
