"""A session's way to its store and back: events are made durable, then applied in the order in which they are stored."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.core.inputs import Inputs
from testimate.core.selector import Selector
from testimate.core.session_record import Event, SessionRecord, SessionStore
from testimate.planning.build import build
from testimate.session.admission import Sifted
from testimate.session.state import SessionState
from testimate.session.stored_together import StoredTogether


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

        Whether a plan can be extended depends on the answers before: then each batch is checked once the last one counts.
        """
        extends = any(event.kind == "extend" for events, _ in batches for event in events)
        if extends:
            return [done for batch in batches for done in self._record_at_once([batch])]
        return self._record_at_once(batches)

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
