"""What is made once per key, whoever asks for it at the same time."""

import threading

import pytest

from testimate.project.jobs import MadeOnce


def test_all_who_ask_at_once_get_what_the_first_of_them_makes():
    once: MadeOnce[str, object] = MadeOnce(threading.RLock())
    begun, go_on = threading.Event(), threading.Event()
    made: list[object] = []
    got: list[object] = []

    def make() -> object:
        begun.set()
        assert go_on.wait(20)
        made.append(object())
        return made[-1]

    askers = [threading.Thread(target=lambda: got.append(once.get_or_make("a", make))) for _ in range(5)]
    for asker in askers:
        asker.start()
    assert begun.wait(20)
    assert once.get_or_make("b", lambda: "another key waits for nobody") == "another key waits for nobody"
    assert "a" not in once
    go_on.set()
    for asker in askers:
        asker.join()
    assert len(made) == 1
    assert got == made * 5
    assert "a" in once


def test_an_error_leaves_nothing_and_the_next_who_asks_makes_it():
    once: MadeOnce[str, int] = MadeOnce(threading.RLock())

    def fail() -> int:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        once.get_or_make("a", fail)
    assert once.get("a") is None
    assert once.get_or_make("a", lambda: 1) == 1


def test_what_was_dropped_is_made_anew_and_what_was_put_is_not_made():
    once: MadeOnce[str, int] = MadeOnce(threading.RLock())
    once.get_or_make("a", lambda: 1)
    once.drop("a")
    once.drop("never there")
    assert once.get_or_make("a", lambda: 2) == 2
    once.put("a", 3)
    assert once.get_or_make("a", lambda: 4) == once.get("a") == 3


def test_what_is_made_may_itself_ask_for_another_of_its_kind():
    once: MadeOnce[str, int] = MadeOnce(threading.RLock())
    assert once.get_or_make("sum", lambda: once.get_or_make("one", lambda: 1) + once.get_or_make("two", lambda: 2)) == 3
