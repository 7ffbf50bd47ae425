"""What follows from a session's events: draws, votes, queues and verdicts; replaying the events gives the same."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from testimate.core.errors import BadInput, ReplayMismatch
from testimate.core.inputs import Inputs
from testimate.core.selector import Selector
from testimate.core.session_record import Event, SessionRecord, SessionStore
from testimate.core.words import spaced
from testimate.planning.build import build
from testimate.session.admission import Admission
from testimate.session.asked_draws import AskedDraws, ReachedVerdicts
from testimate.session.ballot import Ballot
from testimate.session.next_inputs import HAND_KEPT_OPEN, NextInputs
from testimate.session.open_votes import OpenVotes
from testimate.session.slipped_in import SlippedIn
from testimate.session.standing_votes import StandingVotes


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
        self.asked = AskedDraws(selector)
        self.votes = StandingVotes(inputs, record.votes_per_input)
        self.extensions: list[tuple[int, int]] = []
        self._continued: tuple[int, Selector, AskedDraws] | None = None
        self.slipped_in = SlippedIn(record, inputs.task, self.asked)
        self.admission = Admission(
            record, inputs.task, len(inputs), self.asked, self.votes, self.slipped_in, self.extended
        )
        self.open = OpenVotes(self.asked, self.votes, record.votes_per_input or 1)
        self.next = NextInputs(record, store, clock, self.asked, self.votes, self.open, lock)
        self.explored: dict[int, Ballot] = {}
        self.voted_at: dict[int, int] = {}
        self.verdicts = ReachedVerdicts(self.asked, self.votes.standing)

    @property
    def planned(self) -> int:
        """Draws of the whole plan, repeats included."""
        return len(self.asked.draws) + self.selector.remaining

    def given_by(self, tester: str) -> int:
        """How many of the plan's inputs this tester has answered; outside a team, how many are answered."""
        alone = self._record.votes_per_input is None
        return len(self.votes.standing) if alone else len(self.votes.said_by(tester))

    def extended(self, budget: Any) -> AskedDraws:
        """The draws of the plan with a larger budget; BadInput where they do not begin with the draws so far."""
        size, planned = len(self._inputs), self.planned
        if isinstance(budget, bool) or not isinstance(budget, int) or not planned < budget <= size:
            raise BadInput(
                f"The plan holds {spaced(planned)} of {spaced(size)} inputs and was to be extended to {budget!r:.40}; expected "
                "a number between. Choose one, or plan a new session."
                if planned < size
                else f"The plan holds as many draws as there are inputs, {spaced(size)}. There is nothing to extend."
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
            self.asked.tell(event.row, counted.stands.loss, counted.stands.answer)
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
        self.open.draws_came()
        self.open.change(event.row, event.tester)
        while hand is not None and self.open.too_few(int(hand)) and self.asked.draw_more():
            self.open.draws_came()

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
        self.verdicts.extended()
        self.open.draws_came()
        self.extensions.append((before, budget))
