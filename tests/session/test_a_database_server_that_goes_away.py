"""A PostgreSQL server that stops in the middle of a session and comes back: said in a sentence, nothing lost, none twice."""

import pytest

from testimate.core.errors import StoreUnavailable
from testimate.labels import SqlStore


def test_labels_wait_for_a_server_that_stops_and_comes_back(own_postgresql, open_session, inputs, say):
    store = SqlStore(f"{own_postgresql.url}/postgres")
    session = open_session("rra", 40, on=store, votes_per_input=2)
    first, second, third = session.upcoming(3, "Ann")
    votes = [say(draw.row, int(inputs.truth[draw.row]), tester="Ann") for draw in (first, second, third)]
    assert session.record(votes[:1]).acknowledged == (votes[0].id,)

    own_postgresql.stop()
    for _ in range(2):  # the second time without a connection left from before
        with pytest.raises(
            StoreUnavailable, match=r"cannot be reached(: nothing listens there| \(.*database that works)"
        ):
            session.record(votes[1:])
    assert [draw.row for draw in session.upcoming(3, "Ann")] == [second.row, third.row]  # labeling goes on meanwhile
    with pytest.raises(StoreUnavailable):
        session.upcoming(3, "Bob")  # whose turns nobody knows yet
    assert len(session.history()) == 1

    own_postgresql.start()
    assert session.record(votes).acknowledged == tuple(vote.id for vote in votes)
    assert session.upcoming(3, "Bob")
    restarted = SqlStore(f"{own_postgresql.url}/postgres")
    again = open_session("rra", 40, on=restarted, votes_per_input=2)
    assert [event.id for event in again.history()] == [vote.id for vote in votes]
    store.close()
    restarted.close()
