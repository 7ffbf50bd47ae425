"""A whole session of a team on SQLite and on a real PostgreSQL server: turns, votes, disputes, replay and restart."""

import random
import threading
from collections.abc import Callable

import pytest

from testimate.labels import SqlStore
from testimate.reports.live import live
from testimate.session.session import Session

TEAM = ("Ann", "Bob", "Cid", "Dan")


@pytest.fixture
def another(database, open_session):
    """Opens the session over a store of its own, as another process or a restarted server would."""
    stores: list[SqlStore] = []

    def opened(technique: str, **settings) -> Session:
        stores.append(SqlStore(database))
        return open_session(technique, 40, on=stores[-1], **settings)

    yield opened
    for store in stores:
        store.close()


def label_all(sessions: list[Session], inputs, say, adjudicate: Callable[[Session], None]) -> None:
    """Four testers answer by chance at several servers until all is settled; they err on every seventh input."""
    chance = random.Random(7)
    for _ in range(2000):
        session, name = chance.choice(sessions), chance.choice(TEAM)
        session.refresh()
        if session.finished:
            return
        hand = session.upcoming(4, name)
        if not hand:
            adjudicate(session)
            continue
        row = hand[0].row
        wrong = row % 7 == 0 and name in ("Bob", "Dan")
        said = (int(inputs.truth[row]) + wrong) % 4
        session.record([say(row, said, tester=name)])
        if chance.random() < 0.1:
            session.record([say(row, kind="undo", tester=name)])
    raise AssertionError("the session did not come to an end")


@pytest.mark.parametrize("technique", ["rrs", "rra"])
def test_two_servers_and_four_testers_bring_a_session_to_its_end_and_a_restart_finds_the_same(
    another, inputs, say, technique
):
    here, there = another(technique, votes_per_input=2), another(technique, votes_per_input=2)

    def adjudicate(session: Session) -> None:
        words = [say(row, int(inputs.truth[row]), kind="adjudication", tester="Lea") for row in session.disputed()]
        assert not session.record(words, lead=True).refused

    label_all([here, there], inputs, say, adjudicate)
    here.refresh()
    there.refresh()
    assert here.finished
    assert here.adjudicated()  # some were disputed
    assert here.verdicts() == there.verdicts()
    assert all(len(given) >= 2 for given in here.votes().values())
    wrong = {draw.row: float(inputs.losses[draw.row]) for draw in here.draws}
    losses = {verdict.draw.row: verdict.loss for verdict in here.verdicts()}
    agreed_on_the_wrong = {row for row, loss in losses.items() if loss != wrong[row]}
    assert all(set(here.votes()[row]) >= {"Bob", "Dan"} for row in agreed_on_the_wrong)

    restarted = another(technique, votes_per_input=2)
    assert restarted.history() == here.history()
    assert restarted.verdicts() == here.verdicts()
    assert restarted.estimate() == here.estimate()
    assert restarted.votes() == here.votes()
    assert live(restarted).words == live(here).words


def test_turns_taken_at_the_same_time_at_two_servers_are_never_the_same_input(another):
    here, there = another("rrs", votes_per_input=1), another("rrs", votes_per_input=1)
    hands: dict[str, list[int]] = {}
    start = threading.Barrier(len(TEAM))

    def take(session: Session, name: str) -> None:
        start.wait()
        hands[name] = [draw.row for draw in session.upcoming(8, name)]

    threads = [
        threading.Thread(target=take, args=(session, name))
        for session, name in zip((here, there, here, there), TEAM, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    rows = [row for hand in hands.values() for row in hand]
    assert len(rows) == 32
    assert len(set(rows)) == 32
    again = another("rrs", votes_per_input=1)
    for name in TEAM:
        assert [draw.row for draw in again.upcoming(8, name)] == hands[name]


def test_the_same_votes_sent_twice_and_to_two_servers_are_stored_once(another, inputs, say):
    here, there = another("rrs", votes_per_input=2), another("rrs", votes_per_input=2)
    rows = [draw.row for draw in here.upcoming(8, "Ann")]
    events = [say(row, int(inputs.truth[row])) for row in rows]
    for session in (here, there, here):
        assert session.record(events).acknowledged == tuple(event.id for event in events)
    assert len(another("rrs", votes_per_input=2).history()) == 8
