"""What a store of labels keeps, on every database it may lie in: round trips, repeats, batches, turns."""

import threading
from collections import Counter
from dataclasses import replace

import pytest

from testimate.core.errors import BadInput, StoreUnavailable
from testimate.labels import SqlStore
from testimate.labels.notes import ClusterNote, ClusterNotes
from tests.each import each
from tests.labels.one_session import RECORD, vote


@pytest.fixture
def store(open_store) -> SqlStore:
    store = open_store()
    store.create(RECORD)
    return store


def test_a_session_comes_back_as_it_was_from_another_store_on_the_same_database(store, open_store):
    assert open_store().record("a1") == RECORD


def test_sessions_are_listed_newest_first_also_within_a_second(store):
    for name, created in [("later", "2024-05-02"), ("same", "2024-05-02"), ("older", "2023-01-01")]:
        store.create(replace(RECORD, id=name, created=f"{created}T10:00:00+00:00"))
    assert [record.id for record in store.records()] == ["same", "later", "a1", "older"]


def test_an_id_is_given_once_and_an_unknown_one_is_refused(store):
    with pytest.raises(BadInput, match="already"):
        store.create(replace(RECORD, subject="other"))
    assert store.record("a1") == RECORD
    with pytest.raises(BadInput, match="no session 'b2'"):
        store.record("b2")
    for call in (
        lambda: store.add("b2", [vote("e")]),
        lambda: store.take_turns("b2", "Ann", list, now=0.0, until=10.0),
    ):
        with pytest.raises(StoreUnavailable, match="contain no session 'b2'"):
            call()
    assert store.history("b2") == ()


@pytest.mark.parametrize(
    "event",
    [
        vote("e"),
        vote("e", answer=-0.25, seconds=0.0),
        vote("e", answer=[0, 4, 9], stream="exploration"),
        vote("e", kind="cannot tell", answer=None, seconds=12.25),
        vote("e", kind="skip", answer=None),
        vote("e", kind="undo", answer=None),
        vote("e", kind="flag", answer=None, detail={"note": "x" * 100_000}),
        vote("e", kind="flag", answer=None, detail={"note": "two\n\tlines ' \" ; DROP TABLE events; -- \u200f 👍 Ö"}),
        vote(
            "e",
            tester="Zoë 'the' \"O'Neil\" 🧪",
            detail={"position": 4, "prediction_shown": False, "deep": {"a": [None]}},
        ),
    ],
)
def test_every_sort_of_event_comes_back_as_it_was(store, event):
    assert store.add("a1", [event]) == ("e",)
    assert store.history("a1") == (event,)


def test_the_same_id_again_is_acknowledged_and_stored_once_with_what_it_first_said(store):
    assert store.add("a1", [vote("e", answer=1), vote("e", answer=2), vote("f")]) == ("e", "f")
    assert store.add("a1", [vote("f", answer=9), vote("g"), vote("e", answer=7)]) == ("f", "g", "e")
    assert [(event.id, event.answer) for event in store.history("a1")] == [("e", 1), ("f", 3), ("g", 3)]


def test_two_sessions_may_use_the_same_event_id(store):
    store.create(replace(RECORD, id="b2"))
    store.add("a1", [vote("e", answer=1)])
    store.add("b2", [vote("e", answer=2)])
    assert [store.history(session)[0].answer for session in ("a1", "b2")] == [1, 2]


def test_the_history_can_be_read_from_where_one_stopped(store):
    store.create(replace(RECORD, id="b2"))
    for count in range(6):
        store.add("a1", [vote(f"e{count}")])
        store.add("b2", [vote(f"x{count}")])
    assert [event.id for event in store.history("a1", 4)] == ["e4", "e5"]
    assert store.history("a1", 6) == ()


def test_a_batch_of_thousands_is_stored_whole_and_repeats_in_it_are_found(store):
    batch = [vote(f"e{count}", row=count) for count in range(2_500)]
    store.add("a1", batch[::2])
    assert store.add("a1", batch) == tuple(event.id for event in batch)
    assert sorted(event.row for event in store.history("a1")) == list(range(2_500))


