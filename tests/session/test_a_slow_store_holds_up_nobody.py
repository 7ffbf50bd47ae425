"""While the database takes its time for one tester, the pages of all others read what is known."""

import threading

import pytest

from testimate.core.errors import BadInput
from testimate.labels import SqlStore


class Watched:
    """The store, which lets somebody look at the session from another thread whenever it is in the middle of something."""

    def __init__(self, store: SqlStore) -> None:
        self._store, self.look = store, None
        self.seen: list[str] = []

    def __getattr__(self, name):
        return getattr(self._store, name)

    def _look_during(self, what: str) -> None:
        if self.look is not None:
            other = threading.Thread(target=self.look, daemon=True)
            other.start()
            other.join(timeout=5)
            assert not other.is_alive(), f"whoever looks waits for {what}"
            self.seen.append(what)

    def add(self, session, events):
        self._look_during("add")
        return self._store.add(session, events)

    def history(self, session, after=0):
        self._look_during("history")
        return self._store.history(session, after)

    def take_turns(self, session, tester, choose, **times):
        def chosen(held):
            self._look_during("take_turns")
            return choose(held)

        return self._store.take_turns(session, tester, chosen, **times)


@pytest.mark.parametrize("technique", ["srs", "rra"])
def test_no_page_waits_while_an_answer_is_stored_or_turns_are_taken(open_session, store, inputs, say, technique):
    watched = Watched(store)
    session = open_session(technique, 60, on=watched, votes_per_input=1)
    [first, *_] = session.upcoming(8, "Ann")
    session.upcoming(8, "Bob")
    found = []

    def look() -> None:
        hand = [draw.row for draw in session.upcoming(8, "Bob")]  # he holds enough: nothing has to be stored
        facts = [(session.position_of(row), session.draw_of(row), session.is_slipped_in(row)) for row in hand]
        found.append((facts, session.said_by("Bob"), session.answered(), session.counts(), session.recent(3, "Bob")))

    watched.look = look
    assert session.record([say(first.row, int(inputs.truth[first.row]))]).acknowledged
    session.upcoming(8, "Cid")
    session.give_back("Cid")
    assert watched.seen == ["history", "add", "history", "take_turns", "take_turns"]
    assert len(found) == 5
    assert len(found[0][0]) == 8


def test_a_page_that_looks_while_labels_are_put_back_sees_the_old_ones_or_the_new_ones(
    open_session, store, inputs, say
):
    watched = Watched(store)
    session = open_session("rra", 60, on=watched)
    for _ in range(12):
        [draw] = session.upcoming(1)
        session.record([say(draw.row, int(inputs.truth[draw.row]))])
    store.remove(["s"])  # another file was put in place, in which the session begins anew
    open_session("rra", 60)
    seen = []
    watched.look = lambda: seen.append((len(session.history()), session.labeled))
    session.refresh()
    assert seen == [(12, 12)] * 2
    assert (len(session.history()), session.labeled) == (0, 0)


class Counting(Watched):
    """The store, with how many events came in each transaction; it refuses a note that says "no database takes this"."""

    def __init__(self, store: SqlStore) -> None:
        super().__init__(store)
        self.sizes: list[int] = []

    def add(self, session, events):
        self.sizes.append(len(events))
        if any(event.detail.get("note") == "no database takes this" for event in events):
            raise BadInput("This cannot be stored.")
        return self._store.add(session, events)


def test_answers_that_come_together_are_stored_together_and_an_extended_plan_is_checked_after_them(
    open_session, store, inputs, say
):
    counting = Counting(store)
    session = open_session("rra", 60, on=counting)
    first, second, third, fourth = (
        say(draw.row, int(inputs.truth[draw.row]), tester=f"t{draw.row}") for draw in session.upcoming(4)
    )
    broken = say(second.row, 1, detail={"note": "no database takes this"})
    results = session._history.record_together([([first], False), ([second, broken], False), ([third], False)])
    assert [one.acknowledged for one in results] == [(first.id,), (second.id,), (third.id,)]
    assert [set(one.refused) for one in results] == [set(), {broken.id}, set()]
    assert counting.sizes == [4, 1, 1, 1, 1]  # all at once, and one by one where the database refuses that
    counting.sizes.clear()
    more = say(0, kind="extend", detail={"budget": 80})
    results = session._history.record_together([([fourth], False), ([more], True), ([more], False)])
    assert counting.sizes == [1, 1]
    assert [one.acknowledged for one in results] == [(fourth.id,), (more.id,), (more.id,)]
    assert session.planned == 80
    assert open_session("rra", 60).history() == session.history()