@pytest.mark.parametrize(
    "fields", [{"tester": "\ud800"}, {"detail": {"x": float("nan")}}, {"detail": {"x": object()}}, {"row": 10**30}]
)
def test_an_event_no_database_takes_is_refused_and_none_of_its_batch_is_stored(store, fields):
    with pytest.raises(BadInput, match="cannot be saved"):
        store.add("a1", [vote("good"), vote("bad", **fields)])
    assert store.history("a1") == ()
    assert store.add("a1", [vote("good")]) == ("good",)


def test_turns_are_the_testers_until_they_run_out(store):
    assert store.take_turns("a1", "Ann", lambda held: [1, 2], now=0.0, until=10.0) == (1, 2)
    seen = []
    store.take_turns("a1", "Bob", lambda held: seen.append(held) or [2, 3], now=5.0, until=15.0)
    assert seen == [{1: frozenset({"Ann"}), 2: frozenset({"Ann"})}]
    store.take_turns("a1", "Ann", lambda held: seen.append(held) or [], now=6.0, until=16.0)
    assert seen[1] == {2: frozenset({"Bob"}), 3: frozenset({"Bob"})}
    store.take_turns("a1", "Cid", lambda held: seen.append(held) or [], now=15.0, until=25.0)
    assert seen[2] == {}


def test_turns_from_before_the_clock_was_set_back_are_over(store):
    def held(now: float) -> dict[int, frozenset[str]]:
        seen = []
        store.take_turns("a1", "Bob", lambda taken: seen.append(taken) or [], now=now, until=now + 10.0)
        return seen[0]

    store.take_turns("a1", "Ann", lambda taken: [1], now=1000.0, until=1010.0)
    assert held(now=999.0) == {1: frozenset({"Ann"})}  # another server's clock may be a little behind
    assert held(now=989.0) == {}
    assert held(now=1000.0) == {}


def test_two_that_take_turns_at_once_never_get_the_same_one(store, open_store):
    taken: list[int] = []

    def take(name: str) -> None:
        own = open_store()
        for _ in range(5):

            def free(held):
                return [row for row in range(100) if row not in held][:2]

            rows = own.take_turns("a1", name, free, now=0.0, until=10.0)
        taken.extend(rows)

    threads = [threading.Thread(target=take, args=(f"tester {number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 12
    assert max(Counter(taken).values()) == 1


def test_twenty_threads_lose_no_vote_and_double_none(store):
    failures: list[BaseException] = []

    def label(tester: int) -> None:
        try:
            for count in range(10):
                again = vote(f"{tester}-{max(count - 1, 0)}", row=count, tester=f"tester {tester}")
                store.add("a1", [vote(f"{tester}-{count}", row=count, tester=f"tester {tester}"), again])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=label, args=(tester,)) for tester in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    ids = [event.id for event in store.history("a1")]
    assert sorted(ids) == sorted(f"{tester}-{count}" for tester in range(20) for count in range(10))


def test_a_note_on_a_cluster_comes_back(store):
    note = ClusterNote("digits", "c" * 32, 4, "threes <b>ü", "Ann", "now", "m", 12, {"features": "LHL"})
    ClusterNotes(store).write(note)
    assert ClusterNotes(store).of("digits") == [note]


@each(
    ("cause", "words"),
    [  # as libpq 15 says it
        ("server does not support SSL, but SSL was required", "it offers no encryption. Turn ssl on"),
        ('root certificate file "/home/me/.postgresql/root.crt" does not exist', "sslrootcert=FILE"),
        ("SSL error: certificate verify failed", "signed its certificate. Name the file"),
        ('FATAL:  no pg_hba.conf entry for host "192.0.2.7", no encryption', "Add a line to its pg_hba.conf"),
        ("fe_sendauth: no password supplied", "password file (.pgpass)"),
        ('FATAL:  password authentication failed for user "testimate"', "Correct the one in the URL"),
        ('FATAL:  database "testimate" does not exist', "Make it with createdb"),
    ],
)
def test_what_a_server_refuses_says_what_to_do_about_it(cause, words):
    from testimate.labels.sql_store import _sentence

    said = _sentence("postgresql://me@here/labels", cause)
    assert said.startswith("The labels in postgresql://me@here/labels cannot be reached: ")
    assert words in said
